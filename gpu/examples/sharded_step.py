"""A decode step over one sequence whose keys lie on several GPUs, by torch.distributed, checked against one GPU.

    torchrun --nproc-per-node 4 gpu/examples/sharded_step.py [--keys 145408 --heads 32 --kv-heads 8 --rule signed-projection ..]
    python3 gpu/examples/sharded_step.py          # one process

Needs PyTorch, a GPU for each process, and the package with its GPU library (docs/python.md). Every process draws the same sequence and keeps a run of its keys, all of
another length, and with --empty RANK one none at all. The step, its collectives with it, is captured in a CUDA graph and replayed
25 times, every second time on memory of NaN. Checked on every rank: the lists of all ranks together are skt_select_keys' list of
all keys; the output has the same bits on all ranks and in all replays, and is that of the whole step but for the order of sums.
Beside it, heads on several GPUs: each rank takes the step of its own kv heads over all keys, which needs no communication.

--plant not-exchanged leaves out the exchange of the second digit: with two ranks or more that must be seen. Exit 1 where anything
differs, so also with a fault.
"""

import argparse
import math
import os
import sys

try:
    import torch
    import torch.distributed as dist
    from socketlab import gpu
except ModuleNotFoundError as missing:
    print(f"sharded_step.py: needs PyTorch and the package socketlab (docs/python.md): {missing}", file=sys.stderr)
    sys.exit(3)

REPLAYS = 25
FORMS = {"soft-collision": "half-tables", "signed-projection": "half-sums"}  # of the query, by the rule that scores
UNIT = 2.0**-24  # rounding of fp32


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    for name, default in (
        ("keys", 145408),
        ("heads", 32),
        ("kv-heads", 8),
        ("dim", 128),
        ("tables", 60),
        ("planes", 10),
        ("sink", 128),
        ("window", 128),
        ("seed", 1),
    ):
        parser.add_argument(f"--{name}", type=int, default=default, help=f"default {default}")
    parser.add_argument("--budget", type=int, help="default: keys / 33")
    parser.add_argument("--rule", choices=FORMS, default="soft-collision")
    parser.add_argument("--empty", type=int, default=-1, metavar="RANK", help="a rank that has no key; default none")
    parser.add_argument("--plant", choices=["not-exchanged"], help="a fault that the check must find")
    s = parser.parse_args()
    s.budget = s.keys // 33 if s.budget is None else s.budget
    if min(s.keys, s.heads, s.kv_heads) < 1 or s.heads % s.kv_heads or min(s.budget, s.sink, s.window) < 0:
        parser.error(
            "keys, heads and kv-heads: allowed are 1 or more, heads a multiple of kv-heads; the others 0 or more"
        )
    return s


def join():
    """Rank and number of ranks; a process that torchrun did not start is the only one."""
    if "RANK" not in os.environ:
        os.environ.update(RANK="0", WORLD_SIZE="1", LOCAL_RANK="0", MASTER_ADDR="127.0.0.1", MASTER_PORT="29521")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl", device_id=torch.device("cuda", torch.cuda.current_device()))
    return dist.get_rank(), dist.get_world_size()


