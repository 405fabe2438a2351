"""People by a language model on the machinery of every benchmark: durable step by step, resumed after a kill, rejects counted by name."""

import json
import multiprocessing
from dataclasses import replace

import numpy as np
import pytest

from engine.outcome import Answered, Failed
from engine.profiles.model.seeds import grammar_seeds
from engine.store.folder import FolderBackend
from engine.store.plans import save_plan
from engine.store.results import Results
from jobs.building_people import gather
from jobs.cli import exit_code
from jobs.people_by_model import commit_seeds, people_by_model, plan_of
from jobs.progress import progress_of
from jobs.references import ShardReference
from jobs.remaining import remaining
from jobs.shard_runner import Retry
from jobs.worker import ShardWorker, WorkerSettings
from tests.engine.profiles.model.inventive import SMALL
from tests.workflows import inventive_people
from tests.workflows.inventive_people import inventive

DRAWN = {"temperature": 0.7, "top_p": 0.95, "context": 4096}


class Build:
    """A planned build in a folder; `work` brings it on in this process or in one of its own."""

    def __init__(self, folder, seeds, sizes=SMALL):
        self.folder, self.seeds = folder, list(seeds)
        self.workflow = inventive(people_by_model("made-up", "inventive@1", DRAWN, sizes))
        self.plan = plan_of(self.workflow, self.seeds)
        self.results = Results(FolderBackend(folder / "store"), repair=True)
        commit_seeds(self.workflow, self.plan, self.seeds, self.results)
        save_plan(self.results.backend, self.plan)

    def open(self):
        progress = progress_of(self.workflow, self.results)
        return remaining(self.workflow, self.plan, self.results, progress, Retry(), phase=self.workflow.stages)

    def work(self, **options):
        told = {"calls": str(self.folder / "calls"), **options}
        ids = tuple(stage.id for stage in self.workflow.stages)
        settings = WorkerSettings(
            self.results.backend.uri, self.plan.run, inventive_people.__name__, told, 60, operator="writer-1", stages=ids
        )
        worker = ShardWorker(settings)
        for reference in self.open():
            reply = worker({name: np.array([value]) for name, value in reference.row().items()})
            assert ShardReference.of({name: values[0] for name, values in reply.items()}).trouble is None
        return gather(self.workflow, self.plan, self.results)

    def calls(self):
        return (self.folder / "calls").read_text().split()


def test_people_come_out_of_four_steps_and_pass_every_check(tmp_path):
    build = Build(tmp_path, grammar_seeds(10, 0))
    built = build.work()
    assert [person.id for person in built.people] == [f"made-up-{seed.id}" for seed in build.seeds]
    assert not built.rejected
    for person, seed in zip(built.people, build.seeds, strict=True):
        assert person.demographics == seed.demographics
        assert len(person.captions) == SMALL.captions
        assert all(set(caption.elements) <= set(person.elements) and caption.elements for caption in person.captions)
        assert person.source == "llm:1:inventive@1"
    assert built.effort.calls == len(build.calls()) == len(set(build.calls())) == 10 * (2 + 8 + 2 + 2)


def test_a_finished_build_asks_nothing_more_and_other_people_take_over_what_is_equal(tmp_path):
    build = Build(tmp_path, grammar_seeds(8, 0))
    first = build.work()
    assert build.open() == []
    calls = len(build.calls())
    more = Build(tmp_path, grammar_seeds(16, 0))
    assert more.work().people[:8] == first.people
    assert len(build.calls()) == 2 * calls


def test_a_killed_process_loses_only_the_step_that_it_was_at(tmp_path):
    whole = Build(tmp_path / "whole", grammar_seeds(8, 0))
    expected = whole.work()
    build = Build(tmp_path / "killed", grammar_seeds(8, 0))
    process = multiprocessing.get_context("spawn").Process(target=build_and_die, args=(tmp_path / "killed", 8 * (2 + 8) + 5))
    process.start()
    process.join(60)
    assert process.exitcode == 9
    assert [len(build.results.done(stage)) for stage in build.workflow.stages] == [1, 1, 0, 0]
    built = build.work()
    assert built.people == expected.people
    assert len(build.calls()) == len(whole.calls()) + 5


def build_and_die(folder, calls):
    Build(folder, grammar_seeds(8, 0)).work(die_after=calls)


def test_who_is_rejected_is_counted_by_step_and_reason_and_named(tmp_path):
    seeds = list(grammar_seeds(4, 0))
    seeds[1] = replace(seeds[1], text="The mark of the malformed.")
    build = Build(tmp_path, seeds)
    built = build.work()
    assert len(built.people) == 3
    assert built.by_reason == {("person-sketch", "no-json"): ["made-up-0-000001"]}
    rows = build.results.read(build.workflow.captions, build.plan.shards[0].key, overlays=0)
    outcomes = [rows[subject.key].outcome for subject in build.plan.shards[0].subjects]
    assert isinstance(outcomes[1], Failed)
    assert outcomes[1].code == "upstream:unparsed"
    assert isinstance(outcomes[0], Answered)


def test_what_changes_an_answer_changes_the_stage_and_what_does_not_does_not():
    def fingerprints(name="a", model="m@1", drawn=DRAWN, sizes=SMALL):
        return [stage.fingerprint for stage in people_by_model(name, model, drawn, sizes).stages]

    base = fingerprints()
    assert fingerprints(name="another name") == base
    for changed in ({"model": "m@2"}, {"drawn": {**DRAWN, "temperature": 0}}, {"sizes": replace(SMALL, repairs=2)}):
        assert not set(fingerprints(**changed)) & set(base)
    # A step whose own sizes are the same is not asked again.
    assert [new == old for new, old in zip(fingerprints(sizes=replace(SMALL, captions=5)), base, strict=True)] == [True, True, False, False]


def test_the_command_names_everybody_whom_a_poor_model_could_not_make(tmp_path, capsys):
    out = tmp_path / "people.parquet"
    command = ["profiles", "build", "--writer", "tiny-chat", "--n", "3", "--store", str(tmp_path / "store"), "--out", str(out), "--json"]
    assert exit_code(command) == 3
    printed = capsys.readouterr()
    events = [json.loads(line) for line in printed.out.splitlines()]
    rejected = [event for event in events if event["event"] == "rejected"]
    assert [event["id"] for event in rejected] == [f"tiny-chat-0-00000{index}" for index in range(3)]
    assert {(event["step"], event["reason"]) for event in rejected} == {("person-sketch", "too-short")}
    assert events[-1] | {"asked": 3, "people": 0, "rejected": 3, "exit_code": 3} == events[-1]
    assert "3 people asked for, 0 made, 3 rejected." in printed.err
    assert not out.exists()
    assert exit_code([*command, "--max-failed", "3"]) == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--seeds", "seeds.jsonl"], "--writer"),
        (["--writer", "smollm3"], "smollm2"),
        (["--writer", "smollm2", "--seeds", "none.jsonl"], "no such file"),
    ],
)
def test_what_cannot_be_built_is_told_before_anything_is_written(tmp_path, capsys, arguments, told):
    store = tmp_path / "store"
    assert exit_code(["profiles", "build", *arguments, "--store", str(store), "--out", str(tmp_path / "p.parquet")]) == 2
    assert told in capsys.readouterr().err
    assert not store.exists()
