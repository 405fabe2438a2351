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

from actors.index_copy import ensure_local
from actors.index_file import open_index
from actors.reidentifier import Reidentifier
from actors.scorer import VpttScorer
from actors.second_space import SecondSpace
from actors.writer import TemplateWriter
from engine.config import Experiment
from engine.metrics.definition import VpttDefinition
from engine.outcome import Answered
from engine.profiles.validation import person_key
from engine.rows import inputs_digest, make_row
from engine.stage import Unit
from engine.store.folder import FolderBackend
from engine.store.plans import Plan, Shard, Subject
from engine.store.results import Results
from jobs.calling import Caller
from jobs.gallery import Gallery
from jobs.progress import progress_of
from jobs.shard_runner import ShardRunner
from jobs.vptt import vptt
from tests.jobs.hand_made import PEOPLE, QUERIES, RecordedEncoder

GOLDEN = Path(__file__).parent / "golden" / "stages.json"


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """Stage name -> (stage, units, rows) of the whole workflow on 5 people x 4 tasks = 20 units, 40 halves."""
    results = Results(FolderBackend(tmp_path_factory.mktemp("store")))
    experiment = Experiment.model_validate({"budgets": ["q3", "q1"], "cross_fit": 1, "retrieval": {"matched_tau": 0.05}})
    models = {"encoder": "recorded@1", "second": "recorded@2", "writer:template": TemplateWriter.id, "gallery": "the five people"}
    workflow = vptt(experiment, models, QUERIES)
    people = {person_key(profile): profile for profile in PEOPLE}
    shard = Shard.of([Subject(key, profile.id, profile.cluster) for key, profile in people.items()])
    rows = [make_row(workflow.people, Unit(key, key), Answered(profile), inputs_digest([])) for key, profile in people.items()]
    results.commit(workflow.people, shard.key, rows)
    actors = {
        "encoder": RecordedEncoder(),
        "second": SecondSpace(RecordedEncoder("second"), VpttDefinition(encoder="recorded@2")),
        "writer:template": TemplateWriter(),
        "scorer": VpttScorer(workflow.ceilings.definition),
    }
    plan, done = Plan("0" * 16, {}, Shard.of([]), (shard,), False, len(PEOPLE)), {workflow.people.id: 0}
    for phase, stages in enumerate(workflow.phases):
        if told := workflow.before(phase, plan, results, progress_of(workflow, results)):
            gallery = Gallery(**told["gallery"])
            index = open_index(ensure_local(results.backend, gallery.index, gallery.sha256))
            actors["retrieval"] = Reidentifier(index, gallery.read_traits(results.backend))
        ShardRunner(results, stages, Caller(actors.__getitem__), workflow.units).run(shard, done)
    return {stage.name: (stage, *_units_and_rows(results, workflow, shard, stage)) for stage in (workflow.people, *workflow.stages)}


def _units_and_rows(results, workflow, shard, stage):
    units = {unit.key: unit for unit in workflow.units(shard, stage)}
    return units, results.read(stage, shard.key, overlays=0, units=units)


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
    # Ten entrants of whom seven see captions, so that these are written and embedded by halves as well; each is scored four times over,
    # and embedded without the summary's words. Three retrievals and the random draw, whole and by halves.
    of_a_budget = 2 * (10 + 7) + 10 * 4 + 10 + 2 * (3 + 1)
    assert len(outputs) == 1 + 1 + 2 * of_a_budget + 1
    for stage, units, rows in outputs.values():
        assert len(rows) == len(units) == {"person": 5, "task": 20, "half": 40}[stage.per]
        assert all(isinstance(row.outcome, Answered) for row in rows.values()), stage.name


def test_the_output_of_a_stage_changes_only_with_its_version(outputs):
    found: dict[str, str] = {}
    for name, (stage, _, rows) in sorted(outputs.items()):
        found[f"{name} version {stage.version}"] = digest(stage, rows)
    if os.environ.get("MIEN_WRITE_GOLDEN"):
        GOLDEN.write_text(json.dumps(found, indent=1) + "\n")
    golden = json.loads(GOLDEN.read_text())
    assert set(found) == set(golden), "stages or versions changed: write their golden digests (see the module's text)"
    changed = [name for name in found if found[name] != golden[name]]
    assert not changed, f"{changed}: raise the version or restore the behaviour"


def test_every_row_was_computed_from_exactly_the_stored_inputs(outputs):
    for stage, units, rows in outputs.values():
        for unit, row in rows.items():
            read = [outputs[each.stage.name][2][each.key].sha256 for each in stage.reads(units[unit])]
            assert row.input_sha256 == inputs_digest(read)