def runs_of(keys, ranks, empty):
    """First positions of the ranks, and the end: each run a little longer than the one before it."""
    weights = [0 if r == empty and ranks > 1 else ranks + r for r in range(ranks)]
    return [keys * sum(weights[:r]) // sum(weights) for r in range(ranks + 1)]


def build(s, keys, values, planes):
    """The index of some of the keys; a rank without any has a cache of one empty tile."""
    used = keys.shape[2]
    if used == 0:
        keys = values = torch.zeros(1, s.kv_heads, 64, s.dim, device="cuda", dtype=torch.bfloat16)
    return gpu.Index(keys.contiguous(), values.contiguous(), hyperplanes=planes, used=used)


def gathered(tensor, ranks):
    everywhere = torch.empty((ranks, *tensor.shape), dtype=tensor.dtype, device="cuda")
    dist.all_gather_into_tensor(everywhere, tensor.contiguous())
    return everywhere


def captured(step):
    """A graph of it, behind a first call that lets NCCL connect."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        step()
    torch.cuda.current_stream().wait_stream(side)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph


def check_lists(s, step, whole, q, edges):
    """Whether the ranks' lists are together that of all keys."""
    halves = gpu.soft_buckets(q, whole.hyperplanes, form=FORMS[s.rule])
    scores = gpu.score_packed(halves, whole.packed, whole.norms, planes=s.planes, used=s.keys, rule=s.rule)
    selected, counts = gpu.select_keys(scores, used=s.keys, budget=s.budget, sink=s.sink, window=s.window)
    expected = torch.zeros(s.heads, s.keys + 1, dtype=torch.bool, device="cuda")
    expected.scatter_(1, torch.where(selected[0] < 0, s.keys, selected[0]).long(), True)
    got = torch.zeros_like(expected)
    lists = gathered(step.selected, step.ranks)
    for rank in range(step.ranks):
        keys = lists[rank, 0]
        got.scatter_(1, torch.where(keys < 0, s.keys, keys + edges[rank]).long(), True)
    same_count = torch.equal(gathered(step.list_counts, step.ranks).sum(0).int(), counts)
    return same_count and torch.equal(got[:, : s.keys], expected[:, : s.keys])


def dirty(step):
    """Everything that a step writes becomes NaN, or -1."""
    for tensor in (step.half_tables, step.scores, step.part, step.parts, step.output, step.log_sum_exp):
        tensor.fill_(math.nan)
    for tensor in (step.counts, step.last_counts, step.all_last_counts, step.marks, step.selected, step.list_counts):
        tensor.fill_(-1)
    step.workspace.fill_(255)


def main():
    s = parse()
    if not torch.cuda.is_available():
        print("sharded_step.py: needs a GPU, and PyTorch finds none", file=sys.stderr)
        sys.exit(3)
    rank, ranks = join()
    torch.manual_seed(s.seed)
    draw = [torch.randn(shape, device="cuda") for shape in ((1, s.heads, s.dim), (s.tables, s.planes, s.dim))]
    cache = [torch.randn(1, s.kv_heads, s.keys, s.dim, device="cuda").bfloat16() for _ in range(2)]
    q, planes = draw[0].bfloat16(), draw[1]
    edges = runs_of(s.keys, ranks, s.empty)
    own = [part[:, :, edges[rank] : edges[rank + 1]] for part in cache]
    whole, index = build(s, *cache, planes), build(s, *own, planes)
    calls = 0

    def all_reduce_sum(tensor):
        nonlocal calls
        calls += 1
        if s.plant is None or calls % 2:
            dist.all_reduce(tensor)

    selection = {"budget": s.budget, "sink": s.sink, "window": s.window}
    step = gpu.ShardedStep(
        index, heads=s.heads, rank=rank, ranks=ranks, first=edges[rank], used=s.keys,
        keys=edges[rank + 1] - edges[rank], all_reduce_sum=all_reduce_sum, all_gather=dist.all_gather_into_tensor,
        **selection,
    )  # fmt: skip
    graph = captured(lambda: step(q, rule=s.rule))
    outputs = []
    for replay in range(REPLAYS):
        if replay % 2 == 0:
            dirty(step)
        graph.replay()
        outputs.append(step.output.clone())
    torch.cuda.synchronize()
    del graph  # it holds NCCL's communicator, and leaving the group would wait for it

    expected, log_sum_exp = gpu.decode_step(q, whole, return_lse=True, rule=s.rule, **selection)
    error = float((outputs[0] - expected).abs().max())
    # Twice the bound of gpu/attention/merge_parts.cu, of logits of normal numbers and |v| below 6.
    logit = (s.dim + 8) * UNIT * float(q.float().norm(dim=-1).max()) * float(cache[0].float().norm(dim=-1).max())
    allowed = 2 * (2 * logit / math.sqrt(s.dim) + (step.selected.shape[2] + 40 + 2 * ranks) * UNIT) * 6
    bits = gathered(outputs[0].view(torch.int32), ranks)
    results = {
        "lists": check_lists(s, step, whole, q, edges),
        "bits of replays": all(torch.equal(output, outputs[0]) for output in outputs),
        "bits of ranks": all(torch.equal(other, bits[0]) for other in bits),
        "output": error <= allowed,
        "log_sum_exp": bool(((step.log_sum_exp - log_sum_exp).abs() <= allowed).all()),
    }
    if s.kv_heads % ranks == 0:  # heads on several GPUs: no communication until the outputs are wanted together
        group, mine = s.heads // s.kv_heads, slice(rank * s.kv_heads // ranks, (rank + 1) * s.kv_heads // ranks)
        heads = slice(mine.start * group, mine.stop * group)
        of_heads = gpu.Index(*(part[:, mine].contiguous() for part in cache), hyperplanes=planes, used=s.keys)
        output = gpu.decode_step(q[:, heads].contiguous(), of_heads, rule=s.rule, **selection)
        results["own heads"] = float((output - expected[:, heads]).abs().max()) <= allowed
    print(f"rank {rank} of {ranks}: {s.rule}, keys {edges[rank]} to {edges[rank + 1]}, {int(step.list_counts.sum())} selected, "
          f"error {error:.3g} of {allowed:.3g}; {', '.join(f'{what}: {ok}' for what, ok in results.items())}")  # fmt: skip
    dist.destroy_process_group()
    if not all(results.values()):
        sys.exit("FAILED")


if __name__ == "__main__":
    main()
