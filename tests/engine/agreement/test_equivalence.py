"""The Turing test with simulated judges: who passes, who is told apart, and when nothing can be said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.agreement.equivalence import Standing, TuringTest, turing_test
from engine.ratings.battles import FIRST, SECOND, TIE, Battles

ENTRANTS = ("own", "stranger", "method")


def study(
    people: int, fool: float, sensitivity: float, *, seed: int = 1, first: float = 0.0, orders: int = 2, spread: float = 0.0
) -> Battles:
    """Verdicts of one judge: it takes the method's post for the person's with probability `fool`, knows a stranger's with `sensitivity`,
    and answers "first" without looking with probability `first`; people differ by `spread`."""
    rng = np.random.Generator(np.random.PCG64(seed))
    rows = []
    for person in range(people):
        rates = {2: np.clip(fool + spread * rng.standard_normal(), 0, 1), 1: 1 - sensitivity}
        for pair, (other, rate) in enumerate(rates.items()):
            for order in range(orders):
                shown = (0, other) if order == 0 else (other, 0)
                taken = other if rng.random() < rate else 0
                result = FIRST if rng.random() < first or taken == shown[0] else SECOND
                rows.append((person, *shown, result, 2 * person + pair if orders == 2 else -1))
    cluster, one, other, result, pair_of = np.array(rows, dtype=np.int64).T
    names = tuple(f"p{i}" for i in range(people))
    return Battles(ENTRANTS, ("judge",), names, cluster, np.zeros(len(rows), dtype=np.int64), one, other, result, pair_of)


def verdict_on(battles: Battles, **options: float) -> TuringTest:
    return turing_test(battles, 0, own="own", stranger="stranger", **options)


def test_a_method_that_cannot_be_told_passes_only_with_enough_people() -> None:
    many, few = verdict_on(study(1500, 0.5, 0.9)), verdict_on(study(60, 0.5, 0.9))
    assert many.methods[0].standing is Standing.PASSES
    assert many.methods[0].method == "method"
    assert 0.45 < many.methods[0].narrow_low < many.methods[0].rate.value < many.methods[0].narrow_high < 0.55
    assert few.methods[0].standing is Standing.UNDECIDED
    assert few.methods[0].rate.low < 0.5 < few.methods[0].rate.high


def test_a_method_that_can_be_told_is_told_apart_and_one_that_outdoes_people_does_not_pass() -> None:
    assert verdict_on(study(200, 0.2, 0.9)).methods[0].standing is Standing.TOLD_APART
    assert verdict_on(study(200, 0.8, 0.9)).methods[0].standing is Standing.PREFERRED


def test_a_small_difference_that_is_surely_there_still_passes_within_the_margin_and_not_within_a_narrower_one() -> None:
    battles = study(20_000, 0.48, 0.9)
    assert verdict_on(battles).methods[0].standing is Standing.PASSES
    assert verdict_on(battles, margin=0.01).methods[0].standing is Standing.TOLD_APART


@pytest.mark.parametrize(("sensitivity", "first"), [(0.5, 0.0), (0.9, 1.0), (0.1, 0.0)], ids=["guesses", "always first", "takes strangers"])
def test_a_judge_that_cannot_tell_a_stranger_lets_nothing_be_interpreted(sensitivity: float, first: float) -> None:
    found = verdict_on(study(1000, 0.5, sensitivity, first=first))
    assert not found.sensitivity.discerns
    assert found.methods[0].standing is Standing.NOT_INTERPRETABLE
    assert found.methods[0].rate.value == pytest.approx(0.5, abs=0.05)  # it would have passed


def test_before_a_nearly_blind_judge_a_method_like_the_strangers_post_does_not_pass() -> None:
    found = verdict_on(study(8000, 0.477, 0.523))
    assert 0.5 < found.sensitivity.share.low < found.sensitivity.share.high < 0.55
    assert 0.45 < found.methods[0].narrow_low < found.methods[0].narrow_high < 0.55  # it would have passed
    assert not found.sensitivity.discerns
    assert found.methods[0].standing is Standing.NOT_INTERPRETABLE
    assert verdict_on(study(2000, 0.5, 0.6)).sensitivity.discerns
    assert not verdict_on(study(2000, 0.5, 0.6), margin=0.1).sensitivity.discerns, "the margin decides"


def test_both_orders_of_a_pair_are_one_case_so_a_side_that_is_preferred_does_not_tilt_the_rate() -> None:
    found = verdict_on(study(800, 0.3, 0.9, first=0.4))
    assert found.methods[0].rate.n == 800
    assert found.methods[0].rate.value == pytest.approx(0.5 - 0.6 * 0.2, abs=0.03)  # toward .5, whichever side


def test_a_pair_that_lost_one_of_its_orders_is_counted_and_left_out() -> None:
    battles = study(40, 0.5, 0.9)
    found = verdict_on(battles.of(np.arange(len(battles)) != 0))
    assert (found.methods[0].incomplete, found.methods[0].rate.n) == (1, 39)
    assert (found.sensitivity.incomplete, found.sensitivity.share.n) == (0, 40)


def test_pairs_asked_in_one_order_count_as_they_are_and_ties_count_half() -> None:
    battles = study(60, 0.5, 0.9, orders=1)
    tied = replace(battles, result=np.full(len(battles), TIE))
    assert verdict_on(battles).methods[0].rate.n == 60
    assert verdict_on(tied).methods[0].rate.value == 0.5
    assert verdict_on(tied).methods[0].standing is Standing.NOT_INTERPRETABLE


def test_a_pass_at_the_edge_of_the_margin_is_rare() -> None:
    # A true fool rate of .45 lies on the bound: two one-sided tests at 5 % let it pass in at most about 5 % of studies.
    passed = sum(verdict_on(study(800, 0.45, 0.95, seed=seed, spread=0.2)).methods[0].standing is Standing.PASSES for seed in range(120))
    assert passed / 120 <= 0.10


def test_four_people_allow_no_statement() -> None:
    found = verdict_on(study(4, 0.5, 1.0))
    assert np.isnan(found.sensitivity.share.low)
    assert found.methods[0].standing is Standing.NOT_INTERPRETABLE


def test_a_wrong_question_is_refused() -> None:
    battles = study(10, 0.5, 0.9)
    with pytest.raises(ValueError, match="no entrant nobody"):
        turing_test(battles, 0, own="own", stranger="nobody")
    with pytest.raises(ValueError, match="margin"):
        turing_test(battles, 0, own="own", stranger="stranger", margin=0.6)
