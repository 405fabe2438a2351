"""Faults between client and server: each name has one content, every answer is right, nothing acknowledged is lost (STORAGE, rule 2)."""

import random
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from engine.errors import Missing, StoreError, StoreUnusable
from engine.store import lease as lease_module
from engine.store import s3_client, s3_outage
from engine.store.lease import Lease
from engine.store.opening import open_backend, probe
from engine.store.s3 import S3Backend
from tests.faults.proxy import FaultProxy

NAMES = 200
THREADS = 4
MIXED = dict.fromkeys(("slowdown", "conflict", "internal", "reset-before", "reset-after", "slow", "truncated"), 0.03)


@pytest.fixture(params=["seaweedfs", "moto"])
def faulty(request):
    """Opens a store on a real or simulated server through a proxy with a fault plan."""
    prefix = "f" + str(random.Random(request.node.nodeid).getrandbits(48))
    uri = request.getfixturevalue("seaweedfs_uri" if request.param == "seaweedfs" else "moto_uri")
    yield from through_proxy(uri.replace("s3://mien?", f"s3://mien/{prefix}?"))


@pytest.fixture
def over_moto(moto_uri):
    """The same on the simulated server alone."""
    yield from through_proxy(moto_uri.replace("s3://mien?", "s3://mien/over?"))


def through_proxy(uri):
    endpoint = uri.partition("endpoint_url=")[2].partition("&")[0]
    stores, proxies = [], []

    def opened(rates, *, seed=1, patience_s=60, **options):
        proxies.append(FaultProxy(endpoint, seed, rates, **options))
        stores.append(S3Backend(uri.replace(endpoint, proxies[-1].endpoint), patience_s=patience_s))
        return stores[-1], proxies[-1]

    yield opened
    for store in stores:
        store.close()
    for proxy in proxies:
        proxy.stop()


@pytest.mark.parametrize("fault", sorted(MIXED))
def test_every_operation_outlasts_a_frequent_fault(faulty, fault):
    store, proxy = faulty({fault: 0.4}, delay_s=0.05)
    names = [f"a/{number}" for number in range(6)]
    for name in names:
        assert store.create(name, name.encode()) is True
        assert store.create(name, b"late") is False
    assert store.list("a/") == names
    assert list(store.read_many(names)) == [(name, name.encode()) for name in names]
    assert store.tail("a/3", 1) == b"3"
    store.replace("a/5", b"new")
    assert store.read("a/5") == b"new"
    for name in names[:3]:
        store.delete(name)
    assert [aged.name for aged in store.ages("a/")] == names[3:]
    with pytest.raises(Missing):
        store.read("a/0")
    assert proxy.counts[fault] > 0
    assert sum(store.requests.values()) == proxy.requests, "repeated requests are counted"


def content(name, me):
    return f"{name} by {me}".encode() * 50


def test_creates_by_four_threads_under_all_faults_have_one_winner_each(moto_uri):
    opening = through_proxy(moto_uri.replace("s3://mien?", "s3://mien/mixed?"))
    store, proxy = next(opening)(MIXED, seed=3, delay_s=0.05)
    won, lock = {}, threading.Lock()

    def contend(me):
        names = [f"c/{number:03d}" for number in range(NAMES)]
        random.Random(me).shuffle(names)
        for name in names:
            if store.create(name, content(name, me)):
                with lock:
                    won.setdefault(name, []).append(me)

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(contend, range(THREADS)))
    assert {fault for fault in MIXED if proxy.counts[fault]} == set(MIXED)
    proxy.set_rates({})
    assert store.list("c/") == [f"c/{number:03d}" for number in range(NAMES)]
    for name, data in store.read_many(store.list("c/")):
        assert len(won[name]) == 1
        assert data == content(name, won[name][0])
    opening.close()


def test_a_lost_reply_is_no_lost_write(faulty):
    store, proxy = faulty({"reset-after": 1.0}, match=lambda method, path: method == "PUT")
    assert store.create("a/b", b"mine") is True
    assert store.create("a/b", b"other") is False
    assert proxy.counts["reset-after"] > 0


def test_a_listing_whose_second_page_fails_is_asked_for_again(moto_uri):
    opening = through_proxy(moto_uri.replace("s3://mien?", "s3://mien/pages?"))
    store, proxy = next(opening)({"truncated": 0.5}, match=lambda method, path: "continuation-token" in path)
    names = [f"p/{number:03d}" for number in range(110)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda name: store.replace(name, b""), names))
    assert store.list("p/") == names
    assert proxy.counts["truncated"] > 0
    opening.close()


def test_patience_ends_with_an_error_that_names_the_last_trouble(faulty):
    store, proxy = faulty({"slowdown": 1.0}, patience_s=1)
    with pytest.raises(StoreError, match=r"SlowDown \(503\)"):
        store.read("a/b")
    proxy.set_rates({"reset-before": 1.0})
    with pytest.raises(StoreError, match="ConnectionClosedError") as caught:
        store.list("a/")
    assert "finished work is kept" in caught.value.remedy
    assert not isinstance(caught.value, Missing)


