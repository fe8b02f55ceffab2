"""Tokens a second of a pretrained model behind a long prompt: by sdpa, and by sparse attention in steps and in one pass.

    python3 python/examples/models_generate.py [--model smollm2] [--tokens 8000] [--new 200] [--text FILE ..] [--random]

On a GPU both decode loops are captured CUDA graphs over a static cache, and the sparse steps are the library's. Each pass
computes all new rows at once from the tokens of the steps above it. Where its tokens differ, the largest gap says by how
much the pass prefers its own token: a gap as small as that of sdpa's pass is rounding. --random: no text, random tokens.
Needs PyTorch and transformers: pip install 'socketlab[models]'.
"""

import argparse
import pathlib
import sys

try:
    import torch
    from socketlab import models
except ModuleNotFoundError as missing:
    print(f"models_generate.py: needs pip install 'socketlab[models]': {missing}", file=sys.stderr)
    sys.exit(3)

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"


def prompt(tokenizer, files, count, random, vocabulary):
    if random:
        return torch.randint(vocabulary, (1, count), generator=torch.Generator().manual_seed(1))
    text = "\n\n".join(pathlib.Path(file).read_text(encoding="utf-8") for file in files)
    ids = tokenizer(text, return_tensors="pt").input_ids[:, :count]
    if ids.shape[1] < count:
        raise ValueError(f"--text: {ids.shape[1]} tokens; allowed are {count} and more")
    return ids


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="smollm2")
    parser.add_argument("--tokens", type=int, default=8000)
    parser.add_argument("--new", type=int, default=200)
    parser.add_argument("--text", nargs="+", default=sorted(map(str, DOCS.glob("*.md"))))
    parser.add_argument("--random", action="store_true")
    parser.add_argument("--rule", default="socket")
    parser.add_argument("--bits", type=int, default=600)
    parser.add_argument("--sparsity", type=float, default=33)
    given = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model, tokenizer = models.load(given.model, device=device)
    ids = prompt(tokenizer, given.text, given.tokens, given.random, model.config.vocab_size).to(device)
    settings = models.Sparse(rule=given.rule, bits=given.bits, sparsity=given.sparsity, sink=16, window=128)
    name = torch.cuda.get_device_name() if device == "cuda" else f"{torch.get_num_threads()} threads of the CPU"
    print(
        f"{given.model}, {ids.shape[1]} tokens and {given.new} more, {next(model.parameters()).dtype}, {name}\n{settings}"
    )
    print(f"{'way':40} {'prompt s':>9} {'ms a token':>11} {'tokens/s':>9}  {'same tokens':>11} {'largest gap':>11}")
    found = models.generate_timed(model, ids, settings, new_tokens=given.new)
    for steps, passed in (found[:2], found[2:]):
        print(f"{steps.way:40} {steps.prefill_s:9.3f} {1000 * steps.token_s:11.3f} {1 / steps.token_s:9.1f}")
        other = passed.logits.gather(1, steps.tokens[:, None])[:, 0]
        gap = float((passed.logits.max(dim=1).values - other).max())
        equal = f"{int((passed.tokens == steps.tokens).sum())} of {given.new}"
        print(f"{passed.way:40} {passed.prefill_s:9.3f} {'':11} {'':9}  {equal:>11} {gap:11.4f}")
    changed = int((found[0].tokens == found[2].tokens).int().cumprod(0).sum())
    print(f"sparse and dense steps give the same first {changed} tokens")
    print(repr(tokenizer.decode(found[2].tokens[:40])))


if __name__ == "__main__":
    try:
        main()
    except ValueError as error:
        print(f"models_generate.py: {error}", file=sys.stderr)
        sys.exit(2)
