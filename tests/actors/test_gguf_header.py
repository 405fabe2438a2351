import contextlib
from pathlib import Path

import pytest

from actors.gguf_header import GgufHeader
from actors.models import resolve
from engine.errors import ModelError


@pytest.fixture(scope="module")
def head() -> bytes:
    """The metadata of SmolLM2's file, and a little of what follows."""
    files = resolve("smollm2-135m-instruct")
    with (files.folder / files.weights).open("rb") as stream:
        return stream.read(4 << 20)


def test_the_head_tells_what_the_model_was_made_for() -> None:
    files = resolve("smollm2-135m-instruct")
    header = GgufHeader.read(files.folder / files.weights)
    assert header.context == 8192  # config.json of HuggingFaceTB/SmolLM2-135M-Instruct: max_position_embeddings
    assert "<|im_start|>assistant" in header.chat_template


@pytest.mark.parametrize("kept", [0, 3, 20, 200, 100_000])
def test_a_file_that_is_cut_off_is_refused(head: bytes, kept: int, tmp_path: Path) -> None:
    file = tmp_path / "cut.gguf"
    file.write_bytes(head[:kept])
    with pytest.raises(ModelError, match=r"cut\.gguf is no whole GGUF") as caught:
        GgufHeader.read(file)
    assert caught.value.code == "model-damaged"


@pytest.mark.parametrize("at", range(4, 160, 17))
def test_damage_is_named_or_harmless(head: bytes, at: int, tmp_path: Path) -> None:
    file = tmp_path / "damaged.gguf"
    file.write_bytes(head[:at] + b"\xff" * 4 + head[at + 4 :])
    with contextlib.suppress(ModelError):
        assert GgufHeader.read(file).context > 0


def test_another_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "other.gguf"
    file.write_bytes(b"GGML" + bytes(100))
    with pytest.raises(ModelError, match="does not begin with GGUF"):
        GgufHeader.read(file)
