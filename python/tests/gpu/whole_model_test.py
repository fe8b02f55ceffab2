"""The model of gpu/bench/whole_model.py on the CPU: a token is that of transformers' Llama with the same weights and cache."""

import functools
import sys

import pytest
from conftest import refused
from socketlab import gpu

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
transformers = pytest.importorskip("transformers", reason="transformers is not installed")
from torch.overrides import TorchFunctionMode  # noqa: E402

LAYERS, BATCH, KEYS = 2, 3, 128


class OnTheCpu(TorchFunctionMode):
    """What is asked of a GPU is made here."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if kwargs.get("device") == "cuda":
            kwargs["device"] = "cpu"
        return function(*args, **kwargs)


@pytest.fixture(scope="module")
def bench():
    import pathlib

    from socketlab.gpu import ops  # noqa: F401  before the benchmark asks for it, under the name below

    folder = pathlib.Path(__file__).parents[3] / "gpu" / "bench"
    sys.modules.setdefault("gpu", gpu)  # as harness.py calls it
    sys.path.insert(0, str(folder))
    import whole_model

    yield whole_model
    sys.path.remove(str(folder))


@pytest.fixture
def model(bench):
    with OnTheCpu():
        torch.manual_seed(2)
        shape = bench.Shape(kv_heads=2, mlp=192, vocabulary=97, base=1e4, dense_up_to=0, hidden=512, heads=4)
        weights = bench.Weights(shape, LAYERS, compiled=False)
        yield bench.Model(None, weights, BATCH, KEYS, [])


def dense(length, _, q, cache):
    keys, values = cache[0, :, :, :length], cache[1, :, :, :length]
    return torch.nn.functional.scaled_dot_product_attention(q[:, :, None], keys, values, enable_gqa=True)


def llama(model):
    """The same weights in transformers' words, float32."""
    shape = model.shape
    config = transformers.LlamaConfig(
        hidden_size=shape.hidden, intermediate_size=shape.mlp, num_hidden_layers=LAYERS, num_attention_heads=shape.heads,
        num_key_value_heads=shape.kv_heads, vocab_size=shape.vocabulary, rope_theta=shape.base, rms_norm_eps=1e-5,
        max_position_embeddings=KEYS, attn_implementation="eager",
    )  # fmt: skip
    made, state = transformers.LlamaForCausalLM(config).float().eval(), {}
    for number, (qkv, out, gate_up, down) in enumerate(model.weights.layers):
        kv = shape.kv_heads * 128
        parts = dict(zip("qkv", qkv.split([shape.hidden, kv, kv]), strict=True))
        state |= {f"model.layers.{number}.self_attn.{name}_proj.weight": part for name, part in parts.items()}
        state |= {f"model.layers.{number}.self_attn.o_proj.weight": out}
        gate, up = gate_up.chunk(2)
        mlp = {"gate": gate, "up": up, "down": down}
        state |= {f"model.layers.{number}.mlp.{name}_proj.weight": part for name, part in mlp.items()}
    state |= {"model.embed_tokens.weight": model.weights.embedding, "lm_head.weight": model.weights.head}
    missing = made.load_state_dict({name: part.float() for name, part in state.items()}, strict=False)
    assert not missing.unexpected_keys and all("norm" in name for name in missing.missing_keys)
    return made


def test_a_token_is_that_of_llama(bench, model):
    reference = llama(model)
    model.tokens.copy_(torch.tensor([3, 50, 96]))
    for cache in model.caches:
        cache[1] *= 8  # an average of many Gaussian values would be too small to be missed
    for step in range(1, 4):
        length = KEYS - bench.ROUND + step  # before the token, which is key number `length`
        before = [cache[..., :length, :].float().clone() for cache in model.caches]
        cache = transformers.DynamicCache()
        for number, (keys, values) in enumerate(before):
            cache.update(keys, values, number)
        with torch.no_grad():
            logits = reference(
                model.tokens[:, None], past_key_values=cache, position_ids=torch.full((BATCH, 1), length)
            ).logits[:, -1]
        model.token(functools.partial(dense, length + 1))
        assert model.lengths.tolist() == [length + 1] * BATCH
        for number, kept in enumerate(model.caches):
            keys, values = cache.layers[number].keys[:, :, -1], cache.layers[number].values[:, :, -1]
            # bf16 has 8 bits; what is rounded passes a few sums of them.
            assert torch.allclose(kept[0, :, :, length].float(), keys, atol=0.1)
            assert torch.allclose(kept[1, :, :, length].float(), values, atol=0.1)
        chosen = logits.gather(1, model.tokens[:, None])[:, 0]
        assert (chosen > logits.max(-1).values - 0.1).all()
        assert (chosen > logits.topk(4).values[:, -1]).all()  # most tokens would be noticed


def test_lengths_go_round(bench, model):
    seen = []
    for _ in range(bench.ROUND + 1):
        model.token(lambda _, q, cache: q)
        seen.append(int(model.lengths[0]))
    assert sorted(set(seen)) == list(range(KEYS - bench.ROUND + 1, KEYS + 1)) and seen[0] == seen[-1]


def test_memory_is_counted_and_short_lengths_are_refused(bench, model):
    arm = bench.SPARSE["signed-320-one"]
    # 2 layers, 3 sequences, 2 heads, 128 keys: 256 bytes each of key and value, 40 of codes, 2 of the norm.
    bytes_of_keys = 2 * 3 * 2 * 128 * (512 + 42)
    weights = 2 * (512 * 1024 + 512 * 512 + 512 * 384 + 192 * 512 + 97 * 512) * 2
    assert bench.gib(model.weights, BATCH, KEYS, [arm]) == pytest.approx((bytes_of_keys + weights) / 2**30)
    options = type("Options", (), {"keys": [4096, 1000]})
    refused(ValueError, "--keys 1000: allowed are 1024 and more", lambda: bench.measure(options, None))
