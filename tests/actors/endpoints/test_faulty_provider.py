"""A provider that fails a fifth of all requests, or all of them, or stops the run."""

import itertools
import logging
import time

import pytest

from actors.endpoints.openai_chat import OpenAiChat
from engine.errors import BudgetReached, ConfigError
from engine.generation.chat import ENDPOINT_FAILED, RATE_LIMITED
from engine.outcome import Answered, FailureKind
from tests.actors.endpoints.asking import asking
from tests.faults.model_rules import reply_text
from tests.faults.model_server import FAULTS, KEY, ModelServer

WINDOW = 1.0
REQUESTS, TOKENS = 150, 12_000


def test_500_requests_through_a_provider_that_fails_a_fifth_in_six_ways_are_each_right_once_within_the_limit(writer):
    # Half of them are short (52 tokens of the server's, guessed at 95), so that requests are scarce, half are long (137, 208), so that
    # tokens are; the "minute" of both limits is a second.
    limits = {"requests_per_minute": REQUESTS, "tokens_per_minute": TOKENS, "concurrency": 48, "timeout_s": 3, "give_up_s": 60}
    with ModelServer(seed=5, faults=0.2, delay_s=0.01, retry_after="0.2") as server:
        model = OpenAiChat(writer(server.url, endpoint=limits), window_s=WINDOW)
        texts = [f"unit {i}: a portrait" + " with much detail" * (20 if i >= 250 else 0) for i in range(500)]
        began = time.monotonic()
        outcomes = model.chat([asking(text, max_tokens=64) for text in texts])
        seconds = time.monotonic() - began
        spent = model.spent
        model.close()
    assert set(server.counts) == set(FAULTS)
    assert 80 <= server.counts.total() <= 180
    assert [outcome.value.choices[0].text for outcome in outcomes] == [reply_text(text, most=64)[0] for text in texts]
    assert server.answered == dict.fromkeys(texts, 1)
    assert (spent.calls, spent.input_tokens, spent.output_tokens) == (500, server.told["input"], server.told["output"])
    requests, tokens = server.most_in_window(WINDOW)
    assert 0.7 * REQUESTS < requests <= REQUESTS
    assert 0.7 * TOKENS < tokens <= TOKENS
    assert seconds < 40


def test_a_pause_that_one_request_is_asked_for_holds_all(writer):
    with ModelServer(seed=1, faults=0.2, kinds=("slowdown",), delay_s=0.01, retry_after="0.5") as server:
        model = OpenAiChat(writer(server.url, endpoint={"concurrency": 4}))
        outcomes = model.chat([asking(f"unit {i}") for i in range(20)])
        model.close()
    assert all(isinstance(outcome, Answered) for outcome in outcomes)
    assert server.counts["slowdown"] >= 2
    times = [arrival.at for arrival in server.arrivals]
    assert max(later - earlier for earlier, later in itertools.pairwise(times)) > 0.45


def test_a_pause_beyond_the_bound_ends_the_rows_at_once_as_rate_limited(writer):
    with ModelServer(faults=1, kinds=("slowdown",), retry_after="3600") as server:
        model = OpenAiChat(writer(server.url, endpoint={"give_up_s": 2, "concurrency": 4}))
        began = time.monotonic()
        outcomes = model.chat([asking(f"unit {i}") for i in range(20)])
        model.close()
    assert {(outcome.code, outcome.kind) for outcome in outcomes} == {(RATE_LIMITED, FailureKind.RETRYABLE)}
    assert time.monotonic() - began < 1
    assert len(server.arrivals) <= 4


@pytest.mark.parametrize("kind", ["hang", "reset", "malformed", "truncated", "internal"])
def test_rows_end_within_their_bound_when_nothing_ever_comes(writer, kind):
    with ModelServer(faults=1, kinds=(kind,)) as server:
        model = OpenAiChat(writer(server.url, endpoint={"give_up_s": 1, "timeout_s": 0.4, "concurrency": 8}))
        began = time.monotonic()
        outcomes = model.chat([asking(f"unit {i}") for i in range(16)])
        seconds = time.monotonic() - began
        model.close()
    assert {(outcome.code, outcome.kind) for outcome in outcomes} == {(ENDPOINT_FAILED, FailureKind.RETRYABLE)}
    assert 0.9 < seconds < 3


