"""How long does a decode step take over a sequence whose keys lie on several GPUs, and over heads that do?

    torchrun --nproc-per-node 4 gpu/bench/ranks.py [--keys 145408 1048576] [--kv-heads 32 8] [--out ranks.csv]
    python3 gpu/bench/ranks.py                     # one process: what the stages and their exchanges cost by themselves

Needs the package with its GPU library (docs/python.md). Of one sequence, bf16, 32 query heads of 128 numbers, 60 tables of 10
planes, a 33rd of the keys plus 128 sink and 128 window keys:

keys       each rank holds a run of the keys, all runs equally long: ShardedStep, its four collectives within
exchanges  these four collectives alone, on tensors of the same sizes
scores     the stages of `keys` alone: half-tables and scores of a rank's own keys, counted
counts     its counts of the second and the third digit
lists      its part of the list
attention  its part of the output
heads      each rank holds some of the kv heads and all keys: decode_step, nothing exchanged; where they can be dealt out evenly
one        decode_step over all keys and heads on one GPU, on the first rank

Each is captured in a CUDA graph. No two graphs run at once, so that NCCL need not keep them apart: NCCL_GRAPH_MIXING_SUPPORT is 0
unless set. A time is that of the slowest rank; the record has the median and the ends of 25 replays, after 20 others. Each rank
draws keys of its own, as no result is compared here: gpu/examples/sharded_step.py does that.
"""

import argparse
import csv
import os
import sys
from statistics import median

import torch
import torch.distributed as dist
from graph_timing import captured, microseconds_of
from socketlab import gpu

HEADS, DIM, TABLES, PLANES = 32, 128, 60, 10
SINK, WINDOW, SPARSITY = 128, 128, 33
DIGITS = 3  # of gpu/functors/shards.hpp
WARM_UPS, REPETITIONS = 20, 25  # as many on each rank: a collective waits for all
COLUMNS = ("variant", "ranks", "kv_heads", "keys", "median_us", "fastest_us", "slowest_us", "repetitions")


def join():
    """Rank and number of ranks; a process that torchrun did not start is the only one."""
    if "RANK" not in os.environ:
        os.environ.update(RANK="0", WORLD_SIZE="1", LOCAL_RANK="0", MASTER_ADDR="127.0.0.1", MASTER_PORT="29522")
    os.environ.setdefault("NCCL_GRAPH_MIXING_SUPPORT", "0")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl", device_id=torch.device("cuda", torch.cuda.current_device()))
    return dist.get_rank(), dist.get_world_size()


def index_of(keys, kv_heads, planes):
    cache = [torch.randn(1, kv_heads, keys, DIM, device="cuda", dtype=torch.bfloat16) for _ in range(2)]
    return gpu.Index(*cache, hyperplanes=planes)


def times_of(replay):
    """Of the slowest rank, microseconds."""
    taken = [microseconds_of(replay) for _ in range(WARM_UPS + REPETITIONS)][WARM_UPS:]
    everywhere = torch.tensor(taken, device="cuda")
    dist.all_reduce(everywhere, op=dist.ReduceOp.MAX)
    return everywhere.tolist()


def step_over_keys(q, keys, planes, kv_heads, rank, ranks):
    first, end = keys * rank // ranks, keys * (rank + 1) // ranks
    step = gpu.ShardedStep(
        index_of(end - first, kv_heads, planes),
        heads=HEADS,
        rank=rank,
        ranks=ranks,
        first=first,
        used=keys,
        budget=keys // SPARSITY,
        sink=SINK,
        window=WINDOW,
        all_reduce_sum=dist.all_reduce,
        all_gather=dist.all_gather_into_tensor,
    )

    def exchanges():
        dist.all_reduce(step.counts[0])
        dist.all_reduce(step.counts[1])
        dist.all_gather_into_tensor(step.all_last_counts, step.last_counts)
        dist.all_gather_into_tensor(step.parts, step.part)

    replays = {"keys": captured(lambda: step(q), [()])}
    return {**replays, **stages_of(step, q, end - first), "exchanges": captured(exchanges, [()])}


