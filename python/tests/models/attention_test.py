"""socketlab.models on random two-layer Llama models: which rows are sparse, which keys they select, and in what cache.

Every check has a fault planted beside it, which it must see. Skipped without PyTorch and transformers.
"""

import numpy as np
import pytest
import socketlab as sl

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
transformers = pytest.importorskip("transformers", minversion="5.24")
from socketlab import models  # noqa: E402
from socketlab.models import attention, rules  # noqa: E402

PROMPT, NEW, WORDS = 120, 24, 97


def llama(dim=64, **given):
    torch.manual_seed(1)
    sizes = {"hidden_size": 48, "intermediate_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2}
    config = transformers.LlamaConfig(
        **sizes, vocab_size=WORDS, num_hidden_layers=2, head_dim=dim, initializer_range=0.3, **given
    )
    return transformers.LlamaForCausalLM(config).eval().requires_grad_(False)


def gemma():
    """Three layers, the middle one without a window; d = 256."""
    torch.manual_seed(2)
    kinds = ["sliding_attention", "full_attention", "sliding_attention"]
    sizes = {"hidden_size": 48, "intermediate_size": 64, "num_attention_heads": 2, "num_key_value_heads": 1}
    config = transformers.Gemma3TextConfig(
        **sizes, vocab_size=WORDS, num_hidden_layers=3, head_dim=256, layer_types=kinds, sliding_window=40
    )
    return transformers.Gemma3ForCausalLM(config).eval().requires_grad_(False)


def words(batch=1, count=PROMPT):
    return torch.randint(1, WORDS, (batch, count), generator=torch.Generator().manual_seed(3))


def settings(**given):
    given = given if {"budget", "sparsity", "top_p"} & given.keys() else given | {"budget": 11}
    return models.Sparse(**{"tables": 12, "planes": 6, "bits": 64, "sink": 3, "window": 5, "page": 4, **given})


def lists_of(model, chosen, first, run):
    """{layer: lists bool [batch, heads, rows, keys] of each call} of what run() does, and its result."""
    found = {}
    models.use(model, chosen, first=first, watch=lambda seen: found.setdefault(seen.layer, []).append(seen.selected))
    result = run()
    models.use(model, None)
    return found, result


def one_pass(model, chosen, ids, first):
    found, out = lists_of(model, chosen, first, lambda: model(ids, use_cache=False))
    return {layer: lists[0] for layer, lists in found.items()}, out.logits


def in_steps(model, chosen, ids, first, held):
    """Chunks of the prompt, then token by token: lists of each layer as one pass has them, and logits."""
    bounds = [0, first // 3, first, *range(first + 1, ids.shape[1] + 1)]

    def run():
        pieces = zip(bounds, bounds[1:], strict=False)
        return torch.cat([model(ids[:, a:b], cache=held, use_cache=True).logits for a, b in pieces], dim=1)

    found, logits = lists_of(model, chosen, first, run)
    pad = torch.nn.functional.pad
    return {
        n: torch.cat([pad(own, (0, ids.shape[1] - own.shape[3])) for own in f], 2) for n, f in found.items()
    }, logits


def same(one, other):
    return one.keys() == other.keys() and all(torch.equal(one[layer], other[layer]) for layer in one)


def rounding(reference):
    """Of sums over all keys in float32, through two layers of two sums each with its products: 8 in all."""
    return 8 * (PROMPT + NEW) * 2.0**-24 * float(reference.abs().max())


@pytest.mark.parametrize("make", [llama, lambda: llama(128), gemma], ids=["64", "128", "256"])
def test_a_budget_of_all_keys_is_dense_attention_in_every_layer_and_a_smaller_one_is_not(make):
    model, ids = make(), words(2)
    dense = model(ids, output_hidden_states=True)

    def largest(budget):
        models.use(model, settings(budget=budget), first=0)
        own = model(ids, output_hidden_states=True)
        models.use(model, None)
        pairs = zip((*own.hidden_states, own.logits), (*dense.hidden_states, dense.logits), strict=True)
        return max(float((a - b).abs().max()) / rounding(b) for a, b in pairs)

    assert largest(PROMPT) <= 1
    assert largest(PROMPT // 2) > 1


CHOICES = [
    {}, {"sparsity": 7.0}, {"value": "norm"}, {"scaled": False}, {"rule": "hamming"}, {"rule": "hard-lsh"},
    {"rule": "signed-orthogonal-norm"}, {"rule": "oracle-top-k", "lists": "kv-head"}, {"rule": "quest"},
    {"rule": "cosine-oracle", "centred": True}, {"rule": "oracle-top-k", "value": "distance"}, {"top_p": 0.7},
]  # fmt: skip


@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_steps_with_each_cache_select_what_one_pass_selects(choice):
    model, chosen, ids = llama(), settings(**choice), words(count=PROMPT + NEW)
    whole, logits = one_pass(model, chosen, ids, PROMPT)
    assert whole.keys() == {0, 1} and whole[0].shape == (1, 4, NEW, PROMPT + NEW)
    for held in (
        models.new_cache(model, chosen, capacity=PROMPT + NEW),
        transformers.DynamicCache(config=model.config),
        transformers.StaticCache(model.config, max_cache_len=PROMPT + NEW + 9),
    ):
        steps, own = in_steps(model, chosen, ids, PROMPT, held)
        assert same(steps, whole), type(held.layers[0])
        assert float((own - logits).abs().max()) <= rounding(logits)


def test_steps_of_codes_that_are_not_hashed_differ_from_one_pass(monkeypatch):
    model, chosen, ids = llama(), settings(), words(count=PROMPT + NEW)
    whole, _ = one_pass(model, chosen, ids, PROMPT)
    honest = rules.hash_keys
    monkeypatch.setattr(rules, "hash_keys", lambda *a, **b: honest(*a, **b) * (a[1].shape[2] > 1))
    assert not same(in_steps(model, chosen, ids, PROMPT, models.new_cache(model, chosen, capacity=200))[0], whole)


def test_no_key_is_hashed_twice(monkeypatch):
    model, chosen, ids = llama(), settings(), words(count=PROMPT + NEW)
    honest, hashed = rules.hash_keys, []
    monkeypatch.setattr(rules, "hash_keys", lambda s, k, **b: hashed.append(k.shape[2]) or honest(s, k, **b))
    in_steps(model, chosen, ids, PROMPT, models.new_cache(model, chosen, capacity=200))
    assert sum(hashed) == 2 * (PROMPT + NEW)


def plain(model, ids, first, select):
    """Logits and lists of a Llama in plain PyTorch, whose rows from `first` attend to what select(layer, q, k) gives for a
    query [dim] and the keys up to its own [keys, dim]."""
    state, config = model.state_dict(), model.config
    heads, kv_heads, dim = config.num_attention_heads, config.num_key_value_heads, config.head_dim
    at = torch.arange(ids.shape[1])
    angles = at[:, None] * config.rope_parameters["rope_theta"] ** (-torch.arange(0, dim, 2) / dim)
    cos, sin = angles.cos(), angles.sin()

    def normed(x, name):
        return x / (x.square().mean(-1, keepdim=True) + config.rms_norm_eps).sqrt() * state[name]

    def turned(x):
        low, high = x.chunk(2, -1)
        return torch.cat([low * cos - high * sin, high * cos + low * sin], -1)

    x, lists = state["model.embed_tokens.weight"][ids[0]], {}
    for layer in range(config.num_hidden_layers):
        own = lambda name: f"model.layers.{layer}.{name}.weight"  # noqa: B023, E731
        y = normed(x, own("input_layernorm"))
        q, k, v = (
            (y @ state[own(f"self_attn.{name}_proj")].T).reshape(len(at), -1, dim).transpose(0, 1) for name in "qkv"
        )
        q, k, out = turned(q), turned(k), torch.zeros(len(at), heads, dim)
        lists[layer] = torch.zeros(1, heads, len(at) - first, len(at), dtype=torch.bool)
        for h in range(heads):
            keys, values = k[h // (heads // kv_heads)], v[h // (heads // kv_heads)]
            for row in range(len(at)):
                seen = torch.arange(row + 1)
                if row >= first:
                    seen = select(layer, q[h, row], keys[: row + 1])
                    lists[layer][0, h, row - first, seen] = True
                out[row, h] = torch.softmax(keys[seen] @ q[h, row] / dim**0.5, 0) @ values[seen]
        x = x + out.flatten(1) @ state[own("self_attn.o_proj")].T
        y = normed(x, own("post_attention_layernorm"))
        gate = torch.nn.functional.silu(y @ state[own("mlp.gate_proj")].T)
        x = x + gate * (y @ state[own("mlp.up_proj")].T) @ state[own("mlp.down_proj")].T
    return normed(x, "model.norm.weight") @ state["lm_head.weight"].T, lists


def planes_of(chosen, layer, dim):
    return rules.projections(chosen, layer, dim).reshape(chosen.tables, chosen.planes, dim)


def soft(chosen, window=0):
    """The list of SOCKET by its definition, one table and one plane at a time (paper, Algorithms 1 to 3)."""

    def select(layer, q, k):
        score = torch.zeros(len(k))
        for table in planes_of(chosen, layer, len(q)):
            share = torch.ones(len(k))
            for w in table:
                x = 2 * torch.tanh(w @ q) / (len(q) ** 0.5 * chosen.temperature)
                share = share * torch.sigmoid(torch.where(k @ w >= 0, x, -x))
            score = score + share
        fixed = set(range(min(chosen.sink, len(k)))) | set(range(max(0, len(k) - chosen.window - window), len(k)))
        rest = sorted(set(range(len(k))) - fixed, key=lambda j: (-float(score[j]), j))
        return torch.tensor(sorted(fixed | set(rest[: chosen.budget])))

    return select


def by_the_core(chosen):
    """The same by the C++ core, in double."""

    def select(layer, q, k):
        score = sl.soft_scores(planes_of(chosen, layer, len(q)).numpy(), q.numpy(), k.numpy(), temperature=0.5)
        kept = sl.select(score, budget=chosen.budget, sink=chosen.sink, window=chosen.window)
        return torch.from_numpy(np.sort(kept))

    return select


@pytest.mark.parametrize("dim", [64, 128])
def test_lists_and_logits_are_those_of_a_plain_route_and_of_the_core(dim):
    model, chosen, ids = llama(dim), settings(), words(count=PROMPT + NEW)
    found, logits = one_pass(model, chosen, ids, PROMPT)
    for select in (soft(chosen), by_the_core(chosen)):
        own, lists = plain(model, ids, PROMPT, select)
        assert same(lists, found)
        assert float((own - logits[0]).abs().max()) <= rounding(logits)
    assert not same(plain(model, ids, PROMPT, soft(chosen, window=1))[1], found)


def test_padding_on_the_left_changes_no_list_and_a_start_at_column_0_would(monkeypatch):
    model, chosen, ids = llama(), settings(sparsity=6.0), words(count=PROMPT + NEW)
    short, _ = one_pass(model, chosen, ids[:, 30:], PROMPT - 30)
    both = torch.cat([ids, torch.cat([torch.zeros_like(ids[:, :30]), ids[:, 30:]], dim=1)])
    shown = torch.ones_like(both)
    shown[1, :30] = 0
    place = (shown.cumsum(1) - 1).clamp(min=0)

    def lists():
        run = lambda: model(both, attention_mask=shown, position_ids=place, use_cache=False)  # noqa: E731
        found, _ = lists_of(model, chosen, PROMPT, run)
        return {layer: next(own for own in calls if own.shape[3] != PROMPT + NEW) for layer, calls in found.items()}

    assert same(lists(), short)
    out = models.generate(model, both[:, :PROMPT], chosen, new_tokens=9, attention_mask=shown[:, :PROMPT])
    assert torch.equal(out[1, 30:], models.generate(model, ids[:, 30:PROMPT], chosen, new_tokens=9)[0])
    assert torch.equal(out[0], models.generate(model, ids[:, :PROMPT], chosen, new_tokens=9)[0])
    monkeypatch.setattr(attention, "_starts", lambda shown, batch, rows, end: [0, 1])
    assert not all(
        torch.equal(own[..., 29:], other) for own, other in zip(lists().values(), short.values(), strict=True)
    )


def test_what_a_row_may_not_be_sparse_in_stays_dense():
    model, ids = gemma(), words(count=PROMPT)
    assert one_pass(model, settings(), ids, 50)[0].keys() == {1}
    assert one_pass(llama(), settings(dense_layers=1), ids, 50)[0].keys() == {1}
    assert one_pass(llama(), settings(), ids, PROMPT)[0] == {}
    chunks, logits = in_steps(llama(), settings(), ids, PROMPT, models.new_cache(llama(), settings(), capacity=PROMPT))
    assert chunks == {}
    assert float((logits - llama()(ids).logits).abs().max()) <= rounding(logits)


def test_rows_whose_column_was_taken_from_the_shape_of_the_cache_are_refused(monkeypatch):
    monkeypatch.setattr(attention, "_end", lambda shown, rows, layer: layer.max_cache_len)
    with pytest.raises(ValueError, match="mask of a sparse row"):
        in_steps(llama(), settings(), words(), PROMPT, models.new_cache(llama(), settings(), capacity=PROMPT))


def test_generate_gives_the_tokens_of_one_pass():
    model, chosen, ids = llama(), settings(), words()
    dense, dense_pass, steps, passed = models.generate_timed(model, ids, chosen, new_tokens=NEW)
    assert torch.equal(dense.tokens, dense_pass.tokens) and torch.equal(steps.tokens, passed.tokens)
    assert not torch.equal(dense.tokens, steps.tokens)
    assert torch.equal(models.generate(model, ids, chosen, new_tokens=NEW)[0, PROMPT:], steps.tokens)
    beams = models.generate(model, ids, settings(budget=200), new_tokens=NEW, num_beams=3)
    models.use(model, None)
    dense_beams = model.generate(ids, max_new_tokens=NEW, num_beams=3, do_sample=False)
    assert torch.equal(beams, dense_beams)


def test_a_mask_interface_that_is_missing_is_noticed():
    model = llama()
    models.use(model, settings(), first=0)
    registered = transformers.AttentionMaskInterface._global_mapping.pop("socketlab")
    try:
        with pytest.raises(ValueError, match="no mask came"):
            model(words())
    finally:
        transformers.AttentionMaskInterface.register("socketlab", registered)
    model(words())


def test_what_cannot_be_is_refused_with_one_line():
    model, ids = llama(), words()
    with pytest.raises(ValueError, match="first -1: allowed are columns from 0"):
        models.use(model, settings(), first=-1)
    for of_rows in ({"value": "calibrated"}, {"normaliser": "step-before", "lists": "kv-head"}):
        with pytest.raises(ValueError, match="cache: .*one row alone"):
            models.new_cache(model, settings(**of_rows), capacity=9)
    models.use(model, settings(), first=50)
    with pytest.raises(ValueError, match="cache: 120 keys after 0 of 64; allowed are 64"):
        model(ids, cache=models.new_cache(model, settings(), capacity=50), use_cache=True)
    holes = torch.ones_like(ids)
    holes[0, 60] = 0
    with pytest.raises(ValueError, match="mask of a sparse row"):
        model(ids, attention_mask=holes, use_cache=False)
