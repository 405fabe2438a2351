"""CSV files and published figures."""

from __future__ import annotations

import csv
import io

import pyarrow as pa
import pytest
from made_up_scores import made_up_facts, made_up_scores

from engine.report.data import SCORES_SCHEMA
from engine.report.exports import csv_files
from engine.report.markdown import markdown
from engine.report.published import caution, published_tables
from engine.report.summarising import summarise
from engine.report.summary import Summary


@pytest.fixture(scope="module")
def summary() -> Summary:
    scores, ceilings = made_up_scores(34, tasks=("social-generation", "social-editing"))
    rows = scores.to_pylist()
    rows[0] |= {"outcome": "failed", "code": "=cmd|'/c calc'!A1", "message": '@SUM(1), "quoted"\nsecond line'}
    return summarise(made_up_facts(partial=True), pa.Table.from_pylist(rows, schema=SCORES_SCHEMA), ceilings)


def test_results_csv_holds_every_result_and_marks_partial_runs(summary: Summary) -> None:
    files = dict(csv_files(summary))
    rows = list(csv.DictReader(io.StringIO(files["tables/results.csv"].decode())))
    assert len(rows) == len(summary.results)
    assert {row["partial"] for row in rows} == {"true"}
    first = next(row for row in rows if (row["method"], row["task"], row["metric"]) == ("vprag", "all", "v"))
    found = summary.result("vprag", "all", "v")
    assert found is not None
    assert float(first["mean"]) == found.mean
    assert int(first["n"]) == found.n


def test_a_spreadsheet_runs_no_cell(summary: Summary) -> None:
    rows = list(csv.DictReader(io.StringIO(dict(csv_files(summary))["tables/failures.csv"].decode())))
    hostile = next(row for row in rows if "cmd" in row["code"])
    assert hostile["code"].startswith("'=")
    assert hostile["message"] == '\'@SUM(1), "quoted"\nsecond line'
    negative = [
        row
        for row in csv.DictReader(io.StringIO(dict(csv_files(summary))["tables/differences.csv"].decode()))
        if row["mean"].startswith("-")
    ]
    assert negative  # numbers keep their sign


def test_the_papers_figures_stand_beside_ours_in_its_layout(summary: Summary) -> None:
    (table,) = published_tables(summary)
    assert table.columns[3:8] == ("baseline", "persona", "brag", "vprag", "combined")
    qwen = table.rows[0]
    assert qwen[:3] == ("paper", "Qwen", "generation")
    assert qwen[3:8] == ("0.316\nd 11.9", "0.389\nd 8.3", "0.581\nd 1.1", "0.631", "0.602\nd 0.7")
    ours = [row for row in table.rows if row[0] == "this run"]
    assert [row[2] for row in ours] == ["generation", "editing"]
    assert "†" in ours[0][5]
    assert "†" not in ours[0][6]
    assert "VPTT paper, Q3 table" in table.note
    assert "In this run's rows d is of the best judged method; one with † pastes captions" in table.note
    assert "other" in caution()


def test_the_three_phrase_preset_stands_beside_table_1() -> None:
    scores, ceilings = made_up_scores(34, tasks=("social-generation",))
    rows = [row | {"budget": "q1"} for row in scores.to_pylist()]
    facts = made_up_facts(metric="v_c", budget="q1")
    (table,) = published_tables(summarise(facts, pa.Table.from_pylist(rows, schema=SCORES_SCHEMA), ceilings))
    assert table.rows[3][:4] == ("paper", "vprag", "0.464", "73.3")
    assert table.rows[3][4:8] == ("4.32", "54.6", "3.34", "62.0")
    assert "VPTT paper, Table 1" in table.note
    assert [row[1] for row in table.rows[4:]] == ["baseline", "persona", "brag †", "vprag", "combined †"]
    assert table.rows[4][4:8] == ("not measured",) * 4


def test_where_judges_rated_table_1_points_to_their_page() -> None:
    scores, ceilings = made_up_scores(34, tasks=("social-generation",))
    rows = pa.Table.from_pylist([row | {"budget": "q1"} for row in scores.to_pylist()], schema=SCORES_SCHEMA)
    facts = made_up_facts(metric="v_c", budget="q1", judging=True)
    summary = summarise(facts, rows, ceilings)
    (table,) = published_tables(summary, judging=facts.judging)
    assert table.rows[3][4] == "4.32"
    assert all(row[4:8] == ("see judging.html",) * 2 + ("if asked, see judging.html",) * 2 for row in table.rows[4:])
    assert "if asked, see judging.html" in markdown(summary, facts)
