"""Anyone's own prompts: in an experiment, by `mien score`, and the documented method, all with the tiny encoder."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from engine.errors import PlanMismatch
from engine.store.names import result
from engine.store.opening import open_backend
from engine.store.results import Results
from jobs.cli import exit_code
from jobs.commands.score import run_name, scoring
from jobs.failures import failures
from jobs.given_prompts import check_given, commit_given
from jobs.people_source import read_shards
from jobs.planning import make_plan
from jobs.report_inputs import score_table
from tests.jobs.in_process import evaluated

ROOT = Path(__file__).parents[2]
PEOPLE = 6
TASKS = ["cultural-generation", "social-generation"]
CHEAP = ["--set", "encoder=tiny-trigrams", "--set", 'second_encoder=""', "--set", "cross_fit=0", "--set", "execution.encoder.max=1"]


def lines(path, rows):
    path.write_text("".join(json.dumps(each) + "\n" for each in rows), encoding="utf-8")
    return path


def mien(capsys, *arguments):
    code = exit_code([str(argument) for argument in arguments])
    return code, *capsys.readouterr()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """People, an experiment over them, and who is asked what in it."""
    folder = tmp_path_factory.mktemp("own")
    assert exit_code(["profiles", "build", "--n", str(PEOPLE), "--out", str(folder / "people.parquet")]) == 0
    (folder / "experiment.yaml").write_text(
        f"name: own\npeople: {{file: people.parquet}}\nqueries: {{tasks: [{', '.join(TASKS)}]}}\nencoder: tiny-trigrams\n"
        "second_encoder: ''\ncross_fit: 0\nshard_size: 4\nmethods: [baseline, vprag, {name: mine, file: prompts.jsonl}]\n"
    )
    # The file of prompts is not there yet: it is written from what this tells.
    assert exit_code(["queries", str(folder / "experiment.yaml"), "--out", str(folder / "queries.jsonl")]) == 0
    return folder


@pytest.fixture
def asked(folder):
    return [json.loads(line) for line in (folder / "queries.jsonl").read_text().splitlines()]


def own(store, people, file, **choices):
    methods = ["baseline", {"name": "mine", "file": str(file)}]
    queries = {"tasks": TASKS} if not choices.get("queries") else choices.pop("queries")
    return evaluated(store, "own", people={"file": str(people)}, queries=queries, methods=methods, **choices)


def table_of(run):
    return score_table(run.workflow, run.plan, run.results, run.progress()).to_pylist()


def test_queries_tell_exactly_what_each_person_is_asked(folder, asked, tmp_path):
    run = own(tmp_path / "store", folder / "people.parquet", lines(tmp_path / "p.jsonl", [{**each, "prompt": "x y"} for each in asked]))
    scored = {(row["person"], row["query"]) for row in table_of(run)}
    assert {(each["person"], each["query"]) for each in asked} == scored
    assert len(asked) == PEOPLE * len(TASKS)
    assert all(each["summary_given"] and each["text"] for each in asked)


def test_a_prompt_is_scored_as_it_stands_and_what_is_none_fails_by_itself(folder, asked, tmp_path):
    rows = [{**each, "prompt": f"{each['text']} number {number}"} for number, each in enumerate(asked)]
    rows[1]["prompt"] = ""
    missing = rows.pop(2)
    run = own(tmp_path / "store", folder / "people.parquet", lines(tmp_path / "p.jsonl", rows))
    mine = {(row["person"], row["query"]): row for row in table_of(run) if row["method"] == "mine"}
    good = mine[rows[0]["person"], rows[0]["query"]]
    assert (good["prompt"], good["outcome"]) == (rows[0]["prompt"], "answered")
    assert 0 < good["v"] < 1
    assert mine[missing["person"], missing["query"]]["outcome"] == "failed"
    assert mine[missing["person"], missing["query"]]["v"] is None
    roots = [each for each in failures(run.workflow, run.plan, run.results, run.progress()) if each.is_root]
    assert sorted((each.outcome.code, each.stage) for each in roots) == [
        ("empty-prompt", "prompt-mine-template-q3"),
        ("no-prompt", "prompt-mine-template-q3"),
    ]


def test_errors_show_what_a_file_lacks_and_a_retry_says_that_it_is_no_use(folder, asked, tmp_path, capsys):
    own(tmp_path / "store", folder / "people.parquet", lines(tmp_path / "p.jsonl", [{**each, "prompt": "x y"} for each in asked[1:]]))
    _, out, _ = mien(capsys, "errors", "own", "--group", "--store", tmp_path / "store")
    assert "no-prompt: 1 (permanent)" in out
    assert "mend the file of prompts" in out
    for options in ((), ("--code", "no-prompt")):
        code, _, err = mien(capsys, "retry", "own", "--store", tmp_path / "store", *options)
        assert code == 2
        assert "mend the file of prompts" in err


def test_own_prompts_change_no_stage_of_the_built_in_methods(folder, asked, tmp_path):
    one = own(tmp_path / "one", folder / "people.parquet", lines(tmp_path / "p.jsonl", [{**each, "prompt": "x y"} for each in asked]))
    two = own(tmp_path / "two", folder / "people.parquet", lines(tmp_path / "p.jsonl", [{**each, "prompt": "y z"} for each in asked]))
    changed = {stage.name for stage in two.workflow.stages} - {
        stage.name for stage in two.workflow.stages if stage.id in {each.id for each in one.workflow.stages}
    }
    assert changed
    assert all("-mine-" in name for name in changed)
    assert one.plan.run != two.plan.run


def test_rows_that_are_not_used_and_prompts_that_lack_are_counted_and_told(folder, asked, tmp_path):
    rows = [{**each, "prompt": "x y"} for each in asked[1:]]
    rows += [
        {"person": "nobody", "query": asked[0]["query"], "prompt": "x"},
        {"person": asked[0]["person"], "query": "other", "prompt": "x"},
    ]
    run = own(tmp_path / "store", folder / "people.parquet", lines(tmp_path / "p.jsonl", rows))
    strangers, others, lacks = check_given(run.workflow, run.plan, run.prepared().own)
    assert strangers.startswith("mine: 1 row of p.jsonl not used, for people that this run does not have (line 12)")
    assert others.startswith("mine: 1 row of p.jsonl not used, for queries that their person is not asked (line 13)")
    assert f"lacks 1 of {len(asked)} prompts, the first one of {asked[0]['person']}" in lacks


def test_prompts_that_were_lost_or_damaged_come_back_from_the_file_and_only_from_the_same_one(folder, asked, tmp_path):
    file = lines(tmp_path / "p.jsonl", [{**each, "prompt": f"x {each['query']}"} for each in asked])
    run = own(tmp_path / "store", folder / "people.parquet", file)
    backend, stage, shard = open_backend(str(tmp_path / "store")), run.workflow.given[0], run.plan.shards[0]
    name = result(stage.id, shard.key)
    before = backend.read(name)
    backend.delete(name)
    prepared = run.prepared()
    commit_given(run.workflow, run.plan, Results(backend), prepared.own)
    assert backend.read(name) == before
    backend.delete(name)
    file.write_text(file.read_text() + "\n")
    with pytest.raises(PlanMismatch, match="not the file"):
        commit_given(run.workflow, run.plan, Results(backend), run.prepared().own)
    run.results.backend.create(name, before)
    commit_given(run.workflow, run.plan, Results(backend), run.prepared().own)  # nothing is missing: the file is not looked at


def test_a_bad_file_stops_a_run_before_anything_is_written(folder, asked, capsys):
    lines(folder / "prompts.jsonl", [*({**each, "prompt": "x"} for each in asked), {**asked[3], "prompt": "y"}])
    code, _, err = mien(capsys, "run", folder / "experiment.yaml", "--store", folder / "none")
    assert code == 2
    assert "prompts.jsonl:13: query: line 4 has a prompt" in err
    assert not (folder / "none").exists()


def scored(folder, rows, **choices):
    """The experiment of `mien score`, planned: (prepared, plan)."""
    file = lines(folder / "scored.jsonl", rows)
    options = {"encoder": "tiny-trigrams", "second_encoder": "", "cross_fit": 0, "shard_size": 4, **choices}
    prepared = scoring(file, profiles=folder / "people.parquet", queries=None, name="", options=options)
    people = read_shards(prepared.experiment, prepared.workflow.people, assigned=prepared.own.assignment)
    return prepared, make_plan(prepared, people)


def test_each_person_is_asked_what_the_file_has_for_them_and_nobody_else_anything(folder, asked):
    people = list(dict.fromkeys(each["person"] for each in asked))
    rows = [
        {"person": people[0], "query": "A cosy dinner with friends", "prompt": "x y", "method": "alpha"},
        {"person": people[0], "query": "A cosy dinner with friends", "prompt": "y z", "method": "beta"},
        {"person": people[0], "query": asked[0]["query"], "prompt": "x y", "method": "alpha"},
        {"person": people[2], "query": "q", "query_text": "A city street", "task": "my-generation", "prompt": "z", "method": "beta"},
    ]
    prepared, plan = scored(folder, rows)
    units = [unit for shard in plan.shards for unit in prepared.workflow.units(shard, prepared.workflow.scores[0])]
    ids = {subject.key: subject.id for shard in plan.shards for subject in shard.subjects}
    assert sorted((ids[unit.subject], unit.query.text) for unit in units) == sorted(
        [(people[0], "A cosy dinner with friends"), (people[0], asked[0]["text"]), (people[2], "A city street")]
    )
    assert [stage.label for stage in prepared.workflow.given] == ["alpha", "beta"]
    lacking = list(check_given(prepared.workflow, plan, prepared.own))
    assert [told.partition(":")[0] for told in lacking] == ["alpha", "beta"]
    assert run_name(prepared) == f"score-{prepared.run[:8]}"


def test_other_queries_of_the_same_people_are_another_shard_and_the_same_ones_are_not(folder, asked):
    def rows(text, prompt):
        return [{"person": each["person"], "query": text, "prompt": prompt} for each in asked[:1]]

    (one, plan), (_, same), (_, other) = (scored(folder, rows(*each)) for each in (("a b", "x"), ("a b", "y"), ("a c", "x")))
    assert plan.shards == same.shards
    assert plan.shards[0].key != other.shards[0].key
    assert plan.run != same.run
    assert plan.from_bytes(plan.to_bytes()) == plan
    assert len(one.workflow.units(plan.shards[0], one.workflow.scores[0])) == 1


@pytest.mark.parametrize(
    ("rows", "options", "expected"),
    [
        ([{"person": "nobody", "query": "a b", "prompt": "x"}], [], "none of the 1 people that the prompts are for (nobody)"),
        ([{"person": "p", "query": "a b", "prompt": "x", "method": "m"}], ["--name", "n"], "name their methods: m"),
        ([{"person": "p", "query": "a b", "prompt": "x", "method": "vprag"}], [], "built-in method"),
        ([{"person": "p", "query": "socal-generation", "prompt": "x"}], [], "scored.jsonl:1: query"),
    ],
)
def test_score_refuses_what_it_cannot_score_and_writes_nothing(folder, tmp_path, capsys, rows, options, expected):
    file = lines(tmp_path / "scored.jsonl", rows)
    arguments = ["score", file, "--profiles", folder / "people.parquet", "--store", tmp_path / "store", *options, *CHEAP]
    code, _, err = mien(capsys, *arguments)
    assert code == 2
    assert expected in err
    assert not (tmp_path / "store").exists()


def test_assigned_queries_need_a_file_that_assigns_them(folder, capsys):
    code, _, err = mien(capsys, "plan", folder / "experiment.yaml", "--set", "queries.assigned=true", "--set", "methods=[vprag]")
    assert code == 2
    assert "needs a method of your own" in err


def documented_script():
    text = (ROOT / "docs" / "own-method.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    return script


def test_the_documented_method_is_at_most_20_lines():
    assert len([line for line in documented_script().splitlines() if line.strip()]) <= 20


def test_the_documented_method_is_scored_beside_the_built_in_ones(folder, tmp_path):
    """The commands of docs/own-method.md on a real local Ray, with one prompt emptied; then once more with that allowed."""
    for name in ("people.parquet", "queries.jsonl"):
        (tmp_path / name).symlink_to(folder / name)
    subprocess.run([sys.executable, "-c", documented_script()], cwd=tmp_path, check=True)
    prompts = [json.loads(line) for line in (tmp_path / "prompts.jsonl").read_text().splitlines()]
    assert all(each["prompt"].startswith(each["text"] + ", ") for each in prompts)
    lines(tmp_path / "prompts.jsonl", [*prompts[:-1], {**prompts[-1], "prompt": ""}])
    methods = ["--set", "methods=[vprag, {name: mine, file: prompts.jsonl}]"]
    score = ["score", "prompts.jsonl", "--profiles", "people.parquet", "--store", "store", "--json", *CHEAP, *methods]
    environment = {**os.environ, "RAY_AUTH_MODE": "disabled", "PYTHONPATH": str(ROOT)}

    def run(*options):
        command = [sys.executable, "-m", "jobs.cli", *score, *options]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=240)

    first, again = run(), run("--max-failed", "1")
    events = [json.loads(line) for line in first.stdout.splitlines()]
    assert first.returncode == 3, first.stderr
    assert (events[0]["people"], events[0]["profiles"], events[0]["methods"]) == (PEOPLE, PEOPLE, ["mine"])
    assert (events[-1]["complete"], events[-1]["failed"]) == (True, 1)
    assert "mine 0." in first.stderr
    assert again.returncode == 0
    assert "nothing to do" in again.stderr
