"""Whole judged runs on a real local Ray: killed and resumed the report is the same bytes; a judge that dies costs its own units."""

import json

import pytest

from engine.outcome import Failed
from tests.jobs.running import Experiment, kill_when

PEOPLE, SHARD_SIZE = 6, 2
CHOICES = """
methods: [baseline, persona, vprag]
queries: {tasks: [cultural-generation]}
budgets: [q1]
encoder: tiny-trigrams
second_encoder: ''
cross_fit: 0
judging:
  judges: [nearest-wordllama, {name: script-a, script: {position: 0.5}}]
  turing: true
"""
DYING = CHOICES.replace("{position: 0.5}", "{dies: 0.03}").replace("turing: true", "turing: false")
QUESTIONS = {"rating": PEOPLE * 3, "pair": PEOPLE * 3, "turing": PEOPLE * 4}


@pytest.fixture(scope="module")
def experiment(tmp_path_factory):
    return Experiment(tmp_path_factory.mktemp("judged"), PEOPLE, SHARD_SIZE, CHOICES)


@pytest.fixture(scope="module")
def undisturbed(experiment):
    code, output = experiment.run("undisturbed")
    assert code == 0, output
    return json.loads(experiment.report("undisturbed", "judging.json"))


@pytest.mark.slow
def test_every_question_is_asked_and_reported(experiment, undisturbed):
    asked = {(row["judge"], row["question"]): row for row in undisturbed["asked"]}
    for judge in ("nearest-wordllama", "script-a"):
        for question, units in QUESTIONS.items():
            row = asked[judge, question]
            assert (row["answered"], row["refused"], row["unparsed"], row["failed"]) == (units, 0, 0, 0), (judge, question)
    assert "judging.html" in experiment.report("undisturbed", "index.html").decode()
    page = experiment.report("undisturbed", "judging.html").decode()
    assert "<script" not in page
    assert "script-a" in page


@pytest.mark.slow
def test_a_run_that_is_killed_amid_verdicts_ends_with_the_same_bytes(experiment, undisturbed):
    ratings = lambda store: len(list((store / "results").glob("rating-*/*.parquet")))  # noqa: E731 - what the kill waits for
    kill_when(experiment.start("killed"), experiment.folder / "killed", 1, 200, count=ratings)
    code, output = experiment.run("killed")
    assert code == 0, output
    for file in ("judging.json", "summary.json"):
        assert experiment.report("killed", file) == experiment.report("undisturbed", file)


@pytest.mark.slow
def test_a_judge_that_dies_costs_the_questions_it_dies_at_and_is_named(tmp_path):
    experiment = Experiment(tmp_path, PEOPLE, SHARD_SIZE, DYING)
    code, output = experiment.run("store")
    assert code == 3, output
    run = experiment.opened("store")
    failed = [
        row.outcome
        for stage in run.workflow.judgements.finals
        for shard in run.plan.shards
        for row in run.results.read(stage, shard.key, overlays=run.progress().overlays(stage, shard)).values()
        if isinstance(row.outcome, Failed)
    ]
    assert 0 < len(failed) < 8
    assert {outcome.code for outcome in failed} == {"killed-worker"}
    told = json.loads(experiment.report("store", "judging.json"))
    assert [(warned["judge"], warned["kind"]) for warned in told["warnings"] if warned["kind"] == "failed"] == [("script-a", "failed")]
