import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from actors import bert
from actors.bert import OneDnnLinear, PackedBert, PlainLinear, fastest_linear
from actors.encoder import Encoded, SentenceEncoder, batches
from actors.models import resolve
from engine.errors import ModelError

SAMPLE = (
    "red kite over green hills at dawn an old festival by the sea portrait soft light film grain wide lens quiet harbour "
    "穿着红色连衣裙的女孩 海边的日出 夕暮れの港町 закат над морем غروب الشمس שקיעה ทะเลยามเช้า सूर्यास्त ηλιοβασίλεμα "
    "🙂 🌅 👩🏽\u200d🎨 don't naïve Ærøskøbing 1920s f/1.8"
)


def some_texts(count: int, seed: int = 0) -> list[str]:
    """Distinct texts of 0 to 21 words in many scripts, a few of them longer than the model reads."""
    dice = random.Random(seed)
    texts = {"": None, " ": None, "\u0000": None, "a": None}
    while len(texts) < count:
        words = dice.choices(SAMPLE.split(), k=dice.choice([1, 2, 3, 5, 8, 13, 21]) if len(texts) % 50 else 300)
        texts[" ".join(words)] = None
    return list(texts)


def digest(vectors: np.ndarray) -> str:
    return hashlib.sha256(np.ascontiguousarray(vectors).tobytes()).hexdigest()


TEXTS = some_texts(264)


@pytest.fixture(scope="module")
def encoder() -> Iterator[SentenceEncoder]:
    encoder = SentenceEncoder("minilm-l6-v2", cache=0)
    yield encoder
    encoder.close()


@pytest.fixture(scope="module")
def encoded(encoder: SentenceEncoder) -> Encoded:
    return encoder.encode(TEXTS)


def test_vectors_are_bit_equal_one_by_one(encoder: SentenceEncoder, encoded: Encoded) -> None:
    alone = np.concatenate([encoder.encode([text]).vectors for text in TEXTS])
    assert alone.tobytes() == encoded.vectors.tobytes()


@pytest.mark.parametrize(("threads", "batch_tokens"), [(1, 64), (2, 2048)])
def test_vectors_are_bit_equal_over_threads_orders_and_batch_sizes(encoded: Encoded, threads: int, batch_tokens: int) -> None:
    order = list(range(len(TEXTS)))
    random.Random(threads * batch_tokens).shuffle(order)
    other = SentenceEncoder("minilm-l6-v2", threads=threads, cache=0, batch_tokens=batch_tokens)
    half = len(order) // 3
    parts = [other.encode([TEXTS[i] for i in part]).vectors for part in (order[:half], order[half:])]
    assert torch.get_num_threads() == threads
    assert np.concatenate(parts).tobytes() == encoded.vectors[order].tobytes()


def test_vectors_are_bit_equal_in_another_process_whatever_the_environment_says(encoded: Encoded) -> None:
    program = (
        "import sys, json, hashlib; from actors.encoder import SentenceEncoder\n"
        "vectors = SentenceEncoder('minilm-l6-v2').encode(json.load(sys.stdin)).vectors\n"
        "print(hashlib.sha256(vectors.tobytes()).hexdigest(), 'transformers' in sys.modules)"
    )
    chosen = TEXTS[::-3]
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps(chosen),
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "OMP_NUM_THREADS": "2", "MKL_NUM_THREADS": "2", "TOKENIZERS_PARALLELISM": "true"},
    )
    # `transformers` would cost each process seconds.
    assert done.stdout.split() == [digest(encoded.vectors[::-3]), "False"]


