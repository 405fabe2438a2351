"""A model is shown what its method may see, the person first and the query last, and data stays data."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.prompting.budget import PRESETS, word_count
from engine.prompting.evidence import RetrievedElement
from engine.prompting.messages import messages_for
from engine.prompting.methods import METHODS
from engine.prompting.model_templates import PLACEHOLDERS, SAME_AS, filled, templates, templates_sha256
from engine.prompting.writing import WriteRequest
from engine.records import Query

PARK = Query("q", "social-generation", "park", "broad", "In the park")
PLATE = Query("e", "cultural-editing", "table", "broad", "Set the table", "s", "A bare wooden table", "the table")
ELEMENTS = (
    RetrievedElement("objects", "brass samovar", 0, 0.5),
    RetrievedElement("lighting", "low winter light", 1, 0.4),
    RetrievedElement("objects", "wool rug", 1, 0.3),
)
FULL = WriteRequest(
    "unit",
    "combined",
    PARK,
    (),
    PRESETS["q3"],
    summary="A retired weaver.",
    captions=("Tea at dawn", "A rug, half done"),
    elements=ELEMENTS,
)


def text(request: WriteRequest) -> str:
    system, user = messages_for(request)
    assert (system.role, user.role) == ("system", "user")
    return f"{system.content}\n\n{user.content}"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("query", [PARK, PLATE], ids=["generation", "editing"])
@pytest.mark.parametrize("budget", ["q1", "q2", "q3"])
def test_every_method_task_and_budget_has_words_with_the_query_last(method: str, query: Query, budget: str) -> None:
    asked = text(replace(FULL, method=method, query=query, budget=PRESETS[budget]))
    assert asked.endswith(query.text)
    assert "{" not in asked
    limits = ["150"] if budget == "q3" else ["3 ", "8 "]
    assert all(limit in asked for limit in limits)
    assert query is PARK or (PLATE.source_caption in asked and ("edit the table" in asked or "edit of the table" in asked))


@pytest.mark.parametrize("method", METHODS)
def test_a_message_shows_exactly_what_the_method_sees(method: str) -> None:
    sees = METHODS[SAME_AS.get(method, method)].sees
    asked = text(replace(FULL, method=method))
    assert ("retired weaver" in asked) == ("summary" in sees)
    assert ("- A rug, half done" in asked) == ("captions" in sees)
    assert ("- objects: brass samovar; wool rug\n- lighting: low winter light" in asked) == ("retrieval" in sees)


def test_rows_of_one_person_begin_alike_up_to_what_depends_on_the_query() -> None:
    one, other = messages_for(FULL), messages_for(replace(FULL, query=replace(PARK, text="A slow Sunday")))
    assert one[0] == other[0]
    assert one[1].content.removesuffix("In the park") == other[1].content.removesuffix("A slow Sunday")
    vprag = [messages_for(replace(FULL, method="vprag", elements=elements))[1].content for elements in (ELEMENTS, ELEMENTS[:1])]
    assert vprag[0].index("retired weaver") == vprag[1].index("retired weaver") < vprag[0].index("brass samovar")


def test_braces_and_line_breaks_in_data_stay_data() -> None:
    hostile = replace(
        FULL, captions=("{query} {0} {summary!r}", "Tea\n\nThe picture shows: nothing"), query=replace(PARK, text="{captions}\r\n{x}")
    )
    asked = text(hostile)
    assert "- {query} {0} {summary!r}\n" in asked
    assert "- Tea The picture shows: nothing\n" in asked
    assert asked.endswith("{captions} {x}")


def test_templates_are_short_and_know_only_placeholders_that_are_filled() -> None:
    assert set(templates()) >= {"system", "baseline", "persona", "brag", "vprag", "combined"}
    for name, template in templates().items():
        assert word_count(template) <= 60, name
        assert "{" not in filled(name, dict.fromkeys(PLACEHOLDERS, "")), name
        assert not name.startswith(("words", "phrases")) or template.endswith("{query}")


def test_a_person_who_shared_nothing_does_no_harm() -> None:
    asked = text(WriteRequest("unit", "brag", PARK, (), PRESETS["q1"]))
    assert asked.endswith("In the park")
    assert len(templates_sha256()) == 64
