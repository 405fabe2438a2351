import json
from contextlib import closing

import pytest

from actors.endpoints.anthropic_messages import AnthropicMessages
from engine.errors import BudgetReached, ConfigError
from engine.generation.chat import CONTEXT_EXCEEDED, ENDPOINT_REFUSED, MODEL_CHANGED, ChatRequest, Message, Sampling, Spent
from engine.outcome import Answered, Failed, FailureKind, Refused, Unparsed
from engine.writer_config import Price
from tests.actors.endpoints.asking import asking
from tests.faults.anthropic_server import AnthropicServer
from tests.faults.model_rules import reply_text
from tests.faults.model_server import MODEL

PROMPT = {"type": "object", "properties": {"prompt": {"type": "string"}}, "required": ["prompt"], "additionalProperties": False}
SCHEMA = json.dumps(PROMPT)


@pytest.fixture
def server():
    with AnthropicServer(cached=3) as server:
        yield server


@pytest.fixture
def model(server, writer):
    model = AnthropicMessages(writer(server.url, engine="anthropic", price=Price(input=2.0, output=10.0)))
    yield model
    model.close()


def test_a_message_is_answered_with_text_tokens_and_the_model_that_spoke(server, model):
    [outcome] = model.chat([asking("a prompt")])
    reply = outcome.value
    assert (reply.choices[0].text, reply.choices[0].finish) == (reply_text("a prompt", most=64)[0], "stop")
    # Cached input is input, too.
    assert (reply.model, reply.input_tokens, reply.output_tokens) == (MODEL, server.told["input"], server.told["output"])
    dollars = (2 * reply.input_tokens + 10 * reply.output_tokens) / 1e6
    assert model.spent == Spent(1, reply.input_tokens, reply.output_tokens, pytest.approx(dollars))


def test_the_system_stands_apart_and_sampling_is_passed_on(server, model):
    turns = (Message("system", "Be brief."), Message("system", "Be kind."), Message("user", "a prompt"), Message("assistant", "A"))
    model.chat([ChatRequest("row", turns, Sampling(9, temperature=0.7, top_p=0.9, stop=("\n\n",)), seed=5)])
    assert server.bodies == [
        {
            "model": MODEL,
            "max_tokens": 9,
            "messages": [{"role": "user", "content": "a prompt"}, {"role": "assistant", "content": "A"}],
            "system": "Be brief.\n\nBe kind.",
            "temperature": 0.7,
            "top_p": 0.9,
            "stop_sequences": ["\n\n"],
        }
    ]


def test_several_samples_are_several_calls_and_a_cut_one_says_so(server, model):
    [outcome] = model.chat([asking("a prompt", n=3, temperature=0.7, max_tokens=4)])
    assert [choice.finish for choice in outcome.value.choices] == ["length"] * 3
    assert model.spent.calls == server.told["calls"] == 3
    assert outcome.value.output_tokens == server.told["output"]


def test_a_schema_is_a_tool_that_has_to_be_called(server, model):
    fits, malformed, nothing = model.chat(
        [asking("a prompt", schema=SCHEMA), asking("[malformed]", schema=SCHEMA), asking("[empty]", schema=SCHEMA)]
    )
    assert json.loads(fits.value.choices[0].text) == {"prompt": reply_text("a prompt")[0]}
    assert malformed == Unparsed("Sure! Here is no JSON.")
    assert nothing == Unparsed("")
    assert {body["tool_choice"]["name"] for body in server.bodies} == {"reply"}


def test_a_schema_of_no_object_cannot_be_asked_for(model):
    [outcome] = model.chat([asking("a prompt", schema='{"type": "string"}')])
    assert (outcome.code, outcome.kind) == (ENDPOINT_REFUSED, FailureKind.PERMANENT)


def test_each_bad_row_ends_as_its_own_outcome_among_good_ones(server, model):
    rows = {
        "fine": Answered,
        "[refuse]": Refused,
        "[empty]": Unparsed,
        "[bad request]": ENDPOINT_REFUSED,
        "long " * 4000: CONTEXT_EXCEEDED,
        "[bytes]": CONTEXT_EXCEEDED,
        "also fine": Answered,
    }
    outcomes = model.chat([asking(text) for text in rows])
    assert [outcome.code if isinstance(outcome, Failed) else type(outcome) for outcome in outcomes] == list(rows.values())
    assert model.spent.calls == server.told["calls"] == 4


def test_an_overloaded_provider_is_asked_again(writer):
    with AnthropicServer(overloads=3) as server:
        model = AnthropicMessages(writer(server.url, engine="anthropic"))
        [outcome] = model.chat([asking("a prompt")])
        model.close()
    assert isinstance(outcome, Answered)
    assert len(server.bodies) == 4


def test_a_faulty_provider_is_asked_until_each_row_is_right_and_counted_once(writer):
    with AnthropicServer(seed=3, faults=0.3, kinds=("slowdown", "internal", "reset", "malformed", "truncated"), retry_after="0") as server:
        model = AnthropicMessages(writer(server.url, engine="anthropic"))
        outcomes = model.chat([asking(f"prompt {i}") for i in range(40)])
        model.close()
    assert [outcome.value.choices[0].text for outcome in outcomes] == [reply_text(f"prompt {i}", most=64)[0] for i in range(40)]
    assert sum(server.counts.values()) > 5
    assert (model.spent.calls, model.spent.input_tokens) == (server.told["calls"], server.told["input"])


def test_another_model_than_the_revision_is_told(server, writer):
    model = AnthropicMessages(writer(server.url, engine="anthropic", revision="stand-in-0"))
    [outcome] = model.chat([asking("a prompt")])
    model.close()
    assert (model.id, outcome.code) == (f"{MODEL}@stand-in-0", MODEL_CHANGED)


@pytest.mark.parametrize("wrong", ["key", "model"])
def test_what_no_row_would_escape_is_raised(server, writer, monkeypatch, wrong):
    if wrong == "key":
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-wrong-0123456789")
    config = writer(server.url, engine="anthropic", model="no-such" if wrong == "model" else MODEL)
    with closing(AnthropicMessages(config)) as model, pytest.raises(ConfigError) as error:
        model.chat([asking("a prompt")])
    assert "0123456789" not in str(error.value)


def test_a_temperature_that_no_model_there_takes_is_refused_before_any_call(server, writer):
    with pytest.raises(ConfigError, match="temperature"):
        AnthropicMessages(writer(server.url, engine="anthropic", temperature=1.5))


def test_an_empty_account_stops_the_run(model):
    with pytest.raises(BudgetReached):
        model.chat([asking("[poor]")])
