"""`mien demo --kill --s3`, whole: a worker of a run on a real S3 server is killed half-way, and the store is counted afterwards."""

import json
import os
import subprocess
import sys

import pytest

from engine.config import CONTROLS, METHODS
from engine.outcome import Answered
from engine.rows import inputs_digest, make_row
from engine.stage import Unit
from engine.store import names
from jobs.audit import audit
from tests.jobs.planned import planned
from tests.jobs.running import ROOT


def test_a_demo_that_kills_a_worker_loses_and_duplicates_nothing(tmp_path):
    smaller = {"MIEN_ENCODER": "tiny-trigrams", "MIEN_PEOPLE__GRAMMAR": "20", "MIEN_SHARD_SIZE": "2", "RAY_AUTH_MODE": "disabled"}
    command = [sys.executable, "-m", "jobs.cli", "demo", "--kill", "--s3", "--json", "--store", str(tmp_path / "demo")]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **smaller}, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    events = {event["event"]: event for event in map(json.loads, done.stdout.splitlines())}
    assert {key: events["audit"][key] for key in ("killed", "lost", "duplicated", "foreign", "stale")} == {
        "killed": 1,
        "lost": 0,
        "duplicated": 0,
        "foreign": 0,
        "stale": 0,
    }
    assert events["done"]["complete"] is True
    (page,) = (tmp_path / "demo").glob("kill-*/report/index.html")
    assert "shards begun again after an interruption" in page.read_text()
    summary = json.loads((page.parent / "summary.json").read_text())
    assert set(summary["methods"]) == {*METHODS, *CONTROLS}, "all there is, as by default"
    for secret in ("AWS_SECRET", "aws_secret"):
        assert secret not in done.stdout + done.stderr


@pytest.fixture
def run(tmp_path):
    """A planned run of two shards, the first of them computed (every row failed)."""
    made = planned(tmp_path / "store", people=4, shard_size=2)
    made.fill(0)
    return made.open()


def test_an_audit_counts_what_is_missing(run):
    found = audit(run.workflow, run.plan, run.results)
    missing = sum(len(run.workflow.units(run.plan.shards[1], stage)) for stage in run.workflow.stages)
    assert (found.lost, found.duplicated, found.foreign) == (missing, 0, 0)
    assert not found.is_exact


def test_an_audit_counts_rows_that_were_computed_from_something_else(run):
    # `fill` gives every row the digest of no inputs at all, so that of each stage that reads anything is wrong.
    reading = [stage for stage in run.workflow.stages if stage.inputs]
    shard = run.plan.shards[0]
    found = audit(run.workflow, run.plan, run.results)
    assert found.stale == sum(len(run.workflow.units(shard, stage)) for stage in reading)


def test_an_audit_counts_units_that_are_not_planned(run):
    stage, shard = run.workflow.people, run.plan.shards[0]
    run.backend.delete(names.result(stage.id, shard.key))
    person = next(iter(run.results.read(stage, run.plan.shards[1].key, overlays=0).values())).outcome
    assert isinstance(person, Answered)
    run.results.commit(stage, shard.key, [make_row(stage, Unit(key * 64, key * 64), person, inputs_digest([])) for key in "ab"])
    found = audit(run.workflow, run.plan, run.results)
    assert found.foreign == 2


def test_an_audit_counts_a_unit_that_stands_in_two_shards_files(run):
    stage, (first, second) = run.workflow.people, run.plan.shards
    both = {**run.results.read(stage, first.key, overlays=0), **run.results.read(stage, second.key, overlays=0)}
    run.backend.delete(names.result(stage.id, first.key))
    run.results.commit(stage, first.key, list(both.values()))
    found = audit(run.workflow, run.plan, run.results)
    assert (found.duplicated, found.foreign) == (2, 0)
    assert not found.is_exact
