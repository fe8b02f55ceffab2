"""Queries, keys and values of chosen heads of a model at one window of text, as `socketlab attend` reads them.

The file holds q [heads, queries, dim], k and v [kv heads, keys, dim] in bf16, layer after layer; query head h attends to
key head h / (heads / kv heads), and the queries are the last positions, for --causal. The metadata say which layer and
head each is, with the statistics of evaluate.py. Wrong if attention over the file were not that of the model at its
place: python/tests/models/evaluate_test.py.
"""

import json

import safetensors.torch
import torch

from . import evaluate


class Heads:
    """Watches a dense pass and keeps q, k, v of some layers."""

    def __init__(self, layers):
        self.layers, self.found, self.allowed = layers, {}, []

    def __call__(self, seen):
        self.allowed.append(seen.layer)
        if self.layers is None or seen.layer in self.layers:
            if abs(seen.scaling * seen.query.shape[-1] ** 0.5 - 1) > 1e-6:
                raise ValueError(f"layer {seen.layer}: logits are scaled by {seen.scaling}; allowed is 1/sqrt(dim)")
            tensors = [part[0].bfloat16().cpu() for part in (seen.query, seen.key, seen.value)]
            self.found[seen.layer] = tensors, evaluate._by_head({}, evaluate.statistics(seen))


def capture(model, tokens, out, *, layers=None, kv_heads=None, queries=64, notes=None):
    """Writes the file; model: of evaluate, tokens [keys]; layers and kv_heads: numbers, None for all.

    Layers with a sliding window have none. notes: {name: text} of the metadata. Returns what the metadata say of heads.
    """
    watch = Heads(layers)
    model.rows(tokens[-queries:], model.prefix(tokens[:-queries]), None, 0, watch, 1)
    missing = sorted(set(layers or ()) - set(watch.found))
    if missing or not watch.found:
        asked, allowed = (", ".join(map(str, part)) or "none" for part in (missing, watch.allowed))
        raise ValueError(f"layers {asked}: without full attention; allowed are {allowed}")
    described, kept = [], []
    for layer, ((q, k, v), statistics) in sorted(watch.found.items()):
        group = len(q) // len(k)
        for kv in range(len(k)) if kv_heads is None else kv_heads:
            if kv >= len(k):
                raise ValueError(f"kv head {kv}: allowed are 0 to {len(k) - 1}")
            own = range(kv * group, (kv + 1) * group)
            kept.append((q[own.start : own.stop], k[kv : kv + 1], v[kv : kv + 1]))
            described.append({"layer": layer, "kv_head": kv, "heads": [statistics[h] for h in own]})
    tensors = {name: torch.cat(part).contiguous() for name, part in zip("qkv", zip(*kept, strict=True), strict=True)}
    metadata = {"heads": json.dumps(described), "torch": torch.__version__} | (notes or {})
    safetensors.torch.save_file(tensors, out, metadata=metadata)
    return described
