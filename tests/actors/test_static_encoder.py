import dataclasses
import os
import random
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer

from actors.encoder import Encoded, SentenceEncoder
from actors.encoders import encoder_id, make_encoder
from actors.models import ModelFiles, resolve
from actors.static_encoder import StaticEncoder
from engine.errors import ModelError

NAME = "wordllama-l2-256"
SAMPLE = (
    "red kite over green hills at dawn an old festival by the sea portrait soft light film grain wide lens quiet harbour "
    "穿着红色连衣裙的女孩 夕暮れの港町 закат над морем غروب الشمس שקיעה ทะเลยามเช้า सूर्यास्त 🙂 👩🏽\u200d🎨 don't naïve f/1.8 <s>"
)


def some_texts(count: int, seed: int = 0) -> list[str]:
    dice = random.Random(seed)
    texts = {"": None, " ": None, "\u0000": None, "a": None, "kite \ud83d hill": None}
    while len(texts) < count:
        texts[" ".join(dice.choices(SAMPLE.split(), k=dice.choice([1, 2, 3, 8, 21, 400])))] = None
    return list(texts)


TEXTS = some_texts(200)


@pytest.fixture(scope="module")
def encoder() -> Iterator[StaticEncoder]:
    encoder = StaticEncoder(NAME)
    yield encoder
    encoder.close()


@pytest.fixture(scope="module")
def encoded(encoder: StaticEncoder) -> Encoded:
    return encoder.encode(TEXTS)


def test_the_weights_are_the_recorded_ones_and_the_package_is_not_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    encoder = make_encoder(NAME)
    assert isinstance(encoder, StaticEncoder)
    # `sha256sum` of the weights in wordllama 0.4.0.post1; the revision covers the tokenizer as well.
    assert encoder.id == encoder_id(NAME) == "wordllama-l2-256@64b47a2d.8054019c"
    assert "wordllama" not in sys.modules


def test_golden_values_of_the_wordllama_package(encoder: StaticEncoder) -> None:
    # `WordLlamaInference.embed(texts, norm=True)` of wordllama 0.4.0.post1 itself, the first four of 256.
    golden = {
        "a cat sleeps on the sofa": [0.0533036701, -0.0929192156, 0.0962018371, 0.0123974439],
        "the rocket left the launch pad": [0.1734870523, -0.0153555200, 0.0931198224, -0.0627668053],
        "kite": [-0.0893779770, 0.0186818317, 0.0031479525, 0.0649802834],
    }
    np.testing.assert_allclose(encoder.encode(list(golden)).vectors[:, :4], list(golden.values()), rtol=0, atol=1e-6)


def test_a_vector_is_the_unit_mean_of_its_pieces(encoder: StaticEncoder, encoded: Encoded) -> None:
    # Once more in the plainest way: every piece's row in float32, padded to one length, masked, averaged.
    files = encoder.files
    table = load_file(files.folder / files.weights)["embedding.weight"].astype(np.float32)
    tokenizer = Tokenizer.from_file(str(files.folder / files.tokenizer))
    tokenizer.enable_padding()
    known = [i for i, text in enumerate(TEXTS) if text and text.isprintable() and "\ud83d" not in text]
    batch = tokenizer.encode_batch([TEXTS[i] for i in known], add_special_tokens=False)
    mask = np.array([each.attention_mask for each in batch], np.float32)
    means = np.stack([(table[each.ids] * row[:, None]).sum(0) / row.sum() for each, row in zip(batch, mask, strict=True)])
    expected = means / np.linalg.norm(means, axis=1, keepdims=True)
    np.testing.assert_allclose(encoded.vectors[known], expected, rtol=0, atol=1e-6)
    assert encoded.pieces[known].tolist() == mask.sum(1).astype(int).tolist()


def test_meaning_is_kept_and_word_order_is_not(encoder: StaticEncoder) -> None:
    cat, kitten, rocket = encoder.encode(
        ["a cat sleeps on the sofa", "a kitten naps on the couch", "the rocket left the launch pad"]
    ).vectors
    assert cat @ kitten > 0.5 > 0.1 > cat @ rocket
    one, other = encoder.encode(["dog bites man", "man bites dog"]).vectors
    assert one.tobytes() == other.tobytes()


def test_vectors_are_bit_equal_one_by_one_and_in_any_order(encoder: StaticEncoder, encoded: Encoded) -> None:
    alone = np.concatenate([encoder.encode([text]).vectors for text in TEXTS])
    assert alone.tobytes() == encoded.vectors.tobytes()
    order = list(range(len(TEXTS)))
    random.Random(3).shuffle(order)
    shuffled = encoder.encode([TEXTS[i] for i in order] * 2).vectors
    assert shuffled.tobytes() == np.concatenate([encoded.vectors[order]] * 2).tobytes()


