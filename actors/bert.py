"""A BERT forward pass over packed texts: no padding, no mask, and a text's result does not depend on its neighbours.

Reading the checkpoint and 100 lines of torch replace `transformers`, whose import costs more than encoding a thousand captions.
Texts of equal length form a group; all groups of a batch lie behind one another in one (rows, hidden) matrix, on which the
linear layers run once. Only attention looks at one group at a time.

Why it is bit-stable: each row of a matrix product is summed in the same order whatever the other rows are, as long as there are
at least a dozen of them (fewer rows take other kernels, so a batch is filled up to a multiple of `ROWS`); attention, layer norm
and pooling work on one text at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor
from torch.nn import functional

from engine.errors import ModelError

ROWS = 32


class Linear(Protocol):
    """An affine layer with what usually follows it fused in; x is (rows, inputs), the result (rows, outputs)."""

    def __call__(self, x: Tensor) -> Tensor: ...
    def gelu(self, x: Tensor) -> Tensor: ...
    def plus(self, x: Tensor, residual: Tensor) -> Tensor: ...


class LinearKind(Protocol):
    """How a `Linear` is made from weight (outputs, inputs) and bias (outputs,)."""

    def __call__(self, weight: Tensor, bias: Tensor) -> Linear: ...


class PlainLinear:
    """The portable form."""

    def __init__(self, weight: Tensor, bias: Tensor) -> None:
        self._weight, self._bias = weight, bias

    def __call__(self, x: Tensor) -> Tensor:
        return functional.linear(x, self._weight, self._bias)

    def gelu(self, x: Tensor) -> Tensor:
        return functional.gelu(self(x))

    def plus(self, x: Tensor, residual: Tensor) -> Tensor:
        return self(x).add_(residual)


class OneDnnLinear:
    """Weights laid out once for oneDNN's kernels, GELU and the residual sum fused: 1.1 to 1.2 times faster on AVX-512."""

    def __init__(self, weight: Tensor, bias: Tensor) -> None:
        self._weight = torch.ops.mkldnn._reorder_linear_weight(weight.contiguous(), None)
        self._bias = bias

    def __call__(self, x: Tensor) -> Tensor:
        return _tensor(torch.ops.mkldnn._linear_pointwise(x, self._weight, self._bias, "none", [], ""))

    def gelu(self, x: Tensor) -> Tensor:
        return _tensor(torch.ops.mkldnn._linear_pointwise(x, self._weight, self._bias, "gelu", [], "none"))

    def plus(self, x: Tensor, residual: Tensor) -> Tensor:
        return _tensor(torch.ops.mkldnn._linear_pointwise.binary(x, residual, self._weight, self._bias, "add"))


def _tensor(value: Any) -> Tensor:
    assert isinstance(value, Tensor)
    return value


def fastest_linear() -> LinearKind:
    """oneDNN where this torch and this processor have it, else the portable form."""
    built = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
    return OneDnnLinear if built and agrees(OneDnnLinear) else PlainLinear


def agrees(kind: LinearKind) -> bool:
    """Whether `kind` computes what the portable form does: torch may change or drop operators that are not public interface."""
    weight, bias, x = torch.eye(ROWS) * 2, torch.ones(ROWS), torch.linspace(-2, 2, ROWS * ROWS).view(ROWS, ROWS)
    plain = PlainLinear(weight, bias)
    try:
        tried = kind(weight, bias)
        pairs = [(tried(x), plain(x)), (tried.gelu(x), plain.gelu(x)), (tried.plus(x, x), plain.plus(x, x))]
    except (AttributeError, TypeError, RuntimeError):
        return False
    return all(torch.allclose(one, other, atol=1e-6) for one, other in pairs)


SIZES = ("hidden_size", "num_attention_heads", "num_hidden_layers")


def supports(config: Mapping[str, Any]) -> bool:
    """Whether `config.json` describes an encoder that `PackedBert` computes exactly."""
    return (
        config.get("model_type") == "bert"
        and all(isinstance(config.get(size), int) for size in SIZES)
        and config.get("hidden_act", "gelu") == "gelu"
        and config.get("position_embedding_type", "absolute") == "absolute"
        and not config.get("is_decoder", False)
    )


