"""Result files that were damaged, swapped or put there by somebody else are named, set aside and computed again; never read as results."""

import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from jobs.cli import exit_code
from tests.jobs.running import Experiment

PEOPLE, SHARD_SIZE = 12, 2


@pytest.fixture(scope="module")
def experiment(tmp_path_factory):
    choices = "encoder: tiny-trigrams\nmethods: [brag, vprag]\nsecond_encoder: ''"
    made = Experiment(tmp_path_factory.mktemp("fuzzed"), PEOPLE, SHARD_SIZE, choices)
    code, output = made.run("store")
    assert code == 0, output
    return made


def truncated(rng, files):
    (file,) = rng.sample(files, 1)
    data = file.read_bytes()
    file.write_bytes(data[: rng.randrange(len(data))])
    return [file]


def flipped(rng, files):
    (file,) = rng.sample(files, 1)
    data = bytearray(file.read_bytes())
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    file.write_bytes(data)
    return [file]


def swapped_shards(rng, files):
    """Two results of one stage: schema and stage are right, the people are not."""
    folder = rng.choice(sorted({file.parent for file in files if not file.parent.name.startswith("queries")}))
    one, other = rng.sample([file for file in files if file.parent == folder], 2)
    first, second = one.read_bytes(), other.read_bytes()
    one.write_bytes(second)
    other.write_bytes(first)
    return [one, other]


def swapped_stages(rng, files):
    """Results of two methods on the same people: schema and people are right, the stage is not."""
    one = rng.choice([file for file in files if file.parent.name.startswith("score-vprag")])
    (other,) = [file for file in files if file.parent.name.startswith("score-brag") and file.name == one.name]
    one.write_bytes(other.read_bytes())
    return [one]


def foreign(rng, files):
    """A Parquet file of somebody else, with the right columns even."""
    (file,) = rng.sample(files, 1)
    table = pq.read_table(pa.BufferReader(file.read_bytes()))
    pq.write_table(table.replace_schema_metadata(None), file)
    return [file]


def emptied(rng, files):
    (file,) = rng.sample(files, 1)
    file.write_bytes(b"")
    return [file]


@pytest.mark.parametrize("seed", range(3))
def test_what_cannot_be_trusted_is_named_set_aside_and_computed_again(experiment, seed):
    store, rng = experiment.folder / "store", random.Random(seed)
    before = {file: experiment.report("store", file) for file in ("summary.json", "report.md", "tables/results.csv")}
    quarantined = set(store.glob("quarantine/*/*"))
    files = sorted(store.glob("results/*/*.parquet"))
    whole = {file: file.read_bytes() for file in files}
    touched = []
    for damage in (truncated, flipped, swapped_shards, swapped_stages, foreign, emptied):
        touched += damage(rng, [file for file in files if file not in touched])
    next(store.glob("runs/*/report/end.json")).unlink()
    code, output = experiment.run("store")
    assert code == 0, output
    for file in touched:
        assert f"{file.parent.name}/{file.name} cannot be trusted" in output, file
    # A file that another seed spoiled in the same way is there already.
    assert len(set(store.glob("quarantine/*/*")) - quarantined) >= len(touched) - 1
    assert {file: experiment.report("store", file) for file in before} == before
    # Every stage here is bit-stable: what was computed again is what stood there, and nothing else was written.
    assert {file: file.read_bytes() for file in sorted(store.glob("results/*/*.parquet"))} == whole


def test_a_report_that_finds_a_bad_file_lets_the_same_run_command_mend_it(experiment, capsys):
    store = experiment.folder / "store"
    before = experiment.report("store", "summary.json")
    truncated(random.Random(9), sorted(store.glob("results/score-*/*.parquet")))
    assert exit_code(["report", "small", "--store", str(store)]) == 1
    assert "Run the experiment again" in capsys.readouterr().err
    code, output = experiment.run("store")
    assert code == 0, output
    assert "cannot be trusted" in output
    assert experiment.report("store", "summary.json") == before