def test_vectors_are_bit_equal_in_another_process_without_torch(encoded: Encoded) -> None:
    program = (
        "import sys; from actors.static_encoder import StaticEncoder\n"
        f"vectors = StaticEncoder({NAME!r}).encode({TEXTS[::7]!r}).vectors\n"
        "sys.stdout.write(f\"{vectors.tobytes().hex()} {'torch' in sys.modules}\")"
    )
    environment = {**os.environ, "OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout == encoded.vectors[::7].tobytes().hex() + " False"


def test_shapes_types_and_lengths(encoder: StaticEncoder, encoded: Encoded) -> None:
    assert encoder.dimensions == 256
    assert encoded.vectors.shape == (len(TEXTS), 256)
    assert (encoded.vectors.dtype, encoded.pieces.dtype, encoded.truncated.dtype) == (np.float32, np.int32, np.bool_)
    np.testing.assert_allclose(np.linalg.norm(encoded.vectors.astype(np.float64), axis=1), 1, atol=1e-6)
    none = encoder.encode([])
    assert (none.vectors.shape, none.pieces.shape, none.truncated.shape) == ((0, 256), (0,), (0,))


def test_an_empty_text_reads_as_the_start_mark(encoder: StaticEncoder) -> None:
    empty, mark = encoder.encode(["", "<s>"]).vectors
    assert np.isfinite(empty).all()
    assert encoder.encode([""]).pieces.tolist() == [1]
    files = encoder.files
    row = load_file(files.folder / files.weights)["embedding.weight"][1].astype(np.float64)
    np.testing.assert_allclose(empty, row / np.linalg.norm(row), rtol=0, atol=1e-6)
    assert np.array_equal(empty, mark)


def test_a_long_text_is_read_to_its_end(encoder: StaticEncoder) -> None:
    done = encoder.encode(["kite " * 5000, "kite " * 5000 + "rocket " * 5000])
    assert not done.truncated.any()
    assert done.vectors[0] @ done.vectors[1] < 0.95


def test_half_a_surrogate_pair_reads_as_the_replacement_character(encoder: StaticEncoder) -> None:
    one, other, without = encoder.encode(["kite \ud83d hill", "kite \ufffd\ufffd\ufffd hill", "kite hill"]).vectors
    assert np.array_equal(one, other)
    assert not np.array_equal(one, without)


def test_equal_texts_are_computed_once() -> None:
    encoder = StaticEncoder(NAME)
    encoder.encode(["kite", "hill", "kite", "kite"])
    assert (encoder.computed, encoder.texts, encoder.calls) == (2, 4, 1)
    assert encoder.seconds > 0


def test_a_closed_encoder_refuses() -> None:
    encoder = StaticEncoder(NAME)
    encoder.close()
    with pytest.raises(ModelError, match="closed"):
        encoder.encode(["kite"])


def test_each_kind_of_model_has_its_own_reader() -> None:
    assert isinstance(make_encoder("minilm-l6-v2"), SentenceEncoder)
    with pytest.raises(ModelError, match="no table of token embeddings") as caught:
        StaticEncoder("minilm-l6-v2")
    assert caught.value.code == "model-unsupported"


@pytest.fixture
def copied(tmp_path: Path) -> ModelFiles:
    """The tokenizer, and beside it a place for other weights."""
    files = resolve(NAME)
    shutil.copy(files.folder / files.tokenizer, tmp_path / "tokenizer.json")
    return dataclasses.replace(files, folder=tmp_path, weights="model.safetensors", tokenizer="tokenizer.json")


def test_weights_that_cannot_serve_are_a_model_error(copied: ModelFiles) -> None:
    file = copied.folder / "model.safetensors"
    wrong = {
        "missing": None,
        "damaged": b"no tensors",
        "rows": {"w": np.ones((31_999, 4), np.float16)},
        "type": {"w": np.ones((32_000, 4), np.float32)},
        "shape": {"w": np.ones(32_000, np.float16)},
        "infinite": {"w": np.full((32_000, 4), np.inf, np.float16)},
        "two": {"v": np.ones((32_000, 4), np.float16), "w": np.ones((32_000, 4), np.float16)},
    }
    codes = {"missing": "model-missing", "damaged": "model-damaged"}
    for name, content in wrong.items():
        if isinstance(content, bytes):
            file.write_bytes(content)
        elif content is not None:
            save_file(content, file)
        with pytest.raises(ModelError) as caught:
            StaticEncoder(copied)
        assert caught.value.code == codes.get(name, "model-unsupported"), name
    save_file({"w": np.ones((32_000, 4), np.float16)}, file)
    assert StaticEncoder(copied).encode(["kite"]).vectors.tolist() == [[0.5] * 4]


@pytest.mark.parametrize("content", [None, "{"])
def test_a_tokenizer_that_cannot_be_read_is_a_model_error(copied: ModelFiles, content: str | None) -> None:
    file = copied.folder / "tokenizer.json"
    file.unlink()
    if content is not None:
        file.write_text(content)
    with pytest.raises(ModelError) as caught:
        StaticEncoder(copied)
    assert caught.value.code == ("model-missing" if content is None else "model-damaged")