class PackedBert:
    """The encoder of a BERT checkpoint in float32.

    Args:
        folder: holds `model.safetensors`.
        config: its `config.json`, for which `supports` is true.
        linear: how affine layers are computed; the fastest this torch has by default.

    Raises:
        ModelError: a tensor is missing from the checkpoint.
    """

    def __init__(self, folder: Path, config: Mapping[str, Any], linear: LinearKind | None = None) -> None:
        make = linear or fastest_linear()
        weights = _Checkpoint(folder)
        self.dimensions = int(config["hidden_size"])
        self._heads = int(config["num_attention_heads"])
        self._epsilon = float(config.get("layer_norm_eps", 1e-12))
        self._words = weights["embeddings.word_embeddings.weight"]
        # Every piece of a lone text has token type 0, so its row joins the positions.
        self._positions = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
        self._norm = weights.pair("embeddings.LayerNorm")
        self._layers = [_Layer(weights, f"encoder.layer.{i}.", make) for i in range(int(config["num_hidden_layers"]))]

    def forward(self, groups: Sequence[Tensor]) -> list[Tensor]:
        """Last hidden states of groups of equally long texts: ids (n, length) int64 in, (n, length, hidden) float32 out."""
        rows = sum(ids.numel() for ids in groups)
        filling = torch.zeros(-rows % ROWS, dtype=torch.int64)
        x = functional.embedding(torch.cat([*(ids.reshape(-1) for ids in groups), filling]), self._words)
        for ids, part in zip(groups, _parts(x, groups), strict=True):
            part.add_(self._positions[: ids.shape[1]])
        x = self._normed(x, self._norm)
        for layer in self._layers:
            attended = layer.attention_out.plus(self._attention(layer.qkv(x), groups), x)
            x = self._normed(attended, layer.attention_norm)
            x = self._normed(layer.down.plus(layer.up.gelu(x), x), layer.norm)
        return list(_parts(x, groups))

    def _attention(self, qkv: Tensor, groups: Sequence[Tensor]) -> Tensor:
        """Self-attention within each text: qkv (rows, 3 hidden) to (rows, hidden)."""
        context = torch.zeros(qkv.shape[0], self.dimensions)
        for part, out in zip(_parts(qkv, groups), _parts(context, groups), strict=True):
            count, length = part.shape[:2]
            q, k, v = part.view(count, length, 3, self._heads, -1).permute(2, 0, 3, 1, 4)
            mixed = functional.scaled_dot_product_attention(q, k, v)
            out.view(count, length, self._heads, -1).copy_(mixed.transpose(1, 2))
        return context

    def _normed(self, x: Tensor, norm: tuple[Tensor, Tensor]) -> Tensor:
        return functional.layer_norm(x, (self.dimensions,), *norm, self._epsilon)


class _Layer:
    """One transformer layer; query, key and value share one product."""

    def __init__(self, weights: _Checkpoint, prefix: str, make: LinearKind) -> None:
        parts = [weights.pair(f"{prefix}attention.self.{name}") for name in ("query", "key", "value")]
        self.qkv = make(torch.cat([weight for weight, _ in parts]), torch.cat([bias for _, bias in parts]))
        self.attention_out = make(*weights.pair(f"{prefix}attention.output.dense"))
        self.attention_norm = weights.pair(f"{prefix}attention.output.LayerNorm")
        self.up = make(*weights.pair(f"{prefix}intermediate.dense"))
        self.down = make(*weights.pair(f"{prefix}output.dense"))
        self.norm = weights.pair(f"{prefix}output.LayerNorm")


class _Checkpoint:
    """The tensors of a checkpoint in float32, with or without the `bert.` that models with a head put before each name."""

    def __init__(self, folder: Path) -> None:
        from safetensors import SafetensorError
        from safetensors.torch import load_file

        self._file = folder / "model.safetensors"
        try:
            self._tensors = {name.removeprefix("bert."): tensor for name, tensor in load_file(self._file).items()}
        except (OSError, SafetensorError) as error:
            raise ModelError(f"{self._file} cannot be read: {error}.", remedy="Fetch the model again.", code="model-damaged") from error

    def __getitem__(self, name: str) -> Tensor:
        if name not in self._tensors:
            raise ModelError(f"{self._file} has no tensor {name!r}.", remedy="Give the folder of a BERT encoder.", code="model-damaged")
        return self._tensors[name].float()

    def pair(self, name: str) -> tuple[Tensor, Tensor]:
        return self[f"{name}.weight"], self[f"{name}.bias"]


def _parts(x: Tensor, groups: Sequence[Tensor]) -> Iterator[Tensor]:
    """Views (n, length, width) into the packed rows, one for each group."""
    start = 0
    for ids in groups:
        yield x[start : start + ids.numel()].view(*ids.shape, x.shape[1])
        start += ids.numel()
