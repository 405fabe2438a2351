"""Personal gains as one family of tests, what of a lead is personal, the stranger's two estimates, galleries, slices, and their section."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pytest
from made_up_scores import made_up_facts, made_up_operations, made_up_scores

from engine.report import pair_tables, trust_tables
from engine.report.data import SCORES_SCHEMA
from engine.report.headline import headline
from engine.report.markdown import markdown
from engine.report.page import page
from engine.report.summarising import summarise
from engine.report.summary import Summary

GAINS = {"baseline": 0.0, "persona": 0.1, "brag": 0.05, "vprag": 0.2, "combined": 0.1, "stranger": 0.0}


def with_gains(people: int = 40) -> tuple[pa.Table, pa.Table]:
    """A made-up run with gains, a second space, a gallery of 100, and the control on a stranger's profile."""
    scores, ceilings = made_up_scores(people)
    rng = np.random.Generator(np.random.PCG64(3))
    rows = scores.to_pylist()
    rows += [
        row | {"method": "stranger", "v": row["v"] and row["v"] - 0.2, "extractive": False} for row in rows if row["method"] == "vprag"
    ]
    for row in rows:
        if row["v"] is not None:
            gain = GAINS[row["method"]] + float(rng.normal(0, 0.03))
            row |= {"gain": gain, "second_v": row["v"] - 0.05, "second_gain": gain, "reid_100": float(row["method"] == "vprag")}
            row["size_100"] = 100 if row["person"] > "P00003" else 50
    return pa.Table.from_pylist(rows, schema=SCORES_SCHEMA), ceilings


@pytest.fixture(scope="module")
def tables() -> tuple[pa.Table, pa.Table]:
    return with_gains()


@pytest.fixture(scope="module")
def summary(tables: tuple[pa.Table, pa.Table]) -> Summary:
    return summarise(made_up_facts(), *tables)


def test_gains_of_a_task_and_metric_are_one_family(summary: Summary) -> None:
    rows = {row.method: row for row in summary.of_setting(summary.gains, task="all", metric="gain")}
    assert set(rows) == set(GAINS)
    for row in rows.values():
        assert row.family_high - row.family_low > row.high - row.low
        assert row.p <= row.holm
    assert rows["vprag"].family_low > 0.15
    assert rows["baseline"].family_low < 0 < rows["baseline"].family_high


def test_the_share_of_a_lead_is_the_gain_over_it_with_an_interval(summary: Summary) -> None:
    (row,) = [row for row in summary.of_setting(summary.personal_shares, task="all", metric="v") if row.method == "vprag"]
    (lead,) = summary.of_setting(summary.differences, task="all", metric="v", method="vprag", other="baseline")
    (gain,) = summary.of_setting(summary.differences, task="all", metric="gain", method="vprag", other="baseline")
    assert row.lead == pytest.approx(lead.mean)
    assert row.share == pytest.approx(gain.mean / lead.mean)
    assert row.low < row.share < row.high
    assert not [row for row in summary.personal_shares if row.method in ("baseline", "stranger")]


def test_a_method_that_does_not_lead_the_baseline_has_no_share(tables: tuple[pa.Table, pa.Table]) -> None:
    rows = [row | ({"v": 0.1} if row["method"] == "vprag" and row["v"] else {}) for row in tables[0].to_pylist()]
    found = summarise(made_up_facts(), pa.Table.from_pylist(rows, schema=SCORES_SCHEMA), tables[1])
    assert not [row for row in found.personal_shares if row.method == "vprag" and row.metric == "v"]


def test_two_estimates_of_a_strangers_score_are_compared_case_by_case(summary: Summary) -> None:
    (row,) = summary.of_setting(summary.stranger_agreement, task="all")
    assert row.difference == pytest.approx(row.of_control - row.of_strangers)
    assert row.low < 0 < row.high  # the made-up stranger scores .2 less than vprag, whose gain is .2
    (check,) = [check for check in summary.checks if "so that the gain" in check.must]
    assert check.state == "as expected"


def test_chance_is_the_mean_over_galleries_of_different_size(summary: Summary) -> None:
    (row,) = summary.of_setting(summary.galleries)
    assert (row.metric, row.smallest, row.largest) == ("reid_100", 50, 100)
    assert row.chance == pytest.approx((16 / 50 + (row.n - 16) / 100) / row.n)
    table = trust_tables.reidentified(summary)
    assert table.rows[0][0] == "chance"
    assert table.rows[1] == ("people in the gallery", "50 to 100")
    assert "identifiability, not quality" in table.note


def test_slices_of_the_leading_pair_have_q_values_over_all_slices(summary: Summary) -> None:
    assert {row.kind for row in summary.slices} == {"task", "breadth", "family"}
    assert {(row.method, row.other) for row in summary.slices} == {tuple(summary.ranked("all")[:2])}
    tested = [row for row in summary.slices if row.p is not None]
    assert len(tested) >= 6  # a family of fewer than five people has none
    assert all(row.p <= row.q <= 1 for row in tested)
    assert sum(row.n for row in summary.slices if row.kind == "breadth") == sum(row.n for row in summary.slices if row.kind == "task")
    assert "the verdict uses none of them" in pair_tables.slices(summary, ("task",)).note


def test_gains_stand_first_on_the_page_in_the_markdown_and_in_the_terminal(tables: tuple[pa.Table, pa.Table], summary: Summary) -> None:
    facts = made_up_facts()
    html = page(summary, facts, made_up_operations(), tables[0])
    assert html.index('<h2 id="gain">') < html.index('<h2 id="verdict">')
    assert html.index('aria-label="Personal gain in V.') == html.index('aria-label="', html.index("<main>"))
    assert "none: 0.000" in html
    text = markdown(summary, facts)
    assert text.index("## Personal gain") < text.index("## Verdict")
    assert re.search(r"^\| vprag \| \+0\.(19|20)\d \\\[\+0\.1", text, re.MULTILINE)
    assert headline(summary)[1].startswith("personal gain in V (n = ")
    order = trust_tables.gain_order(summary)
    assert order == ["vprag", "persona", "baseline", "combined", "brag", "stranger"]


def test_no_table_holds_v_beside_cross_fitted_scores_or_v_c(summary: Summary) -> None:
    for table in (trust_tables.cross_fitted(summary), trust_tables.second(summary)):
        assert "V" not in table.columns
        assert not [head for head in table.columns if "V-c" in head]
    assert trust_tables.second(summary).rows
    assert trust_tables.cross_fitted(summary).rows == ()


def test_a_pair_whose_order_turns_round_is_marked_in_the_table_of_pairs(tables: tuple[pa.Table, pa.Table]) -> None:
    rows = [row | ({"second_v": 0.1} if row["method"] == "vprag" and row["v"] else {}) for row in tables[0].to_pylist()]
    found = summarise(made_up_facts(), pa.Table.from_pylist(rows, schema=SCORES_SCHEMA), tables[1])
    table = pair_tables.other_scores(found)
    cells = {row[0]: row[table.columns.index("V in the second space")] for row in table.rows}
    assert "\u21c4!" in cells["vprag \u2212 persona"]
    assert "\u21c4" not in cells["persona \u2212 baseline"]
    assert any("encoder-dependent" in sentence for sentence in found.verdict)
