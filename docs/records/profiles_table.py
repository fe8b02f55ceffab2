"""How far apart are the published profiles? Makes docs/records/profiles.csv.

Usage: profiles_table.py SOCKETLAB WORK_FOLDER   (needs numpy; about a minute)

A row to a profile: means over the queries of recall and of the softmax mass left out, the Jaccard index of its selection
and that of the paper's profile at tau = 0.5 and 0.3, and of the keys of gpt-fast the share that are those of largest value
norm; an empty cell was not measured.

Draws Gaussian queries, keys and values in bf16 (seed 1) into WORK_FOLDER/qkv.safetensors and runs `attend` once for each
pair of profiles, with its own seed 1 for hyperplanes and corners.
"""

import csv
import json
import pathlib
import subprocess
import sys

import numpy as np

HEADS, KEY_HEADS, KEYS, DIM = 8, 2, 32768, 128
# Profile, its temperature, whether that is an option, and the temperatures of the paper's profile that it is compared with.
ROWS = (
    ("paper", 0.5, True, ()),
    ("hub", 0.5, True, (0.5,)),
    ("hf", 0.3, False, (0.5, 0.3)),
    ("gpt-fast", 1, False, (0.5,)),
)
COLUMNS = (
    "profile", "temperature", "recall", "residual_weight", "jaccard_paper_05", "jaccard_paper_03", "largest_norms"
)  # fmt: skip
RECORD = pathlib.Path(__file__).with_name("profiles.csv")


def bf16(array):
    """The upper half of each f32, rounded to the nearest, ties to even."""
    bits = array.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype("<u2")


def write_tensors(path):
    random = np.random.default_rng(1)
    shapes = {"q": (HEADS, 1, DIM), "k": (KEY_HEADS, KEYS, DIM), "v": (KEY_HEADS, KEYS, DIM)}
    header, data = {}, b""
    for name, shape in shapes.items():
        tensor = bf16(random.standard_normal(shape)).tobytes()
        header[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [len(data), len(data) + len(tensor)]}
        data += tensor
    head = json.dumps(header).encode()
    path.write_bytes(len(head).to_bytes(8, "little") + head + data)


def attend(program, work, name, *options):
    file, out = str(work / "qkv.safetensors"), work / name
    command = [program, "attend", "--queries", file, "--keys", file, "--values", file, "--budget", "0.1", "--sink", "0"]
    subprocess.run(
        [*command, "--window", "0", "--tables", "60", "--planes", "10", *options, "--out", str(out)],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return out


def mean(rows, key):
    return sum(row[key] for row in rows) / len(rows)


def jaccard(program, work, profile, temperature):
    """Of the keys that both select, the paper's profile at this temperature."""
    options = ["--profile", "paper", "--temperature", str(temperature), "--compare", profile]
    out = attend(program, work, f"{profile} {temperature}", *options)
    return mean(json.loads((out / "comparison.json").read_text())["per_query"], "jaccard")


def share_of_largest_norms(work):
    """Of the keys that gpt-fast selects, those among as many of largest value norm."""
    data = (work / "qkv.safetensors").read_bytes()
    values = np.frombuffer(data[-2 * KEY_HEADS * KEYS * DIM :], "<u2").astype(np.uint32) << 16
    norms = np.linalg.norm(values.view(np.float32).reshape(KEY_HEADS, KEYS, DIM), axis=2)
    selected = np.load(work / "gpt-fast" / "selected.npy")[:, 0]
    shares = [
        np.isin(keys, np.argsort(-norms[head * KEY_HEADS // HEADS])[: len(keys)]).mean()
        for head, keys in enumerate(selected)
    ]
    return np.mean(shares)


def main(program, work):
    work = pathlib.Path(work)
    work.mkdir(parents=True, exist_ok=True)
    write_tensors(work / "qkv.safetensors")
    lines = []
    for profile, temperature, free, compared in ROWS:
        options = ["--temperature", str(temperature)] if free else []
        out = attend(program, work, profile, "--profile", profile, *options)
        rows = json.loads((out / "summary.json").read_text())["per_query"]
        row = {name: mean(rows, name) for name in ("recall", "residual_weight")}
        for tau in compared:
            row[f"jaccard_paper_{tau:.1f}".replace(".", "")] = jaccard(program, work, profile, tau)
        if profile == "gpt-fast":
            row["largest_norms"] = share_of_largest_norms(work)
        lines.append({"profile": profile, "temperature": temperature} | {key: f"{row[key]:.6g}" for key in row})
    with open(RECORD, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)
    print(f"{RECORD} is written; docs/tables/fill.py puts it into docs/profiles.md")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    main(*sys.argv[1:])
