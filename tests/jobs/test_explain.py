"""`mien explain`: what fits a path, and a guess where nothing does."""

import shlex

import pytest

from jobs.cli import exit_code
from jobs.commands.explain import SHOWN
from tests.jobs.planned import NAME, planned

PEOPLE = 4


@pytest.fixture
def run(tmp_path):
    return planned(tmp_path / "store", people=PEOPLE, shard_size=2)


def explain(run, capsys, *unit):
    code = exit_code(["explain", NAME, *unit, "--store", str(run.store)])
    return code, *capsys.readouterr()


def queries_of(run, person):
    workflow = run.open().workflow
    units = [unit for shard in run.plan.shards for unit in workflow.units(shard, workflow.scores[0])]
    key = next(subject.key for shard in run.plan.shards for subject in shard.subjects if subject.id == person)
    return [unit.query.id for unit in units if unit.subject == key]


def test_what_is_not_listed_is_counted_and_what_is_can_be_pasted(run, capsys):
    code, out, _ = explain(run, capsys, "baseline")
    assert code == 0
    first, *lines = out.splitlines()
    units = sum(len(run.open().workflow.units(shard, run.open().workflow.scores[0])) for shard in run.plan.shards)
    assert first.startswith(f"{units} results fit")
    assert len(lines) == SHOWN + 1
    assert lines[-1] == f"  and {units - SHOWN} more"
    assert exit_code(shlex.split(lines[0])[1:]) == 0
    assert "not computed yet" in capsys.readouterr().out


def test_a_wrong_query_is_answered_with_that_persons_own(run, capsys):
    own = queries_of(run, "g0-000001")
    code, _, err = explain(run, capsys, f"g0-000001/{own[0][:-1]}/baseline")
    assert code == 2
    assert any(f"(did you mean '{query}'?)." in err for query in own)
    code, _, err = explain(run, capsys, "g0-000001/????")
    assert code == 2
    assert all(query in err for query in own)


def test_a_wrong_person_or_method_is_told_the_nearest(run, capsys):
    assert "did you mean 'g0-000001'?)." in explain(run, capsys, "g0-00001")[2]
    assert "did you mean 'baseline'?)." in explain(run, capsys, "g0-000001/baselin")[2]
