"""Both providers' batches behind the chat interface: outcomes, prices, and what a provider may do to a batch."""

import json
from contextlib import closing

import pytest

from actors.endpoints.anthropic_batch import AnthropicBatches
from actors.endpoints.batches import BatchedChat
from actors.endpoints.openai_batch import OpenAiBatches
from engine.errors import ConfigError, ModelError
from engine.generation.chat import CONTEXT_EXCEEDED, ENDPOINT_FAILED, ENDPOINT_REFUSED, MODEL_CHANGED, Spent
from engine.outcome import Answered, Failed, FailureKind, Refused, Unparsed
from engine.store.batch_ledger import BatchLedger
from engine.store.folder import FolderBackend
from engine.writer_config import Price
from tests.actors.endpoints.asking import asking
from tests.faults.batch_server import BatchServer
from tests.faults.model_rules import reply_text
from tests.faults.model_server import MODEL

SCHEMA = json.dumps({"type": "object", "properties": {"prompt": {"type": "string"}}, "required": ["prompt"]})
FAST = {"batch": True, "poll_s": 0.02, "give_up_s": 20}


@pytest.fixture
def server():
    with BatchServer() as server:
        yield server


@pytest.fixture(params=["openai", "anthropic"])
def engine(request):
    return request.param


of_openai = pytest.mark.parametrize("engine", ["openai"], indirect=True)
"""For what only OpenAI's batches do: to fail as a whole before they begin."""


@pytest.fixture
def said():
    return []


@pytest.fixture
def make(server, writer, engine, tmp_path, said):
    """Makes models on one store."""
    made = []

    def make(progress=said.append, give_up_s=20, **fields):
        endpoint = FAST | {"give_up_s": give_up_s}
        config = writer(server.url, engine=engine, endpoint=endpoint, **{"price": Price(input=2.0, output=10.0)} | fields)
        made.append(BatchedChat(config, BatchLedger(FolderBackend(tmp_path / "store")), progress=progress))
        return made[-1]

    yield make
    for model in made:
        model.close()


def texts(outcomes):
    return [outcome.value.choices[0].text for outcome in outcomes]


def right(asked):
    return [reply_text(text, most=64)[0] for text in asked]


def kinds(outcomes):
    return [outcome.code if isinstance(outcome, Failed) else type(outcome) for outcome in outcomes]


def test_shuffled_results_come_in_order_at_half_the_price(server, make, said):
    model, asked = make(), [f"prompt {i}" for i in range(30)]
    outcomes = model.chat([asking(text) for text in asked])
    assert texts(outcomes) == right(asked)
    told = server.told["input"], server.told["output"]
    assert model.spent == Spent(30, *told, pytest.approx((2 * told[0] + 10 * told[1]) / 2e6))
    assert (sum(reply.value.input_tokens for reply in outcomes), sum(reply.value.output_tokens for reply in outcomes)) == told
    assert len(server.batches) == 1
    assert said[0] == "batch batch_0: 30 requests submitted"
    assert {"batch batch_0: 0 of 30 done", "batch batch_0: 30 of 30 done, ended"} < set(said)


def test_each_bad_row_ends_as_its_own_outcome_among_good_ones(server, make):
    rows = {
        "fine": Answered,
        "[refuse]": Refused,
        "[empty]": Unparsed,
        "[bad request]": ENDPOINT_REFUSED,
        "long " * 4000: CONTEXT_EXCEEDED,
        "half a pair \ud800": Answered,
    }
    outcomes = make().chat([asking(text) for text in rows])
    assert kinds(outcomes) == list(rows.values())
    assert all(outcome.kind is FailureKind.PERMANENT for outcome in outcomes if isinstance(outcome, Failed))
    assert len(server.batches) == 1  # none of them is worth a second one
    fits, malformed = make().chat([asking("a prompt", schema=SCHEMA), asking("[malformed]", schema=SCHEMA)])
    assert json.loads(fits.value.choices[0].text) == {"prompt": reply_text("a prompt")[0]}
    assert malformed == Unparsed("Sure! Here is no JSON.")


def test_several_samples_of_a_request_come_together(server, make):
    [outcome] = make().chat([asking("a prompt", n=3, temperature=0.7)])
    assert len(outcome.value.choices) == 3
    assert outcome.value.output_tokens == server.told["output"]


@pytest.mark.parametrize("fate", ["expire", "cancel", "vanish"])
def test_what_a_batch_did_not_come_to_is_submitted_again_and_nothing_is_paid_twice(server, make, fate):
    server.fates.append(fate)
    asked = [f"prompt {i}" for i in range(10)]
    outcomes = make().chat([asking(text) for text in asked])
    assert texts(outcomes) == right(asked)
    assert [len(batch.rows) for batch in server.batches.values()] == [10, 5 if fate in ("expire", "cancel") else 10]
    assert server.charged == dict.fromkeys(asked, 1)


