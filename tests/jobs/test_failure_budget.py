"""A run whose rows mostly fail stops early, and only then."""

import pytest

from engine.errors import BudgetReached
from jobs.failure_budget import SEEN_AT_LEAST, FailureBudget


def test_a_share_is_of_one_stages_rows_once_enough_are_seen():
    budget = FailureBudget("20%")
    budget.add([("write", SEEN_AT_LEAST - 1, SEEN_AT_LEAST - 1), ("score", 1000, 0)])
    with pytest.raises(BudgetReached, match=r"of the first \d+ rows of write failed .*20%"):
        budget.add([("write", 1, 0), ("score", 1000, 0)])


def test_exactly_the_share_is_allowed():
    budget = FailureBudget("20%")
    budget.add([("write", 1000, 200)])
    with pytest.raises(BudgetReached):
        budget.add([("write", 0, 1)])


def test_a_number_counts_all_stages_together():
    budget = FailureBudget("5")
    budget.add([("write", 10, 2), ("score", 10, 2)])
    assert budget.note == "4 failed"
    with pytest.raises(BudgetReached) as caught:
        budget.add([("score", 10, 1)])
    assert caught.value.exit_code == 5


def test_without_a_limit_nothing_stops():
    FailureBudget("").add([("write", 10_000, 10_000)])
