"""The checks find what they are there for: a run by hand, then one thing wrong with it."""

import hashlib
import json

import pytest

from engine.outcome import Answered
from engine.rows import inputs_digest, make_row
from engine.stage import Unit
from engine.store import names
from engine.store.opening import open_backend
from engine.store.results import Results
from tests.cluster.checks import Ended, calls_within_bound, consistent_lineage, one_result_each
from tests.cluster.random_outputs import CHAIN
from tests.cluster.workloads import RandomOutputs
from tests.workflows.texts import plan_of

TEXTS, SHARD_SIZE = 4, 2


@pytest.fixture
def run(tmp_path):
    """Finished; the second stage read what the first committed."""
    results = Results(open_backend(str(tmp_path / "store")))
    plan, workflow = plan_of([f"text {index}" for index in range(TEXTS)], CHAIN, SHARD_SIZE, results)
    ended = Ended(results.backend, plan, workflow)
    for shard in plan.shards:
        source = results.read(workflow.source, shard.key, overlays=0)
        drawn = commit(results, workflow.stages[0], shard, source, {key: f"drawn {key}" for key in source})
        commit(results, workflow.stages[1], shard, drawn, {key: sha(f"drawn {key}") for key in drawn})
    return ended


def commit(results, stage, shard, read, values, overlay=0):
    rows = [make_row(stage, Unit(key, key), Answered(value), inputs_digest([read[key].sha256])) for key, value in values.items()]
    results.commit(stage, shard.key, rows, overlay=overlay)
    return {row.unit: row for row in rows}


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


def first_result(run, stage=1):
    return names.result(run.workflow.stages[stage].id, run.plan.shards[0].key)


def test_nothing_is_wrong_with_a_good_run(run):
    assert one_result_each(run) == []
    assert consistent_lineage(run) == []
    assert RandomOutputs().wrong(run) == []


def test_a_missing_result_is_found(run):
    run.backend.delete(first_result(run))
    assert one_result_each(run) == [f"missing: {first_result(run)}"]


def test_a_second_result_of_a_shard_is_found(run):
    shard, stage = run.plan.shards[0], run.workflow.stages[1]
    commit(Results(run.backend), stage, shard, run.rows[shard.key][run.workflow.stages[0].id], {shard.subjects[0].key: "again"}, overlay=1)
    assert one_result_each(run) == [f"too many: {first_result(run).replace('.parquet', '.r1.parquet')}"]


def test_a_unit_that_is_not_there_is_found(run):
    shard, (drawn, hashed) = run.plan.shards[0], run.workflow.stages
    read = run.rows[shard.key][drawn.id]
    run.backend.delete(first_result(run))
    commit(Results(run.backend), hashed, shard, read, {key: sha(f"drawn {key}") for key in sorted(read)[:1]})
    assert "holds 1 units, not the plan's 2" in one_result_each(Ended(run.backend, run.plan, run.workflow))[0]


def test_a_file_in_quarantine_is_found(run):
    run.backend.create(names.quarantine(first_result(run), "0" * 64), b"x")
    assert one_result_each(run)[0].startswith("in quarantine: ")


def test_a_row_that_was_computed_from_a_lost_value_is_found(run):
    """A zombie drew again, and its value won after the other's had been read."""
    shard, drawn = run.plan.shards[0], run.workflow.stages[0]
    source = run.rows[shard.key][run.workflow.source.id]
    run.backend.delete(first_result(run, 0))
    commit(Results(run.backend), drawn, shard, source, dict.fromkeys(source, "another"))
    found = Ended(run.backend, run.plan, run.workflow)
    assert len(consistent_lineage(found)) == SHARD_SIZE
    assert len(RandomOutputs().wrong(found)) == SHARD_SIZE


def log(folder, calls):
    """`calls`: pid -> [(stage, shard)], each started and ended."""
    folder.mkdir()
    for pid, made in calls.items():
        entries = [{"event": event, "shard": shard, "units": {stage: 2}} for stage, shard in made for event in ("start", "end")]
        (folder / f"{pid}.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return folder


@pytest.mark.parametrize(
    ("again", "hit", "allowed", "is_wrong"),
    [
        pytest.param(None, [], 0, False, id="each once"),
        pytest.param(0, [], 0, True, id="twice for no reason"),
        pytest.param(0, [1], 4, True, id="twice although the lost process had gone on to the next shard"),
        pytest.param(1, [1], 4, False, id="twice since the process was lost at it"),
    ],
)
def test_a_call_is_repeated_only_where_a_process_was_lost(run, tmp_path, again, hit, allowed, is_wrong):
    shards = [shard.key for shard in run.plan.shards]
    stages = [stage.id for stage in run.workflow.stages]
    first = [(stage, shard) for shard in shards for stage in stages]
    second = [(stage, shards[again]) for stage in stages] if again is not None else []
    calls = calls_within_bound(run, [log(tmp_path / "calls", {1: first, 2: second})], hit)
    assert (calls.units, calls.asked, calls.allowed) == (2 * TEXTS, 2 * (len(first) + len(second)), allowed)
    assert bool(calls.wrong) is is_wrong


def test_what_a_killed_driver_left_unfinished_may_be_asked_again(run, tmp_path):
    shards = [shard.key for shard in run.plan.shards]
    stages = [stage.id for stage in run.workflow.stages]
    lost = log(tmp_path / "lost", {1: [(stages[0], shards[0])]})
    last = log(tmp_path / "last", {2: [(stage, shard) for shard in shards for stage in stages]})
    assert calls_within_bound(run, [lost, last], []).wrong == []
    assert len(calls_within_bound(run, [last, lost], []).wrong) == 1, "the driver that ended well lost nothing"


def test_a_unit_that_was_never_asked_is_found(run, tmp_path):
    """A result that no call accounts for came from elsewhere."""
    assert len(calls_within_bound(run, [log(tmp_path / "calls", {})], []).wrong) == 2 * TEXTS // SHARD_SIZE
