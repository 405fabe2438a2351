"""Plans are immutable and checked; a name is bound to one run for good (STORAGE, rule 3)."""

import json

import pytest

from engine.errors import CorruptObject, PlanMismatch, UsageError
from engine.store.plans import Plan, Shard, Subject, bind_name, bound_run, check_name, load_plan, run_id, save_plan

IDENTITY = {"experiment": {"seed": 1, "methods": ["a"]}, "stages": {"s-1": "f" * 64}}
RUN = run_id(IDENTITY)
SHARDS = tuple(Shard.of([Subject(f"{i:064x}", f"p{i}", f"p{i}")]) for i in range(3))


def plan(**changes):
    whole = {"run": RUN, "identity": IDENTITY, "queries": SHARDS[0], "shards": SHARDS, "partial": False, "total_people": 3}
    return Plan(**{**whole, **changes})


def test_a_plan_reads_back(backend):
    save_plan(backend, plan())
    save_plan(backend, plan())
    assert load_plan(backend, RUN) == plan()
    assert load_plan(backend, "0" * 16) is None


def test_another_plan_under_one_run_id_is_refused(backend):
    save_plan(backend, plan())
    with pytest.raises(PlanMismatch, match="other people"):
        save_plan(backend, plan(shards=SHARDS[:2]))


@pytest.mark.parametrize(
    "change",
    [
        lambda raw: {**raw, "shards": raw["shards"][:2]},
        lambda raw: {**raw, "partial": True},
        lambda raw: {**raw, "identity": {}},
        lambda raw: {key: value for key, value in raw.items() if key != "queries"},
    ],
    ids=["a shard gone", "partial", "identity", "field gone"],
)
def test_a_changed_plan_is_not_believed(backend, change):
    raw = json.loads(plan().to_bytes())
    backend.create(f"runs/{RUN}/plan.json", json.dumps(change(raw)).encode())
    with pytest.raises(CorruptObject):
        load_plan(backend, RUN)


def test_a_name_stays_bound_and_the_difference_is_readable(backend):
    bind_name(backend, "mine", RUN, IDENTITY)
    check_name(backend, "mine", RUN, IDENTITY)
    other = {"experiment": {"seed": 2, "methods": ["a"]}, "stages": {"s-2": "e" * 64}}
    with pytest.raises(PlanMismatch, match=r"experiment\.seed: 1 -> 2") as caught:
        bind_name(backend, "mine", run_id(other), other)
    assert "s-1" not in caught.value.message, "stages follow from the rest"
    code_only = {**IDENTITY, "stages": {"s-2": "e" * 64}}
    with pytest.raises(PlanMismatch, match="code of a stage"):
        check_name(backend, "mine", run_id(code_only), code_only)


def test_a_run_is_found_by_name_and_by_id(backend):
    bind_name(backend, "mine", RUN, IDENTITY)
    assert bound_run(backend, "mine") == bound_run(backend, RUN) == ("mine", RUN)
    with pytest.raises(UsageError, match="no run 'other'") as caught:
        bound_run(backend, "other")
    assert "mine" in caught.value.remedy


def test_a_damaged_name_is_an_error_of_ours(backend):
    backend.create("names/mine.json", b"{")
    with pytest.raises(CorruptObject, match="mine"):
        bound_run(backend, "mine")
