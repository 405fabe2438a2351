"""Judges with known habits through the whole pipeline: the report finds each habit within its interval, and warns of what is wrong."""

import json
import math
from itertools import combinations

import pytest

from engine.human.records import Choice, Kind, Rating
from engine.outcome import Refused, Unparsed
from engine.store import names
from engine.store.journal import JournalReader
from jobs.human_answers import add_answers
from jobs.judge_inputs import pair_table, rating_table
from jobs.reporting import make_report
from tests.jobs.graded import GRADES, graded
from tests.jobs.in_process import evaluated

PEOPLE = 80
SCALE, NU = 1.0, 0.5
JUDGES = [
    {"name": "script-fair", "script": {"scale": SCALE, "tie": NU}, "family": "zeta"},
    {"name": "script-side", "script": {"scale": SCALE, "tie": NU, "position": 0.9}, "family": "zeta"},
    {"name": "script-long", "script": {"scale": SCALE, "tie": NU, "length": 0.6}, "family": "zeta"},
    {"name": "script-kin", "script": {"scale": SCALE, "tie": NU, "kin": 1.2}, "family": "acme"},
    {"name": "script-first", "script": {"always": "A"}},
    {"name": "script-broken", "script": {"refuses": 0.2, "garbles": 0.2}},
]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("graded")
    judging = {"judges": JUDGES, "methods": list(GRADES)}
    return evaluated(folder / "store", "scripted", **graded(folder, PEOPLE), judging=judging, shard_size=8)


@pytest.fixture(scope="module")
def tables(run):
    make = (run.workflow, run.plan, run.results, run.progress())
    return {"rating": rating_table(*make).to_pylist(), "pair": pair_table(*make).to_pylist()}


def test_every_unit_has_its_outcome(tables):
    pairs = len(GRADES) * (len(GRADES) - 1) // 2
    for judge in JUDGES:
        ratings = [row for row in tables["rating"] if row["judge"] == judge["name"]]
        verdicts = [row for row in tables["pair"] if row["judge"] == judge["name"]]
        assert len(ratings) == PEOPLE * len(GRADES)
        assert len({row["pair"] for row in verdicts}) == PEOPLE * pairs
        outcomes = {row["outcome"] for row in ratings + verdicts}
        assert outcomes == ({"answered", "refused", "unparsed"} if judge["name"] == "script-broken" else {"answered"})
        assert all((row["score"] is None) == (row["outcome"] != "answered") for row in ratings)
        assert all((row["preferred"] is None) == (row["outcome"] != "answered") for row in verdicts)


def test_what_is_no_verdict_keeps_what_was_said(run):
    stages = [stage for stage in run.workflow.judgements.pairs if stage.by.name == "script-broken"]
    rows = [row for stage in stages for shard in run.plan.shards for row in run.results.read(stage, shard.key, overlays=0).values()]
    refused, unparsed = ([row.outcome.raw for row in rows if isinstance(row.outcome, kind)] for kind in (Refused, Unparsed))
    assert refused
    assert unparsed
    assert all("sorry" in raw for raw in refused)
    assert all(raw.startswith("{") for raw in unparsed)


@pytest.fixture(scope="module")
def told(run, tables):
    """The judges' summary with one annotator who knows the grades, as the report has it."""
    asked = {(row["person"], row["query"]) for row in tables["pair"]}
    truth = [
        Choice(profile=person, query=query, first=one, second=two, choice="first" if GRADES[one] > GRADES[two] else "second", annotator="t")
        for person, query in sorted(asked)
        for one, two in combinations(GRADES, 2)
    ]
    ratings = [
        Rating(profile=person, query=query, method=method, score=grade, annotator="t")
        for person, query in sorted(asked)
        for method, grade in GRADES.items()
    ]
    assert add_answers(run.backend, run.plan.run, Kind.PAIR, truth)
    assert add_answers(run.backend, run.plan.run, Kind.RATING, ratings)
    assert not add_answers(run.backend, run.plan.run, Kind.PAIR, truth), "what is there already is not kept twice"
    make_report(
        run.results,
        run.workflow,
        run.plan,
        run.progress(),
        name=run.name,
        command="mien",
        journal=JournalReader(run.backend, run.plan.run),
    )
    return json.loads(run.backend.read(names.run(run.plan.run, "report", "judging.json")))


