"""The second phase reads the memory of all: it waits for the first everywhere, follows what is renewed there, and mends its gallery."""

import os
import shutil
import time
from pathlib import Path

import pytest

from engine.errors import CorruptObject
from engine.execution_config import Execution
from engine.outcome import Answered, Failed, FailureKind
from engine.rows import inputs_digest, make_row
from engine.store import names
from engine.store.journal import JournalReader
from jobs.commands.gc import gc_command
from jobs.console import Console
from jobs.driving import driving
from jobs.gallery import Gallery, ensure_gallery
from jobs.local_ray import RaySession
from jobs.passes import Passes, Work
from jobs.progress import progress_of
from jobs.reporting import make_report
from jobs.shard_runner import UPSTREAM, Retry
from jobs.vptt import Vptt
from tests.jobs.passing import advance, open_shards, results_of, rows_of, run_here
from tests.jobs.planned import Planned, planned

PEOPLE, SHARD_SIZE = 6, 2
CHOICES = {"encoder": "tiny-trigrams", "second_encoder": "", "cross_fit": 1, "methods": ["baseline"]}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    return run_here(planned(tmp_path_factory.mktemp("phases") / "store", people=PEOPLE, shard_size=SHARD_SIZE, **CHOICES))


@pytest.fixture
def fresh(tmp_path):
    return planned(tmp_path / "store", people=PEOPLE, shard_size=SHARD_SIZE, **CHOICES)


@pytest.fixture
def copy(finished, tmp_path):
    """The finished run in a store of its own, to be spoiled."""
    shutil.copytree(finished.store, tmp_path / "copy")
    return Planned(tmp_path / "copy", finished.prepared, finished.plan)


def found_by_a_driver(made, retry=None):
    """(phase, shards) of the next pass; None if nothing is open."""
    results = results_of(made)
    with driving(results.backend, made.plan.run, command="test") as hold:
        work = Work(made.plan, made.prepared.workflow, [], results, Execution(), Vptt.__module__, {}, retry or Retry())
        found = Passes(work, hold, RaySession(""), Console())._open()
    return found and (found[0], [reference.shard for reference in found[1]])


def kinds_of(ended, made):
    kinds = [stage.kind for stage in made.prepared.workflow.stages]
    return {kinds[index] for each in ended for visit in each.visits for index, *_ in visit.tallies}


def test_the_second_phase_begins_when_the_first_is_done_on_every_shard(fresh):
    assert found_by_a_driver(fresh) == (0, [0, 1, 2])
    advance(fresh, 0, shards=[0, 2])
    assert found_by_a_driver(fresh) == (0, [1]), "what is done waits for the one that is not"
    assert kinds_of(advance(fresh, 0), fresh) >= {"memory", "score", "cross", "masked", "ceiling"}
    assert found_by_a_driver(fresh) == (1, [0, 1, 2])
    ended = advance(fresh, 1, shards=[1])
    assert kinds_of(ended, fresh) == {"reid"}
    assert found_by_a_driver(fresh) == (1, [0, 2]), "a driver that follows goes on where the last one was lost"
    advance(fresh, 1)
    assert found_by_a_driver(fresh) is None


def test_a_run_that_ends_between_the_phases_is_no_finished_one(fresh):
    advance(fresh, 0)
    opened = fresh.open()
    assert not all(opened.progress().is_done(opened.workflow.finals, shard) for shard in fresh.plan.shards)


def fail_first(made, stage, kind=FailureKind.RETRYABLE):
    """Let the first unit of a stage on the first shard have failed, as if an actor had; the others are computed as always."""
    shard, workflow = made.plan.shards[0], made.prepared.workflow
    unit = next(unit for unit in workflow.units(shard, stage) if unit.subject == shard.subjects[0].key)
    advance(made, 0)
    results = results_of(made)
    rows = results.read(stage, shard.key, overlays=0)
    failed = make_row(stage, unit, Failed("transient", "the line was cut", kind), rows[unit.key].input_sha256)
    results.commit(stage, shard.key, [failed], overlay=1)
    for ended in advance(made, 0, retry=Retry("none of these")):
        assert ended.trouble is None
    return unit


def by_unit(made, stage):
    return {key: row.outcome for key, row in rows_of(made, stage).items()}


