"""Which planted edits of the kernels does gpu-check notice on the emulated device, without a GPU?

    gpu/emulation/faults.py BUILD OUT.csv [--only NAME ..] [--seconds N]

Each edit of gpu/planted/*edits.cmake is built into a library of its own, which BUILD/socketlab_emulated checks as a
candidate. The tiny grid comes first, then eighths of the small quick cases of the operations that run the edited kernel. An edit ends with the
first failure, or when its seconds are over; a case that takes too long says nothing. Edits of lists that heads share, and
of selections, begin with larger cases. Edits of synchronisation are checked under several orders of threads and copies, on some longer rows first.

A row of OUT.csv is the fault, the operations that noticed it (or `unnoticed`), and the cases run until then. The edit
`none` is no edit and must notice nothing: longer rows and the tiny grid under each order, and an eighth of all
operations. Edits that OUT.csv has are passed over, so that a run that was cut off goes on. Exit 1 if an edit cannot be
built or checked, or `none` is noticed.
"""

import argparse
import csv
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from own_kernels import compiler_call, link, run
from translate import translate

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "gpu/planted"))
import edits  # noqa: E402

ROW = re.compile(r"^([a-z-]+) +(\d+) +(\d+) +\d+ +\d+ ", re.MULTILINE)  # operation, cases, failed
USUAL = {}
ORDERS = [  # of threads and copies (docs/gpu/emulation.md), for edits of synchronisation
    USUAL,
    {"SKT_EMULATED_ORDER": "reverse", "SKT_EMULATED_COPIES": "early"},
    {"SKT_EMULATED_ORDER": "1"},
    {"SKT_EMULATED_ORDER": "reverse"},
    {"SKT_EMULATED_ORDER": "2", "SKT_EMULATED_COPIES": "early"},
]
ROWS = "heads=8,kv_heads=8,batch=2,keys=1024,dim=64,tables=8,budget=64"  # each goes on as soon as it is scored
# Of lists that heads share: rows of more tiles than are sampled, the same in pages, more heads than a pass has, and sequences that
# are attended to whole up to a length that one of them has, by several query rows, and lists of several rounds to a warp.
OF_LISTS = [
    "operation=score-signed,lists=kv-head,heads=8,kv_heads=2,keys=2500,dim=32,tables=8",
    "operation=paged-index,lists=kv-head,heads=8,kv_heads=2,batch=2,keys=700,dim=32,tables=8,pages=hnd,page_size=64,"
    "sink=4,window=40,budget=50",
    "operation=score-signed,heads=32,kv_heads=2,keys=300,dim=32,tables=8",
    "operation=decode-lengths,lists=kv-head,heads=8,kv_heads=2,batch=5,keys=700,dim=32,tables=8,sink=4,window=40,budget=50,"
    "dense=64",
    "operation=decode-rows,lists=kv-head,heads=8,kv_heads=2,batch=3,keys=200,dim=32,tables=8,sink=4,window=10,budget=20,"
    "query_rows=3,dense=66",
    "operation=decode-signed,lists=kv-head,heads=8,kv_heads=2,keys=3000,dim=64,tables=8,budget=2405",
    "operation=decode-signed,lists=kv-head,heads=8,kv_heads=2,keys=3000,dim=64,tables=8,budget=2405,type=f16",
]
SELECTIONS = [
    "operation=select-keys,keys=9000,budget=300",  # two blocks to a row
    "operation=select-keys,keys=9000,budget=0,sink=5,window=7",
    "operation=select-keys,keys=50000,budget=300",  # twelve, which a kernel must be allowed
]
LONGER = [  # than the tiny grid has
    f"operation=decode-step,{ROWS}",
    OF_LISTS[0],
    "operation=decode-signed,heads=16,kv_heads=2,batch=2,keys=1024,dim=64,tables=40,budget=64",
    "operation=decode-signed,heads=64,kv_heads=8,batch=2,keys=300,dim=32,tables=40,budget=40",  # several rows to a block
    *SELECTIONS,
    "operation=select-shards,keys=9000,budget=300",
    "operation=score-signed,heads=8,kv_heads=1,keys=2500,tables=40",
    "operation=score-packed,heads=8,kv_heads=2,keys=300,dim=32,tables=96",  # slots of four heads are filled again
]
SMALL_KEYS = 700  # a case of so many takes a second or so
CASE_SECONDS = 300
NO_DEVICE = 4  # socketlab_emulated's exit status where the device itself cannot go on (threads.hpp)
NONE = "none"


