import asyncio
import random
import time

import pytest

from actors.endpoints import limiter
from actors.endpoints.limiter import Limiter, Slowed, TooLarge
from engine.errors import ConfigError

WINDOW = 0.4


async def send(limits, arrivals, tokens, true_tokens, rng):
    """A request that reaches its server after a delay that varies, and is answered later."""
    slot = await limits.slot(tokens, 60)
    await asyncio.sleep(rng.uniform(0, 0.05))
    arrivals.append((time.monotonic(), true_tokens))
    await asyncio.sleep(rng.uniform(0, 0.1))
    slot.settle(true_tokens)


def most_within(arrivals, window):
    """The most requests and tokens within any window, wherever it begins."""
    arrivals.sort()
    sums = [[tokens for at, tokens in arrivals[i:] if at < start + window] for i, (start, _) in enumerate(arrivals)]
    return max(map(len, sums)), max(map(sum, sums))


@pytest.mark.parametrize(("requests", "tokens"), [(20, 0), (0, 1000), (20, 1000)])
def test_no_window_at_the_server_holds_more_than_the_limit(requests, tokens):
    rng, arrivals = random.Random(1), []

    async def all_of_them():
        limits = Limiter(requests, tokens, window_s=WINDOW)
        await asyncio.gather(*(send(limits, arrivals, 90, rng.randint(30, 90), rng) for _ in range(70)))

    began = time.monotonic()
    asyncio.run(all_of_them())
    most = most_within(arrivals, WINDOW)
    assert len(arrivals) == 70
    assert most[0] <= (requests or 70)
    assert most[1] <= (tokens or 70 * 90)
    # And it is used: not a window longer than needed for each window's worth.
    assert time.monotonic() - began < 9 * (WINDOW + 0.3)


def test_a_request_without_an_answer_counts_from_its_latest_arrival(monkeypatch):
    monkeypatch.setattr(limiter, "REACH_S", 0.2)

    async def two():
        limits = Limiter(1, 0, window_s=WINDOW)
        began = time.monotonic()
        await limits.slot(1, 60)
        await limits.slot(1, 60)
        return time.monotonic() - began

    assert 0.6 <= asyncio.run(two()) < 0.9


def test_who_asks_first_goes_first_even_if_a_smaller_one_would_fit():
    order = []

    async def one(limits, name, tokens):
        await limits.slot(tokens, 60)
        order.append(name)

    async def three():
        limits = Limiter(0, 100, window_s=WINDOW)
        first = await limits.slot(60, 60)
        waiting = [asyncio.create_task(one(limits, "large", 90)), asyncio.create_task(one(limits, "small", 10))]
        await asyncio.sleep(0.05)
        assert order == []
        first.settle()
        await asyncio.gather(*waiting)

    asyncio.run(three())
    assert order == ["large", "small"]


def test_tokens_that_were_not_used_come_free_at_once():
    async def two():
        limits = Limiter(0, 100, window_s=30)
        (await limits.slot(90, 60)).settle(10)
        await asyncio.wait_for(limits.slot(90, 60), 1)

    asyncio.run(two())


def test_a_pause_holds_everybody_and_counts_against_patience_but_waiting_for_room_does_not():
    async def held():
        limits = Limiter(1, 0, window_s=WINDOW)
        (await limits.slot(1, 0.3)).settle()
        slot = await limits.slot(1, 0.3)  # waits longer than its patience, for room
        assert slot.held_s == 0
        slot.settle()
        limits.hold(0.5)
        limits.hold(0.1)  # a shorter one changes nothing
        began = time.monotonic()
        slots = await asyncio.gather(limits.slot(1, 0.6), limits.slot(1, 0.4), return_exceptions=True)
        assert time.monotonic() - began >= 0.5
        assert slots[0].held_s == pytest.approx(0.5, abs=0.1)
        assert isinstance(slots[1], Slowed)

    asyncio.run(held())


def test_who_waits_when_it_is_stopped_gets_the_reason():
    async def stopped():
        limits = Limiter(1, 0, window_s=30)
        await limits.slot(1, 60)
        waiting = [asyncio.create_task(limits.slot(1, 60)) for _ in range(3)]
        await asyncio.sleep(0.05)
        limits.stop(ConfigError("no such key"))
        return await asyncio.gather(*waiting, return_exceptions=True)

    assert [str(error) for error in asyncio.run(stopped())] == ["no such key"] * 3


def test_processes_share_the_limit():
    async def granted(limits):
        count = 0
        while True:
            try:
                await asyncio.wait_for(limits.slot(1, 60), 0.05)
            except TimeoutError:
                return count
            count += 1

    assert asyncio.run(granted(Limiter(10, 0, processes=3))) == 3
    with pytest.raises(
        ConfigError, match=r"requests_per_minute 10 shared by 16 .* Raise requests_per_minute, or let fewer processes write"
    ):
        Limiter(10, 0, processes=16)


def test_a_request_that_never_fits_is_told_so():
    with pytest.raises(TooLarge, match="about 101 tokens"):
        asyncio.run(Limiter(0, 200, processes=2).slot(101, 60))
