"""cluster.yaml is what Ray's launcher accepts, and its promises hold: on-demand head, autoscaled spot GPU workers, nothing open."""

import json
from importlib.util import find_spec
from pathlib import Path

import jsonschema
import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def cluster():
    return YAML(typ="safe").load((ROOT / "cluster.yaml").read_text())


def test_it_fits_the_schema_of_the_installed_ray(cluster):
    package = find_spec("ray")
    assert package is not None
    assert package.origin is not None
    schema = json.loads((Path(package.origin).parent / "autoscaler" / "ray-schema.json").read_text())
    jsonschema.validate(cluster, schema)


def test_the_schema_check_can_fail(cluster):
    package = find_spec("ray")
    schema = json.loads((Path(package.origin).parent / "autoscaler" / "ray-schema.json").read_text())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**cluster, "max_wrokers": 3}, schema)


def test_the_head_is_on_demand_and_takes_no_work(cluster):
    head = cluster["available_node_types"][cluster["head_node_type"]]
    assert "InstanceMarketOptions" not in head["node_config"]
    assert head["resources"]["CPU"] == 0


def test_every_worker_is_an_autoscaled_spot_gpu_node(cluster):
    workers = {name: node for name, node in cluster["available_node_types"].items() if name != cluster["head_node_type"]}
    assert workers
    for node in workers.values():
        assert node["node_config"]["InstanceMarketOptions"]["MarketType"] == "spot"
        assert node["resources"]["GPU"] >= 1
        assert node["min_workers"] == 0 < node["max_workers"]


def test_the_dashboard_stays_on_loopback(cluster):
    starts = " ".join(cluster["head_start_ray_commands"])
    assert "--dashboard-host=127.0.0.1" in starts
    assert "0.0.0.0" not in starts