@pytest.mark.parametrize("kind", ["memory", "embedding", "masked"])
def test_what_is_tried_again_in_the_first_phase_renews_the_second(fresh, finished, kind):
    workflow = fresh.prepared.workflow
    baseline = next(entrant for entrant in workflow.entrants if entrant.label == "baseline")
    stage = {"memory": workflow.memory, "embedding": baseline.score.embedding, "masked": baseline.reid.masked}[kind]
    unit = fail_first(fresh, stage)
    assert [each.trouble for each in advance(fresh, 1)] == [None] * 3
    reid = by_unit(fresh, baseline.reid)
    hit = {key for key, outcome in reid.items() if isinstance(outcome, Failed)}
    assert hit, "the failure shows in the second phase"
    assert all(reid[key].code == UPSTREAM + "transient" for key in hit)
    assert {row.subject for key, row in rows_of(fresh, baseline.reid).items() if key in hit} == {unit.subject}
    assert found_by_a_driver(fresh) == (0, [0])
    advance(fresh, 0, retry=Retry())
    assert found_by_a_driver(fresh) == (1, [0])
    advance(fresh, 1, retry=Retry())
    assert found_by_a_driver(fresh) is None
    shard = fresh.plan.shards[0]
    mended, undisturbed = by_unit(fresh, baseline.reid), by_unit(finished, baseline.reid)
    # Whose row was renewed stands as if nothing had happened; others were found among the people that were there then.
    renewed = [each.key for each in workflow.units(shard, baseline.reid) if each.subject == unit.subject or kind != "memory"]
    assert len(renewed) >= 4
    assert {key: mended[key] for key in renewed} == {key: undisturbed[key] for key in renewed}


def gallery_of(made):
    results = results_of(made)
    return ensure_gallery(made.prepared.workflow, made.plan, results, progress_of(made.prepared.workflow, results))


def objects(made):
    return {name: (made.store / name).read_bytes() for name in results_of(made).backend.list("objects/")}


def test_a_gallery_is_built_once_and_known_by_what_it_was_made_from(finished):
    before = objects(finished)
    times = {name: (finished.store / name).stat().st_mtime_ns for name in before}
    gallery = gallery_of(finished)
    assert {name: (finished.store / name).stat().st_mtime_ns for name in objects(finished)} == times
    assert sorted(name.rpartition(".")[2] for name in before) == ["json", "safetensors", "traits"]
    assert {gallery.index, gallery.traits} < set(before)


def spoil(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


DAMAGES = {
    "flipped": spoil,
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-7]),
    "emptied": lambda path: path.write_bytes(b""),
    "gone": lambda path: path.unlink(),
}


