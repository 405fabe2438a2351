"""Several writers in one report: the scale table, whom the verdict is about, and what each writer's replies were like."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from made_up_scores import made_up_facts, made_up_operations, made_up_scores
from several_writers import facts_of_three, three_writers

from engine.report.data import SCORES_SCHEMA, Setting
from engine.report.headline import headline
from engine.report.markdown import markdown
from engine.report.page import page
from engine.report.published import published_tables
from engine.report.settings import others
from engine.report.summarising import summarise
from engine.report.summary import Summary, setting_of
from engine.report.writer_tables import orders, scale_by_task, scale_details, scale_table, writers, writing
from engine.statistics.effect_sizes import pooled_d

BIG, SMALL = Setting("big", "qwen@1 vllm", "q3"), Setting("smollm2", "smollm2-135m@b1 llamacpp", "q3")


@pytest.fixture(scope="module")
def tables() -> tuple[pa.Table, pa.Table]:
    return three_writers()


@pytest.fixture(scope="module")
def summary(tables: tuple[pa.Table, pa.Table]) -> Summary:
    return summarise(facts_of_three(), *tables)


def changed(scores: pa.Table, chosen: Any, **values: Any) -> pa.Table:
    return pa.Table.from_pylist([row | values if chosen(row) else row for row in scores.to_pylist()], schema=SCORES_SCHEMA)


def test_the_scale_table_has_a_row_for_each_writer_and_kind_in_the_papers_order(summary: Summary) -> None:
    table = scale_table(summary)
    assert table.columns == ("writer", "tasks", "baseline", "persona", "brag", "vprag", "combined")
    names = ["template (stand-in)", "big", "smollm2 (stand-in)"]
    assert [row[:2] for row in table.rows] == [(name, f"all {kind}") for kind in ("generation", "editing") for name in names]


def test_the_scale_table_repeats_the_results_and_effects_of_its_setting_and_nothing_else(summary: Summary) -> None:
    means = {(setting_of(row), row.task, row.method): row for row in summary.results if row.metric == "v"}
    effects = {(setting_of(row), row.task, row.method): row for row in summary.cohens_d if row.metric == "v"}
    assert len(summary.scale) == 3 * 5 * 5
    for cell in summary.scale:
        place = setting_of(cell), cell.task, cell.method
        assert (cell.mean, cell.low, cell.high, cell.n) == tuple(getattr(means[place], name) for name in ("mean", "low", "high", "n"))
        assert cell.d == effects[place].pooled
        assert cell.is_best == (effects[place].best == cell.method)
        assert (cell.d is None) == cell.is_best


def test_d_is_that_of_the_rows_best_over_each_method(tables: tuple[pa.Table, pa.Table], summary: Summary) -> None:
    rows = [row for row in tables[0].to_pylist() if row["writer"] == "smollm2" and row["task"] == "social-editing"]
    lacking = {row["subject"] for row in rows if row["outcome"] != "answered"}
    values = {
        method: np.array([row["v"] for row in rows if row["method"] == method and row["subject"] not in lacking])
        for method in ("persona", "vprag")
    }
    (cell,) = [row for row in summary.scale if setting_of(row) == SMALL and (row.task, row.method) == ("social-editing", "vprag")]
    assert cell.d == pytest.approx(pooled_d(values["persona"], values["vprag"]), abs=1e-9)


def test_a_method_that_pastes_under_one_writer_is_marked_there_alone_and_never_the_best_there(
    tables: tuple[pa.Table, pa.Table],
) -> None:
    ahead = changed(tables[0], lambda row: row["method"] == "combined" and row["v"] is not None, v=0.99)
    found = summarise(facts_of_three(), ahead, tables[1])
    by_writer = {row[0]: row for row in scale_table(found).rows if row[1] == "all editing"}
    assert by_writer["template (stand-in)"][6].startswith("0.990 †\nd \u2212")
    assert by_writer["template (stand-in)"][5].split("\n")[1] == "best judged"
    assert by_writer["big"][6].split("\n")[:2] == ["0.990", "best judged"]
    assert not any("†" in cell for name in ("big", "smollm2 (stand-in)") for cell in by_writer[name])


def test_how_units_ended_stands_beside_each_mean(tables: tuple[pa.Table, pa.Table]) -> None:
    people = sorted({row["subject"] for row in tables[0].to_pylist()})
    broken = tables[0]
    for outcome, some in (("refused", people[:3]), ("unparsed", people[3:5]), ("failed", people[5:6])):
        broken = changed(
            broken, lambda row, some=some: (row["writer"], row["method"]) == ("smollm2", "brag") and row["subject"] in some, outcome=outcome
        )
    found = summarise(facts_of_three(), broken, tables[1])
    (row,) = [row for row in scale_details(found).rows if row[:2] == ("smollm2 (stand-in), all editing", "brag")]
    assert tuple(map(int, row[6:])) == (14, 3, 2, 1, 0)
    assert scale_table(found).rows[5][4].endswith("70.0 % answered")
    assert any(line.startswith("Prompts by smollm2 (stand-in): units without a V:") and "brag 30.0 %" in line for line in found.warnings)
    (refused,) = [group for group in found.failures if group.outcome == "unparsed"]
    assert (refused.methods, refused.writers, refused.count) == (("brag",), ("smollm2",), 4)


def test_the_verdict_is_about_the_named_writer_and_judges_brag_and_combined(summary: Summary) -> None:
    assert summary.setting == BIG
    assert summary.extractive == ()
    assert summary.verdict[0].startswith("Of 3 writers, this is about big; further down, of template (stand-in) and smollm2")
    assert summary.verdict[1].startswith("combined scored a higher mean V over all tasks than vprag (")
    (against,) = [line for line in summary.verdict if line.startswith("In V, against the methods that are shown all captions, vprag is")]
    assert "it is behind combined (\u2212" in against
    assert "is ahead of brag (+" in against
    assert not any("extractive" in line for line in summary.verdict)
    assert headline(summary)[2].startswith("V by big (n = ")


def test_each_other_writer_has_its_own_sentence_with_its_own_marks(summary: Summary) -> None:
    template, small = (line for line in summary.verdict if line.startswith("Prompts by "))
    assert template.startswith("Prompts by template (stand-in): Among the methods that may be judged (baseline, persona, vprag), vprag")
    assert template.endswith("brag and combined pasted captions and are not judged.")
    assert small.startswith("Prompts by smollm2 (stand-in): persona scored a higher mean V over all tasks than ")
    assert "pasted" not in small


def test_an_order_that_depends_on_the_writer_is_told_with_the_pairs_that_turn_round(summary: Summary) -> None:
    (turned,) = [line for line in summary.verdict if line.startswith("The order of the methods depends on the writer")]
    assert "big puts vprag over persona" in turned
    assert turned.endswith("smollm2 (stand-in) the reverse, both surely.")
    (alike,) = [line for line in summary.verdict if line.startswith("big and template (stand-in) surely order")]
    assert "3 pairs of methods alike and none the other way round (Kendall's tau over 3 methods 1.00 [1.00, 1.00])" in alike
    found = {(row[0], row[2], row[4]) for row in orders(summary).rows}
    assert ("template (stand-in) and smollm2 (stand-in)", "3", "vprag over persona") in found


def test_what_another_writers_controls_show_is_told_of_that_writer(tables: tuple[pa.Table, pa.Table]) -> None:
    noise = [row | {"method": "noise", "written": False, "extractive": False} for row in tables[0].to_pylist() if row["method"] == "vprag"]
    loud = [row | {"v": 0.99 if row["writer"] == "smollm2" else 0.1} if row["v"] is not None else row for row in noise]
    found = summarise(facts_of_three(), pa.concat_tables([tables[0], pa.Table.from_pylist(loud, schema=SCORES_SCHEMA)]), tables[1])
    assert not found.verdict[0].startswith("The figures cannot be trusted")
    (small,) = [line for line in found.verdict if line.startswith("Prompts by smollm2")]
    assert small.startswith("Prompts by smollm2 (stand-in): The figures cannot be trusted for what they claim. Not as expected: noise")
    (row,) = [row for row in writers(found).rows if row[0] == "big"]
    assert row[2] == "200"  # noise needs no writer


def test_replies_are_counted_by_writer_and_method(tables: tuple[pa.Table, pa.Table], summary: Summary) -> None:
    rows = [row for row in tables[0].to_pylist() if (row["writer"], row["method"]) == ("big", "combined") and row["outcome"] == "answered"]
    share = f"{100 * sum(row['cut'] > 0 for row in rows) / len(rows):.1f} %"
    (found,) = [row for row in writing(summary).rows if row[:2] == ("big", "combined")]
    assert found[6:] == (share, "0.0 %", "200.0", "50.0")
    (template,) = [row for row in writers(summary).rows if row[0] == "template (stand-in)"]
    assert template[1:3] == ("template-1", "200")
    assert template[7:] == ("\u2013", "\u2013", "\u2013", "\u2013")


def test_replies_of_several_models_and_replies_cut_off_are_warned_of(tables: tuple[pa.Table, pa.Table], summary: Summary) -> None:
    assert not any("models" in line or "unfinished" in line for line in summary.warnings)
    mixed = changed(tables[0], lambda row: row["writer"] == "big" and row["method"] == "vprag" and row["model"], model="qwen@2")
    mixed = changed(mixed, lambda row: row["writer"] == "smollm2" and row["method"] == "brag" and row["finish"], finish="length")
    found = summarise(facts_of_three(), mixed, tables[1])
    assert any(line.startswith("Replies to big name 2 models (qwen@1 and qwen@2): its figures mix them.") for line in found.warnings)
    assert any(
        "of the replies of smollm2 (stand-in) were longer than its `max_tokens` and are unfinished" in line for line in found.warnings
    )


def test_markdown_page_and_json_carry_the_scale_table(tables: tuple[pa.Table, pa.Table], summary: Summary) -> None:
    facts = facts_of_three()
    text = markdown(summary, facts)
    assert "## Writers" in text
    assert "### V and Cohen's d by writer" in text
    html = page(summary, facts, made_up_operations(), tables[0])
    assert 'id="writers"' in html
    assert '<a href="#writers">Writers</a>' in html
    assert "<caption>Does the order of the methods depend on the writer?</caption>" in html
    document = json.loads(summary.to_json())
    assert document["scale"][0] == asdict(summary.scale[0])
    assert {row["writer"] for row in document["writing"]} == {"template", "big", "smollm2"}


def test_the_papers_table_has_a_row_of_ours_for_each_writer_and_kind(summary: Summary) -> None:
    (table,) = published_tables(summary)
    ours = [row for row in table.rows if row[0] == "this run"]
    assert [row[1:3] for row in ours[:3]] == [(name, "generation") for name in ("template (stand-in)", "big", "smollm2 (stand-in)")]
    assert "†" in ours[0][5]
    assert "†" not in ours[1][5]


def test_tasks_stand_apart_only_where_a_kind_has_several(summary: Summary) -> None:
    assert scale_by_task(summary).rows == ()
    four = summarise(made_up_facts(), *made_up_scores(6))
    assert [row[1] for row in scale_by_task(four).rows] == [
        "cultural editing",
        "cultural generation",
        "social editing",
        "social generation",
    ]


def test_a_template_alone_has_no_section_of_writers() -> None:
    scores, ceilings = made_up_scores(6, tasks=("social-editing",))
    found = summarise(made_up_facts(), scores, ceilings)
    assert list(others(found)) == []
    assert "## Writers" not in markdown(found, made_up_facts())
    assert 'id="writers"' not in page(found, made_up_facts(), made_up_operations(), scores)
    assert not any("writers" in line for line in found.verdict)


def test_a_method_that_hardly_answers_takes_no_d_from_the_others(tables: tuple[pa.Table, pa.Table]) -> None:
    silent = changed(
        tables[0], lambda row: (row["writer"], row["method"]) == ("smollm2", "brag"), outcome="failed", code="context-exceeded"
    )
    found = summarise(facts_of_three(), silent, tables[1])
    cells = {row.method: row for row in found.scale if setting_of(row) == SMALL and row.task == "all"}
    assert cells["brag"].d is None
    assert not cells["brag"].is_best
    assert cells["persona"].is_best
    assert cells["vprag"].d > 1


def test_writers_of_different_cases_are_compared_on_those_that_both_have(tables: tuple[pa.Table, pa.Table]) -> None:
    people = sorted({row["subject"] for row in tables[0].to_pylist()})[:12]
    fewer = [row for row in tables[0].to_pylist() if row["writer"] != "smollm2" or row["subject"] in people]
    found = summarise(facts_of_three(), pa.Table.from_pylist(fewer, schema=SCORES_SCHEMA), tables[1])
    pooled = {(row.writer, row.other_writer): row for row in found.writer_agreement if row.task == "all"}
    assert 18 < pooled["big", "smollm2"].n <= 24
    assert pooled["template", "big"].n > 30