def stages_of(step, q, keys):
    """Of a step that has run; each leaves the counts of all ranks as they are."""
    index, shard = step.index, {**step.run, **step.selection, "keys": keys}
    counts = [step.counts.clone() for _ in range(1, DIGITS)]
    first = step.counts[0].clone()

    def scores():
        codes, ends = (index.packed, index.norms), {"sink": SINK, "window": WINDOW}
        gpu.soft_buckets(q, index.hyperplanes, counts=first, out=step.half_tables)
        counted = {"counts": first, "counted": {**step.run, **ends}}
        gpu.score_packed(step.half_tables, *codes, planes=PLANES, used=keys, out=step.scores, **counted)

    def count():
        for digit, own in enumerate(counts, 1):
            gpu.count_shard(step.scores, own, step.last_counts, step.marks, digit=digit, **shard)

    def lists():
        of_ranks, out = (step.all_last_counts, step.marks), (step.selected, step.list_counts)
        gpu.select_shard(step.scores, step.counts, *of_ranks, rank=step.rank, out=out, **shard)

    def attention():
        lists = step.selected, step.list_counts
        gpu.attention_part(q, index.keys, index.values, *lists, workspace=step.workspace, out=step.part)

    stages = {"scores": scores, "lists": lists, "counts": count, "attention": attention}
    return {name: captured(stage, [()]) for name, stage in stages.items()}


def step_of_index(q, index, keys):
    selection = {"budget": keys // SPARSITY, "sink": SINK, "window": WINDOW}
    output, workspace = torch.empty_like(q, dtype=torch.float32), gpu.decode_workspace(q, index, **selection)
    return captured(lambda: gpu.decode_step(q, index, out=output, workspace=workspace, **selection), [()])


def measured(keys, kv_heads, rank, ranks):
    """Variants and their times, one after the other: their caches need not fit beside one another."""
    torch.manual_seed(1)
    q = torch.randn(1, HEADS, DIM, device="cuda", dtype=torch.bfloat16)
    planes = torch.randn(TABLES, PLANES, DIM, device="cuda")
    torch.manual_seed(2 + rank)  # equal keys would tie between the ranks
    replays = step_over_keys(q, keys, planes, kv_heads, rank, ranks)
    for variant in list(replays):  # exchanges last: they sum what is summed
        yield variant, times_of(replays.pop(variant))
    if kv_heads % ranks == 0:
        heads = HEADS // ranks
        own = q[:, rank * heads : (rank + 1) * heads].contiguous()
        yield "heads", times_of(step_of_index(own, index_of(keys, kv_heads // ranks, planes), keys))
    yield "one", times_of(step_of_index(q, index_of(keys, kv_heads, planes), keys) if rank == 0 else lambda: None)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--keys", type=int, nargs="+", default=[145408, 1048576])
    parser.add_argument("--kv-heads", type=int, nargs="+", default=[32, 8])
    parser.add_argument("--out", help="a .csv file, written by the first rank")
    given = parser.parse_args()
    if min(given.keys) < SPARSITY or any(n < 1 or HEADS % n for n in given.kv_heads):
        parser.error(f"keys: allowed are {SPARSITY} or more; kv-heads: divisors of {HEADS}")
    rank, ranks = join()
    rows = []
    for kv_heads in given.kv_heads:
        for keys in given.keys:
            for variant, times in measured(keys, kv_heads, rank, ranks):
                numbers = (f"{number:.2f}" for number in (median(times), min(times), max(times)))
                rows.append((variant, ranks, kv_heads, keys, *numbers, len(times)))
                if rank == 0:
                    print(*rows[-1], sep="\t", flush=True)
            torch.cuda.empty_cache()
    if rank == 0 and given.out:
        with open(given.out, "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])
    dist.destroy_process_group()


if __name__ == "__main__":
    sys.exit(main())
