"""The command line: its names are frozen, it answers at once, and bad input ends in a message with file, line, field and remedy."""

import errno
import json
import os
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from engine.store.backend import Backend
from engine.store.folder import FolderBackend
from jobs.cli import app, exit_code

ROOT = Path(__file__).parents[2]
LAPTOP = str(ROOT / "experiments" / "laptop.yaml")


def person(id_="p1", **changes):
    captions = [f"A brass teapot number {i} on the {place} table" for i, place in enumerate(["kitchen", "garden", "market"])]
    return {"id": id_, "summary_given": "A keeper of teapots", "captions": captions, **changes}


def jsonl(tmp_path, *rows):
    path = tmp_path / "people.jsonl"
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows), encoding="utf-8")
    return path


def mien(capsys, *arguments):
    """(exit code, stdout, stderr) of a command line."""
    code = exit_code([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return code, out, err


COMMANDS = {
    "demo": {"--store", "--kill", "--s3", "--json"},
    "run": {"--store", "--limit", "--name", "--people", "--max-failed", "--set", "--json"},
    "plan": {"--store", "--limit", "--name", "--people", "--max-failed", "--set", "--json"},
    "queries": {"--out", "--limit", "--people", "--force", "--set"},
    "score": {"--profiles", "--queries", "--store", "--limit", "--name", "--max-failed", "--set", "--json"},
    "report": {"--store", "--out", "--json"},
    "compare": {"--store", "--other-store", "--metric", "--paired", "--json"},
    "status": {"--store", "--json"},
    "watch": {"--store", "--every", "--json"},
    "errors": {"--store", "--group", "--json"},
    "retry": {"--store", "--code", "--json"},
    "explain": {"--store", "--json"},
    "gc": {"--store", "--delete", "--older-than", "--json"},
    "doctor": {"--store", "--address", "--json"},
    "schema": set(),
    "profiles build": {
        "--out",
        "--n",
        "--seed",
        "--writer",
        "--seeds",
        "--experiment",
        "--repairs",
        "--store",
        "--max-failed",
        "--force",
        "--json",
    },
    "profiles import": {"--out", "--seed", "--max-failed", "--force", "--json"},
    "profiles check": {"--quality", "--against", "--json"},
    "profiles show": {"--people"},
    "human sheet": {"--kind", "--out", "--key", "--annotator", "--images", "--seed", "--max-failed", "--force", "--json"},
    "human import": {"--out", "--kind", "--key", "--annotator", "--scale", "--max-failed", "--force", "--json"},
    "human outputs": {"--out", "--store", "--images", "--limit", "--force", "--json"},
    "human add": {"--store", "--kind", "--key", "--annotator", "--scale", "--max-failed", "--json"},
    "human check": {"--kind", "--key", "--annotator", "--scale", "--json"},
    "pairs make": {"--method", "--out", "--metadata", "--seed", "--orders", "--per-sample", "--force", "--json"},
    "pairs rate": {"--metadata", "--out", "--judge", "--seed", "--max-failed", "--force", "--json"},
    "config show": {"--origin", "--set"},
}


def test_commands_and_options_are_frozen():
    found = {}

    def walk(command, path):
        for name, sub in getattr(command, "commands", {}).items():
            walk(sub, [*path, name])
        if not hasattr(command, "commands"):
            found[" ".join(path)] = {option for parameter in command.params for option in parameter.opts if option.startswith("--")}

    walk(get_command(app), [])
    assert found == COMMANDS


def test_help_takes_less_than_300_ms_of_cpu():
    """A bound of INTERFACES on work done, not on the clock: CPU seconds of the quietest of five."""
    spent = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "jobs.cli", "--help"], check=True, capture_output=True, cwd=ROOT)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(spent) < 0.3


def test_help_imports_nothing_heavy():
    heavy = {"ray", "torch", "numpy", "pyarrow", "pydantic"}
    script = f"import sys; from jobs.cli import exit_code; exit_code(['--help']); print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (['{"id": "p1", '], ["people.jsonl:1"]),
        ([person(), {"id": "p2", "summary_given": "x"}], ["people.jsonl:2", "captions"]),
        ([{}], ["people.jsonl:1", "empty"]),
        ([person(captions=["word " * 10_000])], ["people.jsonl:1", "captions[0]", "500"]),
        ([person(), person()], ["people.jsonl:2", "id", "line 1"]),
        ([person("../etc")], ["people.jsonl:1", "id"]),
        ([person(captions=[1, 2])], ["people.jsonl:1", "captions[0]"]),
        (['{"id": "p1", "summary_given": "x", "captions": ["a b c"], "embeddings": [[NaN, 1.0]]}'], ["people.jsonl:1", "embeddings"]),
        ([person(captions=[{"text": "a b", "elements": [{"category": "ligthing", "text": "a"}]}])], ["category", "lighting"]),
    ],
    ids=["broken json", "no captions", "empty person", "10,000 words", "duplicate id", "path id", "wrong type", "nan", "category typo"],
)
@pytest.mark.parametrize("command", ["plan", "check"])
def test_bad_people_are_named_by_file_line_and_field(tmp_path, capsys, rows, expected, command):
    file = jsonl(tmp_path, *rows)
    store = tmp_path / "store"
    arguments = ["plan", LAPTOP, "--people", file, "--store", store] if command == "plan" else ["profiles", "check", file]
    code, out, err = mien(capsys, *arguments)
    assert code == 2
    for text in expected:
        assert text in out + err
    assert not store.exists()


