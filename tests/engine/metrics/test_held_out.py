"""What is scored leaves what it is scored against, and so does whatever says the same."""

from __future__ import annotations

import numpy as np
import pytest
from metric_people import DEFINITION, figures_of, person

from engine.metrics.held_out import TWIN, fewer, without
from engine.metrics.memory import PersonMemory
from engine.metrics.vptt import SCORE_FIGURES


def at_angle(cosine: float) -> np.ndarray:
    return np.array([cosine, np.sqrt(1 - cosine**2), 0.0])


def memory_of(*vectors: np.ndarray, key: str = "p") -> PersonMemory:
    return PersonMemory(key, tuple(f"caption {index}" for index in range(len(vectors))), np.array(vectors), np.ones(3))


def test_a_caption_leaves_with_its_twins_whatever_their_length() -> None:
    first = np.array([1.0, 0, 0])
    memory = memory_of(first, 5 * at_angle(TWIN + 1e-3), at_angle(TWIN - 1e-3), np.array([0, 0, 1.0]))
    left = without(memory, {"caption 0"}, memory)
    assert left.captions == ("caption 2", "caption 3")
    assert np.array_equal(left.vectors, memory.vectors[2:])
    assert left.key != memory.key


def test_equal_texts_leave_together_even_without_a_direction() -> None:
    memory = PersonMemory("p", ("tea", "kite", "tea"), np.array([(0.0, 0, 0), (1, 0, 0), (0, 0, 0)]), np.ones(3))
    assert without(memory, {"tea"}, memory).captions == ("kite",)


def test_of_another_half_the_twins_leave_too() -> None:
    """The caption stands in half A; what nearly repeats it in half B would give it away there."""
    first = np.array([1.0, 0, 0])
    a = PersonMemory("p:a", ("caption 0", "other"), np.array([first, (0, 1.0, 0)]), np.ones(3))
    b = PersonMemory("p:b", ("nearly caption 0", "another"), np.array([at_angle(0.99), (0, 0, 1.0)]), np.ones(3))
    assert without(b, {"caption 0"}, a).captions == ("another",)


def test_nothing_held_out_leaves_everybody() -> None:
    memory = person(1, 6)
    assert without(memory, (), memory).captions == memory.captions


def test_keys_tell_what_is_held_out_whatever_the_order() -> None:
    memory = person(1, 6)
    one, other, swapped = (
        without(memory, texts, memory).key for texts in (memory.captions[:2], memory.captions[1:3], memory.captions[1::-1])
    )
    assert one == swapped != other


def test_an_own_caption_never_scores_itself() -> None:
    memory = person(2, 20, reference=False)
    text, vector = memory.captions[3], memory.vectors[3:4]
    inside = dict(zip(SCORE_FIGURES, figures_of(memory, [text], vector)[0], strict=True))
    outside = dict(zip(SCORE_FIGURES, figures_of(without(memory, {text}, memory), [text], vector)[0], strict=True))
    assert (inside["gs"], inside["nv"]) == (pytest.approx(1), 0)
    assert outside["gs"] < 0.95
    assert outside["nv"] > 0.5
    assert DEFINITION.cp == "cp-unit"
    assert outside["cp_unit"] < inside["cp_unit"]


def test_a_stranger_loses_as_many_captions_as_the_person_and_keeps_one() -> None:
    memory = memory_of(*np.eye(5, 3))
    left = fewer(memory, 2, "unit")
    assert len(left.captions) == 3
    assert set(left.captions) < set(memory.captions)
    assert left.key != memory.key
    assert fewer(memory, 2, "unit").captions == left.captions
    assert len({fewer(memory, 2, f"unit {n}").captions for n in range(40)}) > 5
    assert fewer(memory, 0, "unit") is memory
    assert len(fewer(memory, 9, "unit").captions) == 1
