"""What a name is made from can be read back from it, and a name of somebody else says nothing."""

import pytest

from engine.store import names
from engine.store.names import Parsed, parse

STAGE, SHARD, RUN = "score-vprag-0123456789abcdef", "ab" * 32, "0123456789abcdef"
SHORT = SHARD[:16]


@pytest.mark.parametrize(
    ("name", "parsed"),
    [
        (names.result(STAGE, SHARD), Parsed("result", STAGE, SHORT)),
        (names.result(STAGE, SHARD, 12), Parsed("result", STAGE, SHORT, 12)),
        (names.stage(STAGE), Parsed("recipe", STAGE)),
        (names.quarantine(names.result(STAGE, SHARD), "cd" * 32), Parsed("quarantine", shard=SHORT)),
        (names.quarantine(names.result(STAGE, SHARD, 3), "cd" * 32), Parsed("quarantine", shard=SHORT)),
        (names.quarantine("stages/x.json", "cd" * 32), Parsed("quarantine")),
        (names.run(RUN, "plan.json"), Parsed("plan", run=RUN)),
        (names.lease(RUN, 7, "json"), Parsed("claim", run=RUN, epoch=7)),
        (names.lease(RUN, 7, "beat"), Parsed("run", run=RUN)),
        (names.run(RUN, "journal", "00000001-00000000.jsonl"), Parsed("run", run=RUN)),
        (names.name("small"), Parsed("name")),
        (f"objects/{STAGE}/ab/{SHARD}.png", Parsed("object", STAGE)),
    ],
)
def test_a_name_tells_what_it_was_made_from(name, parsed):
    assert parse(name) == parsed


def test_a_probe_is_known_and_new_each_time():
    one, other = names.probe(), names.probe()
    assert parse(one).kind == parse(other).kind == "probe"
    assert one != other


@pytest.mark.parametrize(
    "name",
    [
        "results/x.parquet",
        f"results/{STAGE}/{SHORT}.r0.parquet",
        f"results/{STAGE}/{SHORT[:-1]}.parquet",
        f"results/a/b/{SHORT}.parquet",
        "probe-1",
        "mine.txt",
        "runs/x",
        "",
    ],
)
def test_a_name_of_somebody_else_is_nothing(name):
    assert parse(name) == Parsed("")
