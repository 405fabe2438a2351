"""From committed results to a report's tables: whole shards only, each unit's latest outcome, in the order of the plan."""

import pytest

from engine.outcome import Refused, Unparsed
from engine.report.data import CEILINGS_SCHEMA, SCORES_SCHEMA
from engine.rows import inputs_digest, make_row
from engine.store.opening import open_backend
from engine.store.results import Results
from jobs.failures import failures
from jobs.report_inputs import ceiling_table, score_table
from tests.jobs.in_process import evaluated
from tests.jobs.planned import planned

PEOPLE, SHARD_SIZE = 6, 2


@pytest.fixture
def run(tmp_path):
    made = planned(tmp_path / "store", people=PEOPLE, shard_size=SHARD_SIZE)
    made.fill(0, 2)
    return made


def tables(run):
    opened = run.open()
    inputs = opened.workflow, opened.plan, opened.results, opened.progress()
    return score_table(*inputs), *ceiling_table(*inputs)


def test_only_whole_shards_are_scored(run):
    shard = run.plan.shards[1]
    stage = run.prepared.workflow.ceilings
    rows = [make_row(stage, unit, Refused("no"), inputs_digest([])) for unit in run.prepared.workflow.units(shard, stage)]
    Results(open_backend(str(run.store))).commit(stage, shard.key, rows)
    scores, ceilings, compared = tables(run)
    assert scores.schema == SCORES_SCHEMA
    assert ceilings.schema == CEILINGS_SCHEMA
    subjects = [[subject.key for subject in shard.subjects] for shard in run.plan.shards]
    assert set(scores["subject"].to_pylist()) == {*subjects[0], *subjects[2]}
    assert ceilings["subject"].to_pylist() == [key for keys in subjects for key in sorted(keys)]
    assert ceilings["outcome"].to_pylist() == ["failed"] * 2 + ["refused"] * 2 + ["failed"] * 2
    assert compared == set()


def test_a_retried_unit_shows_its_latest_outcome(run):
    shard, score = run.plan.shards[2], run.prepared.workflow.scores[0]
    unit = run.prepared.workflow.units(shard, score)[1]
    before = tables(run)[0]
    Results(open_backend(str(run.store))).commit(score, shard.key, [make_row(score, unit, Refused("no"), inputs_digest([]))], overlay=1)
    after = tables(run)[0]
    changed = [(new["subject"], new["query"]) for old, new in zip(before.to_pylist(), after.to_pylist(), strict=True) if old != new]
    assert changed == [(unit.subject, unit.query.id)]
    assert after["outcome"].to_pylist().count("refused") == 1


def test_failures_come_shard_by_shard_in_the_order_of_stages(run):
    opened = run.open()
    found = list(failures(opened.workflow, opened.plan, opened.results, opened.progress()))
    names = [stage.name for stage in opened.workflow.stages]
    order = [(failure.shard, names.index(failure.stage)) for failure in found]
    assert order == sorted(order)
    assert {failure.shard for failure in found} == {0, 2}
    assert len(found) == sum(len(opened.workflow.units(opened.plan.shards[i], stage)) for i in (0, 2) for stage in opened.workflow.stages)


def test_a_models_reply_stands_beside_its_score_and_what_it_declined_keeps_its_own_outcome(tmp_path):
    run = evaluated(tmp_path, "two", people={"grammar": 2}, methods=["baseline", "brag"], writers=["template", "tiny-chat"])
    shard, results = run.plan.shards[0], Results(open_backend(str(tmp_path)))
    (prompt,) = [each.prompt for each in run.workflow.entrants if (each.label, each.prompt.writer) == ("brag", "tiny-chat")]
    units = run.workflow.units(shard, prompt)
    declined = [make_row(prompt, units[0], Refused("I will not."), inputs_digest([])), make_row(prompt, units[1], Unparsed("{"), "")]
    results.commit(prompt, shard.key, declined, overlay=1)
    rows = score_table(run.workflow, run.plan, results, run.progress()).to_pylist()
    by_model = [row for row in rows if (row["writer"], row["method"]) == ("tiny-chat", "brag")]
    assert sorted(row["outcome"] for row in by_model) == ["answered"] * (len(units) - 2) + ["refused", "unparsed"]
    told = {row["outcome"]: (row["message"], row["code"], row["model"]) for row in by_model if row["outcome"] != "answered"}
    assert told == {"refused": ("I will not.", None, None), "unparsed": ("{", None, None)}
    for row in by_model:
        if row["outcome"] == "answered":
            assert (row["model"], row["finish"]) == ("tiny-chat@1", "stop")
            assert min(row["input_tokens"], row["output_tokens"]) > 0
            assert row["written"]
    assert all(row["model"] is None and row["cut"] is not None for row in rows if row["writer"] == "template" and row["method"] == "brag")
    assert {row["method"]: row["written"] for row in rows} == {
        "baseline": True, "brag": True, "stranger": True, "random": True, "own": False, "noise": False,
    }  # fmt: skip
