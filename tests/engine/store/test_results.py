"""Results: existence is completion, the loser adopts the winner, overlays win by number, and nothing foreign is believed."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from engine.errors import CorruptObject, Missing, PlanMismatch, StoreError
from engine.outcome import Answered, Failed, FailureKind, Refused, Unparsed
from engine.rows import inputs_digest, make_row
from engine.stage import Stage, Unit
from engine.store import names, results
from engine.store.folder import FolderBackend
from engine.store.results import Results, Wanted, encode_result

SHARD = "ab" * 32


class Vectors(Stage):
    """A stage with a text and a vector."""

    kind = "vectors"
    version = 1
    per = "person"
    payload = pa.schema([("text", pa.string()), ("vector", pa.list_(pa.float32()))])

    def __init__(self, setting=1):
        self.setting = setting

    def parameters(self):
        return {"setting": self.setting}

    def encode(self, value):
        return {"text": value[0], "vector": value[1]}

    def decode(self, columns):
        return columns["text"], columns["vector"]


def rows_of(stage, outcomes):
    return [make_row(stage, Unit(key, key), outcome, inputs_digest([])) for key, outcome in outcomes.items()]


@pytest.fixture
def stage():
    return Vectors()


@pytest.fixture
def store(backend):
    return Results(backend, repair=True)


OUTCOMES = {
    "u1": Answered(("नमस्ते 😀", np.array([0.1, 2.5], dtype=np.float32))),
    "u0": Failed("transient", "timed out", FailureKind.RETRYABLE),
    "u2": Refused("I cannot"),
    "u3": Unparsed("??"),
}


def test_every_outcome_reads_back_as_it_was_committed(store, stage):
    store.commit(stage, SHARD, rows_of(stage, OUTCOMES))
    back = store.read(stage, SHARD, overlays=0, units=OUTCOMES)
    assert set(back) == set(OUTCOMES)
    for key, outcome in OUTCOMES.items():
        if isinstance(outcome, Answered):
            text, vector = back[key].outcome.value
            assert text == outcome.value[0]
            np.testing.assert_array_equal(vector, outcome.value[1])
        else:
            assert back[key].outcome == outcome


def test_a_files_bytes_do_not_depend_on_the_order_of_work(stage):
    rows = rows_of(stage, OUTCOMES)
    assert encode_result(stage, SHARD, rows) == encode_result(stage, SHARD, rows[::-1])


def test_the_loser_goes_on_with_the_winners_rows(store, stage):
    store.commit(stage, SHARD, rows_of(stage, {"u": Answered(("mine", np.zeros(1, np.float32)))}))
    adopted = Results(store.backend).commit(stage, SHARD, rows_of(stage, {"u": Answered(("late", np.ones(1, np.float32)))}))
    assert adopted[0].outcome.value[0] == "mine"


def test_the_highest_overlay_of_a_unit_counts(store, stage):
    store.commit(stage, SHARD, rows_of(stage, {**OUTCOMES}))
    store.commit(stage, SHARD, rows_of(stage, {"u0": Answered(("again", np.zeros(1, np.float32)))}), overlay=1)
    assert store.done(stage) == {names.short(SHARD): 1}
    back = store.read(stage, SHARD, overlays=1, units=OUTCOMES)
    assert back["u0"].outcome.value[0] == "again"
    assert back["u2"].outcome == Refused("I cannot")
    table = store.merged(stage, SHARD, overlays=1, columns=["outcome", "text"])
    assert table["unit"].to_pylist() == sorted(OUTCOMES)
    assert table["text"].to_pylist()[0] == "again"


def test_many_results_come_in_the_order_asked_each_with_its_overlays(store, stage):
    other, shards = Vectors(2), [f"{number:02x}" * 32 for number in range(40)]
    for shard in shards:
        store.commit(stage, shard, rows_of(stage, {"u": Answered((shard, np.zeros(1, np.float32))), "v": Refused("no")}))
    store.commit(stage, shards[3], rows_of(stage, {"v": Answered(("again", np.zeros(1, np.float32)))}), overlay=1)
    store.commit(other, shards[0], rows_of(other, {"w": Refused("no")}))
    wanted = [Wanted(stage, shard, int(shard == shards[3]), ["text"]) for shard in reversed(shards)]
    tables = list(store.merged_many([*wanted, Wanted(other, shards[0], 0, ["outcome"])]))
    assert [table["text"].to_pylist() for table in tables[:-1]] == [
        [shard, "again" if shard == shards[3] else None] for shard in reversed(shards)
    ]
    assert tables[-1].to_pylist() == [{"unit": "w", "outcome": "refused"}]


def test_among_many_results_a_bad_one_is_named_and_set_aside(store, stage):
    shards = [f"{number:02x}" * 32 for number in range(20)]
    for shard in shards:
        store.commit(stage, shard, rows_of(stage, OUTCOMES))
    name = names.result(stage.id, shards[5])
    data = store.backend.read(name)
    store.backend.delete(name)
    store.backend.create(name, data[:100])
    found = store.merged_many(Wanted(stage, shard, 0, ["text"]) for shard in shards)
    for _ in range(5):
        next(found)
    with pytest.raises(CorruptObject, match=name):
        next(found)
    assert store.done(stage).keys() == {names.short(shard) for shard in shards} - {names.short(shards[5])}
    with pytest.raises(Missing, match=name):
        list(store.merged_many([Wanted(stage, shards[5], 0, ["text"])]))


def damaged(store, stage, change):
    name = names.result(stage.id, SHARD)
    data = store.backend.read(name)
    store.backend.delete(name)
    store.backend.create(name, change(data))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda data: data[: len(data) // 2], "truncated"),
        (lambda data: b"", "truncated"),
        (lambda data: data[:60] + bytes([data[60] ^ 0xFF]) + data[61:], "truncated or damaged"),
        (lambda data: encode_result(Vectors(2), SHARD, rows_of(Vectors(2), OUTCOMES)), "fingerprint"),
        (lambda data: encode_result(Vectors(), "cd" * 32, rows_of(Vectors(), OUTCOMES)), "shard"),
        (lambda data: encode_result(Vectors(), SHARD, rows_of(Vectors(), {"u1": Refused("")})), "units"),
    ],
    ids=["half", "empty", "bit flip", "another stage's", "another shard's", "units missing"],
)
def test_a_file_that_cannot_be_trusted_is_quarantined_and_free_to_be_computed_again(store, stage, change, reason):
    store.commit(stage, SHARD, rows_of(stage, OUTCOMES))
    damaged(store, stage, change)
    with pytest.raises(CorruptObject, match=reason):
        store.read(stage, SHARD, overlays=0, units=OUTCOMES)
    assert len(store.backend.list("quarantine/")) == 1
    with pytest.raises(Missing):
        store.read(stage, SHARD, overlays=0)
    store.commit(stage, SHARD, rows_of(stage, OUTCOMES))
    assert set(store.read(stage, SHARD, overlays=0, units=OUTCOMES)) == set(OUTCOMES)


def test_another_recipe_under_one_name_is_an_error(store, stage):
    store.backend.create(names.stage(stage.id), b"{}")
    with pytest.raises(PlanMismatch, match="another recipe"):
        store.commit(stage, SHARD, rows_of(stage, OUTCOMES))


def test_a_result_that_is_too_large_names_the_remedy(stage, monkeypatch):
    monkeypatch.setattr(results, "MAX_BYTES", 100)
    with pytest.raises(StoreError, match="smaller shard_size"):
        encode_result(stage, SHARD, rows_of(stage, OUTCOMES))


def test_a_file_of_the_first_row_version_still_reads(store, stage):
    """STORAGE, rule 7: one small file of every past version stays in the tests."""
    data = (Path(__file__).parent / "files" / "rows-1.parquet").read_bytes()
    store.backend.create(names.result(stage.id, SHARD), data)
    assert set(store.read(stage, SHARD, overlays=0, units=OUTCOMES)) == set(OUTCOMES)


def test_lineage_enters_the_digest(stage):
    unit, outcome = Unit("u", "u"), Refused("no")
    assert make_row(stage, unit, outcome, inputs_digest(["a"])).sha256 != make_row(stage, unit, outcome, inputs_digest(["b"])).sha256


def test_any_flipped_bit_is_found(store, stage):
    store.commit(stage, SHARD, rows_of(stage, OUTCOMES))
    name = names.result(stage.id, SHARD)
    data = store.backend.read(name)
    reader = Results(store.backend)
    step = 1 if isinstance(store.backend, FolderBackend) else 101  # each position costs two requests
    for position in range(0, len(data), step):
        flipped = data[:position] + bytes([data[position] ^ (1 << position % 8)]) + data[position + 1 :]
        store.backend.replace(name, flipped)
        with pytest.raises(CorruptObject):
            reader.read(stage, SHARD, overlays=0)


def test_only_who_may_repair_moves_a_file(store, stage):
    store.commit(stage, SHARD, rows_of(stage, OUTCOMES))
    damaged(store, stage, lambda data: data[:50])
    with pytest.raises(CorruptObject, match="Run the experiment again"):
        Results(store.backend).read(stage, SHARD, overlays=0)
    assert store.backend.list("quarantine/") == []
    assert store.done(stage) == {names.short(SHARD): 0}


def test_with_a_damaged_base_its_overlays_go_too(store, stage):
    store.commit(stage, SHARD, rows_of(stage, OUTCOMES))
    store.commit(stage, SHARD, rows_of(stage, {"u0": Refused("no")}), overlay=1)
    damaged(store, stage, lambda data: data[:50])
    with pytest.raises(CorruptObject):
        store.read(stage, SHARD, overlays=1)
    assert store.done(stage) == {}
    assert len(store.backend.list("quarantine/")) == 2


def test_an_overlay_without_what_lies_below_it_does_not_count(store, stage):
    store.commit(stage, SHARD, rows_of(stage, OUTCOMES), overlay=1)
    assert store.done(stage) == {}
    store.commit(stage, SHARD, rows_of(stage, OUTCOMES))
    store.commit(stage, SHARD, rows_of(stage, OUTCOMES), overlay=3)
    assert store.done(stage) == {names.short(SHARD): 1}


def test_a_newer_row_version_is_refused_and_not_moved(store, stage, monkeypatch):
    monkeypatch.setattr(results, "ROW_VERSION", 2)
    store.commit(stage, SHARD, rows_of(stage, OUTCOMES))
    monkeypatch.undo()
    with pytest.raises(StoreError, match="newer mien"):
        store.read(stage, SHARD, overlays=0)
    assert store.backend.list("quarantine/") == []


def test_a_worker_that_judged_an_older_file_takes_nothing_away(store, stage):
    """It was paused, the file was mended and tried again meanwhile: neither the good file nor its overlays go."""
    store.commit(stage, SHARD, rows_of(stage, OUTCOMES))
    store.commit(stage, SHARD, rows_of(stage, {"u0": OUTCOMES["u1"]}), overlay=1)
    with pytest.raises(CorruptObject, match="taken it away"):
        store._table(stage, SHARD, 0, b"damaged bytes that stood here before")
    assert store.done(stage) == {SHARD[:16]: 1}


def test_whoever_may_not_repair_says_that_something_needs_it(store, stage):
    store.commit(stage, SHARD, rows_of(stage, OUTCOMES))
    name = names.result(stage.id, SHARD)
    store.backend.replace(name, store.backend.read(name)[:-20])
    told = []
    with pytest.raises(CorruptObject):
        Results(store.backend, notice_untrusted=lambda: told.append(1)).read(stage, SHARD, overlays=0)
    assert told == [1]


def test_the_end_of_a_file_tells_how_many_rows_failed(store, stage):
    store.commit(stage, SHARD, rows_of(stage, OUTCOMES))
    assert store.failed_rows(stage, SHARD) == 1
    name = names.result(stage.id, SHARD)
    store.backend.replace(name, store.backend.read(name)[:-20])
    assert store.failed_rows(stage, SHARD) is None
    with pytest.raises(Missing):
        store.failed_rows(stage, "cd" * 32)


@pytest.mark.parametrize("count", [1, 8])
def test_the_end_of_a_file_is_not_fooled_by_what_stands_in_its_rows(store, stage, count):
    lie = Failed("bad", 'mien.outcomes:{"failed": 0}')
    harmless = Answered(("mien.outcomes{}", np.zeros(2, dtype=np.float32)))
    outcomes = {f"u{number}": harmless if number else lie for number in range(count)}
    store.commit(stage, SHARD, rows_of(stage, outcomes))
    assert store.failed_rows(stage, SHARD) == 1


def test_the_highest_overlay_of_one_shard_is_found_without_a_listing(store, stage):
    assert store.highest(stage, SHARD, known=None) is None
    store.commit(stage, SHARD, rows_of(stage, OUTCOMES))
    store.commit(stage, SHARD, rows_of(stage, {"u0": OUTCOMES["u1"]}), overlay=1)
    assert store.highest(stage, SHARD, known=None) == 1
    assert store.highest(stage, SHARD, known=1) == 1
