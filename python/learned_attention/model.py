"""Which function of its weights is the language model? A decoder of pre-normed blocks: RMSNorm, causal attention with
rotary positions and grouped heads, RMSNorm, SwiGLU; the embedding is the output matrix too.

Queries and keys are not normalised: their norms are among what is studied. The parts that work token by token are
functions of tensors [tokens, ..], whatever the windows, so that one compilation serves every window of a training.
If this were wrong: a later token would change what stands before it, repeated KV heads would give another result than
grouped ones, or q.k would depend on more than the distance of two positions (tests/learned_attention/model_test.py).
"""

import dataclasses
import json
import os
from pathlib import Path

import safetensors
import safetensors.torch
import torch
import torch.nn.functional as F
from torch import nn

from learned_attention.refusals import Refused

EPSILON = 1e-6
FORMAT = "learned-attention-1"


@dataclasses.dataclass(frozen=True)
class Shape:
    layers: int = 8
    width: int = 768
    query_heads: int = 6
    kv_heads: int = 2
    head_dim: int = 128
    vocabulary: int = 8192
    rotary_base: float = 500_000.0

    def __post_init__(self):
        for name in ("layers", "width", "query_heads", "kv_heads", "head_dim", "vocabulary"):
            if getattr(self, name) < 1:
                raise Refused(f"{name} is {getattr(self, name)}: allowed are whole numbers from 1")
        if self.query_heads % self.kv_heads:
            raise Refused(
                f"{self.query_heads} query heads on {self.kv_heads} KV heads: allowed is a multiple of the KV heads"
            )
        if self.head_dim % 2:
            raise Refused(f"head_dim is {self.head_dim}: allowed are even numbers, rotary positions turn pairs")
        if not self.rotary_base > 1:
            raise Refused(f"rotary_base is {self.rotary_base}: allowed are numbers above 1")

    @property
    def hidden(self):
        """Width of SwiGLU: 8/3 of the model's, as many weights as the usual 4 without a gate, in full 64s."""
        return -(-8 * self.width // (3 * 64)) * 64


def rotary_table(length, head_dim, base, device):
    """(cos, sin) [length, head_dim / 2] of position times base^(-2 i / head_dim); the angles in float64, for at 32,768
    float32 would round them by 0.002.
    """
    frequencies = base ** (-torch.arange(0, head_dim, 2, dtype=torch.float64) / head_dim)
    angles = torch.outer(torch.arange(length, dtype=torch.float64), frequencies)
    return angles.cos().float().to(device), angles.sin().float().to(device)


def rotated(x, cos, sin):
    """x [tokens, heads, d], coordinate i paired with i + d/2; cos, sin [tokens, 1, d/2]."""
    first, second = x.float().chunk(2, -1)
    return torch.cat((first * cos - second * sin, second * cos + first * sin), -1).to(x.dtype)


def attention_inputs(x, gain, query, key, value, cos, sin):
    """x [tokens, width] to q [tokens, query_heads, d] and k, v [tokens, kv_heads, d], q and k at their positions."""
    normed = F.rms_norm(x, x.shape[-1:], gain, EPSILON)
    head_dim = 2 * cos.shape[-1]
    q, k, v = (F.linear(normed, weight).unflatten(-1, (-1, head_dim)) for weight in (query, key, value))
    return rotated(q, cos, sin), rotated(k, cos, sin), v


def after_attention(x, mixed, output, gain, gate, up, down):
    """x [tokens, width] and the heads' outputs [tokens, query_heads * d] to the residual stream behind the block."""
    x = x + F.linear(mixed, output)
    normed = F.rms_norm(x, x.shape[-1:], gain, EPSILON)
    return x + F.linear(F.silu(F.linear(normed, gate)) * F.linear(normed, up), down)


def token_losses(x, gain, embedding, targets):
    """Nats of each target [tokens] given the residual stream [tokens, width] behind the last block."""
    logits = F.linear(F.rms_norm(x, x.shape[-1:], gain, EPSILON), embedding)
    return F.cross_entropy(logits.float(), targets, reduction="none")


def dense_attention(q, k, v):
    """Causal softmax attention with scale 1/sqrt(d): q [batch, query_heads, length, d], k, v [batch, kv_heads, ..]."""
    return F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=q.shape[1] != k.shape[1])


class Block(nn.Module):
    def __init__(self, shape):
        super().__init__()
        inner, kv_inner = shape.query_heads * shape.head_dim, shape.kv_heads * shape.head_dim
        # The matrices that write to the residual stream begin smaller, so that its size does not grow with the layers.
        deviation, written = 0.02, 0.02 / (2 * shape.layers) ** 0.5

        def matrix(rows, columns, deviation):
            return nn.Parameter(torch.randn(rows, columns) * deviation)

        self.attention_gain = nn.Parameter(torch.ones(shape.width))
        self.query = matrix(inner, shape.width, deviation)
        self.key = matrix(kv_inner, shape.width, deviation)
        self.value = matrix(kv_inner, shape.width, deviation)
        self.output = matrix(shape.width, inner, written)
        self.mlp_gain = nn.Parameter(torch.ones(shape.width))
        self.gate = matrix(shape.hidden, shape.width, deviation)
        self.up = matrix(shape.hidden, shape.width, deviation)
        self.down = matrix(shape.width, shape.hidden, written)


