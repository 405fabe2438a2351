"""What the head of a GGUF file says of its model (format: ggml's docs/gguf.md), without reading the weights or building lists of tokens."""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from pathlib import Path

from engine.errors import ModelError

_NUMBERS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
_STRING, _ARRAY = 8, 9


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """`context`: the tokens that the model was made for; `chat_template`: Jinja, empty if the file has none."""

    context: int
    chat_template: str

    @classmethod
    def read(cls, file: Path) -> GgufHeader:
        """Raises ModelError if the file is no GGUF of a language model, or is cut off."""
        try:
            with file.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
                fields = _Reader(data).fields()
            context = fields[f"{fields['general.architecture']}.context_length"]
            return cls(int(str(context)), str(fields.get("tokenizer.chat_template", "")))
        except (OSError, ValueError, KeyError, RecursionError, struct.error) as error:
            raise ModelError(
                f"{file} is no whole GGUF file of a language model: {error or type(error).__name__}.",
                remedy="Fetch the file again.",
                code="model-damaged",
            ) from error


class _Reader:
    """Walks the metadata once. Numbers and strings are kept, arrays (tokens, merges) passed over."""

    def __init__(self, data: mmap.mmap) -> None:
        if data[:4] != b"GGUF":
            raise ValueError("it does not begin with GGUF")
        self._data, self._at = data, 4

    def fields(self) -> dict[str, object]:
        version, _, count = self._number("<I"), self._number("<Q"), self._number("<Q")
        if version not in (2, 3):
            raise ValueError(f"version {version} is not read here")
        found = {}
        for _ in range(int(count)):
            key = self._text()
            found[key] = self._value(int(self._number("<I")))
        return found

    def _value(self, kind: int) -> object:
        if kind == _STRING:
            return self._text()
        if kind == _ARRAY:
            self._pass_array()
            return None
        return self._number(_NUMBERS[kind])

    def _number(self, layout: str) -> float:
        (value,) = struct.unpack_from(layout, self._data, self._at)
        self._at += struct.calcsize(layout)
        return value  # type: ignore[no-any-return]

    def _text(self) -> str:
        return self._string().decode()

    def _string(self) -> bytes:
        length = int(self._number("<Q"))
        if self._at + length > len(self._data):
            raise ValueError("it is cut off")
        self._at += length
        return self._data[self._at - length : self._at]

    def _pass_array(self) -> None:
        kind, count = int(self._number("<I")), int(self._number("<Q"))
        if kind == _STRING:
            for _ in range(count):
                self._string()
        elif kind == _ARRAY:
            for _ in range(count):
                self._pass_array()
        else:
            self._at += struct.calcsize(_NUMBERS[kind]) * count
