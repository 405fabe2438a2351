"""Quotas: the golden table of METRICS, VPRAG, and what must hold for any posts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.prompting.quota import largest_remainders, quota, quota_paper, water_fill

GOLDEN = [  # METRICS, VPRAG, table of quotas
    ((0.5, 0.25, 0.25), (2, 3, 5), 3, (1, 1, 1)),
    ((0.5, 0.25, 0.125, 0.125), (4, 4, 4, 4), 3, (2, 1, 0, 0)),
    ((0.9, 0.1), (1, 9), 5, (1, 4)),
    ((0.7, 0.2, 0.1), (1, 1, 6), 6, (1, 1, 4)),
    ((0.5, 0.3, 0.2), (1, 1, 1), 5, (1, 1, 1)),
    ((0.5, 0.5), (3, 3), 3, (2, 1)),
    ((1.0, 0.0, 0.0), (2, 3, 4), 5, (2, 3, 0)),
    ((0.9, 0.06, 0.04), (2, 5, 5), 6, (2, 2, 2)),
]

posts = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 8)), max_size=8)
budgets = st.integers(0, 12)


@pytest.mark.parametrize(("weights", "counts", "q", "expected"), GOLDEN)
def test_quotas_equal_the_golden_table(weights: tuple[float, ...], counts: tuple[int, ...], q: int, expected: tuple[int, ...]) -> None:
    assert quota(weights, counts, q) == expected


@pytest.mark.parametrize(("q", "expected"), [(3, (1, 1, 1)), (4, (0, 2, 2))])
def test_quotas_are_not_monotone_in_q(q: int, expected: tuple[int, ...]) -> None:
    assert quota((1 / 3, 1 / 3, 1 / 3), (1, 3, 3), q) == expected


@given(posts, budgets)
@settings(deadline=None)
def test_quotas_sum_to_the_budget_or_all_there_is_and_never_exceed_a_post(found: list[tuple[float, int]], q: int) -> None:
    weights, counts = [weight for weight, _ in found], [count for _, count in found]
    given_out = quota(weights, counts, q)
    assert sum(given_out) == min(q, sum(counts))
    assert all(0 <= asked <= count for asked, count in zip(given_out, counts, strict=True))


@given(posts, budgets)
@settings(deadline=None)
def test_quotas_equal_the_paper_formula_where_nothing_caps(found: list[tuple[float, int]], q: int) -> None:
    weights, counts = [weight for weight, _ in found], [count for _, count in found]
    mass = sum(weight * count for weight, count in found)
    # Away from 1 by more than the rounding of remainders, no post is full in either formula.
    if mass > 1e-6 and all(q * weight / mass <= 1 - 1e-6 for weight in weights):
        assert quota_paper(weights, counts, q) == (quota(weights, counts, q), 0)


@given(
    st.lists(st.tuples(st.integers(1, 10_000), st.integers(0, 8)), max_size=7, unique_by=lambda post: post[0]),
    budgets,
    st.randoms(use_true_random=False),
)
@settings(deadline=None)
def test_with_distinct_weights_quotas_follow_their_posts_through_any_order(found: list[tuple[int, int]], q: int, random) -> None:  # type: ignore[no-untyped-def]
    order = list(range(len(found)))
    random.shuffle(order)
    straight = quota([weight / 16384 for weight, _ in found], [count for _, count in found], q)
    shuffled = quota([found[i][0] / 16384 for i in order], [found[i][1] for i in order], q)
    assert shuffled == tuple(straight[i] for i in order)


@given(posts, budgets, st.sampled_from([1e-300, 1e-12, 3.0, 1e12]))
@settings(deadline=None)
def test_only_the_ratios_of_weights_matter(found: list[tuple[float, int]], q: int, scale: float) -> None:
    weights, counts = [round(weight, 3) for weight, _ in found], [count for _, count in found]
    assert quota([weight * scale for weight in weights], counts, q) == quota(weights, counts, q)


def test_equal_posts_differ_only_by_index() -> None:
    assert quota((0.25,) * 4, (3, 3, 3, 3), 6) == (2, 2, 1, 1)


def test_water_filling_shares_what_full_posts_leave() -> None:
    assert water_fill([0.9, 0.1], [1, 9], 5) == [1.0, 4.0]
    assert water_fill([0.5, 0.25, 0.25], [2, 3, 5], 3) == pytest.approx([1, 0.75, 1.25])


def test_remainders_that_differ_by_less_than_a_billionth_tie() -> None:
    assert largest_remainders([1.5 - 1e-12, 1.5 + 1e-12], [0.6, 0.4], 3) == [2, 1]
    assert largest_remainders([1.5 - 1e-12, 1.5 + 1e-12], [0.4, 0.6], 3) == [1, 2]


@pytest.mark.parametrize(
    ("weights", "counts", "q", "expected", "over"),
    [((0.9, 0.1), (1, 9), 5, (1, 2), 2), ((0.5, 0.3, 0.2), (1, 1, 1), 5, (1, 1, 1), 2), ((0.0, 0.0), (2, 2), 3, (0, 0), 0)],
)
def test_the_paper_formula_over_asks_and_the_excess_is_cut_and_counted(
    weights: tuple[float, ...], counts: tuple[int, ...], q: int, expected: tuple[int, ...], over: int
) -> None:
    # By hand: 5 x (.9, .9)/1.8 = 2.5, 2.5 -> 3, 2 -> 1, 2; and 2.5, 1.5, 1 -> 3, 1, 1 -> 1, 1, 1.
    assert quota_paper(weights, counts, q) == (expected, over)


@pytest.mark.parametrize(
    ("weights", "counts", "q"),
    [((0.5,), (1, 2), 3), ((-0.1,), (1,), 1), ((float("nan"),), (1,), 1), ((0.5,), (-1,), 1), ((0.5,), (1,), -1)],
)
def test_values_without_a_meaning_are_refused(weights: tuple[float, ...], counts: tuple[int, ...], q: int) -> None:
    with pytest.raises(ValueError, match=r"weights"):
        quota(weights, counts, q)
