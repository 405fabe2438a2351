"""`mien errors` and `mien retry`: each failure comes with what helps, and a retry that cannot help is refused."""

import pytest

from engine.outcome import Failed
from engine.rows import inputs_digest, make_row
from engine.store.opening import open_backend
from engine.store.results import Results
from jobs.cli import exit_code
from tests.jobs.planned import NAME, planned


@pytest.fixture
def run(tmp_path):
    return planned(tmp_path / "a store", people=2, shard_size=2)


def without_ceilings(run):
    """Nobody of the only shard has a ceiling."""
    stage, (shard,) = run.prepared.workflow.ceilings, run.plan.shards
    failed = Failed("no-ceiling", "captions: none")
    rows = [make_row(stage, unit, failed, inputs_digest([])) for unit in run.prepared.workflow.units(shard, stage)]
    Results(open_backend(str(run.store))).commit(stage, shard.key, rows)


def test_a_fix_names_the_store_as_a_shell_reads_it(run, capsys):
    run.fill(0)
    assert exit_code(["errors", NAME, "--store", str(run.store), "--group"]) == 0
    assert f"mien retry {NAME} --code made-up --store '{run.store}'" in capsys.readouterr().out
    assert exit_code(["retry", NAME, "--store", str(run.store)]) == 2
    assert f"mien retry {NAME} --code made-up --store '{run.store}'" in capsys.readouterr().err


def test_a_person_without_a_ceiling_is_mended_in_the_people_file_not_by_a_retry(run, capsys):
    without_ceilings(run)
    assert exit_code(["errors", NAME, "--store", str(run.store), "--group"]) == 0
    out = capsys.readouterr().out
    assert "no-ceiling: 2" in out
    assert "people file" in out
    assert "mien retry" not in out
    for options in ([], ["--code", "no-ceiling"]):
        assert exit_code(["retry", NAME, "--store", str(run.store), *options]) == 2
        err = capsys.readouterr().err
        assert "people file" in err
        assert "mien retry" not in err
