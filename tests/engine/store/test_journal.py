"""The journal: chunks are read once, late ones of a paused driver stand in their own epoch, and damaged lines are passed over."""

import pytest

from engine.store.journal import CHUNK_EVENTS, Journal, JournalReader, read_journal

RUN = "ab" * 8


class Counted:
    """A backend that tells what was asked of it."""

    def __init__(self, backend):
        self._backend, self.listed, self.got = backend, [], []

    def __getattr__(self, name):
        return getattr(self._backend, name)

    def list(self, prefix):
        self.listed.append(prefix)
        return self._backend.list(prefix)

    def read_many(self, names):
        self.got += names
        return self._backend.read_many(names)


@pytest.fixture
def counted(backend):
    return Counted(backend)


def numbers(events):
    return [event["n"] for event in events]


def test_who_watches_sees_a_driver_from_its_first_event_on(backend):
    Journal(backend, RUN, 1).add("driver", n=0)
    assert [event["event"] for event in read_journal(backend, RUN)] == ["driver"]


def test_a_chunk_is_written_when_it_is_full(backend):
    journal = Journal(backend, RUN, 1)
    for n in range(CHUNK_EVENTS):
        journal.add("shard", n=n)
    assert len(read_journal(backend, RUN)) == 1
    journal.add("shard", n=CHUNK_EVENTS)
    assert numbers(read_journal(backend, RUN)) == list(range(CHUNK_EVENTS + 1))


def test_a_look_costs_one_listing_and_a_read_of_each_new_chunk(counted):
    journal, reader = Journal(counted, RUN, 1), JournalReader(counted, RUN)
    assert reader.look() == []
    for n in range(3):
        journal.add("shard", n=n)
        journal.flush()
    assert numbers(reader.look()) == [0, 1, 2]
    journal.add("shard", n=3)
    journal.flush()
    counted.listed.clear(), counted.got.clear()
    assert numbers(reader.look()) == [3]
    assert reader.look() == []
    assert numbers(reader.events()) == [0, 1, 2, 3]
    assert len(counted.listed) == 2
    assert len(counted.got) == 1


def test_what_a_driver_wrote_after_it_was_taken_over_stands_before_the_next_epoch(backend):
    first, second, reader = Journal(backend, RUN, 1), Journal(backend, RUN, 2), JournalReader(backend, RUN)
    first.add("driver", n=10)
    second.add("driver", n=20)
    reader.look()
    first.add("shard", n=11)
    first.flush()
    second.add("shard", n=21)
    second.flush()
    assert numbers(reader.look()) == [11, 21]
    assert numbers(reader.events()) == numbers(read_journal(backend, RUN)) == [10, 11, 20, 21]


@pytest.mark.parametrize("text", ["line\nbreak", "line\u2028separator", "next\x85line", "half a pair \ud83e"])
def test_any_text_comes_back(backend, text):
    journal = Journal(backend, RUN, 1)
    journal.add("driver", n=0, command=text)
    [event] = read_journal(backend, RUN)
    assert event["command"] == text


@pytest.mark.parametrize(
    "line", [b"{", b"[1]", b'"text"', b'{"event": "shard"}', b'{"at": 1}', b'{"at": "x", "event": "y"}', b"\xff\xfe", b""]
)
def test_a_line_that_is_no_event_is_passed_over(backend, line):
    good = b'{"at": 1.0, "event": "driver", "n": 1}'
    backend.create(f"runs/{RUN}/journal/00000001-00000000.jsonl", b"\n".join([good, line, good]))
    assert numbers(read_journal(backend, RUN)) == [1, 1]
