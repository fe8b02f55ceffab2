"""How long does a decode step take over a sequence whose keys lie on several GPUs, and over heads that do?

    torchrun --nproc-per-node 4 gpu/bench/ranks.py [--keys 145408 1048576] [--kv-heads 32 8] [--out ranks.csv]
    python3 gpu/bench/ranks.py                     # one process: what the stages and their exchanges cost by themselves

Needs PyTorch, a GPU, and the package with its GPU library (docs/python.md). Of one sequence, bf16, 32 query heads of 128 numbers, 60 tables of 10
planes, a 33rd of the keys plus 128 sink and 128 window keys:

keys       each rank holds a run of the keys, all runs equally long: ShardedStep, its four collectives within
keys alone one such step, whose codes L2 may hold
exchanges  the four collectives alone, on tensors of the same sizes
scores     the stages of `keys` alone: half-tables and scores of a rank's own keys, counted
counts     its counts of the second and the third digit
lists      its part of the list
attention  its part of the output
heads      each rank holds some of the kv heads and all keys: decode_step, nothing exchanged; where they can be dealt out evenly
one        decode_step over all keys and heads on one GPU, on the first rank

Each is captured in a CUDA graph: but for `keys alone` four calls or more in a row, on caches whose codes exceed L2 four times, as
the layers of a model follow one another. A time is that of a call. By itself a step also waits until the last rank has begun.

No two graphs run at once, so that NCCL need not keep them apart: NCCL_GRAPH_MIXING_SUPPORT is 0 unless set. A time is that of the
slowest rank; the record has the median and the ends of 25 replays, after 20 others. Each rank draws keys of its own, as no result
is compared here: gpu/examples/sharded_step.py does that.
"""

import itertools
import os

import harness
import torch
import torch.distributed as dist
from harness import HEADS, PLANES, SINK, SPARSITY, TABLES, WINDOW, captured, microseconds_of, normal
from socketlab import gpu

DIGITS = 3  # of gpu/functors/shards.hpp
IN_A_ROW = 4  # calls in a graph, or more
L2_TIMES = 4  # that the codes of a graph are larger than L2
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


