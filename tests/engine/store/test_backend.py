"""Conformance of a backend to STORAGE, rule 2: create-if-absent is atomic, durable and the only commit primitive."""

import itertools
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from engine.errors import Missing
from engine.store.opening import open_backend, probe
from engine.store.s3 import S3Backend
from engine.store.s3_address import S3Address

CONTENDERS = 8


def test_the_second_create_fails_and_changes_nothing(backend):
    assert backend.create("a/b", b"first") is True
    assert backend.create("a/b", b"second") is False
    assert backend.read("a/b") == b"first"


def test_a_repeated_create_of_the_same_bytes_holds_them_still(backend):
    assert backend.create("a/b", b"same") is True
    assert backend.create("a/b", b"same") is True


def test_what_is_not_there_is_missing(backend):
    with pytest.raises(Missing, match="a/b"):
        backend.read("a/b")
    with pytest.raises(Missing):
        backend.tail("a/b", 3)
    with pytest.raises(Missing):
        list(backend.read_many(["a/b"]))


def test_listing_is_sorted_and_holds_only_the_prefix(backend):
    for name in ("x/b", "x/a", "x/c/d", "xy/a", "y/a", "x/a-b", "x/a.b", "x/ab/c"):
        backend.create(name, b"")
    assert backend.list("x/") == ["x/a", "x/a-b", "x/a.b", "x/ab/c", "x/b", "x/c/d"]
    assert backend.list("nothing/") == []
    assert backend.list("x/c/") == ["x/c/d"]
    assert len(backend.list("")) == 8


def test_a_listing_of_more_than_a_page_is_whole(backend, request):
    """SeaweedFS has 1,000 names on a page, moto here 50."""
    names = [f"many/{number:04d}" for number in range(1010 if request.node.callspec.params["backend"] == "seaweedfs" else 110)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: backend.replace(name, b""), names))
    assert backend.list("many/") == names
    assert [aged.name for aged in backend.ages("many/")] == names


def test_sizes_and_ages_are_the_stores(backend):
    backend.create("old/b", b"12345")
    time.sleep(1.1)  # S3 dates by the second
    backend.create("old/a", b"")
    young, old = backend.ages("old/")
    assert (young.name, young.size, old.name, old.size) == ("old/a", 0, "old/b", 5)
    assert 0 <= young.age_s <= old.age_s < 30
    assert old.age_s >= 1
    assert backend.ages("nothing/") == []


def test_the_tail_is_the_end_of_a_file_or_all_of_it(backend):
    backend.create("f/long", bytes(range(200)))
    backend.create("f/empty", b"")
    assert backend.tail("f/long", 3) == bytes([197, 198, 199])
    assert backend.tail("f/long", 1000) == bytes(range(200))
    assert backend.tail("f/empty", 5) == b""


def test_many_files_are_read_in_the_order_asked(backend):
    names = [f"m/{number:03d}" for number in range(60)]
    for name in names:
        backend.create(name, name.encode())
    asked = [*names[::-1], names[0], names[0]]
    assert list(backend.read_many(iter(asked))) == [(name, name.encode()) for name in asked]


def test_reading_many_may_be_left_early(backend):
    backend.create("m/a", b"1")
    reading = backend.read_many(["m/a", *["m/none"] * 40])
    assert next(reading) == ("m/a", b"1")
    reading.close()


def test_replace_overwrites(backend):
    backend.replace("beat", b"1")
    backend.replace("beat", b"2")
    assert backend.read("beat") == b"2"


def test_delete_is_idempotent_and_the_name_is_free_again(backend):
    backend.create("a", b"1")
    backend.delete("a")
    backend.delete("a")
    assert backend.create("a", b"2") is True


def test_the_uri_opens_the_same_store_and_a_name_is_located(backend):
    backend.create("a/b", b"here")
    again = open_backend(backend.uri)
    assert (again.uri, again.read("a/b")) == (backend.uri, b"here")
    assert backend.locate("a/b").endswith("/a/b")
    assert "?" not in backend.locate("a/b")


def test_a_view_with_other_patience_is_the_same_store_on_the_same_client(backend):
    view = backend.with_patience(5)
    assert view.create("a/b", b"here") is True
    assert (view.uri, view.locate("a/b")) == (backend.uri, backend.locate("a/b"))
    assert backend.read("a/b") == b"here"
    assert view.requests == backend.requests


def test_the_probe_passes_and_leaves_no_file(backend):
    probe(backend)
    assert backend.list("") == []


@pytest.mark.parametrize("name", ["../a", "a/../b", "/a", "a//b", "A", "a/.hidden", "", "a\x00", "ä"])
def test_unsafe_names_are_refused(backend, name):
    with pytest.raises(ValueError, match="unsafe"):
        backend.create(name, b"")


def contend(backend, name, contenders=CONTENDERS):
    """Who of several contenders at once made `name`."""
    barrier, won, others = threading.Barrier(contenders), [], []

    def one(me):
        barrier.wait()
        (won if backend.create(name, content(me)) else others).append(me)

    threads = [threading.Thread(target=one, args=(me,)) for me in range(contenders)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) + len(others) == contenders, "a contender got an error instead of an answer"
    return won


def content(me):
    return bytes([me]) * 10_000


def test_of_eight_contenders_exactly_one_wins_and_its_bytes_stay(backend, request):
    rounds = 20 if request.node.callspec.params["backend"] == "seaweedfs" else 100
    at_once = 4  # SeaweedFS lets contenders for one name wait for a second each

    def play(first):
        store = open_backend(backend.uri)
        return [(f"race/{number}", contend(store, f"race/{number}")) for number in range(first, rounds, at_once)]

    with ThreadPoolExecutor(at_once) as pool:
        played = dict(itertools.chain.from_iterable(pool.map(play, range(at_once))))
    assert len(played) == rounds
    for name, won in played.items():
        assert len(won) == 1
        assert backend.read(name) == content(won[0])


CONTENDER = """
import sys
from engine.store.opening import open_backend
uri, me, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
backend = open_backend(uri)
backend.list("race/")
print("ready", flush=True)
sys.stdin.readline()
print([r for r in range(rounds) if backend.create(f"race/{r}", bytes([me]) * 10_000)], flush=True)
"""


def test_of_contenders_in_separate_processes_exactly_one_wins(backend):
    rounds = 10
    commands = [[sys.executable, "-c", CONTENDER, backend.uri, str(me), str(rounds)] for me in range(3)]
    processes = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for command in commands]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    won = [(round_, me) for me, process in enumerate(processes) for round_ in eval_list(process.communicate(timeout=60)[0])]
    assert sorted(round_ for round_, _ in won) == list(range(rounds))
    for round_, me in won:
        assert backend.read(f"race/{round_}") == content(me)


def eval_list(line):
    return [int(number) for number in line.strip().strip("[]").split(",") if number.strip()]


def test_files_that_are_not_ours_are_not_listed(backend, tmp_path):
    backend.create("a/ours", b"")
    if isinstance(backend, S3Backend):
        address = S3Address.parse(backend.uri)
        for key in ("a/Console Upload.txt", "a/.hidden"):
            backend._client.send("put_object", key, Key=f"{address.prefix}/{key}", Body=b"")
    else:
        (tmp_path / "store" / "a" / "Console Upload.txt").write_text("")
        (tmp_path / "store" / "a" / ".hidden").write_text("")
    assert backend.list("a/") == ["a/ours"]
    assert [aged.name for aged in backend.ages("")] == ["a/ours"]
