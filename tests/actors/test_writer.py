"""The template writer answers every request, one outcome each, and says why where no prompt is possible."""

from __future__ import annotations

from actors.writer import TemplateWriter
from engine.outcome import Answered, Failed, FailureKind
from engine.prompting.budget import PRESETS, Budget
from engine.prompting.phrases import Phrase
from engine.prompting.writing import Writer, WriteRequest, Written
from engine.queries import builtin_queries
from engine.records import Query


def _request(text: str, *phrases: Phrase, budget: Budget = PRESETS["q3"]) -> WriteRequest:
    return WriteRequest("unit", "vprag", Query("q", "social-generation", "park", "broad", text), phrases, budget)


def _write(request: WriteRequest) -> Written:
    writer: Writer = TemplateWriter()
    (outcome,) = writer.write([request])
    writer.close()
    assert isinstance(outcome, Answered)
    return outcome.value


def test_a_prompt_holds_the_query_and_its_phrases_with_their_sources() -> None:
    written = _write(_request("In the park", Phrase("brass samovar", "element:objects:4")))
    assert written.prompt == "In the park, with brass samovar"
    assert written.pieces == (Phrase("In the park", "query"), Phrase("brass samovar", "element:objects:4"))
    assert (written.words, written.cut) == (6, 0)


def test_outcomes_come_in_the_order_of_the_requests_and_a_bad_one_harms_no_other() -> None:
    outcomes = TemplateWriter().write([_request("One"), _request(" 🎈 "), _request("word " * 151), _request("Two")])
    assert [type(outcome) for outcome in outcomes] == [Answered, Failed, Failed, Answered]
    empty, over = outcomes[1], outcomes[2]
    assert isinstance(empty, Failed)
    assert isinstance(over, Failed)
    assert (empty.code, over.code) == ("empty-query", "query-over-budget")
    assert "151 words" in over.message
    assert over.kind is FailureKind.PERMANENT
    assert TemplateWriter().write([]) == []


def test_a_query_of_exactly_the_budget_stays_alone() -> None:
    text = " ".join(["word"] * 150)
    written = _write(_request(text, Phrase("brass samovar", "element:objects:4")))
    assert (written.prompt, written.words, written.cut) == (text, 150, 1)


def test_an_editing_prompt_is_the_personalised_instruction_without_the_source_caption() -> None:
    query = next(query for query in builtin_queries() if query.task == "social-editing")
    written = _write(WriteRequest("unit", "vprag", query, (Phrase("brass samovar", "element:objects:4"),), PRESETS["q3"]))
    assert written.prompt.startswith(query.text)
    assert query.source_caption not in written.prompt


def test_any_script_passes_through_unharmed() -> None:
    written = _write(
        _request("گرمای عصر در پارک", Phrase("กาน้ำทองเหลือง", "element:objects:1"), Phrase("銅のやかん👩‍🌾", "element:objects:2"))
    )
    assert written.prompt == "گرمای عصر در پارک, กาน้ำทองเหลือง, 銅のやかん👩‍🌾"


def test_the_same_request_gives_the_same_prompt() -> None:
    request = _request("In the park", *(Phrase(f"thing {i}", f"element:objects:{i}") for i in range(90)))
    assert TemplateWriter().write([request]) == TemplateWriter().write([request])