@pytest.mark.parametrize("proven", [False, True])
def test_a_first_contact_outlasts_an_outage_only_at_a_proven_address(moto_uri, monkeypatch, proven):
    monkeypatch.setattr(s3_client, "FIRST_CONTACT_S", 0.5)
    endpoint = moto_uri.partition("endpoint_url=")[2].partition("&")[0]
    with FaultProxy(endpoint, 1, {"reset-before": 1.0}) as proxy:
        store = open_backend(moto_uri.replace("s3://mien?", "s3://mien/first?").replace(endpoint, proxy.endpoint), proven=proven)
        back = threading.Timer(2.0, proxy.set_rates, [{}])
        back.start()
        if proven:
            assert store.list("none/") == []
        else:
            with pytest.raises(StoreError, match="ConnectionClosedError"):
                store.list("none/")
        back.cancel()
        back.join()
        store.close()


def test_an_outage_is_told_once_by_many_threads_and_so_is_its_end(over_moto, monkeypatch, caplog):
    monkeypatch.setattr(s3_outage, "TOLD_AFTER_S", 0.5)
    store, proxy = over_moto({})
    store.replace("a/b", b"1")
    proxy.set_rates({"reset-before": 1.0})
    back = threading.Timer(3.0, proxy.set_rates, [{}])
    back.start()
    with ThreadPoolExecutor(THREADS * 2) as pool:
        assert set(pool.map(store.read, ["a/b"] * THREADS * 2)) == {b"1"}
    back.join()
    waiting, over = [record.getMessage() for record in caplog.records if record.name == s3_outage.__name__]
    assert re.fullmatch(r"waiting for the store s3://mien/over, away for \d s, given up after 60 s: it gave no whole reply \(.*\)", waiting)
    assert re.fullmatch(r"the store s3://mien/over answers again after \d s", over)


def test_a_view_with_little_patience_gives_up_soon_and_its_store_does_not(over_moto):
    store, proxy = over_moto({})
    store.replace("a/b", b"1")
    proxy.set_rates({"reset-before": 1.0})
    started = time.monotonic()
    with pytest.raises(StoreError, match="for 1 s"):
        store.with_patience(1).replace("a/b", b"2")
    assert 1 <= time.monotonic() - started < 5
    back = threading.Timer(2.0, proxy.set_rates, [{}])
    back.start()
    assert store.read("a/b") == b"1"
    back.join()


def test_a_lease_is_let_go_soon_while_the_store_is_away(over_moto, monkeypatch):
    monkeypatch.setattr(lease_module, "LAST_WORDS_S", 1.0)
    store, proxy = over_moto({})
    with Lease(store, "0123456789abcdef") as lease:
        assert lease.is_good()
        proxy.set_rates({"reset-before": 1.0})
        ending = time.monotonic()
    assert time.monotonic() - ending < 5
    assert proxy.counts["reset-before"] > 0


def test_the_probe_refuses_a_server_that_ignores_the_condition(moto_uri):
    opening = through_proxy(moto_uri.replace("s3://mien?", "s3://mien/ignoring?"))
    store, proxy = next(opening)({"ignore-condition": 1.0})
    with pytest.raises(StoreUnusable, match="overwrites"):
        probe(store)
    assert proxy.counts["ignore-condition"] == 2
    assert store.list("") == []
    opening.close()


def test_the_probe_passes_through_faults(faulty):
    store, _ = faulty({"reset-after": 0.3, "conflict": 0.3})
    probe(store)


def test_a_killed_server_that_comes_back_has_all_that_it_acknowledged(own_s3_server):
    store = open_backend(own_s3_server.uri())
    acknowledged, over = [], threading.Event()

    def write(me):
        number = 0
        while not over.is_set():
            name = f"k/{me}-{number:05d}"
            assert store.create(name, content(name, me)) is True
            acknowledged.append((name, me))
            number += 1

    with ThreadPoolExecutor(THREADS) as pool:
        writing = [pool.submit(write, me) for me in range(THREADS)]
        reach(acknowledged, 60)
        own_s3_server.kill()
        own_s3_server.restart()
        reach(acknowledged, len(acknowledged) + 60)
        over.set()
        for one in writing:
            one.result()
    assert set(store.list("k/")) == {name for name, _ in acknowledged}
    stored = dict(store.read_many([name for name, _ in acknowledged]))
    for name, me in acknowledged:
        assert stored[name] == content(name, me)
    store.close()


def reach(acknowledged, count):
    waited = threading.Event()
    for _ in range(600):
        if len(acknowledged) >= count:
            return
        waited.wait(0.1)
    pytest.fail(f"only {len(acknowledged)} of {count} creates were acknowledged")
