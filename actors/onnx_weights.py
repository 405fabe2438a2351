"""The named arrays in an ONNX file, and which of them each matrix product uses: as much of protobuf as that takes (onnx.proto3).

Exporters fold a layer's weight into an anonymous, transposed array; the product that uses it still carries the layer's name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.errors import ModelError

_GRAPH = 7  # of ModelProto
_NODE, _INITIALIZER = 1, 5  # of GraphProto
_INPUT, _NODE_NAME, _OPERATOR = 1, 3, 4  # of NodeProto
_DIMS, _TYPE, _TENSOR_NAME, _RAW = 1, 2, 8, 9  # of TensorProto
_FLOAT = 1


@dataclass(frozen=True, slots=True)
class OnnxWeights:
    """`arrays`: float32 initializers by name; `factors`: a MatMul node's name to the name of its second factor."""

    arrays: dict[str, NDArray[np.float32]]
    factors: dict[str, str]


def read_weights(file: Path) -> OnnxWeights:
    """The weights in an ONNX file, which is read whole. Raises ModelError if it is missing or damaged."""
    try:
        data = memoryview(file.read_bytes())
        arrays: dict[str, NDArray[np.float32]] = {}
        factors: dict[str, str] = {}
        for graph in _parts(data, _GRAPH):
            for tensor in _parts(graph, _INITIALIZER):
                if _numbers(tensor, _TYPE) == [_FLOAT]:
                    shape = _numbers(tensor, _DIMS)
                    arrays[_text(tensor, _TENSOR_NAME)] = np.frombuffer(next(_parts(tensor, _RAW)), "<f4").reshape(shape)
            for node in _parts(graph, _NODE):
                if _text(node, _OPERATOR) == "MatMul":
                    factors[_text(node, _NODE_NAME)] = [str(name, "utf-8") for name in _parts(node, _INPUT)][1]
        return OnnxWeights(arrays, factors)
    except FileNotFoundError as error:
        raise ModelError(f"{file} is missing.", remedy="Install the model again.", code="model-missing") from error
    except (ValueError, IndexError, StopIteration) as error:
        raise ModelError(f"{file} is no ONNX file with float32 weights: {error}.", code="model-damaged") from error


def _fields(data: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """(number, value) of a message's fields: an integer, or bytes."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        match key & 7:
            case 0:
                value, at = _varint(data, at)
                yield key >> 3, value
            case 2:
                size, at = _varint(data, at)
                if at + size > len(data):
                    raise ValueError("it ends early")
                yield key >> 3, data[at : at + size]
                at += size
            case 1 | 5 as wire:
                at += 8 if wire == 1 else 4
            case wire:
                raise ValueError(f"wire type {wire}")


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def _parts(data: memoryview, number: int) -> Iterator[memoryview]:
    return (value for found, value in _fields(data) if found == number and isinstance(value, memoryview))


def _numbers(data: memoryview, number: int) -> list[int]:
    return [value for found, value in _fields(data) if found == number and isinstance(value, int)]


def _text(data: memoryview, number: int) -> str:
    return next((str(part, "utf-8") for part in _parts(data, number)), "")
