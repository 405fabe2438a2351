"""Whole runs on a real local Ray: complete, resumable, a no-op when finished, and byte-identical after kills (STORAGE)."""

import json
import signal
import subprocess
import sys
import time

import pytest

from engine.config import CONTROLS
from engine.outcome import Answered
from engine.rows import inputs_digest
from jobs.call_log import units_asked
from jobs.cli import exit_code
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


def units_by_shard(run, stage):
    return [len(run.workflow.units(shard, stage)) for shard in run.plan.shards]


def planned_units(run):
    return {stage.id: units for stage in run.workflow.stages if (units := sum(units_by_shard(run, stage)))}


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
    assert summary["units"] == PEOPLE * 4 * 6
    assert set(summary["methods"]) == {"baseline", "vprag", *CONTROLS}
    assert summary["methods"]["vprag"]["all"]["v"]["n"] == PEOPLE * 4
    assert b"<script" not in experiment.report(undisturbed, "index.html")


def test_each_unit_was_asked_exactly_once(experiment, undisturbed):
    assert units_asked(experiment.calls(undisturbed)) == planned_units(experiment.opened(undisturbed))


def test_rows_were_computed_from_exactly_what_is_stored(experiment, undisturbed):
    run = experiment.opened(undisturbed)
    shard = run.plan.shards[0]
    rows = {stage.id: run.results.read(stage, shard.key, overlays=0) for stage in (run.workflow.people, *run.workflow.stages)}
    units = {stage.id: {unit.key: unit for unit in run.workflow.units(shard, stage)} for stage in run.workflow.stages}
    for stage in run.workflow.stages:
        for unit, row in rows[stage.id].items():
            read = [rows[each.stage.id][each.key].sha256 for each in stage.reads(units[stage.id][unit])]
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
    run = experiment.opened(store)
    for stage in run.workflow.stages:
        units = units_by_shard(run, stage)
        assert sum(units) <= asked[stage.id] <= sum(units) + ACTORS * max(units)


def test_a_limited_run_then_the_full_one_recomputes_only_an_unfinished_last_shard(experiment):
    code, output = experiment.run("limited", "--limit", "5", log="first")
    assert code == 0, output
    summary = json.loads(experiment.report("limited", "summary.json", "small-limit-5"))
    assert summary["partial"] is True
    code, output = experiment.run("limited", log="second")
    assert code == 0, output
    asked, run = units_asked(experiment.calls("limited", "second")), experiment.opened("limited")
    for stage in run.workflow.stages:
        # Two whole shards of the limited run are taken over, but among more people the same prompt ranks otherwise.
        assert asked[stage.id] == sum(units_by_shard(run, stage)[0 if stage in run.workflow.phases[1] else 2 :]), stage.name


def damage(experiment, store, stage_id):
    """Cut one result of a stage short, and forget that the report was whole."""
    path = next(iter(sorted((experiment.folder / store / "results" / stage_id).iterdir())))
    path.write_bytes(path.read_bytes()[:100])
    next((experiment.folder / store / "runs").glob("*/report/end.json")).unlink()
    return path.name


@pytest.mark.parametrize("kind", ["score", "prompt", "reid", "people", "queries"])
def test_a_truncated_file_is_set_aside_and_comes_back(experiment, undisturbed, kind):
    run = experiment.opened(undisturbed)
    before = experiment.report(undisturbed, "summary.json")
    stages = {stage.kind: stage for stage in (run.workflow.people, run.workflow.queries, *run.workflow.stages)}
    name = damage(experiment, undisturbed, stages[kind].id)
    have = results_in(experiment.folder / undisturbed)
    code, output = experiment.run(undisturbed, log=f"repair-{kind}")
    assert code == 0, output
    assert results_in(experiment.folder / undisturbed) == have
    assert (experiment.folder / undisturbed / "results" / stages[kind].id / name).stat().st_size > 100
    assert list((experiment.folder / undisturbed / "quarantine").iterdir())
    assert experiment.report(undisturbed, "summary.json") == before
    asked = units_asked(experiment.calls(undisturbed, f"repair-{kind}"))
    # Stages here are bit-stable, so what depends on a file that came back stays as it is.
    assert set(asked) == ({stages[kind].id} if kind in ("score", "prompt", "reid") else set())


