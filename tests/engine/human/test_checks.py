"""What is odd about annotators and blocks is told, and nobody is left out for it."""

from __future__ import annotations

import numpy as np

from engine.human.checks import Annotator, check
from engine.human.records import Best, Choice, Rating

METHODS = ["baseline", "persona", "brag", "vprag"]


def ratings(annotator: str, scores: list[float]) -> list[Rating]:
    return [
        Rating(profile=f"p{index // 4}", method=METHODS[index % 4], annotator=annotator, score=score) for index, score in enumerate(scores)
    ]


def of(rows: list[Rating] | list[Choice] | list[Best], annotator: str) -> Annotator:
    return next(one for one in check(rows).annotators if one.id == annotator)


def test_whoever_gives_one_answer_half_of_the_way_is_straight_lining() -> None:
    rng = np.random.Generator(np.random.PCG64(1))
    careful = rng.integers(0, 6, 40).astype(float).tolist()
    rows = ratings("careful", careful) + ratings("half", [3.0] * 20 + careful[:20]) + ratings("nearly", [3.0] * 19 + [1.0, 4.0] * 11)
    found = check(rows)
    assert {one.id: one.straight for one in found.annotators} == {"careful": False, "half": True, "nearly": False}
    assert of(rows, "half").longest_run >= 20
    assert any(told.startswith("half: the same answer") for told in found.warnings)


def test_a_few_equal_answers_are_no_habit() -> None:
    rows = ratings("brief", [3.0] * 8)
    assert not of(rows, "brief").straight
    assert of(rows, "brief").few
    assert check(rows, few_rows=8).annotators[0].few is False


def test_whoever_always_takes_the_first_side_or_place_is_seen_though_the_methods_change() -> None:
    pairs = [Choice(profile=f"p{n}", first=METHODS[n % 4], second=METHODS[(n + 1) % 4], choice="first", annotator="a") for n in range(24)]
    assert of(pairs, "a").straight
    best = [
        Best(profile=f"p{n}", options=tuple(np.roll(METHODS, n).tolist()), choice=str(np.roll(METHODS, n)[0]), annotator="a")
        for n in range(24)
    ]
    assert of(best, "a").longest_run == 24
    assert of(best, "a").straight


def test_blocks_that_lack_a_method_are_listed_with_who_left_it_out() -> None:
    rows = ratings("a", [1.0, 2, 3, 4, 0, 1, 2, 3]) + ratings("b", [1.0, 2, 3, 4, 5, 1, 2, 3])[:-1]
    found = check(rows)
    assert found.incomplete == (("p1", "", "", "", "", ""),)
    assert {one.id: one.incomplete for one in found.annotators} == {"a": 0, "b": 1}
    assert any("1 cases have incomplete blocks" in told for told in found.warnings)


def test_ratings_without_a_single_zero_may_be_of_another_scale() -> None:
    rng = np.random.Generator(np.random.PCG64(2))
    scores = rng.integers(1, 6, 120).astype(float).tolist()
    assert check(ratings("a", scores)).never_zero
    assert not check(ratings("a", [0.0, *scores])).never_zero
    assert not check(ratings("a", scores[:80])).never_zero