def test_vectors_agree_with_transformers(encoder: SentenceEncoder, encoded: Encoded) -> None:
    from transformers import AutoModel, AutoTokenizer

    folder = encoder.files.folder
    model, tokenizer = AutoModel.from_pretrained(folder, local_files_only=True).eval(), AutoTokenizer.from_pretrained(folder)
    some = list(range(0, len(TEXTS), 3))
    with torch.inference_mode():
        for rows in (some[i : i + 16] for i in range(0, len(some), 16)):
            batch = tokenizer([TEXTS[i] for i in rows], padding=True, truncation=True, max_length=256, return_tensors="pt")
            mask = batch["attention_mask"][..., None].float()
            pooled = (model(**batch).last_hidden_state * mask).sum(1) / mask.sum(1)
            expected = torch.nn.functional.normalize(pooled, dim=1).numpy()
            np.testing.assert_allclose(encoded.vectors[rows], expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("linear", [PlainLinear, fastest_linear()])
def test_a_row_of_packed_texts_ignores_its_neighbours(linear: type[PlainLinear] | type[OneDnnLinear]) -> None:
    folder = resolve("minilm-l6-v2").folder
    packed_bert = PackedBert(folder, json.loads((folder / "config.json").read_text()), linear)
    dice = torch.Generator().manual_seed(1)
    groups = [torch.randint(1000, 20000, (count, length), generator=dice) for count, length in ((3, 2), (2, 7), (1, 33), (2, 65))]
    with torch.inference_mode():
        packed = packed_bert.forward(groups)
        for ids, states in zip(groups, packed, strict=True):
            assert torch.equal(packed_bert.forward([ids[-1:]])[0], states[-1:])


def test_onednn_is_used_where_it_computes_the_same_and_a_wrong_kernel_never() -> None:
    class Wrong(PlainLinear):
        def gelu(self, x: torch.Tensor) -> torch.Tensor:
            return torch.nn.functional.gelu(self(x), approximate="tanh")

    class Gone(PlainLinear):
        def plus(self, x: torch.Tensor, residual: torch.Tensor) -> torch.Tensor:
            raise RuntimeError("no such operator")

    assert [bert.agrees(kind) for kind in (PlainLinear, Wrong, Gone)] == [True, False, False]
    assert fastest_linear() is (OneDnnLinear if bert.agrees(OneDnnLinear) else PlainLinear)


@settings(deadline=None)
@given(st.lists(st.integers(2, 256), max_size=80), st.integers(1, 600))
def test_batches_hold_every_text_once_in_groups_of_equal_length_within_the_bound(lengths: list[int], most: int) -> None:
    found = list(batches(lengths, most))
    assert sorted(i for batch in found for group in batch for i in group) == list(range(len(lengths)))
    for batch in found:
        assert all(len({lengths[i] for i in group}) == 1 for group in batch)
        texts = [i for group in batch for i in group]
        assert len(texts) == 1 or sum(lengths[i] for i in texts) <= most


def test_meaning_is_kept(encoder: SentenceEncoder) -> None:
    vectors = encoder.encode(["a cat sleeps on the sofa", "a kitten naps on the couch", "the rocket left the launch pad"]).vectors
    assert vectors[0] @ vectors[1] > 0.6 > 0.2 > vectors[0] @ vectors[2]


def test_shapes_types_and_lengths(encoder: SentenceEncoder, encoded: Encoded) -> None:
    assert (encoder.dimensions, encoder.max_pieces) == (384, 256)
    assert encoder.id.startswith("minilm-l6-v2@53aa5117.")
    assert encoded.vectors.shape == (len(TEXTS), 384)
    assert (encoded.vectors.dtype, encoded.pieces.dtype, encoded.truncated.dtype) == (np.float32, np.int32, np.bool_)
    np.testing.assert_allclose(np.linalg.norm(encoded.vectors.astype(np.float64), axis=1), 1, atol=1e-6)
    none = encoder.encode([])
    assert (none.vectors.shape, none.pieces.shape, none.truncated.shape) == ((0, 384), (0,), (0,))


def test_truncation_is_counted_and_exact_at_the_limit(encoder: SentenceEncoder) -> None:
    # One piece a word, and the two marks: 254 words are 256 pieces.
    done = encoder.encode(["", "word " * 254, "word " * 255, "word " * 10_000, "word " * 254 + "kite"])
    assert done.pieces.tolist() == [2, 256, 257, 10_002, 257]
    assert done.truncated.tolist() == [False, False, True, True, True]
    # What lies behind the limit is not read.
    assert all(np.array_equal(done.vectors[1], done.vectors[i]) for i in (2, 3, 4))


def test_half_a_surrogate_pair_reads_as_the_replacement_character(encoder: SentenceEncoder) -> None:
    vectors = encoder.encode(["kite \ud83d hill", "kite \ufffd\ufffd\ufffd hill", "kite hill"]).vectors
    assert np.array_equal(vectors[0], vectors[1])


def test_equal_texts_are_computed_once_and_the_cache_is_exact_and_bounded() -> None:
    encoder = SentenceEncoder("minilm-l6-v2", cache=2)
    first = encoder.encode(["kite", "hill", "kite", "kite"])
    assert (encoder.computed, encoder.texts, encoder.calls) == (2, 4, 1)
    assert np.array_equal(first.vectors[0], first.vectors[3])
    again = encoder.encode(["hill", "kite"])
    assert encoder.computed == 2
    assert again.vectors.tobytes() == first.vectors[[1, 0]].tobytes()
    again.vectors[:] = 0  # a caller's array is its own
    encoder.encode(["sea"])  # `hill` was used least recently
    assert np.array_equal(encoder.encode(["kite"]).vectors[0], first.vectors[0])
    assert encoder.computed == 3
    encoder.encode(["hill"])
    assert encoder.computed == 4
    assert encoder.seconds > 0


def test_a_closed_encoder_refuses() -> None:
    encoder = SentenceEncoder("minilm-l6-v2")
    encoder.encode(["kite"])
    encoder.close()
    with pytest.raises(ModelError, match="closed"):
        encoder.encode(["kite"])


@pytest.mark.parametrize("wrong", [{"threads": 0}, {"cache": -1}, {"batch_tokens": 0}])
def test_impossible_settings_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="at least"):
        SentenceEncoder("minilm-l6-v2", **wrong)


