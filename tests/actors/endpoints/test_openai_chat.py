import json
import logging
import threading

import pytest

from actors.endpoints.openai_chat import OpenAiChat
from engine.errors import ConfigError, ModelError
from engine.generation.chat import CONTEXT_EXCEEDED, ENDPOINT_FAILED, ENDPOINT_REFUSED, MODEL_CHANGED, Spent
from engine.outcome import Answered, Failed, FailureKind, Refused, Unparsed
from engine.writer_config import Price
from tests.actors.endpoints.asking import asking
from tests.faults.model_rules import reply_text
from tests.faults.model_server import MODEL, ModelServer

PROMPT = {"type": "object", "properties": {"prompt": {"type": "string"}}, "required": ["prompt"], "additionalProperties": False}
SCHEMA = json.dumps(PROMPT)


@pytest.fixture
def model(server, writer):
    model = OpenAiChat(writer(server.url, price=Price(input=2.0, output=10.0)))
    yield model
    model.close()


def test_a_request_is_answered_with_text_tokens_and_the_model_that_spoke(server, model):
    [outcome] = model.chat([asking("a prompt")])
    reply = outcome.value
    assert (reply.choices[0].text, reply.choices[0].finish) == (reply_text("a prompt", most=64)[0], "stop")
    assert (reply.model, reply.input_tokens, reply.output_tokens) == (MODEL, server.told["input"], server.told["output"])
    tokens = reply.input_tokens, reply.output_tokens
    assert model.spent == Spent(1, *tokens, pytest.approx((2 * tokens[0] + 10 * tokens[1]) / 1e6))


def test_sampling_is_passed_on(server, model):
    model.chat([asking("a prompt", seed=2**62 + 5, temperature=0.7, top_p=0.9, n=2, stop=("\n\n",), max_tokens=9)])
    [body] = server.bodies
    assert body | {"messages": []} == {
        "model": MODEL,
        "messages": [],
        "max_tokens": 9,
        "temperature": 0.7,
        "top_p": 0.9,
        "n": 2,
        "seed": 5,
        "stop": ["\n\n"],
    }
    assert body["messages"][-1] == {"role": "user", "content": "a prompt"}


def test_several_samples_come_in_order_and_a_cut_one_says_so(model):
    [outcome] = model.chat([asking("a prompt", n=3, temperature=0.7, max_tokens=4)])
    assert [choice.text for choice in outcome.value.choices] == [reply_text("a prompt", number=i, most=4)[0] for i in range(3)]
    assert {choice.finish for choice in outcome.value.choices} == {"length"}


def test_each_bad_row_ends_as_its_own_outcome_among_good_ones(server, model):
    rows = {
        "fine": Answered,
        "[refuse]": Refused,
        "[filter]": Refused,
        "[policy]": Refused,
        "[azure]": Refused,
        "[empty]": Unparsed,
        "[bad request]": ENDPOINT_REFUSED,
        "long " * 4000: CONTEXT_EXCEEDED,
        "[parts] also fine": Answered,
        "half a pair \ud800": Answered,
    }
    outcomes = model.chat([asking(text) for text in rows])
    assert [outcome.code if isinstance(outcome, Failed) else type(outcome) for outcome in outcomes] == list(rows.values())
    assert all(outcome.kind is FailureKind.PERMANENT for outcome in outcomes if isinstance(outcome, Failed))
    assert outcomes[1] == Refused("I can't help with that.")
    assert outcomes[5] == Unparsed("")
    # What was charged is counted, whatever became of it.
    assert model.spent.calls == server.told["calls"] == 6
    assert (model.spent.input_tokens, model.spent.output_tokens) == (server.told["input"], server.told["output"])


def test_a_reply_fits_the_schema_or_is_unparsed_with_what_was_said(server, model):
    good, bad, cut = model.chat(
        [asking("good", schema=SCHEMA), asking("[malformed]", schema=SCHEMA), asking("cut", schema=SCHEMA, max_tokens=8)]
    )
    assert list(json.loads(good.value.choices[0].text)) == ["prompt"]
    assert bad == Unparsed("Sure! Here is no JSON.")
    assert cut.raw.startswith('{"prompt"')
    assert server.bodies[0]["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "reply", "schema": PROMPT, "strict": True},
    }


def test_strict_json_is_asked_only_of_schemas_that_openai_takes(server, model):
    loose = {"type": "object", "properties": {"list": {"type": "array", "items": {"type": "object"}}}, "required": ["list"]}
    model.chat([asking("loose", schema=json.dumps(loose | {"additionalProperties": False}))])
    assert server.bodies[0]["response_format"]["json_schema"]["strict"] is False


