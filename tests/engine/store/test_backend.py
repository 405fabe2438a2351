"""Conformance of a backend to STORAGE, rule 2: create-if-absent is atomic, durable and the only commit primitive."""

import threading

import pytest

from engine.errors import Missing


def test_the_second_create_fails_and_changes_nothing(backend):
    assert backend.create("a/b", b"first") is True
    assert backend.create("a/b", b"second") is False
    assert backend.read("a/b") == b"first"


def test_what_is_not_there_is_missing(backend):
    with pytest.raises(Missing):
        backend.read("a/b")


def test_listing_is_sorted_and_holds_only_the_prefix(backend):
    for name in ("x/b", "x/a", "x/c/d", "xy/a", "y/a"):
        backend.create(name, b"")
    assert backend.list("x/") == ["x/a", "x/b", "x/c/d"]
    assert backend.list("nothing/") == []


def test_replace_overwrites(backend):
    backend.replace("beat", b"1")
    backend.replace("beat", b"2")
    assert backend.read("beat") == b"2"


def test_delete_is_idempotent_and_the_name_is_free_again(backend):
    backend.create("a", b"1")
    backend.delete("a")
    backend.delete("a")
    assert backend.create("a", b"2") is True


@pytest.mark.parametrize("name", ["../a", "a/../b", "/a", "a//b", "A", "a/.hidden", "", "a\x00", "ä"])
def test_unsafe_names_are_refused(backend, name):
    with pytest.raises(ValueError, match="unsafe"):
        backend.create(name, b"")


def test_of_eight_contenders_exactly_one_wins_and_its_bytes_stay(backend):
    for round_ in range(100):
        name, barrier = f"race/{round_}", threading.Barrier(8)
        won: list[int] = []

        def contend(me, name=name, barrier=barrier, won=won):
            barrier.wait()
            if backend.create(name, bytes([me]) * 10_000):
                won.append(me)

        threads = [threading.Thread(target=contend, args=(me,)) for me in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(won) == 1
        assert backend.read(name) == bytes([won[0]]) * 10_000