def test_another_architecture_goes_through_transformers_under_the_same_rules(tmp_path: Path) -> None:
    from transformers import DistilBertConfig, DistilBertModel

    torch.manual_seed(0)
    config = DistilBertConfig(vocab_size=30522, dim=32, hidden_dim=64, n_layers=2, n_heads=4, max_position_embeddings=64)
    model = DistilBertModel(config).eval()
    model.save_pretrained(tmp_path)
    shutil.copy(resolve("minilm-l6-v2").folder / "tokenizer.json", tmp_path)
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}')
    encoder = SentenceEncoder(str(tmp_path), cache=0)
    together = encoder.encode(TEXTS[:60])
    assert (encoder.dimensions, encoder.max_pieces) == (32, 64)
    alone = np.concatenate([encoder.encode([text]).vectors for text in TEXTS[:60]])
    assert alone.tobytes() == together.vectors.tobytes()
    ids = torch.tensor([[101, 1037, 102]])  # [CLS] a [SEP]
    with torch.inference_mode():
        expected = torch.nn.functional.normalize(model(input_ids=ids).last_hidden_state[:, 0], dim=1)
    np.testing.assert_allclose(encoder.encode(["a"]).vectors, expected.numpy(), atol=1e-6)


def a_copy(target: Path) -> Path:
    """The laptop encoder's small files, and its weights as a link."""
    folder = resolve("minilm-l6-v2").folder
    shutil.copytree(folder, target, ignore=shutil.ignore_patterns("*.safetensors"))
    (target / "model.safetensors").symlink_to(folder / "model.safetensors")
    return target


@pytest.mark.parametrize(
    ("file", "content", "code"),
    [
        ("config.json", None, "model-missing"),
        ("config.json", "{", "model-damaged"),
        ("config.json", "[]", "model-damaged"),
        ("tokenizer.json", None, "model-missing"),
        ("tokenizer.json", "{", "model-damaged"),
        ("model.safetensors", "no tensors", "model-damaged"),
        ("1_Pooling/config.json", '{"pooling_mode_max_tokens": true}', "model-unsupported"),
        ("1_Pooling/config.json", '{"pooling_mode": "lasttoken"}', "model-unsupported"),
        ("config.json", '{"model_type": "no-such-architecture"}', "model-unsupported"),
    ],
)
def test_a_folder_that_cannot_serve_is_a_model_error(tmp_path: Path, file: str, content: str | None, code: str) -> None:
    folder = a_copy(tmp_path / "m")
    (folder / file).unlink()
    if content is not None:
        (folder / file).write_text(content)
    with pytest.raises(ModelError) as caught:
        SentenceEncoder(str(folder))
    assert caught.value.code == code


def test_the_length_and_the_case_that_the_folder_asks_for_are_kept(tmp_path: Path, encoder: SentenceEncoder) -> None:
    folder = a_copy(tmp_path / "m")
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 8, "do_lower_case": true}')
    short = SentenceEncoder(str(folder))
    assert short.encode(["one two three four five six", "one two three four five six seven"]).truncated.tolist() == [False, True]
    assert np.array_equal(short.encode(["KITE"]).vectors, encoder.encode(["kite"]).vectors)
