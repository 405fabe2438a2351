"""A stage's version is its promise: the same units and recorded model replies give the same rows (STORAGE, rule 7).

`golden/stages.json` holds a digest by (stage kind, version). To accept a changed behaviour raise the stage's version, then write the new
digest: MIEN_WRITE_GOLDEN=1 pytest tests/jobs/test_stage_versions.py
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import numpy as np
import pytest

from actors.scorer import VpttScorer
from actors.writer import TemplateWriter
from engine.config import Experiment
from engine.outcome import Answered
from engine.profiles.validation import person_key
from engine.rows import inputs_digest, make_row
from engine.stage import Unit
from engine.store.folder import FolderBackend
from engine.store.plans import Shard, Subject
from engine.store.results import Results
from jobs.calling import Caller
from jobs.shard_runner import ShardRunner
from jobs.vptt import vptt
from tests.jobs.hand_made import PEOPLE, QUERIES, RecordedEncoder

GOLDEN = Path(__file__).parent / "golden" / "stages.json"


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """Stage id -> (stage, rows) of the whole workflow on 5 people x 4 tasks = 20 units."""
    results = Results(FolderBackend(tmp_path_factory.mktemp("store")))
    experiment = Experiment.model_validate({"budgets": ["q3", "q1"]})
    workflow = vptt(experiment, {"encoder": "recorded@1", "writer:template": TemplateWriter.id}, QUERIES)
    people = {person_key(profile): profile for profile in PEOPLE}
    shard = Shard.of([Subject(key, profile.id, profile.cluster) for key, profile in people.items()])
    rows = [make_row(workflow.people, Unit(key, key), Answered(profile), inputs_digest([])) for key, profile in people.items()]
    results.commit(workflow.people, shard.key, rows)
    actors = {"encoder": RecordedEncoder(), "writer:template": TemplateWriter(), "scorer": VpttScorer(workflow.ceilings.definition)}
    ShardRunner(results, workflow.stages, Caller(actors.__getitem__), workflow.units).run(shard, {workflow.people.id: 0})
    return {
        stage.name: (stage, results.read(stage, shard.key, overlays=0, units=[u.key for u in workflow.units(shard, stage)]))
        for stage in (workflow.people, *workflow.stages)
    }


def digest(stage, rows) -> str:
    """Of the rows' values, floats to nine decimals: sums may differ in their last bit between BLAS builds."""

    def plain(value):
        if isinstance(value, np.ndarray):
            return [round(float(x), 9) for x in value.ravel()]
        if isinstance(value, float):
            return round(value, 9)
        if isinstance(value, dict):
            return {key: plain(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [plain(item) for item in value]
        return value

    table = [[unit, plain(stage.encode(row.outcome.value))] for unit, row in sorted(rows.items())]
    return hashlib.sha256(json.dumps(table, sort_keys=True).encode()).hexdigest()


def test_every_unit_is_answered(outputs):
    assert len(outputs) == 1 + 2 + 1 + 2 * 5 * 3 + 1
    for stage, rows in outputs.values():
        assert len(rows) == (5 if stage.per == "person" else 20)
        assert all(isinstance(row.outcome, Answered) for row in rows.values()), stage.name


def test_the_output_of_a_stage_changes_only_with_its_version(outputs):
    found: dict[str, str] = {}
    for name, (stage, rows) in sorted(outputs.items()):
        found[f"{name} version {stage.version}"] = digest(stage, rows)
    if os.environ.get("MIEN_WRITE_GOLDEN"):
        GOLDEN.write_text(json.dumps(found, indent=1) + "\n")
    golden = json.loads(GOLDEN.read_text())
    assert set(found) == set(golden), "stages or versions changed: write their golden digests (see the module's text)"
    changed = [name for name in found if found[name] != golden[name]]
    assert not changed, f"{changed}: raise the version or restore the behaviour"


def test_every_row_was_computed_from_exactly_the_stored_inputs(outputs):
    for stage, rows in outputs.values():
        for unit, row in rows.items():
            read = [outputs[each.name][1][row.subject if each.per == "person" else unit].sha256 for each in stage.inputs]
            assert row.input_sha256 == inputs_digest(read)