def compiled(build, folder, edit):
    """The edited unit's object, in `folder`, and how the name of the one that it replaces ends."""
    edited = folder / "edited/gpu" / edit.file
    edited.parent.mkdir(parents=True)
    edited.write_text(edit.text(), encoding="utf-8")
    kernels = folder / "translated"
    translate(ROOT, f"gpu/{edit.unit}", kernels, folder / "edited")
    words, plain, source = compiler_call(build, edit.unit)
    run([*(word.replace(str(plain), str(kernels)) for word in words), "-o", folder / "unit.o"], cwd=build)
    return folder / "unit.o", f"{source.removeprefix(str(plain.parent))}.o"


def built(build, folder, edit):
    """The library of this edit, or of None, in `folder`."""
    objects = (build / "gpu/emulation/objects.txt").read_text(encoding="utf-8").splitlines()
    if edit:
        unit, replaced = compiled(build, folder, edit)
        objects = [unit, *(item for item in objects if not item.endswith(replaced))]
    library = folder / "libedited.so"
    link(build, library, objects)
    return library


def what_was_asked(kind, given, *rest):
    """The operation, or tiny-grid."""
    if rest:
        return rest[rest.index("--only") + 1]
    return given.split(",")[0].removeprefix("operation=") if kind == "--case" else "tiny-grid"


def checked(build, library, order, *options):
    """Failed and run cases by operation; a run that says nothing more has failed in what it was asked."""
    command = [build / "socketlab_emulated", "--candidate", library, "--case-limit", CASE_SECONDS, *options]
    environment = os.environ | {"OMP_NUM_THREADS": "1"} | order
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, env=environment)
    rows = {operation: (int(failed), int(cases)) for operation, cases, failed in ROW.findall(done.stdout)}
    if done.returncode == 2 and ("they leave no case" in done.stderr or "this part has none" in done.stderr):
        return {}  # none so small: nothing is said of the kernels
    if done.returncode == NO_DEVICE or (not rows and done.returncode == 2):
        raise RuntimeError(done.stderr.strip()[:500])
    if "no end after" in done.stdout + done.stderr:
        return {}
    if done.returncode != 0 and not any(failed for failed, _ in rows.values()):
        rows[what_was_asked(*options)] = (1, 1)
    return rows


def noticed(build, library, operations, orders, longer, seconds, least):
    """The operations with a failed case, and the cases run; the first `least` rounds take what time they need."""
    begin, cases = time.monotonic(), 0
    rounds = [(order, "--case", case) for case in longer for order in orders]
    least += len(rounds)
    rounds += [(order, "--grid", "tiny") for order in orders]
    for eighth in range(1, 9):
        for number, operation in enumerate(operations, eighth):  # orders take turns
            options = ("--grid", "quick", "--only", operation, "--most-keys", str(SMALL_KEYS))
            rounds.append((orders[number % len(orders)], *options, "--slice", f"{eighth}/8"))
    for number, options in enumerate(rounds, 1):
        rows = checked(build, library, *options)
        cases += sum(ran for _, ran in rows.values())
        by = [operation for operation, (failed, _) in rows.items() if failed]
        if by or (number >= least and time.monotonic() - begin > seconds):
            return by, cases
    return [], cases


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these edits alone")
    parser.add_argument("--seconds", type=float, default=120, help="after which no further cases of an edit are begun")
    given = parser.parse_args()
    build, known = given.build.resolve(), {NONE: None} | {edit.name: edit for edit in edits.listed()}
    if wrong := set(given.only or ()) - set(known):
        parser.error(f"--only: no planted edit {sorted(wrong)[0]}")
    if not given.out.exists():
        given.out.write_text("fault,noticed_by,cases\n", encoding="utf-8")
    with given.out.open(encoding="utf-8") as file:
        done = {row["fault"]: row["noticed_by"] for row in csv.DictReader(file)}
    code = int(done.get(NONE, "unnoticed") != "unnoticed")
    for name in given.only or known:
        if name in done:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                edit = known[name]
                library = built(build, Path(folder), edit)
                operations = edit.operations() if edit else edits.ALL
                orders = ORDERS if not edit or edit.of_list == "sync_edits" else [USUAL]
                least = len(orders) + (0 if edit else len(operations))
                if len(orders) > 1:
                    longer = LONGER
                elif edit.unit == "selection/selection.cu":
                    longer = SELECTIONS
                else:
                    longer = OF_LISTS if edit.of_list == "list_edits" else []
                by, cases = noticed(build, library, operations, orders, longer, given.seconds, least)
            except (RuntimeError, edits.Wrong) as error:
                print(f"{name}: {str(error)[:500]}", file=sys.stderr)
                code = 1
                continue
        code = 1 if name == NONE and by else code
        row = f"{name},{' '.join(by) or 'unnoticed'},{cases}"
        print(row, flush=True)
        with given.out.open("a", encoding="utf-8") as file:
            file.write(row + "\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
