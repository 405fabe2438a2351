from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from actors.endpoints.pauses import BACKOFF_MOST_S, LONGEST_S, asked_pause, backoff

DATE = "Wed, 21 Oct 2026 07:28:00 GMT"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "0"}, 0),
        ({"retry-after": "-3"}, 0),
        ({"retry-after": "5000000"}, LONGEST_S),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:30 GMT", "date": DATE}, 30),
        ({"retry-after": "Wed, 21 Oct 2026 07:27:00 GMT", "date": DATE}, 0),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1m30s", "x-ratelimit-reset-tokens": "120ms"}, 90),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "120ms", "x-ratelimit-remaining-requests": "5"}, 0.12),
        ({"x-ratelimit-remaining-requests": "5", "x-ratelimit-reset-requests": "6m0s"}, None),
        ({"anthropic-ratelimit-tokens-remaining": "0", "anthropic-ratelimit-tokens-reset": "2026-10-21T07:28:12Z", "date": DATE}, 12),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({}, None),
    ],
)
def test_headers_that_ask_for_a_pause(headers, seconds):
    assert asked_pause(headers) == (None if seconds is None else pytest.approx(seconds))


def test_a_date_without_the_servers_clock_is_read_by_ours():
    later = datetime.now(UTC) + timedelta(seconds=60)
    assert asked_pause({"retry-after": format_datetime(later, usegmt=True)}) == pytest.approx(60, abs=2)
    assert asked_pause({"x-ratelimit-reset": str(int(later.timestamp() * 1000))}) == pytest.approx(60, abs=2)


def test_pauses_grow_to_a_bound_and_are_spread_over_all_of_it():
    for tries, bound in ((1, 0.5), (3, 2.0), (10, BACKOFF_MOST_S), (10_000, BACKOFF_MOST_S)):
        drawn = [backoff(tries) for _ in range(2000)]
        assert 0 <= min(drawn) < 0.02 * bound
        assert 0.98 * bound < max(drawn) <= bound
