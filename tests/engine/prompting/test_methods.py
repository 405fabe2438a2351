"""Each method hands over exactly what VPTT's table of methods says it sees, ranked best first."""

from __future__ import annotations

import pytest

from engine import config
from engine.errors import ConfigError
from engine.prompting.budget import PRESETS
from engine.prompting.evidence import Evidence, RetrievedElement
from engine.prompting.methods import METHODS, method_named
from engine.prompting.phrases import Phrase
from engine.prompting.writing import request_for
from engine.records import Caption, Demographics, Profile, Query

PROFILE = Profile(
    id="p",
    demographics=Demographics(),
    summary_given="A weaver from Leh. Keeps goats, and sings.",
    summary_ref="Someone who must stay unseen.",
    elements=(),
    captions=(Caption("Snow on the roof, a red door; smoke"), Caption("Goats at dawn"), Caption("A loom by the window, wool")),
    cluster="p",
    source="test",
)
EVIDENCE = Evidence(
    posts=(2, 0),
    weights=(0.6, 0.3),
    entropy=0.7,
    n_eff=2.0,
    k=2,
    cap_binds=False,
    categories=(),
    elements=(
        RetrievedElement("objects", "wooden loom", 2, 0.8),
        RetrievedElement("colour", "red", 0, 0.3),
        RetrievedElement("colour", "🎈", 0, 0.2),
    ),
    over_asks=0,
)
QUERY = Query("q", "social-generation", "park", "broad", "In the park")

SUMMARY = [("A weaver from Leh", "summary"), ("Keeps goats", "summary"), ("sings", "summary")]
CLAUSES = [
    ("Snow on the roof", "caption:0"),
    ("Goats at dawn", "caption:1"),
    ("A loom by the window", "caption:2"),
    ("a red door", "caption:0"),
    ("wool", "caption:2"),
    ("smoke", "caption:0"),
]
ELEMENTS = [("wooden loom", "element:objects:2"), ("red", "element:colour:0")]
IN_TURN = [CLAUSES[0], ELEMENTS[0], CLAUSES[1], ELEMENTS[1], *CLAUSES[2:]]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("baseline", []), ("persona", SUMMARY), ("brag", CLAUSES), ("vprag", ELEMENTS + SUMMARY), ("combined", IN_TURN)],
)
def test_the_material_of_a_method_is_ranked_as_the_table_says(name: str, expected: list[tuple[str, str]]) -> None:
    assert METHODS[name].material(PROFILE, QUERY, EVIDENCE) == tuple(Phrase(*each) for each in expected)


@pytest.mark.parametrize("name", ["baseline", "persona", "brag"])
def test_methods_without_retrieval_ignore_the_evidence(name: str) -> None:
    assert METHODS[name].material(PROFILE, QUERY, None) == METHODS[name].material(PROFILE, QUERY, EVIDENCE)


@pytest.mark.parametrize("name", ["vprag", "combined"])
def test_methods_with_retrieval_refuse_to_go_without_evidence(name: str) -> None:
    with pytest.raises(ValueError, match="needs the evidence"):
        METHODS[name].material(PROFILE, QUERY, None)


def test_the_methods_see_what_the_table_says_and_the_right_two_are_extractive() -> None:
    assert {name: set(method.sees) for name, method in METHODS.items()} == {
        "baseline": set(),
        "persona": {"summary"},
        "brag": {"captions"},
        "vprag": {"summary", "retrieval"},
        "vprag-matched": {"summary", "retrieval"},
        "combined": {"captions", "retrieval"},
    }
    assert [name for name, method in METHODS.items() if method.extractive] == ["brag", "combined"]
    assert [name for name, method in METHODS.items() if method.matched] == ["vprag-matched"]
    assert tuple(METHODS) == config.METHODS


@pytest.mark.parametrize("name", list(METHODS))
def test_a_request_carries_nothing_that_its_method_may_not_see(name: str) -> None:
    request = request_for("unit", METHODS[name], PROFILE, QUERY, EVIDENCE, PRESETS["q3"])
    sees = METHODS[name].sees
    assert request.summary == (PROFILE.summary_given if "summary" in sees else "")
    assert request.captions == (tuple(caption.text for caption in PROFILE.captions) if "captions" in sees else ())
    assert request.elements == (EVIDENCE.elements if "retrieval" in sees else ())
    assert "unseen" not in repr(request)


def test_an_unknown_method_suggests_the_nearest() -> None:
    with pytest.raises(ConfigError, match="did you mean 'vprag'"):
        method_named("VPRag")
    with pytest.raises(ConfigError, match="baseline, persona, brag, vprag, vprag-matched, combined"):
        method_named("zzzzzz")
    assert method_named("brag") is METHODS["brag"]
