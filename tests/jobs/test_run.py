"""Whole runs on a real local Ray: complete, resumable, a no-op when finished, and byte-identical after kills (STORAGE)."""

import json
import subprocess
import sys

import pytest

from engine.outcome import Answered
from engine.rows import inputs_digest
from jobs.call_log import units_asked
from tests.jobs.running import ROOT, Experiment, kill_when, results_in

PEOPLE, SHARD_SIZE, ACTORS = 20, 2, 2


@pytest.fixture(scope="module")
def experiment(tmp_path_factory):
    return Experiment(tmp_path_factory.mktemp("runs"), PEOPLE, SHARD_SIZE)


@pytest.fixture(scope="module")
def undisturbed(experiment):
    """The store of a run that nothing happened to."""
    code, output = experiment.run("undisturbed")
    assert code == 0, output
    return "undisturbed"


def planned_units(run):
    return {stage.id: sum(len(run.workflow.units(shard, stage)) for shard in run.plan.shards) for stage in run.workflow.stages}


def test_a_run_ends_with_every_unit_answered_and_a_report(experiment, undisturbed):
    run = experiment.opened(undisturbed)
    progress = run.progress()
    for stage in run.workflow.stages:
        for shard in run.plan.shards:
            units = [unit.key for unit in run.workflow.units(shard, stage)]
            rows = run.results.read(stage, shard.key, overlays=progress.overlays(stage, shard), units=units)
            assert all(isinstance(row.outcome, Answered) for row in rows.values())
    summary = json.loads(experiment.report(undisturbed, "summary.json"))
    assert summary["complete"] is True
    assert summary["partial"] is False
    assert summary["failed"] == 0
    assert summary["units"] == PEOPLE * 4 * 5
    assert set(summary["methods"]) == {"baseline", "persona", "brag", "vprag", "combined"}
    assert summary["methods"]["vprag"]["all"]["v"]["n"] == PEOPLE * 4
    assert b"<script" not in experiment.report(undisturbed, "index.html")


def test_each_unit_was_asked_exactly_once(experiment, undisturbed):
    assert units_asked(experiment.calls(undisturbed)) == planned_units(experiment.opened(undisturbed))


def test_rows_were_computed_from_exactly_what_is_stored(experiment, undisturbed):
    run = experiment.opened(undisturbed)
    shard = run.plan.shards[0]
    rows = {stage.id: run.results.read(stage, shard.key, overlays=0) for stage in (run.workflow.people, *run.workflow.stages)}
    for stage in run.workflow.stages:
        for unit, row in rows[stage.id].items():
            read = [rows[each.id][row.subject if each.per == "person" else unit].sha256 for each in stage.inputs]
            assert row.input_sha256 == inputs_digest(read)


def test_the_same_command_again_is_a_no_op_without_ray(experiment, undisturbed):
    arguments = ["run", str(experiment.file), "--store", str(experiment.folder / undisturbed)]
    script = f"import sys; from jobs.cli import exit_code; code = exit_code({arguments!r}); assert 'ray' not in sys.modules; sys.exit(code)"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "nothing to do" in done.stdout


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_killed_driver_restarted_at_once_gives_the_same_bytes(experiment, undisturbed, share):
    store = f"killed-{share}"
    planned = len(experiment.opened(undisturbed).workflow.stages) * PEOPLE // SHARD_SIZE
    killed_at = kill_when(experiment.start(store), experiment.folder / store, int(share * planned))
    assert killed_at < planned
    code, output = experiment.run(store)
    assert code == 0, output
    for file in ("summary.json", "report.md", "tables/results.csv"):
        assert experiment.report(store, file) == experiment.report(undisturbed, file), file
    # In flight at a kill: actors x one shard (STORAGE, what must be shown by tests).
    asked = units_asked(experiment.calls(store))
    for stage, units in planned_units(experiment.opened(store)).items():
        shard = units // (PEOPLE // SHARD_SIZE)
        assert units <= asked[stage] <= units + ACTORS * shard


def test_a_limited_run_then_the_full_one_recomputes_only_an_unfinished_last_shard(experiment):
    code, output = experiment.run("limited", "--limit", "5", log="first")
    assert code == 0, output
    summary = json.loads(experiment.report("limited", "summary.json", "small-limit-5"))
    assert summary["partial"] is True
    code, output = experiment.run("limited", log="second")
    assert code == 0, output
    asked = units_asked(experiment.calls("limited", "second"))
    for stage, units in planned_units(experiment.opened("limited")).items():
        assert asked[stage] == units - units // PEOPLE * 4, "two whole shards of the limited run are taken over"


def test_a_truncated_result_is_quarantined_and_computed_again(experiment, undisturbed):
    run = experiment.opened(undisturbed)
    before = experiment.report(undisturbed, "summary.json")
    victim = run.workflow.scores[0]
    path = next((experiment.folder / undisturbed / "results" / victim.id).iterdir())
    path.write_bytes(path.read_bytes()[:100])
    (experiment.folder / undisturbed / "runs" / run.plan.run / "report" / "end.json").unlink()
    have = results_in(experiment.folder / undisturbed)
    code, output = experiment.run(undisturbed, log="repair")
    assert code == 0, output
    assert results_in(experiment.folder / undisturbed) == have
    assert list((experiment.folder / undisturbed / "quarantine").iterdir())
    assert experiment.report(undisturbed, "summary.json") == before
    assert set(units_asked(experiment.calls(undisturbed, "repair"))) == {victim.id}
