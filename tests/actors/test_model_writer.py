"""A language model as a writer: one outcome a request, the prompt within its budget, the reply kept whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from actors.model_writer import ModelWriter, call_key, text_rules, writer_id
from actors.tiny_chat import TinyChat
from actors.writer import TemplateWriter
from engine.generation.chat import CONTEXT_EXCEEDED, ChatModel, ChatRequest, Choice, Reply, Sampling, Spent
from engine.outcome import Answered, Failed, Outcome, Refused, Unparsed
from engine.prompting.budget import PRESETS, word_count
from engine.prompting.methods import METHODS
from engine.prompting.phrases import Phrase
from engine.prompting.writing import Said, Writer, WriteRequest, Written
from engine.records import Query
from engine.writer_config import BUILT_IN, LanguageModel


class Told:
    """A model that says what it is told to."""

    id = "told@1"
    spent = Spent(1, 2, 3, 0.5)

    def __init__(self, answer: Callable[[ChatRequest], Outcome[Reply] | str], finish: str = "stop") -> None:
        self.asked: list[ChatRequest] = []
        self._answer, self._finish = answer, finish
        self.is_closed = False

    def chat(self, requests: Sequence[ChatRequest]) -> list[Outcome[Reply]]:
        self.asked += requests
        return [self._outcome(self._answer(request)) for request in requests]

    def _outcome(self, answer: Outcome[Reply] | str) -> Outcome[Reply]:
        finish = "length" if self._finish == "length" else "stop"
        return Answered(Reply((Choice(answer, finish),), "told", 40, 7)) if isinstance(answer, str) else answer

    def close(self) -> None:
        self.is_closed = True


def request(text: str = "In the park", method: str = "vprag", budget: str = "q3", **given: object) -> WriteRequest:
    query = Query("q", "social-generation", "park", "broad", text)
    made = WriteRequest("unit", method, query, (Phrase("brass samovar", "element:objects:4"),), PRESETS[budget], seed=7, prefix="vprag p1")
    return replace(made, **given)  # type: ignore[arg-type]


def write(reply: Outcome[Reply] | str, asked: WriteRequest, finish: str = "stop") -> Outcome[Written]:
    writer: Writer = ModelWriter(Told(lambda _: reply, finish), Sampling())
    (outcome,) = writer.write([asked])
    return outcome


def written(reply: str, asked: WriteRequest, finish: str = "stop") -> Written:
    outcome = write(reply, asked, finish)
    assert isinstance(outcome, Answered)
    return outcome.value


def test_a_prompt_keeps_the_reply_whole_and_says_what_it_took_over() -> None:
    raw = 'Sure! Here is the prompt: "A brass samovar in the park" I hope this helps!'
    made = written(raw, request())
    assert made.prompt == "A brass samovar in the park"
    assert (made.words, made.cut) == (6, 0)
    assert [piece.source for piece in made.pieces] == ["element:objects:4", "query"]
    assert made.said == Said(raw, "stop", "told", 40, 7)


@pytest.mark.parametrize("budget", ["q1", "q2"])
def test_under_three_phrases_the_query_comes_first_and_is_ours(budget: str) -> None:
    made = written("1. brass samovar\n2. low sun\n3. wool rug\n4. tea", request(budget=budget))
    assert made.prompt == "In the park; brass samovar; low sun; wool rug"
    assert made.cut == 1
    assert [piece.text for piece in made.pieces] == ["In the park", "brass samovar"]


def test_a_reply_over_budget_is_cut_and_flagged() -> None:
    made = written("A red kite in the sun, " * 40, request())
    assert made.words <= 150
    assert made.cut > 0
    assert made.prompt.endswith("sun")


def test_the_end_of_a_stopped_reply_is_dropped_unless_a_remark_was_stopped() -> None:
    assert written("A red kite, green hills, a wool ru", request(), "length").prompt == "A red kite, green hills"
    assert written("A red kite, green hills.\n\nNote: I cho", request(), "length").prompt == "A red kite, green hills."


@pytest.mark.parametrize("reply", ["I'm sorry, but I can't help with that.", "<think>hm</think>I cannot write this prompt."])
@pytest.mark.parametrize("budget", ["q1", "q3"])
def test_a_reply_that_declines_is_refused_with_what_was_said(reply: str, budget: str) -> None:
    assert write(reply, request(budget=budget)) == Refused(reply)


@pytest.mark.parametrize("reply", ["Sure!", "<think>never done", '""', "🎈"])
@pytest.mark.parametrize("budget", ["q1", "q3"])
def test_a_reply_without_a_prompt_is_unparsed(reply: str, budget: str) -> None:
    assert write(reply, request(budget=budget)) == Unparsed(reply)


@pytest.mark.parametrize("outcome", [Refused("no"), Unparsed(""), Failed(CONTEXT_EXCEEDED, "too long")])
def test_what_comes_to_nothing_in_the_model_passes_through(outcome: Outcome[Reply]) -> None:
    assert write(outcome, request()) == outcome


def test_a_query_that_no_writer_can_answer_fails_as_with_the_template_and_is_not_asked() -> None:
    bad = [request(" 🎈 "), request("word " * 151)]
    model = Told(lambda asked: asked.messages[-1].content.rsplit(": ", 1)[-1])
    outcomes = ModelWriter(model, Sampling()).write([request("One"), *bad, request("Two")])
    assert outcomes[1:3] == TemplateWriter().write(bad)
    assert [outcome.value.prompt for outcome in outcomes if isinstance(outcome, Answered)] == ["One", "Two"]
    assert len(model.asked) == 2
    assert ModelWriter(model, Sampling()).write(bad[:1]) == outcomes[1:2]
    assert len(model.asked) == 2


def test_calls_have_keys_of_their_own_and_carry_seed_prefix_and_sampling() -> None:
    sampling = Sampling(max_tokens=9, temperature=0.5)
    model = Told(lambda _: "A kite")
    same_unit = [request(method=method) for method in METHODS] + [request(prefix="stranger p2"), request(seed=8), request(budget="q1")]
    ModelWriter(model, sampling).write(same_unit)
    assert len({call.key for call in model.asked}) == len(same_unit)
    assert [call.key for call in model.asked] == [call_key(each) for each in same_unit]
    assert all(len(call.key) == 64 for call in model.asked)
    assert {(call.seed, call.prefix, call.sampling) for call in model.asked[:3]} == {(7, "vprag p1", sampling)}


def test_a_writer_passes_on_what_its_model_spends_and_closes_it() -> None:
    model = Told(lambda _: "A kite")
    writer = ModelWriter(model, Sampling(), "told t0")
    assert (writer.id, writer.spent, ModelWriter(model, Sampling()).id) == ("told t0", model.spent, "told@1")
    writer.close()
    assert model.is_closed


@pytest.mark.parametrize("budget", PRESETS)
@pytest.mark.parametrize("method", METHODS)
def test_a_batch_of_every_method_ends_within_its_budget(method: str, budget: str) -> None:
    model: ChatModel = TinyChat()
    writer = ModelWriter(model, Sampling(max_tokens=400, temperature=1.0))
    asked = [
        request(method=method, budget=budget, seed=seed, summary="A retired weaver.", captions=("Tea, at dawn",)) for seed in range(20)
    ]
    outcomes = writer.write(asked)
    assert outcomes == writer.write(asked)
    for outcome in outcomes:
        assert isinstance(outcome, Answered)
        assert outcome.value.words == word_count(outcome.value.prompt) <= (150 if budget == "q3" else 3 + 24)
    assert writer.spent.calls == 40


MODEL = LanguageModel(name="m", engine="openai", model="gpt-4o-mini")


def test_an_id_is_readable_and_tells_apart_what_changes_a_prompt() -> None:
    assert writer_id(BUILT_IN["smollm2-sampled"], "smollm2-135m-instruct@b179c952") == (
        f"smollm2-135m-instruct@b179c952 llamacpp t0.7 p0.95 256/4096 {text_rules()}"
    )
    assert text_rules().startswith("templates-1.")
    changed = [
        MODEL,
        MODEL.model_copy(update={"temperature": 0.5}),
        MODEL.model_copy(update={"temperature": 0.5, "top_p": 0.5}),
        MODEL.model_copy(update={"max_tokens": 9}),
        MODEL.model_copy(update={"context": 9}),
        MODEL.model_copy(update={"api": "completions"}),
        MODEL.model_copy(update={"engine": "vllm"}),
        MODEL.model_copy(update={"engine": "vllm", "dtype": "float32"}),
        MODEL.model_copy(update={"revision": "gpt-4o-mini-2024-07-18"}),
    ]
    ids = [writer_id(each, each.model) for each in changed] + [writer_id(MODEL, "other")]
    ids += [writer_id(MODEL, "a/model-with-a-very-long-name" * 4), writer_id(MODEL, "a/model-with-a-very-long-name" * 4 + "2")]
    assert len(set(ids)) == len(ids)
    assert all(len(each) <= 80 for each in ids)


def test_what_a_laptop_has_beside_a_model_changes_no_id() -> None:
    assert writer_id(MODEL, "m") == writer_id(MODEL.model_copy(update={"name": "other"}), "m")
