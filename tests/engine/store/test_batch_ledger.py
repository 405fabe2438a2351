"""Who may submit a batch, what was accepted, and who takes over from the dead; on every medium."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from engine.errors import CorruptObject
from engine.keys import content_key, sha256
from engine.store import names
from engine.store.batch_ledger import BatchLedger
from engine.store.opening import open_backend

KEY, OTHER = content_key("a batch"), content_key("another")
ROWS = [sha256(str(i).encode())[:40] for i in range(5)]
PATIENCE_S = 600.0


@pytest.fixture
def ledger(backend):
    return BatchLedger(backend)


def test_a_batch_that_was_accepted_is_found_by_any_of_its_rows(ledger, backend):
    claim = ledger.claim(KEY, ROWS[:3], PATIENCE_S)
    assert claim.is_first
    assert [each.rows for each in ledger.unsettled(ROWS[2:])] == [tuple(row[:16] for row in ROWS[:3])]
    assert ledger.accept(claim, "batch_1") == "batch_1"
    assert ledger.unsettled(ROWS) == []
    for reader in (ledger, BatchLedger(backend)):
        [found] = reader.holding(ROWS[2:])
        assert (found.key, found.batch, found.told) == (KEY, "batch_1", False)
        # In the order in which they were submitted: a provider counts lines.
        assert [f"{row:016x}" for row in found.rows.tolist()] == [row[:16] for row in ROWS[:3]]
        assert reader.holding(ROWS[3:]) == []
        assert reader.batches() == {"batch_1"}
    ledger.tell([KEY])
    assert ledger.holding(ROWS)[0].told


def test_of_many_who_want_a_batch_one_may_submit_it(ledger):
    with ThreadPoolExecutor(4) as pool:
        claims = list(pool.map(lambda _: ledger.claim(KEY, ROWS, PATIENCE_S), range(4)))
    assert sum(claim is not None for claim in claims) == 1


def test_what_is_recorded_first_stands(ledger):
    first = ledger.claim(KEY, ROWS, PATIENCE_S)
    second = ledger.claim(KEY, ROWS, patience_s=0)
    assert (second.number, second.is_first, second.since) == (2, False, first.since)
    assert ledger.accept(second, "") == ""
    assert ledger.accept(first, "batch_1") == ""
    assert ledger.is_recorded(KEY)
    assert ledger.batches() == set()


def test_a_claim_that_was_given_up_is_free_at_once(ledger):
    claim = ledger.claim(KEY, ROWS, PATIENCE_S)
    assert ledger.claim(KEY, ROWS, PATIENCE_S) is None
    ledger.leave(claim)
    second = ledger.claim(KEY, ROWS, PATIENCE_S)
    assert second.number == 2
    assert ledger.claim(KEY, ROWS, PATIENCE_S) is None


def test_a_claim_of_a_dead_process_of_this_machine_is_free_at_once(tmp_path):
    script = (
        "import sys; from engine.store.batch_ledger import BatchLedger; from engine.store.opening import open_backend;"
        "assert BatchLedger(open_backend(sys.argv[1])).claim(sys.argv[2], sys.argv[3:], 600)"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path), KEY, *ROWS], check=True, timeout=60)
    assert BatchLedger(open_backend(str(tmp_path))).claim(KEY, ROWS, PATIENCE_S).number == 2


def test_files_that_are_no_records_are_named(ledger, backend):
    name = names.object_("batches", KEY, "json")
    backend.create(name, b'{"key": "' + OTHER.encode() + b'", "batch": "b", "rows": []}')
    with pytest.raises(CorruptObject, match=name):
        ledger.holding(ROWS)
    backend.replace(name, b"{")
    with pytest.raises(CorruptObject, match=name):
        ledger.is_recorded(KEY)


def test_gc_knows_the_files_as_objects_that_no_plan_names(ledger, backend):
    claim = ledger.claim(KEY, ROWS, PATIENCE_S)
    ledger.leave(claim)
    ledger.accept(claim, "batch_1")
    ledger.tell([KEY])
    found = backend.list("objects/")
    assert len(found) == 4
    assert {names.parse(name).kind for name in found} == {"object"}
