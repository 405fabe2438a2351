"""What may go from a store: only what no plan names and what is old, in groups that make sense; and never beside a beating driver."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import CorruptObject, LeaseHeld
from engine.keys import content_key
from engine.store import names
from engine.store.at_work import Drivers, refuse_at_work
from engine.store.backend import Aged
from engine.store.collecting import DAY_S, Named, Plans, sort_out, still_unnamed
from engine.store.lease import Lease
from engine.store.plans import Plan, Shard, Subject, run_id, save_plan

WEEK_S = 7 * DAY_S
STAGE, OTHER = "score-" + "a" * 16, "score-" + "b" * 16
SHARD, POOL, STRANGE = "1" * 16, "2" * 16, "3" * 16
NAMED = Named({(STAGE, SHARD), (STAGE, POOL)}, {STAGE}, {SHARD, POOL})


def going(*files, named=NAMED):
    """What may go of files given as (name, age in days)."""
    return list(sort_out([Aged(name, 10, days * DAY_S) for name, days in files], named, WEEK_S).going)


def test_a_result_that_a_plan_names_stays_with_all_its_overlays():
    assert going((f"results/{STAGE}/{SHARD}.parquet", 400), (f"results/{STAGE}/{SHARD}.r1.parquet", 400)) == []


def test_an_old_result_that_no_plan_names_goes_and_a_young_one_stays():
    files = [(f"results/{STAGE}/{STRANGE}.parquet", 8), (f"results/{OTHER}/{SHARD}.parquet", 8), (f"results/{OTHER}/{POOL}.parquet", 6.9)]
    assert sorted(going(*files)) == [files[0][0], files[1][0]]


def test_a_result_and_its_overlays_go_together_or_not_at_all():
    base, overlay = f"results/{OTHER}/{SHARD}.parquet", f"results/{OTHER}/{SHARD}.r12.parquet"
    assert going((base, 9), (overlay, 6)) == []
    assert going((base, 9), (overlay, 8)) == [base, overlay]


def test_a_recipe_goes_after_the_last_file_of_its_stage():
    recipe, result, image = f"stages/{OTHER}.json", f"results/{OTHER}/{SHARD}.parquet", f"objects/{OTHER}/ab/{'ab' * 32}.webp"
    assert going((recipe, 9), (result, 6), (image, 9)) == [image]
    assert going((recipe, 9), (image, 6)) == []
    assert going((recipe, 9), (image, 9), (result, 9)) == [image, result, recipe]
    assert going((f"stages/{STAGE}.json", 9)) == []


def test_objects_of_a_named_stage_stay():
    assert going((f"objects/{STAGE}/ab/{'ab' * 32}.png", 400)) == []


def test_quarantine_of_a_planned_shard_stays_since_it_tells_that_the_shard_was_done_again():
    mine, theirs = (names.quarantine(f"results/{STAGE}/{shard}.r1.parquet", "c" * 64) for shard in (SHARD, STRANGE))
    assert going((mine, 400), (theirs, 400)) == [theirs]
    assert going((theirs, 6)) == []


def test_only_old_probes_go():
    old, young = "probe-" + "0" * 32, "probe-" + "1" * 32
    assert going((old, 8), (young, 0.0)) == [old]


@pytest.mark.parametrize(
    "name",
    [
        "runs/0123456789abcdef/plan.json",
        "runs/0123456789abcdef/attempts/score-aa/1-1",
        "names/demo.json",
        "notes.txt",
        "probe-1",
        "probe-" + "0" * 33,
        f"results/{OTHER}/notes.txt",
        f"results/{OTHER}/{SHARD}.r0.parquet",
        f"results/{SHARD}.parquet",
        f"results/{OTHER}/deeper/{SHARD}.parquet",
        f"objects/{OTHER}/ab/deeper/{'ab' * 32}.png",
        "quarantine/loose",
        "stages/a/b.json",
        "elsewhere/results/x/y.parquet",
    ],
)
def test_runs_names_and_what_is_not_ours_never_go(name):
    assert going((name, 4000)) == []


def test_files_that_are_not_ours_are_listed():
    found = sort_out([Aged("z.txt", 5, 1.0), Aged("names/demo.json", 5, 1.0), Aged("a/b", 7, 2.0)], NAMED, WEEK_S)
    assert found.foreign == ("a/b", "z.txt")
    assert (found.tallies["not ours"].files, found.tallies["not ours"].bytes, found.tallies["not ours"].oldest_s) == (2, 12, 2.0)


PARTS = st.sampled_from([STAGE, OTHER]), st.sampled_from([SHARD, POOL, STRANGE]), st.sampled_from(["", ".r1", ".r2"])
RESULTS = st.builds(lambda stage, shard, overlay: f"results/{stage}/{shard}{overlay}.parquet", *PARTS)
RECIPES = st.sampled_from([f"stages/{STAGE}.json", f"stages/{OTHER}.json"])


@given(st.dictionaries(st.one_of(RESULTS, RECIPES, st.text(min_size=1)), st.floats(0, 20), max_size=12))
def test_whatever_the_listing_only_old_and_unnamed_files_go_and_every_file_is_counted(ages):
    found = sort_out([Aged(name, 1, days * DAY_S) for name, days in ages.items()], NAMED, WEEK_S)
    for name in found.going:
        assert ages[name] >= 7
        assert name.startswith(("results/", "stages/"))
        assert not name.startswith((f"results/{STAGE}/{SHARD}", f"results/{STAGE}/{POOL}", f"stages/{STAGE}"))
    assert sum(tally.files for tally in found.tallies.values()) == len(ages)
    assert sum(tally.going for tally in found.tallies.values()) == len(found.going) == len(set(found.going))


def a_plan(*people, stages=(STAGE,)):
    identity = {"stages": {stage: stage for stage in stages}, "people": list(people)}
    pool = Shard.of([Subject(content_key("query"), "query", "q")])
    shard = Shard.of([Subject(content_key(person), person, person) for person in people])
    return Plan(run_id(identity), identity, pool, (shard,), False, len(people))


def test_a_plan_names_its_shards_and_its_pool_under_each_of_its_stages(backend):
    plan = a_plan("ann", stages=(STAGE, OTHER))
    save_plan(backend, plan)
    named = Plans(backend).named(backend.list("runs/"))
    shards = {names.short(plan.shards[0].key), names.short(plan.queries.key)}
    assert named.results == {(stage, shard) for stage in (STAGE, OTHER) for shard in shards}


def test_a_plan_made_since_the_listing_takes_its_files_back(backend):
    plan = a_plan("ann")
    file = names.result(STAGE, plan.shards[0].key)
    plans = Plans(backend)
    assert still_unnamed([file], plans.named(backend.list("runs/"))) == [file]
    save_plan(backend, plan)
    assert still_unnamed([file], plans.named(backend.list("runs/"))) == []


@pytest.mark.parametrize("damage", [lambda data: data[:50], lambda data: data.replace(b"ann", b"bob"), lambda data: b"[]"])
def test_a_plan_that_cannot_be_read_refuses(backend, damage):
    plan = a_plan("ann")
    name = names.run(plan.run, "plan.json")
    backend.replace(name, damage(plan.to_bytes()))
    with pytest.raises(CorruptObject, match=f"plan of run {plan.run} cannot be read, so nothing is deleted"):
        Plans(backend).named([name])


RUN = "0123456789abcdef"


def test_a_moving_beat_and_a_lease_taken_since_refuse(backend):
    drivers = Drivers(backend)
    none = drivers.look(backend.list("runs/"))
    with Lease(backend, RUN) as lease:
        held = drivers.look(backend.list("runs/"))
        assert held[RUN][0] == 1
        with pytest.raises(LeaseHeld, match=RUN):
            refuse_at_work(none, held)
        refuse_at_work(held, drivers.look(backend.list("runs/")))
        lease._beat()
        with pytest.raises(LeaseHeld, match="its beat moves"):
            refuse_at_work(held, drivers.look(backend.list("runs/")))


def test_a_released_lease_is_over_until_it_is_taken_again(backend):
    drivers = Drivers(backend)
    with Lease(backend, RUN):
        pass
    assert drivers.look(backend.list("runs/")) == {}
    with Lease(backend, RUN):
        assert drivers.look(backend.list("runs/"))[RUN][0] == 2


@pytest.mark.parametrize("claim", [b"{}", b"{", b"[]", b'{"owner": {"host": "elsewhere", "boot": "b", "pid": "1", "started": "1"}}'])
@pytest.mark.parametrize("beat", [None, b"{", b"[]", json.dumps({"count": 1, "token": "t", "released": False}).encode()])
def test_a_lease_that_proves_nothing_may_be_held(backend, claim, beat):
    backend.create(f"runs/{RUN}/lease/00000001.json", claim)
    if beat is not None:
        backend.create(f"runs/{RUN}/lease/00000001.beat", beat)
    assert Drivers(backend).look(backend.list("runs/")) == {RUN: (1, beat or b"")}
