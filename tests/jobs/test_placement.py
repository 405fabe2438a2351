"""Placement groups on a local Ray with logical GPUs."""

import os
import time
import warnings

import pytest

from engine.execution_config import Pool
from engine.writer_config import Parallel
from jobs.placement import MADE_WITHIN_S, Placement, bundles, strategy

GPUS, CPUS = 4, 8


class Seated:
    """Tells where its actor sits and what its captured children see; dies if asked."""

    def __init__(self, at_first=None):
        import ray

        if at_first is not None:
            at_first()
        self.group = ray.util.get_current_placement_group()

    def __call__(self, batch):
        import ray

        child = ray.remote(lambda: ray.util.get_current_placement_group().id.hex()).options(num_cpus=0, num_gpus=1)
        table = ray.util.placement_group_table(self.group)
        return {
            "group": [self.group.id.hex()],
            "child": [ray.get(child.remote())],
            "strategy": [table["strategy"]],
            "bundles": [sorted(str(sorted(bundle.items())) for bundle in table["bundles"].values())],
            "own_gpus": [len(ray.get_gpu_ids())],
        }


@pytest.fixture(scope="module")
def ray():
    import ray

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ray.init(
            address="local", num_cpus=CPUS, num_gpus=GPUS, object_store_memory=128 * 2**20, include_dashboard=False, log_to_driver=False
        )
        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = False
        context.max_consecutive_actor_init_deaths = 8
        yield ray
        ray.shutdown()


def map_rows(ray, placement, rows, size, worker=Seated, **more):
    """Rows through a pool of `size` placed actors."""
    dataset = ray.data.from_items([{"row": row} for row in range(rows)], override_num_blocks=rows)
    compute = ray.data.ActorPoolStrategy(min_size=size, max_size=size)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return dataset.map_batches(worker, batch_size=1, compute=compute, **placement.arguments(), **more).take_all()


def groups_alive(ray):
    return [group for group in ray.util.placement_group_table().values() if group["state"] != "REMOVED"]


def all_free(ray, timeout_s=20):
    """Whether all GPUs are free again."""
    deadline = time.monotonic() + timeout_s
    while ray.available_resources().get("GPU", 0) < GPUS:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


def test_one_worker_asks_for_the_pools_own_resources():
    pool = Pool(cpus=2, gpus=1)
    assert Placement(None, pool, Parallel()).arguments() == {"num_cpus": 2, "num_gpus": 1}


def test_layers_that_are_shared_stay_in_a_node_and_groups_of_layers_need_not():
    assert strategy(Parallel(tensor=4)) == "STRICT_PACK"
    assert strategy(Parallel(tensor=2, pipeline=2)) == "PACK"


def test_every_worker_has_a_gpu_and_a_cpu_and_the_pools_actor_fits_in():
    assert bundles(Parallel(tensor=2, pipeline=2), cpus=1) == [{"GPU": 1, "CPU": 1}] * 4
    assert bundles(Parallel(tensor=2), cpus=3) == [{"GPU": 1, "CPU": 3}, {"GPU": 1, "CPU": 1}]
    assert bundles(Parallel(tensor=2), cpus=0) == [{"GPU": 1, "CPU": 1}] * 2


def test_each_actor_sits_in_a_group_of_its_own_with_what_was_asked_for_and_so_do_its_children(ray):
    placement = Placement(ray, Pool(gpus=2), Parallel(tensor=2))
    rows = map_rows(ray, placement, rows=8, size=2)
    assert len(rows) == 8
    assert len({row["group"] for row in rows}) == 2
    for row in rows:
        assert row["child"] == row["group"]
        assert row["strategy"] == "STRICT_PACK"
        assert list(row["bundles"]) == [str([("CPU", 1.0), ("GPU", 1.0)])] * 2
        assert row["own_gpus"] == 0
    placement.close()
    assert all_free(ray)
    assert not groups_alive(ray)


def test_groups_that_nobody_sits_in_are_given_back_without_closing(ray):
    placement = Placement(ray, Pool(gpus=2), Parallel(tensor=1, pipeline=2))
    map_rows(ray, placement, rows=2, size=2)  # the dataset is done: its actors end
    assert all_free(ray, MADE_WITHIN_S + 10)
    assert not groups_alive(ray)
    placement.close()


def once(mark, what):
    """Does `what` the first time that any process calls it."""

    def call():
        if not mark.exists():
            mark.touch()
            what()

    return call


def fail():
    raise RuntimeError("no luck this time")


def test_a_pool_that_holds_all_gpus_can_replace_an_actor_that_could_not_load(ray, tmp_path):
    mark = tmp_path / "failed-once"
    placement = Placement(ray, Pool(gpus=4), Parallel(tensor=4))
    rows = map_rows(ray, placement, rows=2, size=1, fn_constructor_args=(once(mark, fail),))
    assert len(rows) == 2
    assert mark.exists()
    placement.close()
    assert all_free(ray)


def test_an_actor_whose_process_ended_comes_back_into_its_group(ray, tmp_path):
    first = tmp_path / "first-group"

    class Mortal(Seated):
        def __call__(self, batch):
            if not first.exists():
                first.write_text(self.group.id.hex())
                os._exit(1)
            return super().__call__(batch)

    placement = Placement(ray, Pool(gpus=4), Parallel(tensor=4))
    rows = map_rows(ray, placement, rows=2, size=1, worker=Mortal)
    assert {row["group"] for row in rows} == {first.read_text()}
    placement.close()
    assert all_free(ray)
