"""How far apart are the published profiles? Makes docs/records/profiles.csv.

Usage: profiles_table.py SOCKETLAB WORK_FOLDER   (needs numpy; about a minute)

A row to a profile: means over the queries of recall and of the softmax mass left out, the Jaccard index of its selection
and that of the paper's profile at tau = 0.5 and 0.3, and of the keys of gpt-fast the share that are those of largest value
norm; an empty cell was not measured.

Draws Gaussian queries, keys and values in bf16 (seed 1) into WORK_FOLDER/qkv.safetensors and runs `attend` once for each
pair of profiles, with its own seed 1 for hyperplanes and corners.
"""

import json
import subprocess
from pathlib import Path

import numpy as np
from runs import arguments, write_table

HEADS, KEY_HEADS, KEYS, DIM = 8, 2, 32768, 128
# Profile, its temperature, whether that is an option, and the temperatures of the paper's profile that it is compared with.
ROWS = (
    ("paper", 0.5, True, ()),
    ("hub", 0.5, True, (0.5,)),
    ("hf", 0.3, False, (0.5, 0.3)),
    ("gpt-fast", 1, False, (0.5,)),
    ("gpt-fast-later", 0.3, False, (0.5, 0.3)),
)
COLUMNS = (
    "profile", "temperature", "recall", "residual_weight", "jaccard_paper_05", "jaccard_paper_03", "largest_norms"
)  # fmt: skip


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


def attend(program, work, name, table, *options):
    """The rows by query of a table of the run, which lies in the folder `name`."""
    file, out = str(work / "qkv.safetensors"), work / name
    command = [program, "attend", "--queries", file, "--keys", file, "--values", file, "--budget", "0.1", "--sink", "0"]
    command += ["--window", "0", "--tables", "60", "--planes", "10", *options, "--out", str(out)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return json.loads((out / table).read_text())["per_query"]


def share_of_largest_norms(work):
    """Of the keys that gpt-fast selects, those among as many of largest value norm."""
    data = (work / "qkv.safetensors").read_bytes()
    values = np.frombuffer(data[-2 * KEY_HEADS * KEYS * DIM :], "<u2").astype(np.uint32) << 16
    norms = np.linalg.norm(values.view(np.float32).reshape(KEY_HEADS, KEYS, DIM), axis=2)
    selected = np.load(work / "gpt-fast" / "selected.npy")[:, 0]
    largest = [np.argsort(-norms[head * KEY_HEADS // HEADS])[: len(keys)] for head, keys in enumerate(selected)]
    return np.mean([np.isin(keys, most).mean() for keys, most in zip(selected, largest, strict=True)])


def row_of(program, work, profile, temperature, free, compared):
    options = ["--temperature", str(temperature)] if free else []
    rows = attend(program, work, profile, "summary.json", "--profile", profile, *options)
    row = {name: np.mean([each[name] for each in rows]) for name in ("recall", "residual_weight")}
    for tau in compared:
        options = ["--profile", "paper", "--temperature", str(tau), "--compare", profile]
        rows = attend(program, work, f"{profile} {tau}", "comparison.json", *options)
        row[f"jaccard_paper_{tau:.1f}".replace(".", "")] = np.mean([each["jaccard"] for each in rows])
    if profile == "gpt-fast":
        row["largest_norms"] = share_of_largest_norms(work)
    return [profile, temperature, *(f"{row[name]:.6g}" if name in row else "" for name in COLUMNS[2:])]


def main(program, work):
    work = Path(work)
    work.mkdir(parents=True, exist_ok=True)
    write_tensors(work / "qkv.safetensors")
    write_table(Path(__file__).with_name("profiles.csv"), COLUMNS, [row_of(program, work, *row) for row in ROWS])


if __name__ == "__main__":
    main(*arguments(__doc__, 2))
