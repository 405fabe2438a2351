"""The summary: the same bytes from the same rows, failures that are never scores, and a verdict no stronger than its interval."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from made_up_scores import METHODS, TASKS, made_up_facts, made_up_operations, made_up_scores

from engine.errors import ConfigError, InputError
from engine.report.data import CEILINGS_SCHEMA, SCORES_SCHEMA
from engine.report.headline import headline
from engine.report.summarising import summarise
from engine.report.summary import Summary
from engine.report.tables import other_settings
from engine.report.wording import task_label, task_words
from engine.report.write import write_report

JUDGED = "Among the methods that may be judged (baseline, persona, vprag), "
CIRCUMSTANTIAL = ("index.html", "run.json")


def written(scores: pa.Table, ceilings: pa.Table, operations: Any = None, **facts: Any) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    write_report(files.__setitem__, made_up_facts(**facts), scores, ceilings, operations or made_up_operations())
    return files


def edited(scores: pa.Table, chosen: Any, **changes: Any) -> pa.Table:
    """The rows for which `chosen(row)` holds get `changes`; the others stay."""
    return pa.Table.from_pylist([row | changes if chosen(row) else row for row in scores.to_pylist()], schema=SCORES_SCHEMA)


@pytest.fixture(scope="module")
def tables() -> tuple[pa.Table, pa.Table]:
    return made_up_scores(40, tasks=("social-editing",))


@pytest.fixture(scope="module")
def four_tasks() -> tuple[pa.Table, pa.Table]:
    return made_up_scores(40)


@pytest.fixture(scope="module")
def summary(tables: tuple[pa.Table, pa.Table]) -> Summary:
    return summarise(made_up_facts(), *tables)


def test_the_same_rows_in_any_order_give_the_same_bytes(tables: tuple[pa.Table, pa.Table]) -> None:
    scores, ceilings = tables
    shuffled = np.random.Generator(np.random.PCG64(1)).permutation(len(scores))
    once, again = written(scores, ceilings), written(scores, ceilings)
    other = written(scores.take(shuffled), ceilings.take(np.arange(len(ceilings))[::-1].copy()))
    assert once == again
    assert once == other


def test_circumstances_show_only_in_the_page_and_in_run_json(four_tasks: tuple[pa.Table, pa.Table]) -> None:
    once = written(*four_tasks)
    other = written(
        *four_tasks,
        made_up_operations(wall_seconds=9999.0, retries=77, nodes=("node-z",), started="2031-01-01T00:00:00Z"),
        command="mien run /tmp/x.yaml",
    )
    assert {name for name in once if once[name] != other[name]} == set(CIRCUMSTANTIAL)


def test_summary_json_holds_the_agreed_keys_and_no_nan(four_tasks: tuple[pa.Table, pa.Table]) -> None:
    document = json.loads(written(*four_tasks)["summary.json"], parse_constant=pytest.fail)
    assert {"run", "complete", "partial", "units", "failed", "results", "methods"} <= document.keys()
    keys = {"method", "task", "budget", "writer", "backbone", "metric", "mean", "low", "high", "n", "clusters", "families"}
    keys |= {"missing", "cases"}
    assert all(row.keys() == keys for row in document["results"])
    figures = document["methods"]["vprag"]["all"]["v"]
    assert figures.keys() == {"mean", "low", "high", "n"}
    assert figures["low"] < figures["mean"] < figures["high"]
    assert set(document["methods"]["vprag"]) == {*TASKS, "generation", "editing", "all"}


def test_means_are_those_of_the_rows_of_cases_in_which_every_method_has_an_outcome(four_tasks: tuple[pa.Table, pa.Table]) -> None:
    summary = summarise(made_up_facts(), *four_tasks)
    every = four_tasks[0].to_pylist()
    lacking = {(row["subject"], row["query"]) for row in every if row["outcome"] != "answered"}
    assert lacking
    rows = [row for row in every if row["method"] == "vprag" and (row["subject"], row["query"]) not in lacking]
    for task, ending in (("all", ""), ("generation", "-generation"), ("social-editing", "social-editing")):
        values = [row["gs"] for row in rows if row["task"].endswith(ending)]
        found = summary.result("vprag", task, "gs")
        assert found is not None
        assert found.mean == pytest.approx(np.mean(values), abs=1e-9)
        assert found.n == len(values)
    assert "Of the judged methods, vprag has the highest mean V in each of the 4 tasks." in summary.verdict


def test_units_without_an_answer_are_missing_and_never_zero(tables: tuple[pa.Table, pa.Table], summary: Summary) -> None:
    people = sorted({row["person"] for row in tables[0].to_pylist()})[:10]
    for outcome in ("failed", "refused", "unparsed"):
        # A score left on such a row by mistake must not count either.
        broken = edited(tables[0], lambda row: row["method"] == "persona" and row["person"] in people, outcome=outcome, v=0.0)
        found = summarise(made_up_facts(), broken, tables[1])
        before, after = summary.result("persona", "all", "v"), found.result("persona", "all", "v")
        assert before is not None
        assert after is not None
        assert before.missing == 0
        assert before.cases == after.cases == 40
        assert after.n + after.missing <= 40
        assert {row.n for row in found.of_setting(found.results, task="all", metric="v")} == {after.n}
        assert after.missing >= 10
        assert after.mean == pytest.approx(before.mean, abs=0.03)
        assert any("persona 2" in warning for warning in found.warnings)


def test_a_row_that_is_not_there_is_absent_and_missing(tables: tuple[pa.Table, pa.Table]) -> None:
    rows = tables[0].to_pylist()
    people = sorted({row["person"] for row in rows})[:5]
    fewer = pa.Table.from_pylist([row for row in rows if row["method"] != "vprag" or row["person"] not in people], schema=SCORES_SCHEMA)
    found = summarise(made_up_facts(complete=False), fewer, tables[1])
    ended = next(row for row in found.of_setting(found.outcomes, method="vprag", task="all"))
    assert ended.absent == 5
    result = found.result("vprag", "all", "v")
    assert result is not None
    assert result.missing >= 5
    assert any(sentence.startswith("Incomplete") for sentence in found.verdict)


def test_scores_that_are_not_finite_are_missing_and_told(tables: tuple[pa.Table, pa.Table]) -> None:
    broken = edited(tables[0], lambda row: row["method"] == "vprag" and row["person"] == "P00001", v=float("nan"), gs=float("inf"))
    found = summarise(made_up_facts(), broken, tables[1])
    assert any("not finite" in warning for warning in found.warnings)
    json.loads(found.to_json(), parse_constant=pytest.fail)


def test_two_rows_for_one_unit_are_refused(tables: tuple[pa.Table, pa.Table]) -> None:
    with pytest.raises(InputError, match="two score rows"):
        summarise(made_up_facts(), pa.concat_tables([tables[0], tables[0].slice(7, 1)]), tables[1])


@pytest.mark.parametrize(("change", "words"), [({"outcome": "maybe"}, "unknown outcome 'maybe'"), ({"cluster": None}, "cluster")])
def test_bad_rows_are_refused_by_name(tables: tuple[pa.Table, pa.Table], change: dict[str, Any], words: str) -> None:
    loose = pa.schema([field.with_nullable(True) for field in SCORES_SCHEMA])
    rows = [row | change if index == 3 else row for index, row in enumerate(tables[0].slice(0, 20).to_pylist())]
    with pytest.raises(InputError, match=words):
        summarise(made_up_facts(), pa.Table.from_pylist(rows, schema=loose), tables[1])


def test_missing_columns_and_an_unknown_metric_are_refused(tables: tuple[pa.Table, pa.Table]) -> None:
    with pytest.raises(InputError, match="nv_union"):
        summarise(made_up_facts(), tables[0].drop_columns(["nv_union"]), tables[1])
    with pytest.raises(InputError, match="gs"):
        summarise(made_up_facts(), tables[0], tables[1].drop_columns(["gs"]))
    with pytest.raises(ConfigError, match="elo"):
        summarise(made_up_facts(metric="elo"), *tables)


def test_a_run_without_rows_still_has_a_report() -> None:
    files = written(SCORES_SCHEMA.empty_table(), CEILINGS_SCHEMA.empty_table(), complete=False, units=0)
    document = json.loads(files["summary.json"])
    assert document["results"] == []
    assert document["methods"] == {}
    assert any("No verdict" in sentence for sentence in document["verdict"])


def test_extractive_methods_stay_out_of_the_verdict_even_when_they_score_highest(tables: tuple[pa.Table, pa.Table]) -> None:
    found = summarise(
        made_up_facts(), edited(tables[0], lambda row: row["method"] == "combined" and row["v"] is not None, v=0.99), tables[1]
    )
    assert found.extractive == ("brag", "combined")
    assert found.verdict[0].startswith(f"{JUDGED}vprag scored a higher mean V over all tasks than persona")
    one = "The extractive method combined (0.990) scores higher than vprag (0.700), because it pastes the person's own captions."
    assert one in found.verdict
    both = summarise(made_up_facts(), edited(tables[0], lambda row: row["extractive"] and row["v"] is not None, v=0.99), tables[1])
    two = "The extractive methods brag (0.990) and combined (0.990) score higher than vprag (0.700), because they paste the person's own"
    assert f"{two} captions." in both.verdict
    assert any("brag and combined are extractive" in sentence for sentence in found.verdict)
    shares = {(row.among, row.method): row.share for row in found.of_setting(found.win_share, task="all", metric="v")}
    assert shares["all", "combined"] == 1.0
    assert ("verdict", "combined") not in shares
    assert shares["verdict", "vprag"] > 0.9
    assert {row.best for row in found.of_setting(found.cohens_d, metric="v")} == {"vprag"}


def test_methods_that_differ_by_nothing_cannot_be_told_apart(tables: tuple[pa.Table, pa.Table]) -> None:
    rng = np.random.Generator(np.random.PCG64(5))
    rows = [row | ({"v": float(rng.normal(0.6, 0.1))} if row["v"] is not None else {}) for row in tables[0].to_pylist()]
    found = summarise(made_up_facts(), pa.Table.from_pylist(rows, schema=SCORES_SCHEMA), tables[1])
    assert any("cannot be told apart" in sentence for sentence in found.verdict)
    assert not any("scored a higher mean" in sentence for sentence in found.verdict)


def test_few_people_get_no_claim() -> None:
    found = summarise(made_up_facts(), *made_up_scores(4))
    assert any(sentence.startswith("Nothing can be said about vprag") for sentence in found.verdict)
    assert any("no interval is given" in warning for warning in found.warnings)
    assert all(row.low is None for row in found.results)


def test_where_v_and_v_u_order_methods_differently_it_is_said(summary: Summary) -> None:
    pooled = {(row.other_metric, row.method, row.other) for row in summary.disagreements if row.task == "all"}
    assert ("v_u", "brag", "persona") in pooled
    assert "V and V-u disagree: V puts brag over persona, V-u the reverse." in summary.verdict


def test_the_verdict_names_metric_encoder_stand_ins_and_text_only_edits(summary: Summary) -> None:
    told = " ".join(summary.verdict)
    for words in (
        "within this metric",
        "minilm-l6-v2@53aa5117",
        "vptt-v/minilm",
        "template writer",
        "text-only edit instructions",
        "cover all comparisons",
    ):
        assert words in told


def test_a_lead_that_another_score_reverses_is_never_told_alone(tables: tuple[pa.Table, pa.Table]) -> None:
    pasted = edited(tables[0], lambda row: row["method"] == "vprag" and row["v_u"] is not None, v_u=0.3)
    found = summarise(made_up_facts(), pasted, tables[1])
    assert "V-u puts persona over vprag (+0." in found.verdict[0]
    assert "V-u puts persona over vprag" in headline(found)[3]


def test_one_id_may_stand_for_the_whole_definition(tables: tuple[pa.Table, pa.Table]) -> None:
    found = summarise(made_up_facts(metric_ids={"vptt": "vptt-1-0a1b2c"}), *tables)
    assert "within this metric (vptt-1-0a1b2c)" in " ".join(found.verdict)


def test_partial_and_incomplete_runs_say_so_first(tables: tuple[pa.Table, pa.Table]) -> None:
    found = summarise(made_up_facts(partial=True, complete=False, planned_people=40, total_people=10_000), *tables)
    assert found.verdict[0].startswith("PARTIAL: 40 of 10,000 people")
    assert found.verdict[1].startswith("Incomplete")
    assert "PARTIAL" in headline(found)[0]


def test_headline_is_four_plain_lines(summary: Summary) -> None:
    lines = headline(summary)
    assert len(lines) == 4
    assert all("\n" not in line for line in lines)
    assert lines[1] == "personal gain in V: not measured"
    assert lines[2].startswith("V (n = ")
    assert lines[3].startswith(f"{JUDGED}vprag scored a higher mean V")
    assert lines[2].endswith("(† pastes captions, not judged)")
    assert "\x1b" not in headline(dataclasses.replace(summary, name="\x1b[2Jgone"))[0]


def test_the_headline_counts_prompts_without_a_score_and_people_without_a_ceiling(tables: tuple[pa.Table, pa.Table]) -> None:
    scores, ceilings = tables
    units, unanswered = len(scores), sum(outcome != "answered" for outcome in scores["outcome"].to_pylist())
    assert unanswered > 0
    told = headline(summarise(made_up_facts(units=units), scores, ceilings))[0]
    assert told.endswith(f", {units:,} prompts, {unanswered} of them without a score")
    lacking = [row | {"outcome": "failed"} if index < 3 else row for index, row in enumerate(ceilings.to_pylist())]
    short = pa.Table.from_pylist(lacking, schema=CEILINGS_SCHEMA)
    assert headline(summarise(made_up_facts(units=units), scores, short))[0] == f"{told}, 3 people without a ceiling"
    none = ceilings.slice(0, 0)
    assert headline(summarise(made_up_facts(units=units), scores, none))[0] == f"{told}, no person with a ceiling"
    good = scores.filter(pa.array([outcome == "answered" for outcome in scores["outcome"].to_pylist()]))
    told = headline(summarise(made_up_facts(units=units, complete=False), good, ceilings))[0]
    assert told.endswith(f", {len(good):,} of {units:,} prompts, all with a score")


def test_controls_stand_beside_the_methods_and_win_nothing(tables: tuple[pa.Table, pa.Table]) -> None:
    strangers = [row | {"method": "stranger", "v": 0.99} for row in tables[0].to_pylist() if row["method"] == "vprag"]
    found = summarise(made_up_facts(), pa.concat_tables([tables[0], pa.Table.from_pylist(strangers, schema=SCORES_SCHEMA)]), tables[1])
    assert found.methods() == [*METHODS, "stranger"]
    assert found.verdict[0].startswith(f"{JUDGED}vprag")
    assert not any(row.method == "stranger" for row in (*found.win_share, *found.cohens_d))


def test_settings_are_never_compared_with_each_other(tables: tuple[pa.Table, pa.Table]) -> None:
    model = [row | {"writer": "llm", "backbone": "smollm2", "extractive": False} for row in tables[0].to_pylist()]
    found = summarise(made_up_facts(), pa.concat_tables([tables[0], pa.Table.from_pylist(model, schema=SCORES_SCHEMA)]), tables[1])
    assert {row.writer for row in found.results} == {"template", "llm"}
    one = [row for row in found.differences if row.writer == "llm" and row.task == "all" and row.metric == "v"]
    assert len(one) == 10
    assert [row[3] for row in other_settings(found).rows] == list(METHODS)
    assert found.extractive == ("brag", "combined")
    result = found.result("vprag", "all", "v")
    assert result is not None
    assert result.cases == 40


def test_the_three_phrase_preset_is_about_v_c(tables: tuple[pa.Table, pa.Table]) -> None:
    rows = edited(tables[0], lambda row: True, budget="q1")
    found = summarise(made_up_facts(metric="v_c", budget="q1"), rows, tables[1])
    assert {row.metric for row in found.differences} == {"v_c", "v_c_literal", "gs"}
    assert "mean V-c" in found.verdict[0]


def test_a_cap_that_always_binds_and_blind_retrieval_warn(tables: tuple[pa.Table, pa.Table]) -> None:
    found = summarise(made_up_facts(), edited(tables[0], lambda row: row["n_eff"] is not None, n_eff=9.0, cap_binds=True), tables[1])
    assert any("cap of 2Q posts binds in 100.0 %" in warning for warning in found.warnings)
    assert any("broad queries do not spread" in warning for warning in found.warnings)


def test_failures_are_grouped_by_code_with_an_example_and_a_remedy(tables: tuple[pa.Table, pa.Table]) -> None:
    broken = edited(
        tables[0],
        lambda row: row["method"] == "persona" and row["person"] < "P00020",
        outcome="failed",
        code="no-disk",
        message="Disk is full.",
    )
    found = summarise(made_up_facts(), broken, tables[1])
    first = found.failures[0]
    assert (first.code, first.count, first.methods, first.message) == ("no-disk", 20, ("persona",), "Disk is full.")
    assert "retry" in first.remedy
    assert found.failed >= 20


def test_every_share_has_an_interval_around_it(summary: Summary) -> None:
    assert any(row.share in (0.0, 1.0) for row in summary.win_share)
    for row in summary.win_share:
        assert None not in (row.low, row.share, row.high)
        assert 0.0 <= row.low <= row.share <= row.high <= 1.0


def test_where_every_method_is_judged_the_verdict_sets_none_aside(tables: tuple[pa.Table, pa.Table]) -> None:
    written_by_a_model = edited(tables[0], lambda row: True, extractive=False)
    found = summarise(made_up_facts(), written_by_a_model, tables[1])
    assert not any("may be judged" in sentence or "extractive" in sentence.lower() for sentence in found.verdict)
    assert not any("†" in line for line in headline(found))


def test_an_extractive_method_that_is_ahead_by_luck_is_not_said_to_score_higher(tables: tuple[pa.Table, pa.Table]) -> None:
    rng = np.random.Generator(np.random.PCG64(12))
    means = {"brag": 0.605, "vprag": 0.6, "combined": 0.3}
    rows = [row | {"v": float(rng.normal(means.get(row["method"], 0.4), 0.2))} for row in tables[0].to_pylist()]
    found = summarise(made_up_facts(), pa.Table.from_pylist(rows, schema=SCORES_SCHEMA), tables[1])
    brag, vprag = found.result("brag", "all", "v"), found.result("vprag", "all", "v")
    assert brag is not None
    assert vprag is not None
    assert (brag.mean or 0) > (vprag.mean or 0)
    assert not any("score higher" in sentence or "scores higher" in sentence for sentence in found.verdict)
    assert any(sentence.startswith("Extractive and with a higher mean V than vprag") for sentence in found.verdict)


def test_without_intervals_no_task_has_a_leader() -> None:
    few = summarise(made_up_facts(), *made_up_scores(4))
    assert not any("in each of the 4 tasks" in sentence or "in every task" in sentence for sentence in few.verdict)


def test_where_longer_prompts_score_higher_it_is_said_with_the_words(tables: tuple[pa.Table, pa.Table], summary: Summary) -> None:
    told = [sentence for sentence in summary.verdict if sentence.startswith("Mean words rise with V")]
    assert len(told) == 1
    assert "among the judged methods: baseline 8, persona 30, vprag 65." in told[0]
    short = edited(tables[0], lambda row: row["method"] == "vprag" and row["words"] is not None, words=5)
    assert not any("Mean words rise" in sentence for sentence in summarise(made_up_facts(), short, tables[1]).verdict)


def test_own_captions_are_a_reference_in_every_metric(summary: Summary) -> None:
    assert {row.metric for row in summary.ceilings} == {row.metric for row in summary.results}
    assert any("a reference for every score, not a limit" in sentence for sentence in summary.verdict)


def test_scores_of_the_stand_in_encoder_are_never_told_without_a_warning(tables: tuple[pa.Table, pa.Table], summary: Summary) -> None:
    rehearsal = summarise(made_up_facts(encoder="tiny-trigrams@0123abcd.1"), *tables)
    assert "tiny-trigrams@0123abcd.1 is a stand-in" in rehearsal.warnings[0]
    assert not any("is a stand-in" in warning for warning in summary.warnings)


def test_one_of_a_thing_is_told_in_the_singular() -> None:
    one = summarise(made_up_facts(planned_people=1, total_people=1), *made_up_scores(1))
    told = " ".join([*one.verdict, *one.warnings, *headline(one)])
    assert "1 cluster" in told
    for wrong in ("1 clusters", "1 people", "1 cases", "1 units", "1 persons"):
        assert not re.search(rf"(?<![0-9,.]){wrong}", told)


def test_tasks_of_other_benchmarks_are_named_as_they_are() -> None:
    assert [task_label(task) for task in ("partiprompts", "COCO-2014", "social-editing", "all", "editing")] == [
        "partiprompts",
        "COCO-2014",
        "Social editing",
        "All tasks",
        "All editing",
    ]
    assert [task_words(task) for task in ("COCO-2014", "social-editing", "all", "editing")] == [
        "COCO-2014",
        "social editing",
        "all tasks",
        "all editing",
    ]
