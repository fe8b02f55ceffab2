"""Of README.md: a decode step beside dense attention, from gpu/records; how long the commands take."""

from records import markdown, one, read, thousands, where

LENGTHS = (8192, 18432, 36864, 73728, 145408)
DENSE = ("dense-flash", "dense-cudnn")


def step(keys, kv_heads):
    """The published setting, 33 times fewer keys than there are."""
    rows = where(read("gpu/records/decode_h200.csv"), batch=1, keys=keys, kv_heads=kv_heads, tables=60, planes=10)
    return one(rows, stage="decode-step", budget=keys // 33)


def dense_us(keys, kv_heads):
    rows = where(read("gpu/records/dense_h200.csv"), batch=1, keys=keys, kv_heads=kv_heads)
    return min(one(rows, backend=backend)["median_us"] for backend in DENSE)


def faster(keys, kv_heads):
    return f"{dense_us(keys, kv_heads) / step(keys, kv_heads)['median_us']:.2f}x"


def decode_steps():
    lines = []
    for keys in LENGTHS:
        row = step(keys, 32)
        times = [f"{row['median_us']:.0f}", f"{dense_us(keys, 32):.0f}", faster(keys, 32), faster(keys, 8)]
        lines.append([thousands(keys), *times, f"{row['softmax_mass']:.2f}", f"{row['output_error']:.2f}"])
    columns = [
        "tokens",
        "step, us",
        "dense, us",
        "speedup",
        "speedup, 8 KV heads",
        "softmax mass kept",
        "output error",
    ]
    return markdown(columns, lines)


def minutes(command, part, machine=1):
    """On a fresh clone, without a cache of the compiler, two cores with next to nothing else; 2 and 3 are slower ones, 4 a
    faster one."""
    row = one(read("docs/records/times.csv"), command=command, part=part, machine=machine)
    return f"{row['seconds'] / 60:.2g}"


def test_times():
    return {"least": minutes("./test.sh --all", "all"), "most": minutes("./test.sh --all", "all", machine=3)}


def theorem_3_over_seeds():
    least = [row["bound_least_drawn"] for row in read("docs/records/theorem3_seeds.csv")]
    return {"least": f"{min(least):.0f}", "most": f"{max(least):.0f}", "seeds": len(least)}


def theorem_3_readings():
    rows = read("docs/records/theorem3_seeds.csv")
    drawn, sure = [row["bound_least_drawn"] for row in rows], [row["bound_most_sure"] for row in rows]
    return {
        "seeds": len(rows),
        "least": f"{min(drawn):.1f}",
        "most": f"{max(drawn):.1f}",
        "sure": f"{float(f'{max(sure):.3g}'):,.0f}",
    }


TABLES = {"decode steps": decode_steps}
