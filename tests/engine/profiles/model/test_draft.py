"""A step in rounds: what is missing is asked again, a bounded number of times, and every end is typed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.generation.chat import Sampling
from engine.outcome import Answered, Failed, FailureKind, Refused, Unparsed
from engine.profiles.model.asking import StepRequest
from engine.profiles.model.draft import Draft
from engine.profiles.model.lexicon import LONGEST, ListElements
from engine.profiles.model.persona import Sketch
from engine.records import CATEGORIES, Demographics
from engine.tokens import tokens
from tests.engine.profiles.model.inventive import InventiveChat, reply

WHO = Demographics("35-44", "Oceania", "Tongan", "net mender", ("chess", "kites"))
SKETCH = Sketch(WHO, "A Tongan mender of nets.", "Days by the sea.")
SPOILT = ("brass samovar", "Brass samovar!", "a thing of very many words indeed")


def lexicon(each=3, least=None, rejected=frozenset()):
    return ListElements(SKETCH, rejected, each, each * len(CATEGORIES) if least is None else least)


def words(*texts):
    return reply(json.dumps({"words": list(texts)}))


def ended(draft, answer):
    """The outcome when each ask is answered by `answer(ask)`."""
    while asks := draft.asks():
        for ask in asks:
            draft.take(ask, answer(ask))
    return draft.outcome()


def inventive(ask):
    request = StepRequest("k", "s", lexicon(), 0).call(ask, Sampling())
    return InventiveChat().chat([request])[0]


def test_a_step_whose_answers_are_good_takes_one_round():
    outcome = ended(Draft(lexicon()), inventive)
    assert isinstance(outcome, Answered)
    effort = outcome.value.effort
    assert (effort.calls, effort.repairs, effort.faults) == (len(CATEGORIES), 0, ())
    assert (effort.input_tokens, effort.output_tokens, effort.model) == (80, 40, InventiveChat.id)
    assert [element.category for element in outcome.value.value] == [category for category in CATEGORIES for _ in range(3)]


def test_only_what_cannot_be_used_is_asked_for_again_and_told_why():
    def answer(ask):
        if ask.part.name == "objects" and ask.round == 1:
            return words(*SPOILT)
        return inventive(ask)

    draft = Draft(lexicon())
    for ask in draft.asks():
        draft.take(ask, answer(ask))
    (again,) = draft.asks()
    assert again.missing == (1, 2)
    assert json.loads(again.schema)["properties"]["words"]["minItems"] == 2
    complaint = again.messages[-1]
    assert complaint.content.startswith(lexicon().messages(again.part, again.missing)[-1].content)
    assert '"Brass samovar!" is nearly the same' in complaint.content
    assert "too many words" in complaint.content
    assert "Give 2 that are new" in complaint.content
    draft.take(again, inventive(again))
    outcome = draft.outcome()
    assert outcome.value.effort.repairs == 1
    assert dict(outcome.value.effort.faults) == {"repeated": 1, "too-long": 1}
    assert "brass samovar" in [element.text for element in outcome.value.value]


def test_malformed_json_is_repaired():
    outcome = ended(Draft(lexicon()), lambda ask: reply('{"words": ["brass sam') if ask.round == 1 else inventive(ask))
    assert isinstance(outcome, Answered)
    assert outcome.value.effort.repairs == len(CATEGORIES)


@pytest.mark.parametrize("repairs", [0, 1, 3])
def test_malformed_json_to_the_end_is_unparsed_after_a_bounded_number_of_rounds(repairs):
    rounds = set()

    def answer(ask):
        rounds.add(ask.round)
        return reply("no json") if ask.part.name == "objects" else inventive(ask)

    assert ended(Draft(lexicon(), repairs), answer) == Unparsed("no json")
    assert rounds == set(range(1, repairs + 2))


def test_a_model_that_declines_to_the_end_is_a_refusal():
    assert ended(Draft(lexicon()), lambda ask: Refused("I cannot help with that.")) == Refused("I cannot help with that.")
    assert ended(Draft(lexicon()), lambda ask: Unparsed("I'm sorry, but I can't help with this request.")) == Refused(
        "I'm sorry, but I can't help with this request."
    )


def test_a_call_that_failed_ends_the_step_as_it_is_and_asks_no_more():
    failed = Failed("rate-limited", "too fast", FailureKind.RETRYABLE)
    draft = Draft(lexicon())
    asks = draft.asks()
    for ask in asks:
        draft.take(ask, failed if ask is asks[0] else inventive(ask))
    assert draft.asks() == []
    assert draft.outcome() == failed


def test_a_person_that_lacks_too_much_is_rejected_with_the_commonest_reason():
    outcome = ended(Draft(lexicon()), lambda ask: words("the same thing", "the same thing", "the same thing"))
    assert isinstance(outcome, Failed)
    assert outcome.code == "person-repeated"
    assert outcome.kind is FailureKind.PERMANENT
    assert outcome.message.startswith("1 of 24 pieces could be used after 3 rounds")


def test_a_person_with_enough_goes_on_with_what_there_is():
    def answer(ask):
        return words("one", "one", "one") if ask.part.name == "objects" else inventive(ask)

    outcome = ended(Draft(lexicon(least=20)), answer)
    assert isinstance(outcome, Answered)
    assert len(outcome.value.value) == 22


def test_answers_that_are_too_short_or_too_long_fill_what_they_fill():
    outcome = ended(Draft(lexicon(least=8), 0), lambda ask: words(f"{ask.part.name} piece"))
    assert dict(outcome.value.effort.faults) == {"missing": 16}
    outcome = ended(Draft(lexicon(each=1), 0), lambda ask: words(f"{ask.part.name} piece", "another one"))
    assert isinstance(outcome, Answered)


@pytest.mark.parametrize("text", ['{"words": ["half \\ud800"]}', "half \ud800", "[" * 100_000, "[1]", "null"])
def test_what_is_no_text_or_no_object_never_reaches_a_file(text):
    outcome = ended(Draft(lexicon(), 0), lambda ask: reply(text))
    said = outcome.raw if isinstance(outcome, Unparsed) else outcome.message
    assert said.encode()


anything = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=30), lambda x: st.lists(x, max_size=4), max_leaves=8)


@given(
    st.lists(
        st.one_of(
            st.text(max_size=50),
            st.builds(json.dumps, anything),
            st.builds(lambda found: json.dumps({"words": found}), st.lists(anything | st.text("abc ", max_size=40), max_size=5)),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_whatever_a_model_says_ends_typed_and_nothing_kept_breaks_a_rule(texts):
    draft, asked = Draft(lexicon(least=0), 2), 0
    while asks := draft.asks():
        for ask in asks:
            draft.take(ask, reply(texts[asked % len(texts)]))
            asked += 1
    assert asked <= 3 * len(CATEGORIES)
    outcome = draft.outcome()
    assert isinstance(outcome, Answered)
    kept = [tuple(tokens(element.text)) for element in outcome.value.value]
    assert len(set(kept)) == len(kept)
    assert all(1 <= len(each) <= LONGEST for each in kept)


def test_calls_of_a_step_have_keys_and_seeds_of_their_own():
    asks = Draft(lexicon()).asks()
    calls = [StepRequest("person", "stage", lexicon(), 0).call(ask, Sampling(7, 0.5, 0.9, n=3)) for ask in asks]
    assert len({call.key for call in calls}) == len({call.seed for call in calls}) == len(calls)
    assert all(len(call.key) <= 64 for call in calls)
    assert {call.prefix for call in calls} == {"stage person"}
    assert calls[0].sampling.n == 1
    assert calls[0].sampling.max_tokens == asks[0].room
    beginnings = {tuple(message.content for message in call.messages[:-1]) for call in calls}
    assert len(beginnings) == 1
