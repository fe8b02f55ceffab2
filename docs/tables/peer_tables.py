"""How long did others take for the selection and for attention over all keys? The tables of docs/gpu/peers.md."""

from gpu_rows import ASKED, HEADS, times, us
from records import markdown, one, read, thousands, where

RECORD = "gpu/records/peers_h200.csv"
OWN = "skt_select_keys"
TIMED = (("packed", "cold"), ("packed", "kept"), ("rounded", "cold"))  # scores, memory


def rows_of(operation, **wanted):
    return where(read(RECORD), operation=operation, **wanted)


def in_order(rows, column):
    """The values of a column, each once, as the record has them."""
    return list(dict.fromkeys(row[column] for row in rows))


def shapes(rows):
    return sorted({(row["keys"], row["kv_heads"]) for row in rows}, key=lambda shape: (shape[0], -shape[1]))


def selection():
    rows = rows_of("select")
    lines = []
    for keys, kv_heads in shapes(rows):
        of_shape = where(rows, keys=keys, kv_heads=kv_heads)
        own = one(of_shape, peer=OWN, scores="packed", memory="cold")["median_us"]
        for peer in in_order(of_shape, "peer"):
            medians = [one(of_shape, peer=peer, scores=scores, memory=memory)["median_us"] for scores, memory in TIMED]
            cells = [thousands(keys), f"{kv_heads:.0f}", f"`{peer}`", *map(us, medians)]
            lines.append([*cells, "" if peer == OWN else times(medians[0] / own)])
    columns = ["keys", "KV heads", "function", "scores from memory", "scores in L2", "rounded scores"]
    return markdown([*columns, "time / `skt_select_keys`, from memory"], lines)


def ties():
    """Of the rounded scores: rows where more keys tie than have a place, and where the lower indices were taken."""
    lines = []
    rows = rows_of("select", scores="rounded")
    for peer in in_order(rows, "peer"):
        of_peer = where(rows, peer=peer)
        total, contested, lower = (
            sum(row[name] for row in of_peer) for name in ("rows", "contested", "by_lower_index")
        )
        taken = contested - (total - lower)  # a row without a contest has the set of the lower index in any case
        lines.append([f"`{peer}`", of_peer[0]["version"], of_peer[0]["ties"], f"{taken:.0f} of {contested:.0f}"])
    return markdown(["function", "version", "tie rule", "contested rows with the lower index"], lines)


def attention():
    rows = rows_of("attend")
    before = where(read("gpu/records/dense_h200.csv"), batch=1)
    lines = []
    for keys, kv_heads in shapes(rows):
        for row in where(rows, keys=keys, kv_heads=kv_heads):
            recorded = where(before, keys=keys, kv_heads=kv_heads, backend=row["peer"])
            lines.append(
                [
                    thousands(keys), f"{kv_heads:.0f}", f"`{row['peer']}`", us(row["median_us"]),
                    f"{us(row['fastest_us'])} to {us(row['slowest_us'])}",
                    us(one(recorded)["median_us"]) if recorded else "",
                    f"{row['of_bound']:.2f}", f"{row['lie_of_bound']:.1f}",
                ]
            )  # fmt: skip
    columns = ["keys", "KV heads", "function", "us", "fastest to slowest", "us in the record of lengths"]
    return markdown([*columns, "error / bound", "error / bound without the heaviest key"], lines)


TABLES = {"gpu peers selection": selection, "gpu peers ties": ties, "gpu peers attention": attention}


def at_asked():
    """Of 145,408 keys: the selection, the fastest other, and attention over all keys with 32 KV heads and with 8."""
    selected = rows_of("select", keys=ASKED, kv_heads=32, scores="packed", memory="cold")
    own = one(selected, peer=OWN)["median_us"]
    others = min(row["median_us"] for row in selected if row["peer"] != OWN)
    numbers = {"own": us(own), "times": f"{others / own:.2f}"}
    for kv_heads in HEADS:
        for name, peer in (("all", "skt_sparse_attention"), ("cudnn", "dense-cudnn")):
            row = one(rows_of("attend", keys=ASKED, kv_heads=kv_heads, peer=peer))
            numbers[f"{name}{kv_heads}"] = us(row["median_us"])
    return numbers


def shared():
    """How much faster cuDNN goes over all keys where four query heads share them."""
    ours, theirs = (
        one(rows_of("attend", keys=ASKED, kv_heads=8, peer=peer))["median_us"]
        for peer in ("skt_sparse_attention", "dense-cudnn")
    )
    return {"shared": f"{ours / theirs:.2f}"}
