"""`mien report --out`: the report's files in a local folder, and nowhere else."""

import json

import pytest

from engine.errors import Missing
from engine.store.opening import open_backend
from jobs.cli import exit_code
from jobs.report_copy import copy_report, whereabouts
from tests.jobs.planned import NAME, planned


@pytest.fixture
def run(tmp_path):
    made = planned(tmp_path / "store", people=2, shard_size=2)
    made.fill(0)
    return made


def report(run, out, *options):
    return exit_code(["report", NAME, "--store", str(run.store), "--out", str(out), *options])


def test_every_file_of_the_report_is_copied_over_what_is_there(run, tmp_path, capsys):
    out = tmp_path / "a" / "b"
    out.mkdir(parents=True)
    (out / "index.html").write_text("old")
    (out / "mine.txt").write_text("kept")
    assert report(run, out, "--json") == 0
    event = json.loads(capsys.readouterr().out)
    assert event["copy"] == str(out / "index.html")
    stored = run.store / "runs" / run.plan.run / "report"
    files = {path.relative_to(stored) for path in stored.rglob("*") if path.is_file()}
    assert len(files) > 3
    assert {path.relative_to(out) for path in out.rglob("*") if path.is_file()} - {(out / "mine.txt").relative_to(out)} == files
    assert all((out / file).read_bytes() == (stored / file).read_bytes() for file in files)
    assert (out / "mine.txt").read_text() == "kept"


@pytest.mark.parametrize("link", ["tables", "index.html"])
def test_a_link_that_leads_out_of_the_folder_is_not_followed(run, tmp_path, capsys, link):
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    out.mkdir()
    elsewhere.mkdir() if link == "tables" else elsewhere.write_text("mine")
    (out / link).symlink_to(elsewhere)
    assert report(run, out) == 2
    assert "leads out of" in capsys.readouterr().err
    assert list(elsewhere.iterdir()) == [] if link == "tables" else elsewhere.read_text() == "mine"


def test_a_folder_that_cannot_be_made_is_a_usage_error(run, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert report(run, tmp_path / "file") == 2
    assert "another --out" in capsys.readouterr().err


def test_a_run_without_a_report_has_nothing_to_copy(run, tmp_path):
    with pytest.raises(Missing, match="no report yet"):
        copy_report(open_backend(str(run.store)), run.plan.run, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_only_a_report_that_lies_in_no_folder_comes_with_how_to_look_at_it(run):
    assert len(list(whereabouts(open_backend(str(run.store)), run.plan.run, NAME, str(run.store)))) == 1
    store = "s3://bucket/prefix?endpoint_url=http://127.0.0.1:1"
    place, how = whereabouts(open_backend(store), run.plan.run, NAME, store)
    assert place.startswith("Report: s3://bucket/prefix/runs/")
    assert how == f"To look at it: mien report {NAME} --store '{store}' --out FOLDER"