def people_file(folder):
    """People in many scripts, and one row that is no person."""
    texts = {
        "arabic": ["إبريق نحاسي على طاولة المطبخ", "سوق قديم تحت ضوء الغروب", "وشاح أزرق في الريح", "قارب قديم عند الفجر"],
        "chinese": ["一个穿着红色连衣裙的女孩", "海边的日出，渔船归来", "雨后的石板路", "茶馆里的灯笼"],
        "emoji": ["Tea time 🫖 by the window", "Kites 🪁 over the hill", "Rain ☔ on the ferry", "A quiet 🌊 harbour"],
        "combining": ["Cafe\u0301 cre\u0300me at dawn", "Nai\u0308ve fac\u0327ade", "Rôle of the old harbour", "Fe\u0302te on the quay"],
    }
    rows = [{"id": name, "summary_given": each[0], "summary_ref": each[1], "captions": each} for name, each in texts.items()]
    rows.insert(2, {"id": "broken", "summary_given": "x", "captions": []})
    path = folder / "people.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path, texts


def test_a_bad_person_is_a_failed_row_and_every_script_passes_through(experiment, capsys):
    path, texts = people_file(experiment.folder)
    code, output = experiment.run("scripts", "--people", str(path), "--max-failed", "1", "--set", "cross_fit=1")
    assert code == 0, output
    run = experiment.opened("scripts")
    captions = {}
    for shard in run.plan.shards:
        for row in run.results.read(run.workflow.people, shard.key, overlays=0).values():
            if isinstance(row.outcome, Answered):
                captions[row.outcome.value.id] = [caption.text for caption in row.outcome.value.captions]
    assert captions == texts
    summary = json.loads(experiment.report("scripts", "summary.json"))
    # Six methods and controls for five people, one of whom cannot be used.
    # Two of them are without a stranger in their shard.
    assert (summary["units"], summary["failed"]) == (6 * 5 * 4 - 2 * 4, 6 * 4)
    assert summary["methods"]["vprag"]["all"]["v"]["n"] == 16
    store = str(experiment.folder / "scripts")
    assert exit_code(["errors", "small", "--store", store, "--group"]) == 0
    out = capsys.readouterr().out
    assert "bad-person: 1 (permanent)" in out
    assert "broken" in out
    assert "captions" in out


def test_an_interrupt_ends_with_130_and_the_same_command_goes_on(experiment, undisturbed):
    process = experiment.start("interrupted")
    while results_in(experiment.folder / "interrupted") < 20 and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 130, output
    assert "same command again" in output
    code, output = experiment.run("interrupted")
    assert code == 0, output
    assert experiment.report("interrupted", "summary.json") == experiment.report(undisturbed, "summary.json")


def test_status_and_watch_read_the_store_alone(experiment, undisturbed, capsys):
    store = str(experiment.folder / undisturbed)
    assert exit_code(["status", "small", "--store", store]) == 0
    out = capsys.readouterr().out
    assert f"people    {PEOPLE} of {PEOPLE}" in out
    assert exit_code(["watch", "small", "--store", store, "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["finished"] is True


def test_explain_shows_one_results_lineage(experiment, undisturbed, capsys):
    store = str(experiment.folder / undisturbed)
    assert exit_code(["explain", "small", "g0-000000/social-generation/vprag", "--store", store]) == 2
    capsys.readouterr()
    assert exit_code(["explain", "small", "g0-000000", "--store", store]) == 0
    path = next(line.split()[3] for line in capsys.readouterr().out.splitlines() if "/vprag " in line)
    assert exit_code(["explain", "small", path, "--store", store]) == 0
    out = capsys.readouterr().out
    assert "quotas" in out
    assert "INPUTS CHANGED" not in out
    assert out.count("computed from exactly these inputs") == 6


def test_a_plan_knows_what_is_done_and_how_long_it_took(experiment, undisturbed, capsys):
    store = experiment.folder / undisturbed
    before = sorted(store.rglob("*"))
    assert exit_code(["plan", str(experiment.file), "--store", str(store), "--json"]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    stages = [event for event in events if event["event"] == "stage"]
    assert all(event["done"] == event["units"] and event["seconds"] == 0 for event in stages)
    assert sorted(store.rglob("*")) == before, "a plan writes nothing"
