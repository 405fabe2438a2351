"""`mien compare`: paired differences of two runs on the cases that both have, and the refusal of figures that do not mean the same."""

import json

import numpy as np
import pyarrow as pa
import pytest

from engine.metrics.definition import VpttDefinition
from engine.report.data import SCORES_SCHEMA
from engine.report.versus import Side, refusal, scale_of, versus
from jobs.cli import exit_code
from tests.jobs.in_process import evaluated

DEFINITION = VpttDefinition(encoder="tiny@1")
PEOPLE = 40


def scores(values, *, methods=("baseline", "vprag"), people=PEOPLE, extractive=(), **changes):
    """Rows of people x two queries x methods; `values` gives V from (person, query, method)."""
    rows = []
    for person in range(people):
        for query in range(2):
            for method in methods:
                value = values(person, query, method)
                key = {"subject": f"s{person:03d}", "person": f"p{person}", "cluster": f"c{person:03d}", "query": f"q{query}"}
                key |= {"family": f"f{(person + query) % 8}", "task": "generation", "breadth": "broad", "method": method}
                setting = {"writer": "template", "backbone": "t-1", "budget": "q3", "extractive": method in extractive, "written": True}
                rows.append({**key, **setting, "outcome": "failed" if value is None else "answered", "v": value, **changes})
    return pa.Table.from_pylist(rows, schema=SCORES_SCHEMA)


def side(name, table, **changes):
    facts = {"metric": "v", "definition": DEFINITION, "second": None, "gallery": "g", **changes}
    return Side(name, scores=table, **facts)


def noisy(shift, seed):
    """V that varies by person far more than two methods or runs differ."""
    base = np.random.default_rng(1).normal(0.5, 0.2, PEOPLE)
    rest = np.random.default_rng(seed).normal(0, 0.01, (PEOPLE, 2, 3))
    return lambda person, query, method: float(base[person] + shift.get(method, 0.0) + rest[person, query, len(method) % 3])


def found(a, b, metric="v"):
    return {(row.method, row.other, row.post_hoc): row for row in versus(side("a", a), side("b", b), metric, seed=3)}


def test_a_small_difference_shows_because_cases_are_paired():
    rows = found(scores(noisy({"vprag": 0.05}, 2)), scores(noisy({}, 3)))
    vprag, baseline = rows["vprag", "vprag", False], rows["baseline", "baseline", False]
    assert vprag.low < 0.05 < vprag.high
    assert vprag.high - vprag.low < 0.03  # unpaired, the spread between people alone gives about 0.12
    assert baseline.low < 0 < baseline.high
    assert (vprag.n, vprag.clusters, vprag.only_a, vprag.only_b) == (80, 40, 0, 0)
    assert vprag.mean == pytest.approx(vprag.mean_a - vprag.mean_b)


def test_the_order_of_rows_changes_nothing_and_turning_the_runs_round_turns_the_sign():
    one, two = scores(noisy({"vprag": 0.05}, 2)), scores(noisy({}, 3))
    forward, back = found(one, two)["vprag", "vprag", False], found(two, one)["vprag", "vprag", False]
    assert forward.mean == pytest.approx(-back.mean)
    shuffled = one.take(np.random.default_rng(0).permutation(len(one)))
    assert found(shuffled, two) == found(one, two)


def test_cases_that_only_one_run_has_are_counted_and_left_out():
    def some(person, query, method):
        return None if person < 5 and method == "vprag" else 0.5 + person / 100

    rows = found(scores(some), scores(lambda person, query, method: 0.4 + person / 100, people=30))
    vprag, baseline = rows["vprag", "vprag", False], rows["baseline", "baseline", False]
    assert (vprag.n, vprag.only_a, vprag.only_b) == (50, 20, 10)
    assert (baseline.n, baseline.only_a, baseline.only_b) == (60, 20, 0)
    assert vprag.mean == pytest.approx(0.1)


def test_the_best_is_one_that_may_be_judged_and_is_marked_as_chosen_afterwards():
    shift = {"vprag": 0.2, "brag": 0.4, "own": 0.6}
    rows = versus(
        side("a", scores(noisy(shift, 2), methods=("baseline", "vprag", "brag", "own"), extractive=("brag",))),
        side("b", scores(noisy(shift, 3), methods=("baseline", "mine"))),
        "v",
        seed=3,
    )
    best = rows[-1]
    assert (best.method, best.post_hoc) == ("vprag", True)
    assert best.other in ("baseline", "mine")
    assert best.low < best.mean < best.high
    assert [row.method for row in rows[:-1]] == ["baseline"]


