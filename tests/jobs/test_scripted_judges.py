"""Judges with known habits through the whole pipeline: the report finds each habit within its interval, and warns of what is wrong."""


import pytest

from jobs.judge_inputs import pair_table, rating_table
from tests.jobs.graded import GRADES, KIN, graded
from tests.jobs.in_process import evaluated

PEOPLE = 80
SCALE, NU = 1.0, 0.5
JUDGES = [
    {"name": "script-fair", "script": {"scale": SCALE, "tie": NU}, "family": "zeta"},
    {"name": "script-side", "script": {"scale": SCALE, "tie": NU, "position": 0.9}, "family": "zeta"},
    {"name": "script-long", "script": {"scale": SCALE, "tie": NU, "length": 0.6}, "family": "zeta"},
    {"name": "script-kin", "script": {"scale": SCALE, "tie": NU, "kin": 1.2}, "family": "acme"},
    {"name": "script-first", "script": {"always": "A"}},
    {"name": "script-broken", "script": {"refuses": 0.2, "garbles": 0.2}},
]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("graded")
    judging = {"judges": JUDGES, "methods": list(GRADES)}
    return evaluated(folder / "store", "scripted", **graded(folder, PEOPLE), judging=judging, shard_size=8)


@pytest.fixture(scope="module")
def tables(run):
    make = (run.workflow, run.plan, run.results, run.progress())
    return {"rating": rating_table(*make).to_pylist(), "pair": pair_table(*make).to_pylist()}


def test_every_unit_has_its_outcome(tables):
    pairs = len(GRADES) * (len(GRADES) - 1) // 2
    for judge in JUDGES:
        ratings = [row for row in tables["rating"] if row["judge"] == judge["name"]]
        verdicts = [row for row in tables["pair"] if row["judge"] == judge["name"]]
        assert len(ratings) == PEOPLE * len(GRADES)
        assert len({row["pair"] for row in verdicts}) == PEOPLE * pairs
        outcomes = {row["outcome"] for row in ratings + verdicts}
        assert outcomes == ({"answered", "refused", "unparsed"} if judge["name"] == "script-broken" else {"answered"})
        assert all((row["score"] is None) == (row["outcome"] != "answered") for row in ratings)
        assert all((row["preferred"] is None) == (row["outcome"] != "answered") for row in verdicts)


def test_what_is_no_verdict_keeps_what_was_said(tables):
    broken = [row for row in tables["pair"] if row["judge"] == "script-broken" and row["outcome"] != "answered"]
    assert all("sorry" in row["message"] for row in broken if row["outcome"] == "refused")
    assert all(row["message"].startswith("{") for row in broken if row["outcome"] == "unparsed")
