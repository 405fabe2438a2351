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
from jobs.people_source import commit_people, read_shards
from jobs.pipeline import _done
from jobs.planning import commit_queries, make_plan, prepare, progress_of, references
from jobs.worker import ShardReference, ShardWorker, WorkerSettings


@pytest.fixture
def worker(tmp_path):
    """A worker on a store with one planned person, and its shard's reference."""
    prepared = prepare(Experiment.model_validate({"people": {"grammar": 1}, "methods": ["baseline"]}))
    backend = FolderBackend(tmp_path / "store")
    results = Results(backend)
    people = read_shards(prepared.experiment, prepared.workflow.people)
    plan = make_plan(prepared, people)
    commit_people(people, results, prepared.workflow.people)
    commit_queries(prepared, plan, results)
    save_plan(backend, plan)
    (reference,) = references(prepared.workflow, plan, progress_of(prepared.workflow, results))
    return ShardWorker(WorkerSettings(backend.uri, plan.run, "minilm-l6-v2", 1)), batch_of(reference)


def batch_of(reference):
    return {name: np.array([value]) for name, value in reference.row().items()}


def first_row(reply):
    return {name: values[0] for name, values in reply.items()}


def test_a_reference_survives_its_way_through_ray():
    reference = ShardReference(3, (0, -1, 2), True, False, "transient")
    assert ShardReference.of(batch_of(reference)) == reference


def test_a_shard_is_told_by_stage_rows_and_seconds(worker):
    run, batch = worker
    done = _done(first_row(run(batch)))
    assert sum(rows for _, rows, _, _ in done.tallies) == 1 + 4 + 4 + 4 + 4 + 1
    assert not any(failed for _, _, failed, _ in done.tallies)
    assert len(str(first_row(run(batch)))) < 1024


def test_a_full_disk_at_a_worker_ends_the_run_as_a_full_disk(worker, monkeypatch):
    run, batch = worker

    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreUnusable, match="disk is full") as caught:
        _done(first_row(run(batch)))
    assert caught.value.exit_code == 2
    assert "finished work is kept" in caught.value.remedy