def test_results_that_a_provider_does_not_keep_any_more_are_asked_for_anew(server, make):
    server.fates.append("forget")
    assert texts(make().chat([asking("a prompt")])) == right(["a prompt"])
    assert len(server.batches) == 2


def test_a_row_that_three_batches_do_not_come_to_may_be_retried_and_is_by_the_next_call(server, make):
    server.fates.extend(["expire"] * 3)
    first = make().chat([asking("a prompt")])
    assert kinds(first) == [ENDPOINT_FAILED]
    assert first[0].kind is FailureKind.RETRYABLE
    # A new process: it looks into the three, and submits a fourth.
    assert texts(make().chat([asking("a prompt")])) == right(["a prompt"])
    assert (len(server.batches), server.charged["a prompt"]) == (4, 1)


def test_lost_doubled_foreign_and_failed_rows_are_told_and_mended(server, make, said):
    asked = ["fine", "[once lost]", "[twice]", "[foreign]", "[row 500]"]
    assert texts(make().chat([asking(text) for text in asked])) == right(asked)
    assert "batch batch_0: of its results 1 belong to no row, 1 came twice, 1 are missing" in said
    assert [len(batch.rows) for batch in server.batches.values()] == [5, 2]


def test_a_line_that_cannot_be_read_is_asked_for_again_and_then_given_up(server, make, said):
    outcomes = make().chat([asking("fine"), asking("[spoiled]")])
    assert kinds(outcomes) == [Answered, ENDPOINT_FAILED]
    assert outcomes[1].kind is FailureKind.RETRYABLE
    assert "batch batch_2: of its results 1 cannot be read, 1 are missing" in said


@of_openai
def test_a_full_queue_is_waited_for(server, make):
    server.fates.extend(["full"] * 4)
    assert texts(make().chat([asking("a prompt")])) == right(["a prompt"])
    assert len(server.batches) == 5


@of_openai
def test_a_batch_that_is_not_begun_is_submitted_again(server, make):
    server.fates.append("fail")
    assert texts(make().chat([asking("a prompt")])) == right(["a prompt"])


@of_openai
def test_a_line_at_fault_fails_alone(server, make):
    server.fates.append("bad line")
    asked = ["one", "two", "three"]
    assert kinds(make().chat([asking(text) for text in asked])) == [Answered, ENDPOINT_REFUSED, Answered]
    assert [len(batch.rows) for batch in server.batches.values()] == [3, 2]


@of_openai
def test_a_model_that_does_not_exist_is_raised(server, make):
    server.fates.append("no model")
    with pytest.raises(ConfigError):
        make().chat([asking("a prompt")])


def test_another_model_than_the_revision_is_told(make):
    assert kinds(make(revision="stand-in-0").chat([asking("a prompt")])) == [MODEL_CHANGED]


def test_the_providers_limits_split_a_batch(server, make, engine, monkeypatch):
    service = {"openai": OpenAiBatches, "anthropic": AnthropicBatches}[engine]
    monkeypatch.setattr(service, "most_rows", 4)
    asked = [f"prompt {i}" for i in range(9)] + ["long " * 700]
    monkeypatch.setattr(service, "most_bytes", 2500)
    assert texts(make().chat([asking(text) for text in asked])) == right(asked)
    assert [len(batch.rows) for batch in server.batches.values()] == [4, 4, 1, 1]


def test_a_provider_that_is_away_for_a_while_is_waited_for(server, make, said):
    def come_back(line):
        said.append(line)
        if "No usable response" in line:
            server.away.clear()

    server.away.set()
    assert texts(make(progress=come_back, give_up_s=0.3).chat([asking("a prompt")])) == right(["a prompt"])
    assert any("No usable response" in line for line in said)


def test_results_that_were_read_before_are_neither_asked_nor_billed_again(server, make):
    model = make()
    asked = [asking("fine"), asking("[refuse]"), asking("[bad request]")]
    first, spent = model.chat(asked), model.spent
    again = model.chat(asked[:2])
    assert again == first[:2]
    assert (model.spent, len(server.batches)) == (spent, 1)
    # What only failed, and was told, is what `mien retry` asks for.
    assert model.chat(asked) == first
    assert [len(batch.rows) for batch in server.batches.values()] == [3, 1]


def test_a_closed_model_waits_no_longer(server, make):
    server.held.set()
    model = make(progress=lambda line: model.close() if "0 of 1 done" in line else None)
    with pytest.raises(ModelError):
        model.chat([asking("a prompt")])


def test_a_parameter_that_a_model_refuses_is_left_out_of_the_next_batch(writer, tmp_path):
    with BatchServer(takes={"seed": set()}) as server:
        config = writer(server.url, endpoint=FAST)
        with closing(BatchedChat(config, BatchLedger(FolderBackend(tmp_path)), progress=lambda line: None)) as model:
            assert texts(model.chat([asking("one"), asking("two")])) == right(["one", "two"])
            assert model.id == MODEL
        assert ["seed" in body for batch in server.batches.values() for body in batch.rows.values()] == [True, True, False, False]