def within(estimate, truth):
    """Whether the interval holds the truth, widened from 95 to 99.9 %: a dozen of them are looked at, of one draw of verdicts."""
    margin = (estimate["high"] - estimate["low"]) / 2 * (3.29 / 1.96 - 1)
    return estimate["low"] - margin <= truth <= estimate["high"] + margin


def habits(told):
    return {habit["judge"]: habit for habit in told["pools"][0]["compared"]["habits"]}


def test_position_bias_is_found_where_it_is_and_nowhere_else(told):
    found = habits(told)
    assert within(found["script-side"]["position"], 0.9)
    assert found["script-side"]["position"]["low"] > 0.3
    for name in ("script-fair", "script-long", "script-kin"):
        assert within(found[name]["position"], 0), name


def test_length_bias_is_found_where_it_is_and_nowhere_else(told):
    found = habits(told)
    assert within(found["script-long"]["length"], 0.6)
    assert found["script-long"]["length"]["low"] > 0.1
    for name in ("script-fair", "script-side", "script-kin"):
        assert within(found[name]["length"], 0), name


def test_the_preference_for_its_own_family_is_found_and_told(told):
    assert within(told["pools"][0]["compared"]["kin"], 1.2)
    assert any(warned["judge"] == "script-kin" and warned["kind"] == "family" for warned in told["warnings"]), told["warnings"]


def test_the_fair_judge_orders_methods_as_they_were_graded_with_the_scripted_gaps(told):
    board = next(board for board in told["pools"][0]["compared"]["boards"] if board["judge"] == "script-fair")
    assert [entry["method"] for entry in board["entries"]] == ["four", "three", "two", "one"]
    for lead in board["leads"]:
        gap = (GRADES[lead["method"]] - GRADES[lead["other"]]) * SCALE * 400 / math.log(10)
        assert lead["low"] <= gap <= lead["high"], lead


def test_who_is_ahead_may_be_looked_at_at_any_time(told):
    compared = told["pools"][0]["compared"]
    assert len(compared["watched"]) == 6
    for row in compared["watched"]:
        ahead = GRADES[row["method"]] - GRADES[row["other"]]
        assert row["people"] == PEOPLE
        assert row["mean"] * ahead > 0
        if row["standing"] == "decided":
            assert row["low"] * row["high"] > 0
    assert any(row["standing"] == "decided" for row in compared["watched"])


def test_accuracy_against_people_is_what_the_script_makes_it(told):
    """A pair counts as decided where both orders prefer the same."""
    right = decided = 0.0
    for one, two in combinations(GRADES.values(), 2):
        d = abs(one - two) * SCALE
        p, q = math.exp(d / 2), math.exp(-d / 2)
        total = p + q + NU
        p, q = p / total, q / total
        right += p * p
        decided += p * p + q * q
    found = next(row for row in told["pools"][0]["trust"]["accuracies"] if row["judge"] == "script-fair")
    assert within(dict(found["rules"])["accuracy-decided"], right / decided)


def test_a_judge_whose_ratings_follow_peoples_is_calibrated_and_one_that_is_not_is_named(told):
    calibrated = {row["judge"]: row["calibrated"] for row in told["pools"][0]["trust"]["calibrations"]}
    assert calibrated["script-fair"]


def test_what_is_wrong_with_a_judge_is_warned_of_by_its_name(told):
    kinds = {(warned["judge"], warned["kind"]) for warned in told["warnings"]}
    assert {kind for judge, kind in kinds if judge == "script-first"} >= {"one-answer"}
    assert {kind for judge, kind in kinds if judge == "script-broken"} >= {"refused", "unparsed"}
    assert not {kind for judge, kind in kinds if judge == "script-fair"} & {"one-answer", "refused", "unparsed", "failed"}
    asked = {(row["judge"], row["question"]): row for row in told["asked"]}
    broken = asked["script-broken", "rating"]
    assert broken["refused"] + broken["unparsed"] + broken["answered"] == PEOPLE * len(GRADES)
    assert 0.1 < broken["refused"] / (PEOPLE * len(GRADES)) < 0.3
