"""What a worker cannot mend it tells the driver as a row, and the driver raises it as its own."""

import errno
import os

import numpy as np
import pytest

from engine.config import Experiment
from engine.errors import StoreUnusable
from engine.store.folder import FolderBackend
from engine.store.plans import save_plan
from engine.store.results import Results
from jobs.attempts import ALONE_AFTER, Attempts
from jobs.people_source import commit_people, read_shards
from jobs.pipeline import _ended
from jobs.planning import commit_queries, make_plan, prepare
from jobs.progress import progress_of, references
from jobs.references import ABSENT, ShardReference, Trouble, Visit
from jobs.vptt import Vptt
from jobs.worker import SPARE_ATTEMPTS, ShardWorker, WorkerSettings


@pytest.fixture
def made(tmp_path):
    """A worker on a store with one planned person, its shard's reference, and its attempts."""
    choices = {"methods": ["baseline", "vprag"], "second_encoder": "", "cross_fit": 0, "encoder": "tiny-trigrams"}
    prepared = prepare(Experiment.model_validate({"people": {"grammar": 1}, **choices}))
    backend = FolderBackend(tmp_path / "store")
    results = Results(backend)
    people = read_shards(prepared.experiment, prepared.workflow.people)
    plan = make_plan(prepared, people)
    commit_people(people, results, prepared.workflow.people)
    commit_queries(prepared, plan, results)
    save_plan(backend, plan)
    (reference,) = references(prepared.workflow, plan, progress_of(prepared.workflow, results))
    options = {"encoder": "tiny-trigrams", "threads": 1}
    stages = tuple(stage.id for stage in prepared.workflow.stages)
    settings = WorkerSettings(backend.uri, plan.run, Vptt.__module__, options, 60, operator="encoder-1", stages=stages)
    return ShardWorker(settings), reference, Attempts(backend, plan.run, "encoder-1"), plan.shards[0].key


def batch_of(reference):
    return {name: np.array([value]) for name, value in reference.row().items()}


def row_of(reply):
    return {name: values[0] for name, values in reply.items()}


def test_a_reference_survives_its_way_through_ray():
    bills = (("writer:smollm2", 32, 4100, 900, 0.25),)
    visit = Visit("encoder-1", "node", 17, 2, 1.5, 2.25, 21, ((0, 8, 1, 0.125), (3, 32, 0, 2.5)), bills)
    trouble = Trouble("StoreUnusable", "The disk is full.", "Free some.", False)
    reference = ShardReference(3, (0, ABSENT, 2), True, False, "transient", (visit,), trouble)
    assert ShardReference.of_batch(batch_of(reference)) == reference


def test_a_shard_is_told_by_stage_rows_and_seconds(made):
    run, reference, _, _ = made
    reply = run(batch_of(reference))
    ended = _ended(ShardReference.of(row_of(reply)))
    (visit,) = ended.visits
    # Memory and ceiling; evidence and the random draw; prompts, vectors and scores of two methods and three controls: with nobody else
    # in the shard there are no strangers.
    assert sum(rows for _, rows, _, _ in visit.tallies) == 1 + 1 + 2 * 4 + 5 * 3 * 4
    assert not any(failed for _, _, failed, _ in visit.tallies)
    assert set(ended.done) == {0}
    assert (visit.attempt, visit.pid) == (1, os.getpid())
    assert len(str(row_of(reply))) < 1024


def test_a_full_disk_at_a_worker_ends_the_run_as_a_full_disk(made, monkeypatch):
    run, reference, _, _ = made

    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreUnusable, match="disk is full") as caught:
        _ended(ShardReference.of(row_of(run(batch_of(reference)))))
    assert caught.value.exit_code == 2
    assert "finished work is kept" in caught.value.remedy


def test_what_troubled_one_operator_passes_the_next_untouched(made):
    run, reference, _, _ = made
    trouble = Trouble("CorruptObject", "x cannot be trusted.", "", True)
    told = ShardReference.of(row_of(run(batch_of(ShardReference(reference.shard, reference.done, False, False, "", (), trouble)))))
    assert told.trouble == trouble
    assert told.visits == ()


def test_results_that_a_lost_task_left_are_found_and_not_computed_again(made):
    """Ray replays a task with the reference it first had, whatever the task had finished when its node was lost."""
    run, reference, attempts, shard = made
    run(batch_of(reference))
    lost = attempts.begin(shard)
    assert lost.is_first
    again = ShardReference.of(row_of(run(batch_of(reference))))
    assert again.visits[0].attempt == 2
    assert again.visits[0].tallies == ()
    assert set(again.done) == {0}
    assert attempts.begin(shard).is_first, "a whole shard leaves no marks"


def test_a_shard_on_which_processes_are_lost_for_no_units_fault_is_refused_and_can_be_tried_again(made):
    run, reference, attempts, shard = made
    for _ in range(ALONE_AFTER + SPARE_ATTEMPTS):
        attempts.begin(shard)
    told = ShardReference.of(row_of(run(batch_of(reference))))
    assert told.trouble.kind == "ClusterError"
    assert "no single unit is to blame" in told.trouble.message
    assert _ended(ShardReference.of(row_of(run(batch_of(reference))))).trouble is None, "another command starts anew"


def test_what_a_lost_task_may_have_renewed_is_inspected_by_later_operators(made):
    run, reference, attempts, shard = made
    attempts.begin(shard)
    assert ShardReference.of(row_of(run(batch_of(reference)))).inspect
