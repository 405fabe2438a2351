"""The stand-in encoder: the same bits everywhere, a unit vector of any text, near where words are shared, and an id of its own."""

import hashlib
import random
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.encoders import encoder_id, make_encoder
from actors.models import TINY, resolve
from actors.tiny import MAX_WORDS, RULE, VERSION, TinyEncoder
from engine.errors import ModelError
from engine.keys import content_key
from engine.stages.encoding import encode_all

GOLDEN = (
    "",
    "A red kite over green hills at dawn",
    "穿着红色连衣裙的女孩",
    "گرمای عصر در پارک",
    "don't naïve f/1.8 🌅👩🏽\u200d🎨",
    "a " * 300,
)


def encode(*texts: str) -> np.ndarray:
    return TinyEncoder().encode(texts).vectors


def test_a_vector_never_changes_under_one_version():
    # The digest of version 1; a change needs a higher version.
    digest = hashlib.sha256(encode(*GOLDEN).tobytes()).hexdigest()
    assert (VERSION, digest[:16]) == (1, "d82e30b5fb73c594")


def test_another_process_with_another_hash_seed_finds_the_same_bits_without_any_model_library():
    program = (
        "import sys; from actors.tiny import TinyEncoder\n"
        f"sys.stdout.write(TinyEncoder().encode({GOLDEN!r}).vectors.tobytes().hex())\n"
        "assert not {'torch', 'transformers', 'tokenizers'} & set(sys.modules)"
    )
    for seed in ("0", "1"):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed})
        assert bytes.fromhex(done.stdout) == encode(*GOLDEN).tobytes()


@settings(deadline=None)
@given(st.lists(st.one_of(st.text(), st.text(st.characters()), st.text("ab .")), max_size=6))
def test_any_text_has_a_unit_vector_that_ignores_its_neighbours(texts):
    encoded = TinyEncoder().encode(texts)
    assert (encoded.vectors.dtype, encoded.vectors.shape) == (np.float32, (len(texts), TinyEncoder.dimensions))
    assert (encoded.pieces.dtype, encoded.truncated.dtype) == (np.int32, np.bool_)
    np.testing.assert_allclose(np.linalg.norm(encoded.vectors.astype(np.float64), axis=1), 1, atol=1e-6)
    turned = TinyEncoder().encode(texts[::-1])
    assert turned.vectors[::-1].tobytes() == encoded.vectors.tobytes()
    for text, vector in zip(texts, encoded.vectors, strict=True):
        assert encode(text)[0].tobytes() == vector.tobytes()


def test_a_text_without_a_word_is_the_first_unit_vector():
    encoded = TinyEncoder().encode(["", " \n", "... !", "\x00"])
    assert (encoded.vectors == np.eye(1, TinyEncoder.dimensions, dtype=np.float32)).all()
    assert encoded.pieces.tolist() == [0, 0, 0, 0]
    assert TinyEncoder().encode([]).vectors.shape == (0, TinyEncoder.dimensions)


def test_forms_of_one_text_are_one_text():
    assert (
        len({vector.tobytes() for vector in encode("Naïve café, STRASSE", "nai\u0308ve cafe\u0301 straße", "ＮＡÏＶＥ  café... strasse")})
        == 1
    )
    assert encode("\ud83d word")[0].tobytes() == encode("\ufffd\ufffd\ufffd word")[0].tobytes()  # three bytes that are no text


def test_related_texts_are_closer_than_unrelated_ones():
    pairs = [
        ("a brass kettle on the market stall at dusk", "brass kettles, a stall in the market"),
        ("the violinist plays under red lanterns", "red lanterns and a violin player"),
        ("穿着红色连衣裙的女孩", "红色连衣裙"),
        ("bicycle repair in the rain", "she repairs bicycles when it rains"),
    ]
    left, right = encode(*(a for a, _ in pairs)), encode(*(b for _, b in pairs))
    cosines = left @ right.T
    assert (cosines.diagonal() > np.where(np.eye(len(pairs)), -1, cosines).max(axis=1) + 0.05).all()


def test_words_beyond_the_limit_change_nothing_and_are_told():
    words = [f"word{i}" for i in range(MAX_WORDS)]
    encoded = TinyEncoder().encode([" ".join(words), " ".join([*words, "more"])])
    assert encoded.truncated.tolist() == [False, True]
    assert encoded.pieces.tolist() == [MAX_WORDS, MAX_WORDS + 1]
    assert encoded.vectors[0].tobytes() == encoded.vectors[1].tobytes()


def test_it_counts_its_work_and_is_closed_for_good():
    encoder = TinyEncoder()
    encoder.encode(["a", "b", "a"])
    assert (encoder.calls, encoder.texts, encoder.computed) == (1, 3, 2)
    encoder.close()
    with pytest.raises(ModelError, match="is closed"):
        encoder.encode(["a"])


def test_stages_ask_it_as_they_ask_a_model():
    texts = random.Random(0).sample(GOLDEN, len(GOLDEN))
    outcomes = encode_all(make_encoder(TINY), [tuple(texts[:4]), tuple(texts[4:])])
    assert np.concatenate([outcome.value.vectors for outcome in outcomes]).tobytes() == encode(*texts).tobytes()


def test_its_id_has_the_shape_of_a_models_and_names_the_rule():
    assert encoder_id(TINY) == make_encoder(TINY).id == f"tiny-trigrams@{content_key(RULE)[:8]}.1"
    assert encoder_id("minilm-l6-v2") == resolve("minilm-l6-v2").id


def test_the_name_is_known_where_names_are_looked_up():
    with pytest.raises(ModelError, match="'tiny-trigrams'"):
        encoder_id("tiny-trigram")
    with pytest.raises(ModelError, match="has no files"):
        resolve(TINY)