@pytest.mark.parametrize("ending", ["safetensors", "traits", "json"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_or_half_built_gallery_is_built_again_as_it_was(copy, ending, damage):
    whole = objects(copy)
    DAMAGES[damage](copy.store / next(name for name in whole if name.endswith(ending)))
    gallery_of(copy)
    assert objects(copy) == whole


@pytest.mark.parametrize("damage", ["flipped", "cut"])
@pytest.mark.parametrize("part", ["index", "traits"])
def test_a_worker_that_meets_a_damaged_gallery_reports_it_and_the_next_pass_mends_it(copy, monkeypatch, part, damage):
    workflow = copy.prepared.workflow
    for stage in workflow.phases[1]:
        shutil.rmtree(copy.store / "results" / stage.id)
    gallery = gallery_of(copy)

    def damaged_meanwhile(phase, plan, results, progress):
        DAMAGES[damage](copy.store / getattr(gallery, part))
        return {"store": results.backend.uri, "gallery": gallery.option()}

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(Vptt, "before", lambda self, *arguments: damaged_meanwhile(*arguments))
        ended = advance(copy, 1, shards=[0])
    assert [(each.trouble.kind, each.trouble.again) for each in ended] == [("CorruptObject", True)]
    assert [each.trouble for each in advance(copy, 1)] == [None] * 3
    assert found_by_a_driver(copy) is None


def test_traits_that_are_not_what_was_stored_are_refused(copy):
    gallery = gallery_of(copy)
    spoil(copy.store / gallery.traits)
    with pytest.raises(CorruptObject, match="is not what was stored"):
        Gallery(**gallery.option()).read_traits(results_of(copy).backend)


def test_people_without_a_memory_are_in_no_gallery_until_they_have_one(fresh):
    stage = fresh.prepared.workflow.memory
    fail_first(fresh, stage)
    without = gallery_of(fresh)
    advance(fresh, 0, retry=Retry())
    whole = gallery_of(fresh)
    assert without.index != whole.index
    sizes = [(fresh.store / gallery.index).stat().st_size for gallery in (without, whole)]
    assert sizes[0] < sizes[1]


def test_gc_keeps_a_runs_gallery_and_takes_one_that_no_plan_names(copy):
    backend, mine = results_of(copy).backend, set(objects(copy))
    theirs = names.object_("memory-" + "b" * 16, "c" * 64, "safetensors")
    backend.create(theirs, b"x")
    then = time.time() - 30 * 86_400
    for name in (*mine, theirs):
        os.utime(Path(copy.store, name), (then, then))
    assert gc_command(store=backend.uri, delete=True, older_than_days=7, as_json=False, watch_s=0.2) == 0
    assert set(objects(copy)) == mine


def test_a_row_that_was_computed_from_a_strangers_old_row_is_found_and_renewed(copy):
    """A score reads the memories of strangers: when a stranger's is renewed, so is every score that was compared with it."""
    workflow, shard = copy.prepared.workflow, copy.plan.shards[1]
    results, stage = results_of(copy), workflow.memory
    one, other = (subject.key for subject in shard.subjects)
    row = results.read(stage, shard.key, overlays=0)[other]
    moved = row.outcome.value
    changed = Answered(type(moved)(moved.captions[::-1].copy(), moved.elements, moved.reference, moved.truncated))
    unit = next(unit for unit in workflow.units(shard, stage) if unit.key == other)
    results.commit(stage, shard.key, [make_row(stage, unit, changed, row.input_sha256)], overlay=1)
    score = next(entrant.score for entrant in workflow.entrants if entrant.label == "baseline")
    before = {key: row for key, row in rows_of(copy, score).items() if row.subject == one}
    assert [each.shard for each in open_shards(copy, 0)] == [1]
    advance(copy, 0)
    assert found_by_a_driver(copy) == (1, [1])
    advance(copy, 1)
    assert found_by_a_driver(copy) is None
    after = {key: row for key, row in rows_of(copy, score).items() if row.subject == one}
    for key, row in before.items():
        assert after[key].input_sha256 != row.input_sha256
        assert after[key].outcome.value.score == row.outcome.value.score, "against the right person nothing changed"
        assert after[key].outcome.value.stranger != row.outcome.value.stranger


def test_a_stranger_who_cannot_be_used_is_left_out_and_fails_nobody_else(fresh):
    workflow, shard = fresh.prepared.workflow, fresh.plan.shards[0]
    unit = fail_first(fresh, workflow.memory, FailureKind.PERMANENT)
    score = next(entrant.score for entrant in workflow.entrants if entrant.label == "baseline")
    rows = results_of(fresh).read(score, shard.key, overlays=1)
    for row in rows.values():
        if row.subject == unit.subject:
            assert row.outcome.code == UPSTREAM + "transient"
        else:
            assert (row.outcome.value.stranger, row.outcome.value.strangers) == (None, 0)
            assert row.input_sha256 != inputs_digest([])


def test_a_half_that_failed_beside_a_score_that_did_not_is_told_at_the_end(copy):
    run, results = copy.open(), results_of(copy)
    assert told_at_the_end(run).roots == 0
    cross = next(entrant.cross for entrant in run.workflow.entrants if entrant.cross)
    (unit, *_), shard = run.workflow.units(run.plan.shards[0], cross), run.plan.shards[0]
    failed = Failed("rate-limited", "made up", FailureKind.RETRYABLE)
    results.commit(cross, shard.key, [make_row(cross, unit, failed, rows_of(copy, cross)[unit.key].input_sha256)], overlay=1)
    end = told_at_the_end(copy.open())
    assert (end.roots, end.retryable) == (1, 1)


def told_at_the_end(run):
    journal = JournalReader(run.backend, run.plan.run)
    progress = progress_of(run.workflow, run.results)
    return make_report(run.results, run.workflow, run.plan, progress, name=run.name, command="test", journal=journal)