class Model(nn.Module):
    def __init__(self, shape: Shape):
        super().__init__()
        self.shape = shape
        self.embedding = nn.Parameter(torch.randn(shape.vocabulary, shape.width) * 0.02)
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.final_gain = nn.Parameter(torch.ones(shape.width))
        self.parts = (attention_inputs, after_attention, token_losses)
        self._rotary = None

    def compile_parts(self):
        """The parts that work token by token, compiled; training alone uses them."""
        self.parts = tuple(torch.compile(part, dynamic=False) for part in self.parts)

    def interpret_parts(self):
        """The parts as they are written."""
        self.parts = (attention_inputs, after_attention, token_losses)

    def rotary(self, length, device):
        """cos, sin [length, d/2]; kept, and made anew for a longer window or another device."""
        if self._rotary is None or len(self._rotary[0]) < length or self._rotary[0].device != device:
            self._rotary = rotary_table(length, self.shape.head_dim, self.shape.rotary_base, device)
        return tuple(table[:length] for table in self._rotary)

    def stream(self, tokens, attention=None, *, compiled=False, first=0):
        """The residual stream [batch * length, width] behind the last block; the first token stands at position `first`."""
        inputs, after, _ = self.parts if compiled else (attention_inputs, after_attention, token_losses)
        batch, length = tokens.shape
        tables = self.rotary(first + length, tokens.device)
        cos, sin = (table[first:].repeat(batch, 1).unsqueeze(1) for table in tables)
        x = F.embedding(tokens.reshape(-1), self.embedding)
        for layer, block in enumerate(self.blocks):
            q, k, v = (
                part.unflatten(0, (batch, length)).transpose(1, 2)
                for part in inputs(x, block.attention_gain, block.query, block.key, block.value, cos, sin)
            )
            mixed = dense_attention(q, k, v) if attention is None else attention(layer, q, k, v)
            mixed = mixed.transpose(1, 2).reshape(batch * length, -1)
            x = after(x, mixed, block.output, block.mlp_gain, block.gate, block.up, block.down)
        return x

    def forward(self, tokens, *, attention=None, last=None, first=0):
        """Logits [batch, last or length, vocabulary] of tokens [batch, length].

        attention(layer, q, k, v) -> [batch, query_heads, length, head_dim], given q [batch, query_heads, length, d] and
        k, v [batch, kv_heads, length, d] after rotary positions; None: causal softmax attention with scale 1/sqrt(d).
        last: logits of the last positions alone. first: position of the first token; what stands before it is then known
        to `attention` alone.
        """
        x = self.stream(tokens, attention, first=first).unflatten(0, tuple(tokens.shape))
        if last is not None:
            x = x[:, -last:]
        return F.linear(F.rms_norm(x, x.shape[-1:], self.final_gain, EPSILON), self.embedding)

    def losses(self, tokens, targets, *, compiled=False):
        """Nats [batch, length] of targets [batch, length], each given the tokens [batch, length] up to its position."""
        losses = self.parts[2] if compiled else token_losses
        x = self.stream(tokens, compiled=compiled)
        return losses(x, self.final_gain, self.embedding, targets.reshape(-1)).view(targets.shape)


def save(model, path, metadata: dict):
    """The weights in float32 as safetensors, with metadata and the shape as JSON; the file is replaced at once."""
    path = Path(path)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    texts = {key: value if isinstance(value, str) else json.dumps(value) for key, value in metadata.items()}
    texts |= {"format": FORMAT, "shape": json.dumps(dataclasses.asdict(model.shape))}
    tensors = {name: weight.detach().float().cpu().contiguous() for name, weight in model.named_parameters()}
    try:
        safetensors.torch.save_file(tensors, temporary, metadata=texts)
        os.replace(temporary, path)
    except safetensors.SafetensorError as error:
        raise Refused(f"{path}: {error}; allowed is a folder with the right to write and free space") from error
    finally:
        temporary.unlink(missing_ok=True)


def read_metadata(path):
    """The texts beside the weights of a checkpoint, "shape" and "format" among them."""
    try:
        with safetensors.safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
    except (OSError, safetensors.SafetensorError) as error:
        raise Refused(f"{path}: {error}; allowed is a checkpoint that train wrote") from error
    if metadata.get("format") != FORMAT:
        raise Refused(f"{path}: format {metadata.get('format')}; allowed is {FORMAT}, as train writes it")
    return metadata


def load(path, device) -> Model:
    """A checkpoint on a device, in float32, ready to be evaluated."""
    model = Model(Shape(**json.loads(read_metadata(path)["shape"])))
    try:
        model.load_state_dict(safetensors.torch.load_file(path))
    except RuntimeError as error:
        raise Refused(f"{path}: {error}; allowed are weights of the shape in its metadata") from error
    return model.to(device).eval()