def indexes_of(keys, kv_heads, planes):
    """So many that a step finds none of its codes in L2."""
    bytes_of_codes = kv_heads * keys * (TABLES * PLANES + 31) // 32 * 4
    sets = max(1, -(-L2_TIMES * torch.cuda.get_device_properties(0).L2_cache_size // bytes_of_codes))
    return [index_of(keys, kv_heads, planes) for _ in range(sets)]


def index_of(keys, kv_heads, planes):
    return gpu.Index(*harness.drawn_cache(kv_heads, keys), hyperplanes=planes)


def in_a_row(call, indexes):
    """A graph of calls on the indexes by turns, which ends at the first, and how many it holds."""
    sets = [(index,) for index in reversed(indexes)] * -(-IN_A_ROW // len(indexes))
    return captured(call, sets), len(sets)


def times_of(replay, calls):
    """Of one call on the slowest rank, microseconds."""
    taken = [microseconds_of(replay) / calls for _ in range(WARM_UPS + REPETITIONS)][WARM_UPS:]
    everywhere = torch.tensor(taken, device="cuda")
    dist.all_reduce(everywhere, op=dist.ReduceOp.MAX)
    return everywhere.tolist()


def replays_over_keys(q, keys, planes, kv_heads, rank, ranks):
    """Variant, replay and how many calls it holds. Exchanges come last, as they sum what is summed."""
    first, end = keys * rank // ranks, keys * (rank + 1) // ranks
    indexes = indexes_of(end - first, kv_heads, planes)
    step = gpu.ShardedStep(
        indexes[0], heads=HEADS, rank=rank, ranks=ranks, first=first, used=keys, **harness.selection(keys),
        all_reduce_sum=dist.all_reduce, all_gather=dist.all_gather_into_tensor,
    )  # fmt: skip

    def of_index(index):  # the layers of a model share all else
        step.index = index
        return step(q)

    def exchanges(_):
        dist.all_reduce(step.counts[0])
        dist.all_reduce(step.counts[1])
        dist.all_gather_into_tensor(step.all_last_counts, step.last_counts)
        dist.all_gather_into_tensor(step.parts, step.part)

    yield "keys", *in_a_row(of_index, indexes)
    yield "keys alone", captured(of_index, [(indexes[0],)]), 1
    yield from stages_of(step, q, end - first, indexes)
    yield "exchanges", *in_a_row(exchanges, indexes)


def stages_of(step, q, keys, indexes):
    """Of a step that has run; each leaves the counts of all ranks as they are."""
    shard = {**step.run, **step.selection, "keys": keys}
    counts = [step.counts.clone() for _ in range(1, DIGITS)]
    first = step.counts[0].clone()

    def scores(index):
        codes, ends = (index.packed, index.norms), {"sink": SINK, "window": WINDOW}
        gpu.soft_buckets(q, index.hyperplanes, counts=first, out=step.half_tables)
        counted = {"counts": first, "counted": {**step.run, **ends}}
        gpu.score_packed(step.half_tables, *codes, planes=PLANES, used=keys, out=step.scores, **counted)

    def count(_):
        for digit, own in enumerate(counts, 1):
            gpu.count_shard(step.scores, own, step.last_counts, step.marks, digit=digit, **shard)

    def lists(_):
        of_ranks, out = (step.all_last_counts, step.marks), (step.selected, step.list_counts)
        gpu.select_shard(step.scores, step.counts, *of_ranks, rank=step.rank, out=out, **shard)

    def attention(index):
        lists = step.selected, step.list_counts
        gpu.attention_part(q, index.keys, index.values, *lists, workspace=step.workspace, out=step.part)

    stages = {"scores": scores, "lists": lists, "counts": count, "attention": attention}
    for name, stage in stages.items():
        yield name, *in_a_row(stage, indexes)


def replay_over_heads(q, keys, planes, kv_heads):
    indexes = indexes_of(keys, kv_heads, planes)
    selection = harness.selection(keys)
    output, workspace = torch.empty_like(q, dtype=torch.float32), gpu.decode_workspace(q, indexes[0], **selection)
    return in_a_row(lambda index: gpu.decode_step(q, index, out=output, workspace=workspace, **selection), indexes)


def measured(keys, kv_heads, rank, ranks):
    """Variants and their times, one after the other: their caches need not fit beside one another."""
    torch.manual_seed(1)
    q, planes = normal(1, HEADS, harness.DIM), normal(TABLES, PLANES, harness.DIM, dtype=torch.float32)
    torch.manual_seed(2 + rank)  # equal keys would tie between the ranks
    for variant, replay, calls in replays_over_keys(q, keys, planes, kv_heads, rank, ranks):
        yield variant, times_of(replay, calls)
    if kv_heads % ranks == 0:
        heads = HEADS // ranks
        own = q[:, rank * heads : (rank + 1) * heads].contiguous()
        yield "heads", times_of(*replay_over_heads(own, keys, planes, kv_heads // ranks))
    nothing = (lambda: None), 1
    yield "one", times_of(*(replay_over_heads(q, keys, planes, kv_heads) if rank == 0 else nothing))


def main():
    parser = harness.parser(__doc__, library=False, keys=[harness.KEYS, 1048576], kv_heads=[32, 8])
    given = parser.parse_args()
    harness.needs.gpu()
    if min(given.keys) < SPARSITY or any(n < 1 or HEADS % n for n in given.kv_heads):
        parser.error(f"keys: allowed are {SPARSITY} or more; kv-heads: divisors of {HEADS}")
    rank, ranks = join()
    record = harness.Record(COLUMNS, given.out) if rank == 0 else None
    for kv_heads, keys in itertools.product(given.kv_heads, given.keys):
        for variant, times in measured(keys, kv_heads, rank, ranks):
            if record:
                record.add(times, variant=variant, ranks=ranks, kv_heads=kv_heads, keys=keys)
        torch.cuda.empty_cache()
    if record:
        record.save()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
