"""The judges' page: warnings name the judge, no lead is claimed without an interval that says so, hostile text stays text."""

import json
import re
from dataclasses import replace

import pyarrow as pa
import pytest
from made_up_judging import WRITERS, facts, made_up_rows, summary

from engine.report.judging.data import PAIRS_SCHEMA, RATINGS_SCHEMA
from engine.report.judging.page import page
from engine.report.judging.rows import Said
from engine.report.judging.write import write_judging

HOSTILE = "<script>alert(1)</script> \"'><img src=x onerror=alert(2)> --> </p></style> {{ 7*7 }}"


def changed(rows, **columns):
    """`rows` with each of the named tables passed through a function of its row."""
    schemas = {"pairs": PAIRS_SCHEMA, "ratings": RATINGS_SCHEMA}
    tables = {
        name: pa.Table.from_pylist([change(row) for row in getattr(rows, name).to_pylist()], schema=schemas[name])
        for name, change in columns.items()
    }
    return replace(rows, **tables)


def warnings(found, kind):
    return [(warned.judge, warned.sentence) for warned in found.warnings if warned.kind == kind]


@pytest.fixture(scope="module")
def whole():
    return summary(made_up_rows(writers=WRITERS, human=True))


def test_both_files_are_written(whole):
    files = {}
    write_judging(files.__setitem__, whole)
    assert set(files) == {"judging.html", "judging.json"}
    assert json.loads(files["judging.json"])["run"] == "0" * 16


def test_every_section_is_there(whole):
    text = page(whole)
    for title in (
        "Before you trust a judge",
        "Verdict",
        "Who judged",
        "Ratings:",
        "Leaderboard:",
        "Turing test:",
        "Trust:",
        "The paper&#39;s layout",
    ):
        assert re.search(f"<h2[^>]*>{title}", text), title
    assert text.count("<svg") == 2 * (3 + 3 + 2)
    assert 'href="index.html"' in text


def test_a_judge_that_always_says_first_is_named():
    found = summary(changed(made_up_rows(), pairs=lambda row: {**row, "preferred": "first"} if row["judge"] == "script-sided" else row))
    ((judge, sentence),) = warnings(found, "one-answer")
    assert judge == "script-sided"
    assert "always answers the side shown first" in sentence
    (board,) = [board for board in found.pools[0].compared.boards if board.judge == "script-sided"]
    assert all(lead.low is None for lead in board.leads)
    assert not any("ahead" in said.sentence for said in found.verdict if said.judge == "script-sided")


def test_a_judge_that_always_ties_is_named():
    found = summary(changed(made_up_rows(), pairs=lambda row: {**row, "preferred": "tie"} if row["judge"] == "script-even" else row))
    assert "always answers a tie" in dict(warnings(found, "one-answer"))["script-even"]


def test_refusals_replies_that_cannot_be_read_and_failures_are_named():
    def spoiled(row):
        fate = int(row["unit"][:4], 16) % 10
        outcome = {0: "refused", 1: "unparsed", 2: "failed"}.get(fate, "answered") if row["judge"] == "script-even" else "answered"
        return row if outcome == "answered" else {**row, "outcome": outcome, "score": None, "code": "timeout" if fate == 2 else None}

    found = summary(changed(made_up_rows(), ratings=spoiled))
    assert {warned.judge for warned in found.warnings if warned.kind in ("refused", "unparsed")} == {"script-even"}
    assert "timeout" in dict(warnings(found, "failed"))["script-even"]


def test_one_rating_for_everything_is_named():
    found = summary(changed(made_up_rows(), ratings=lambda row: {**row, "score": 3.0} if row["judge"] == "script-even" else row))
    assert "with 3" in dict(warnings(found, "one-rating"))["script-even"]


def test_why_no_fool_rate_can_be_interpreted_is_told(whole):
    text = page(whole)
    assert "it lies above 55.0 %, one half and the margin." in text
    assert "it does not surely lie above 55.0 %, one half and the margin: the judge hardly tells even a stranger" in text
    (sided,) = (said.sentence for said in whole.verdict if (said.question, said.judge) == ("turing", "script-sided"))
    assert "not surely more than 55.0 %, one half and the margin" in sided


def test_judge_and_writer_of_one_family_are_named(whole):
    ((judge, sentence),) = warnings(whole, "family")
    assert judge == "script-sided"
    assert "writer smollm2" in sentence
    assert not warnings(summary(), "family")


def test_stand_ins_the_lack_of_human_ratings_few_people_and_a_partial_run_are_told():
    found = summary(made_up_rows(people=8), partial=True, complete=False)
    kinds = {warned.kind for warned in found.warnings}
    assert {"stand-in", "uncalibrated", "few-clusters", "partial", "incomplete"} <= kinds
    text = page(found)
    assert text.count("PARTIAL") > 5
    assert "stand-in script-even" in text
    assert "No people rated these outputs" in text


def test_a_strong_position_habit_is_told_and_a_weak_one_is_not(whole):
    assert not warnings(whole, "position")

    def swayed(row):
        sided = row["judge"] == "script-even" and int(row["unit"][:2], 16) % 3
        return {**row, "preferred": "second"} if sided else row

    found = summary(changed(made_up_rows(), pairs=swayed))
    assert "shown second" in dict(warnings(found, "position"))["script-even"]


def test_equal_methods_lead_nobody():
    flat = changed(
        made_up_rows(),
        pairs=lambda row: {**row, "preferred": ("first", "tie", "second")[int(row["unit"][4:12], 16) % 3]},
        ratings=lambda row: {**row, "score": float(int(row["unit"][4:12], 16) % 6)},
    )
    found = summary(flat)
    assert found.verdict
    assert not any("(+" in said.sentence for said in found.verdict)
    assert any("(+" in said.sentence for said in summary().verdict)


def test_what_is_over_the_terminal_is_one_line_without_control_characters(whole):
    (line,) = replace(whole, verdict=(Said("pair", "", "a\x1b[31m sentence."), Said("pair", "", "another"))).headline
    assert "\x1b" not in line
    assert "1 more sentence" in line


def test_hostile_text_stays_text():
    rows = changed(made_up_rows(), ratings=lambda row: {**row, "code": HOSTILE} if row["outcome"] == "failed" else row)
    judges = tuple(replace(judge, stand_in=HOSTILE, family=HOSTILE) for judge in facts().judges)
    text = page(summary(rows, facts(judges=judges), name=HOSTILE))
    assert "<script" not in text
    assert "<img" not in text
    assert "{{ 7*7 }}" in text