def test_choosing_among_equals_does_not_narrow_the_interval_below_that_of_the_mean():
    rows = found(scores(noisy({}, 2), methods=("baseline", "vprag", "mine")), scores(noisy({}, 3), methods=("baseline", "vprag", "mine")))
    assert next(row for row in rows.values() if row.post_hoc).high > 0


def test_few_people_get_no_interval_and_runs_without_a_shared_case_no_figure():
    few = found(scores(noisy({}, 2), people=3), scores(noisy({}, 3), people=3))["vprag", "vprag", False]
    assert (few.low, few.high, few.n) == (None, None, 6)
    apart = found(scores(noisy({}, 2)), scores(noisy({}, 3)).set_column(0, SCORES_SCHEMA.field(0), pa.array([f"x{i}" for i in range(160)])))
    assert all(row.n == 0 and row.mean is None for row in apart.values())


@pytest.mark.parametrize(
    ("changes", "metric", "expected"),
    [
        ({"definition": VpttDefinition(encoder="other@1")}, "v", "encoder: tiny@1 against other@1"),
        ({"definition": VpttDefinition(encoder="tiny@1", cp="cp-literal")}, "gs", "cp: cp-unit against cp-literal"),
        ({"metric": "v_c"}, "v", "b is scored with v_c"),
        ({"metric": "v_c"}, "gain", "b is scored with v_c"),
        ({}, "v_c", "a is scored with v"),
        ({}, "second_v", "no second space"),
        ({"gallery": "h"}, "reid_100", "gallery"),
    ],
)
def test_figures_that_do_not_mean_the_same_are_refused_with_each_choice_named(changes, metric, expected):
    a, b = side("a", scores(noisy({}, 2))), side("b", scores(noisy({}, 3)), **changes)
    assert any(expected in line for line in refusal(a, b, metric))


def test_what_means_the_same_is_not_refused():
    a, b = side("a", scores(noisy({}, 2))), side("b", scores(noisy({}, 3)), metric="v_c", gallery="h")
    assert refusal(a, b, "gs") == []
    assert refusal(a, side("b", b.scores), "v_u") == []
    names = ("v", "v_literal", "gain", "second_gain", "gain_c", "v_c_literal", "cross_v_c", "gain_cp", "pa")
    assert [scale_of(name) for name in names] == [
        "v", "v", "v", "v", "v_c", "v_c", "v_c", "", "",
    ]  # fmt: skip


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Three real runs: all of six people, four of them with a method less, and all with another budget."""
    folder = tmp_path_factory.mktemp("compare")
    people = folder / "people.parquet"
    assert exit_code(["profiles", "build", "--n", "6", "--out", str(people)]) == 0
    common = {"people": {"file": str(people)}, "queries": {"tasks": ["cultural-generation"], "per_task": 2}}
    evaluated(folder / "store", "first", **common)
    evaluated(folder / "store", "second", **common, limit="4", methods=["baseline"])
    evaluated(folder / "store", "short", **common, budgets=["q1"], methods=["baseline"])
    return folder / "store"


def compare(capsys, *arguments):
    code = exit_code(["compare", *map(str, arguments)])
    return code, *capsys.readouterr()


def test_real_runs_are_compared_on_what_both_have_and_a_partial_one_is_marked(store, capsys):
    code, out, _ = compare(capsys, "first", "second", "--store", store, "--paired", "--json")
    events = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert (events[0]["run_a"]["partial"], events[0]["run_b"]["partial"]) == (False, True)
    baseline = next(each for each in events if each.get("method") == "baseline")
    assert (baseline["n"], baseline["only_a"], baseline["only_b"], baseline["mean"]) == (8, 4, 0, 0.0)
    assert "vprag" not in {each.get("method") for each in events if not each.get("post_hoc")}
    assert "PARTIAL: 4 of 6 people" in compare(capsys, "first", "second", "--store", store)[1]


def test_two_stores_may_hold_the_runs(store, capsys):
    code, out, _ = compare(capsys, "first", "first", "--store", store, "--other-store", store, "--metric", "gs")
    assert code == 0
    assert "+0.000" in out


def test_v_is_never_compared_with_v_c(store, capsys):
    code, _, err = compare(capsys, "first", "short", "--store", store)
    assert code == 2
    assert "short is scored with v_c" in err
    assert compare(capsys, "first", "short", "--store", store, "--metric", "gs")[0] == 0


def test_a_metric_that_is_not_there_is_answered_with_the_nearest(store, capsys):
    code, _, err = compare(capsys, "first", "second", "--store", store, "--metric", "nv_unoin")
    assert code == 2
    assert "did you mean 'nv_union'" in err
