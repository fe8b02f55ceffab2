"""How far apart are the published profiles? Makes the table of docs/profiles.md.

Usage: profiles_table.py SOCKETLAB WORK_FOLDER   (prints the table; needs numpy; about a minute)

Draws Gaussian queries, keys and values in bf16 (seed 1) into WORK_FOLDER/qkv.safetensors and runs `attend` once for each
pair of profiles, with its own seed 1 for hyperplanes and corners.
"""

import json
import pathlib
import subprocess
import sys

import numpy as np

HEADS, KEY_HEADS, KEYS, DIM = 8, 2, 32768, 128
# Label, profile, temperature where it is free, and the comparison with the paper's profile at these temperatures.
ROWS = (
    ("`paper`, tau = 0.5", "paper", 0.5, ()),
    ("`hub`, tau = 0.5", "hub", 0.5, (0.5,)),
    ("`hf` (tau = 0.3)", "hf", None, (0.5, 0.3)),
    ("`gpt-fast`", "gpt-fast", None, (0.5,)),
)


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
    print("| | recall of the true top keys | softmax mass left out | Jaccard index against `paper`, tau = 0.5 |")
    print("|---|---|---|---|")
    for label, profile, temperature, compared in ROWS:
        options = ["--temperature", str(temperature)] if temperature else []
        out = attend(program, work, profile, "--profile", profile, *options)
        rows = json.loads((out / "summary.json").read_text())["per_query"]
        near = [
            f"{jaccard(program, work, profile, tau):.3f}" + ("" if tau == 0.5 else f" with tau = {tau}")
            for tau in compared
        ]
        print(
            f"| {label} | {mean(rows, 'recall'):.3f} | {mean(rows, 'residual_weight'):.3f} | {'; '.join(near) or 1} |"
        )
    print(f"\nOf the keys of gpt-fast {share_of_largest_norms(work):.1%} are those of largest value norm.")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    main(*sys.argv[1:])