def test_a_provider_that_hangs_does_not_cost_every_row_its_whole_bound(writer):
    with ModelServer(faults=1, kinds=("hang",)) as server:
        model = OpenAiChat(writer(server.url, endpoint={"give_up_s": 2, "timeout_s": 0.2, "concurrency": 4}))
        began = time.monotonic()
        outcomes = model.chat([asking(f"unit {i}") for i in range(40)])
        # 40 rows of 2 s, four at once, would be 20 s. Once one was given up, a row gets one try.
        assert time.monotonic() - began < 7
        before = len(server.arrivals)
        model.chat([asking(f"later {i}") for i in range(12)])
        assert len(server.arrivals) == before + 12
        model.close()
    assert {outcome.code for outcome in outcomes} == {ENDPOINT_FAILED}


def test_a_provider_that_is_killed_ends_a_long_batch_soon_and_what_came_is_kept(writer):
    server = ModelServer(delay_s=0.05)
    model = OpenAiChat(writer(server.url, endpoint={"give_up_s": 1, "concurrency": 8}))
    assert all(isinstance(outcome, Answered) for outcome in model.chat([asking(f"unit {i}") for i in range(16)]))
    server.kill()
    began = time.monotonic()
    outcomes = model.chat([asking(f"unit {i}") for i in range(200)])
    # Not 200 / 8 rows times the bound.
    assert time.monotonic() - began < 3
    assert {(outcome.code, outcome.kind) for outcome in outcomes} == {(ENDPOINT_FAILED, FailureKind.RETRYABLE)}
    assert model.spent.calls == 16
    model.close()


def test_an_account_without_credit_stops_the_batch_but_counts_what_was_charged(writer):
    with ModelServer(delay_s=0.02) as server:
        model = OpenAiChat(writer(server.url, endpoint={"concurrency": 4}))
        with pytest.raises(BudgetReached, match="current quota"):
            model.chat([asking("unit 0"), asking("[quota]"), *(asking(f"unit {i}") for i in range(1, 100))])
        assert len(server.arrivals) < 12
        assert (model.spent.calls, model.spent.output_tokens) == (server.told["calls"], server.told["output"])
        assert model.spent.calls >= 1
        model.close()


def test_a_wrong_key_stops_at_once_and_is_shown_nowhere(writer, monkeypatch, caplog):
    wrong = "sk-wrong-9876543210"
    monkeypatch.setenv("OPENAI_API_KEY", wrong)
    with ModelServer(delay_s=0.01) as server, caplog.at_level(logging.DEBUG):
        model = OpenAiChat(writer(server.url, endpoint={"concurrency": 4}))
        with pytest.raises(ConfigError, match="OPENAI_API_KEY") as caught:
            model.chat([asking(f"unit {i}") for i in range(100)])
        with pytest.raises(ConfigError):
            model.chat([asking("later")])
        assert len(server.arrivals) <= 8
        shown = [str(caught.value), repr(caught.value), repr(model), repr(vars(model)), repr(vars(model._client)), caplog.text]
        model.close()
    # The server repeats the key in its message.
    assert "Incorrect API key" in shown[0]
    assert not any(wrong in text or KEY in text for text in shown)


def test_an_unknown_model_stops_at_once(server, writer):
    model = OpenAiChat(writer(server.url).model_copy(update={"model": "other"}))
    with pytest.raises(ConfigError, match=r"does not exist.*Correct model"):
        model.chat([asking("a prompt")])
    model.close()


def test_a_key_that_is_missing_is_named_before_anything_is_asked(writer, monkeypatch, server):
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ConfigError, match="OPENAI_API_KEY is not set"):
        OpenAiChat(writer("https://api.example.org/v1"))
    with pytest.raises(ConfigError, match="MY_KEY is not set"):
        OpenAiChat(writer("https://api.example.org/v1", endpoint={"key_env": "MY_KEY"}))
    OpenAiChat(writer(server.url)).close()  # on this machine, such as vLLM's own
    monkeypatch.setenv("OPENAI_API_KEY", "sk-a\u00e9b")
    with pytest.raises(ConfigError, match="no HTTP header") as caught:
        OpenAiChat(writer("https://api.example.org/v1"))
    assert "sk-a" not in str(caught.value)
