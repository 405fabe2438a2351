import numpy as np
import pytest

from actors.encoders import encoder_id, make_encoder
from actors.endpoints.embeddings import BATCH_TEXTS, EndpointEncoder
from engine.errors import ConfigError, InputError, ModelError
from engine.generation.chat import CONTEXT_EXCEEDED
from engine.outcome import Answered, Failed
from engine.stages.encoding import encode_all
from engine.writer_config import Endpoint, Price
from jobs.asking import Asking
from tests.faults.model_rules import tokens_of, vector_of
from tests.faults.model_server import FAULTS, MODEL, ModelServer

NAME = f"openai:{MODEL}@8"


@pytest.fixture
def encoder(server, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    encoder = make_encoder(NAME)
    yield encoder
    encoder.close()


def vectors_of(texts, dimensions=8):
    rows = np.array([vector_of(text, dimensions) for text in texts])
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_vectors_are_unit_rows_in_the_order_of_the_texts_whatever_the_server_s(encoder, server):
    texts = [f"text {i}" for i in range(2 * BATCH_TEXTS + 5)] + ["text 0"]
    encoded = encoder.encode(texts)
    np.testing.assert_array_equal(encoded.vectors, vectors_of(texts))
    assert encoded.vectors.dtype == np.float32
    assert (encoded.pieces.dtype, encoded.truncated.dtype) == (np.int32, np.bool_)
    assert [len(body["input"]) for body in server.bodies] == [BATCH_TEXTS, BATCH_TEXTS, 5]
    assert encoder.spent.input_tokens == server.told["input"]


def test_equal_texts_are_asked_once(encoder, server):
    encoder.encode(["a", "b", "a"])
    encoder.encode(["b", "c"])
    assert [body["input"] for body in server.bodies] == [["a", "b"], ["c"]]
    assert (encoder.calls, encoder.texts, encoder.computed) == (2, 5, 3)


def test_the_id_names_model_and_dimensions_and_asks_nobody(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    assert encoder_id("openai:text-embedding-3-small@512") == "openai:text-embedding-3-small@512"
    for name in ("openai:text-embedding-3-small", "openai:@512", "openai:m@0"):
        with pytest.raises(ConfigError, match="without its dimensions"):
            encoder_id(name)


def test_a_vector_that_is_none_fails_its_unit_and_is_asked_again(encoder, server):
    outcomes = encode_all(encoder, [("fine",), ("[nan]", "also fine"), ("[zero]",)])
    assert [type(outcome) for outcome in outcomes] == [Answered, Failed, Failed]
    assert {outcome.code for outcome in outcomes[1:]} == {"non-finite-vector"}
    encoder.encode(["fine", "[nan]"])
    assert server.bodies[-1]["input"] == ["[nan]"]


def test_a_text_that_the_server_refuses_fails_alone(encoder):
    with pytest.raises(InputError) as caught:
        encoder.encode(["one", "[long]", "two"])
    assert caught.value.code == CONTEXT_EXCEEDED
    outcomes = Asking().outcomes(encode_all, encoder, [("one",), ("[long]",), ("two", "three")])
    assert [getattr(outcome, "code", "fine") for outcome in outcomes] == ["fine", CONTEXT_EXCEEDED, "fine"]


def test_texts_that_a_server_cut_are_counted(encoder):
    assert encoder.encode(["short", "[cut] long"]).truncated.tolist() == [False, True]


def test_dimensions_other_than_the_experiments_stop_the_run(monkeypatch):
    with ModelServer(takes={"dimensions": set()}) as server:
        encoder = EndpointEncoder(NAME, endpoint=Endpoint(base_url=server.url))
        with pytest.raises(ModelError, match=r"16 dimensions, and the experiment says 8.*openai:stand-in-1@16"):
            encoder.encode(["a"])
        encoder.close()


def test_a_model_of_one_size_is_asked_without_dimensions():
    with ModelServer(takes={"dimensions": set()}) as server:
        encoder = EndpointEncoder(f"openai:{MODEL}@16", endpoint=Endpoint(base_url=server.url))
        np.testing.assert_array_equal(encoder.encode(["a"]).vectors, vectors_of(["a"], 16))
        encoder.encode(["b"])
        assert ["dimensions" in body for body in server.bodies] == [True, False, False]
        encoder.close()


def test_faults_change_no_vector_and_every_token_is_counted():
    texts = [f"a longer text {i}" for i in range(3000)]
    with ModelServer(seed=2, faults=0.3, retry_after="0.1") as server:
        endpoint = Endpoint(base_url=server.url, timeout_s=1, give_up_s=30)
        encoder = EndpointEncoder(NAME, endpoint=endpoint, price=Price(input=0.02))
        np.testing.assert_array_equal(encoder.encode(texts).vectors, vectors_of(texts))
        assert encoder.spent.input_tokens == server.told["input"] == sum(map(tokens_of, texts))
        assert encoder.spent.dollars == pytest.approx(0.02e-6 * server.told["input"])
        assert len(server.counts) >= len(FAULTS) / 2
        encoder.close()


def test_a_silent_server_is_a_passing_error():
    with ModelServer(faults=1, kinds=("internal",)) as server:
        encoder = EndpointEncoder(NAME, endpoint=Endpoint(base_url=server.url, give_up_s=0.3))
        with pytest.raises(ConnectionError, match="endpoint-failed"):
            encoder.encode(["a"])
        encoder.close()


def test_an_address_with_a_password_is_refused_without_showing_it(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://me:hunter2@example.org/v1")
    with pytest.raises(ConfigError, match="OPENAI_BASE_URL") as caught:
        make_encoder(NAME)
    assert "hunter2" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_nothing_is_encoded_after_close(encoder):
    encoder.encode(["a"])
    encoder.close()
    with pytest.raises(ModelError, match="closed"):
        encoder.encode(["a"])
