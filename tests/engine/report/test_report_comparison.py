"""What the summary says of comparisons: common cases, families of pairs, bounds, equal length, and orders by two metrics."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from made_up_scores import made_up_facts, made_up_scores

from engine.report.common_cases import metric_range
from engine.report.data import METRICS, SCORES_SCHEMA
from engine.report.summarising import summarise
from engine.report.summary import Summary

PEOPLE = 45


@pytest.fixture(scope="module")
def tables() -> tuple[pa.Table, pa.Table]:
    return made_up_scores(PEOPLE)


@pytest.fixture(scope="module")
def summary(tables: tuple[pa.Table, pa.Table]) -> Summary:
    return summarise(made_up_facts(), *tables)


def remade(tables: tuple[pa.Table, pa.Table], change: Any) -> Summary:
    """The summary after `change(row)`, which returns the row's new self, or None to drop it."""
    rows = [made for row in tables[0].to_pylist() if (made := change(row)) is not None]
    return summarise(made_up_facts(), pa.Table.from_pylist(rows, schema=SCORES_SCHEMA), tables[1])


def test_every_method_of_a_task_and_metric_is_averaged_over_the_same_cases(summary: Summary) -> None:
    counts: dict[tuple[str, str], set[int]] = {}
    for row in summary.results:
        counts.setdefault((row.task, row.metric), set()).add(row.n)
        assert row.n <= row.cases - row.missing
    assert all(len(found) == 1 for found in counts.values())
    assert any(row.n < row.cases - row.missing for row in summary.results)


def test_means_differ_by_exactly_the_difference(summary: Summary) -> None:
    for row in summary.of_setting(summary.differences, task="all", metric="v"):
        one, two = summary.result(row.method, "all", "v"), summary.result(row.other, "all", "v")
        assert one is not None
        assert two is not None
        assert row.n == one.n
        assert row.mean == pytest.approx(one.mean - two.mean, abs=1e-9)


def test_a_method_with_few_outcomes_leaves_the_others_their_cases(tables: tuple[pa.Table, pa.Table], summary: Summary) -> None:
    few = remade(tables, lambda row: row if row["method"] != "combined" or row["person"] < "P00006" else None)
    rare, other, before = few.result("combined", "all", "v"), few.result("vprag", "all", "v"), summary.result("vprag", "all", "v")
    assert rare is not None
    assert other is not None
    assert before is not None
    assert rare.n <= 24
    assert rare.missing >= 4 * (PEOPLE - 6)
    assert other.n >= before.n


def test_a_family_of_pairs_has_wider_intervals_and_larger_p_values_than_each_pair_alone(summary: Summary) -> None:
    rows = summary.of_setting(summary.differences, task="all", metric="v")
    assert len(rows) == 10
    for row in rows:
        assert row.family_high - row.family_low > row.high - row.low
        assert 0 < row.p <= row.holm <= 1
        assert (row.family_low > 0 or row.family_high < 0) == (row.holm <= 0.05) or 0.02 < row.holm < 0.08
    assert any(row.holm <= 0.05 for row in rows)


def test_intervals_are_two_way_and_both_counts_are_told(summary: Summary) -> None:
    row = summary.result("vprag", "social-editing", "v")
    assert row is not None
    assert row.families == 10
    assert 30 < row.clusters < row.n
    assert {share.families for share in summary.win_share if share.task == "social-editing"} == {10}


def test_where_every_query_is_of_one_family_the_interval_is_one_way(tables: tuple[pa.Table, pa.Table]) -> None:
    found = remade(tables, lambda row: row | {"family": "any"}).result("vprag", "social-editing", "v")
    assert found is not None
    assert found.families == 0
    assert found.low is not None


def test_a_query_without_a_family_is_a_family_of_its_own(tables: tuple[pa.Table, pa.Table]) -> None:
    found = remade(tables, lambda row: row | {"family": ""}).result("vprag", "social-editing", "v")
    assert found is not None
    assert found.families == found.n > 40  # each person of the made-up run asks another query


def test_bounds_stand_where_more_than_one_in_a_hundred_is_missing_and_hold_the_mean(
    tables: tuple[pa.Table, pa.Table], summary: Summary
) -> None:
    failed = remade(tables, lambda row: row | {"outcome": "failed"} if row["method"] == "vprag" and row["person"] < "P00010" else row)
    (bound,) = failed.of_setting(failed.bounds, method="vprag", task="all", metric="v")
    before = summary.result("vprag", "all", "v")
    assert before is not None
    assert bound.missing >= 40
    assert bound.cases == 4 * PEOPLE
    assert bound.low < before.mean < bound.high
    assert bound.high - bound.low == pytest.approx(1.2 * bound.missing / bound.cases)
    assert not [row for row in summary.of_setting(summary.bounds, task="all", metric="v") if row.missing <= 0.01 * row.cases]


def test_every_metric_with_bounds_has_them_and_a_gain_has_none() -> None:
    known = {metric: metric_range(metric) for metric in METRICS}
    assert known["pa"] == known["pa_mean_caption"] == (-1.0, 1.0)
    assert known["v"] == known["second_v_u"] == known["cross_v"] == (-0.2, 1.0)
    assert known["v_c"] == known["v_c_mean_caption"] == known["matched_v_c"] == (-1 / 3, 1.0)
    assert known["gs"] == known["cp_unit"] == known["nv_union"] == known["reid_1000"] == (0.0, 1.0)
    assert {metric for metric, limits in known.items() if limits is None} == {metric for metric in METRICS if "gain" in metric}


def test_methods_are_compared_at_equal_length_and_told_how_much_length_they_share(summary: Summary) -> None:
    rows = {(row.method, row.other): row for row in summary.of_setting(summary.length_matched, task="all")}
    assert len(rows) == 10
    alike, apart = rows["combined", "brag"], rows["combined", "baseline"]
    assert alike.low < alike.difference < alike.high
    assert alike.share > 0.9
    assert (apart.difference, apart.share, apart.n) == (None, 0.0, 0)


def test_the_agreement_of_two_orders_has_an_interval_and_counts_reversed_pairs(summary: Summary) -> None:
    (row,) = summary.of_setting(summary.order_agreement, task="all", metric="v", other_metric="v_u")
    assert -1 <= row.low <= row.tau <= row.high <= 1
    assert row.tau == pytest.approx(1 - 2 * row.reversed_pairs / 10)
    assert row.reversed_pairs > 0  # the made-up pasters lose their union novelty
    assert row.methods == 5
    (same,) = summary.of_setting(summary.order_agreement, task="all", metric="v", other_metric="v_literal")
    assert same.tau == 1.0
    assert not [row for row in summary.order_agreement if row.other_metric == "second_v"]  # nothing was measured there