def test_bad_rows_that_name_no_field_are_told_without_one_and_with_where_to_read_on(tmp_path, capsys):
    file = jsonl(tmp_path, person(), "{", "[", person("p4", captions=[]))
    code, _, err = mien(capsys, "plan", LAPTOP, "--people", file, "--store", tmp_path / "store")
    assert code == 2
    assert re.search(r"^  line 3: \w", err, re.MULTILINE)
    assert "  line 4: captions: " in err
    assert ": :" not in err
    assert err.rstrip().endswith(f"`mien profiles check {file}` lists each with its remedy.")


def test_bad_people_stop_a_run_before_anything_is_written(tmp_path, capsys):
    file = jsonl(tmp_path, person(), "{")
    code, _, err = mien(capsys, "run", LAPTOP, "--people", file, "--store", tmp_path / "store")
    assert code == 2
    assert "people.jsonl:2" in err
    assert "--max-failed 1" in err
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["run", "nope.yaml"], "no file nope.yaml"),
        (["run", LAPTOP, "--set", "methods=[vprga]"], "did you mean 'vprag'"),
        (["run", LAPTOP, "--set", "encodr=x"], "did you mean 'encoder'"),
        (["run", LAPTOP, "--set", "encoder=minilm-l6"], "minilm-l6-v2"),
        (["run", LAPTOP, "--people", "missing.parquet"], "missing.parquet"),
        (["run", LAPTOP, "--limit", "none"], "no limit"),
        (["run", LAPTOP, "--set", "queries.tasks=[cultural-generatoin]"], "did you mean 'cultural-generation'"),
        (["run", LAPTOP, "--set", "queries.file=missing.tsv"], "missing.tsv"),
        (["run", LAPTOP, "--set", "queries.per_task=900"], "900 queries"),
        (["status", "nothing"], "no store"),
        (["rnu"], "run"),
        (["run"], "experiment"),
        (["profiles", "show", "g0-xyz"], "g0-000042"),
        (["profiles", "build", "--out", "p.csv"], ".parquet"),
    ],
)
def test_usage_errors_end_with_2_and_say_what_to_do(tmp_path, capsys, monkeypatch, arguments, expected):
    monkeypatch.chdir(tmp_path)
    code, _, err = mien(capsys, *arguments)
    assert code == 2
    assert expected in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("typo", ["methods=[vprga]", "encodr=x", "queries.tasks=[cultural-generatoin]"])
def test_a_guess_at_what_was_meant_ends_with_one_mark(tmp_path, capsys, typo):
    _, _, err = mien(capsys, "plan", LAPTOP, "--set", typo, "--store", tmp_path / "store")
    assert re.search(r"\(did you mean '[\w.-]+'\?\)", err)
    assert "?." not in err


def test_with_json_stdout_holds_only_json_lines(tmp_path, capsys):
    file = jsonl(tmp_path, person(), "{")
    code, out, err = mien(capsys, "run", LAPTOP, "--people", file, "--store", tmp_path / "store", "--json")
    assert code == 2
    events = [json.loads(line) for line in out.splitlines()]
    assert (events[0]["event"], events[-1]["event"]) == ("launch", "error")
    assert "people.jsonl:2" in err


def test_an_unwritable_store_is_a_usage_error(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    code, _, err = mien(capsys, "run", LAPTOP, "--people", jsonl(tmp_path, person()), "--store", tmp_path / "file" / "store")
    assert code == 2
    assert "choose another --store" in err


def test_a_full_disk_is_told_with_its_remedy(tmp_path, capsys, monkeypatch):
    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    code, _, err = mien(capsys, "run", LAPTOP, "--people", jsonl(tmp_path, person()), "--store", tmp_path / "store")
    assert code == 2
    assert "disk is full" in err
    assert "same command again" in err


def test_a_name_bound_to_another_plan_is_refused_with_the_difference_and_both_remedies(tmp_path, capsys):
    backend: Backend = FolderBackend(tmp_path / "store")
    backend.create("names/laptop.json", json.dumps({"run": "0" * 16, "identity": {"experiment": {"seed": 7}}}).encode())
    code, _, err = mien(capsys, "run", LAPTOP, "--people", jsonl(tmp_path, person()), "--store", tmp_path / "store")
    assert code == 2
    assert "experiment.seed: 7 -> 0" in err
    assert "--name" in err
    assert "revert" in err


def test_config_show_tells_every_origin(capsys, monkeypatch):
    monkeypatch.setenv("MIEN_SEED", "5")
    code, out, _ = mien(capsys, "config", "show", "--origin", "--set", "shard_size=8")
    assert code == 0
    lines = {line.split()[0]: line for line in out.splitlines()}
    assert lines["seed"].endswith("# MIEN_SEED")
    assert lines["shard_size"].endswith("# --set shard_size")
    assert lines["encoder"].endswith("# default")


def test_the_schema_is_json(capsys):
    code, out, _ = mien(capsys, "schema")
    assert code == 0
    assert "methods" in json.loads(out)["properties"]