def test_completions_have_no_roles(server, writer):
    model = OpenAiChat(writer(server.url, api="completions"))
    [outcome] = model.chat([asking("a prompt", n=2, temperature=1.0)])
    assert server.bodies[0]["prompt"] == "Write one prompt.\n\na prompt\n"
    assert [choice.text for choice in outcome.value.choices] == [
        reply_text("Write one prompt.\n\na prompt\n", number=i, most=64)[0] for i in (0, 1)
    ]
    model.close()


@pytest.mark.parametrize("says", ["stand-in-2", ""])
def test_a_reply_of_another_model_than_the_revision_is_no_answer(writer, says):
    with ModelServer(says=says) as server:
        model = OpenAiChat(writer(server.url, revision=MODEL))
        [outcome] = model.chat([asking("a prompt")])
        assert outcome.code == MODEL_CHANGED
        assert model.spent.calls == 1
        model.close()


def test_tokens_that_a_server_does_not_name_are_guessed_and_a_warning_says_so_once(writer, caplog):
    with ModelServer(tells=False) as server, caplog.at_level(logging.WARNING):
        model = OpenAiChat(writer(server.url))
        outcomes = model.chat([asking("a prompt"), asking("another prompt")])
        assert model.spent.input_tokens == sum(outcome.value.input_tokens for outcome in outcomes)
        assert model.spent.output_tokens > server.told["output"]
        assert len([record for record in caplog.records if "guessed" in record.message]) == 1
        model.close()


def test_a_server_that_refuses_a_parameter_is_obeyed_where_the_meaning_stays(writer):
    takes = {"max_tokens": set(), "seed": set(), "temperature": set(), "top_p": set(), "n": set()}
    with ModelServer(takes=takes) as server:
        model = OpenAiChat(writer(server.url))
        outcomes = model.chat([asking(f"prompt {i}", temperature=1.0) for i in range(6)])
        assert all(isinstance(outcome, Answered) for outcome in outcomes)
        asked = len(server.bodies)
        model.chat([asking("once more", temperature=1.0)])
        assert len(server.bodies) == asked + 1
        assert set(server.bodies[-1]) == {"model", "messages", "max_completion_tokens"}
        model.close()


def test_a_temperature_that_a_reasoning_model_refuses_stops_the_run_with_the_remedy(writer):
    with ModelServer(takes={"temperature": {1}}) as server:
        model = OpenAiChat(writer(server.url))
        with pytest.raises(ConfigError, match=r"temperature: 0\.2.*wants temperature: 1"):
            model.chat([asking("a prompt", temperature=0.2)])
        model.close()


def test_a_replys_length_cannot_be_fixed(model):
    with pytest.raises(ConfigError, match="fixed length"):
        model.chat([asking("a prompt", fixed_length=True)])


def test_the_writers_own_context_is_kept(server, writer):
    model = OpenAiChat(writer(server.url, context=300))
    short, long = model.chat([asking("short"), asking("long " * 200)])
    assert isinstance(short, Answered)
    assert long.code == CONTEXT_EXCEEDED
    assert len(server.bodies) == 1
    model.close()


def test_a_row_that_always_fails_ends_within_its_bound_and_costs_no_other_its_tries(server, writer):
    model = OpenAiChat(writer(server.url, endpoint={"give_up_s": 1.5, "concurrency": 2}))
    failed, fine = model.chat([asking("[500]"), asking("fine")])
    assert (failed.code, failed.kind) == (ENDPOINT_FAILED, FailureKind.RETRYABLE)
    assert "HTTP 500" in failed.message
    assert isinstance(fine, Answered)
    # The server is not taken for dead: a row that fails in passing is asked again.
    server.fail_next = 1
    assert isinstance(model.chat([asking("later")])[0], Answered)
    model.close()


def test_replies_that_the_server_broke_off_are_paid_all_the_same(server, writer):
    model = OpenAiChat(writer(server.url, endpoint={"give_up_s": 0.5}))
    [outcome] = model.chat([asking("[abort]")])
    assert outcome.code == ENDPOINT_FAILED
    assert (model.spent.calls, model.spent.output_tokens) == (server.told["calls"], server.told["output"])
    assert model.spent.calls >= 2
    model.close()


def test_threads_share_the_places_of_one_process(writer):
    with ModelServer(delay_s=0.02) as server:
        model = OpenAiChat(writer(server.url, endpoint={"concurrency": 5}))
        found = {}

        def ask(number):
            found[number] = model.chat([asking(f"{number} of {i}") for i in range(12)])

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for number in range(4):
            assert [outcome.value.choices[0].text for outcome in found[number]] == [
                reply_text(f"{number} of {i}", most=64)[0] for i in range(12)
            ]
        assert server.most_at_once == 5
        model.close()


def test_nothing_is_asked_after_close(server, writer):
    model = OpenAiChat(writer(server.url))
    model.close()
    model.close()
    with pytest.raises(ModelError, match="closed"):
        model.chat([asking("a prompt")])
    assert server.bodies == []


def test_an_empty_batch_is_empty(model):
    assert model.chat([]) == []
