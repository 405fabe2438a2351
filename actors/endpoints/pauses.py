"""How long to wait before another try: what the provider's headers ask, or else a random pause that grows."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

LONGEST_S = 86_400.0
BACKOFF_S = 0.5
BACKOFF_MOST_S = 30.0

_PIECE = re.compile(r"(\d+(?:\.\d+)?)(ms|h|m|s)")
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}


def backoff(tries: int) -> float:
    """Seconds before the next try after `tries` failed ones: anything up to a bound that doubles ("full jitter", AWS builders' library)."""
    return random.uniform(0, min(BACKOFF_MOST_S, BACKOFF_S * 2 ** min(tries - 1, 16)))


def asked_pause(headers: Mapping[str, str]) -> float | None:
    """Seconds that a refusal's headers ask to wait, 0 to a day; None if they name no time. Names of headers in lower case.

    Read in this order: retry-after-ms (OpenAI), Retry-After in seconds or as an HTTP date (RFC 9110, 10.2.3), and the reset times of
    those limits of which nothing remains (x-ratelimit-reset-requests: 6m0s; anthropic-ratelimit-requests-reset: a time).
    """
    found = _number(headers.get("retry-after-ms", ""), 0.001)
    if found is None:
        found = _after(headers.get("retry-after", ""), headers)
    if found is None:
        resets = [_after(value, headers) for name, value in headers.items() if _is_used_up(name, headers)]
        found = max((each for each in resets if each is not None), default=None)
    return None if found is None else min(max(found, 0.0), LONGEST_S)


def _is_used_up(name: str, headers: Mapping[str, str]) -> bool:
    """Whether `name` is the reset time of a limit that is used up (or of the only one, which must be it)."""
    if not name.startswith(("x-ratelimit-", "anthropic-ratelimit-", "ratelimit-")) or "reset" not in name:
        return False
    return headers.get(name.replace("reset", "remaining"), "0").strip() == "0"


def _after(value: str, headers: Mapping[str, str]) -> float | None:
    """Seconds from now of a number, a duration such as 1m30s, an HTTP date or an ISO time; by the server's clock where it shows it."""
    value = value.strip()
    seconds = _number(value, 1.0)
    if seconds is not None:
        now = datetime.now(UTC).timestamp()
        # Some gateways give the moment itself, in seconds or milliseconds since 1970.
        return seconds if seconds < 1e9 else (seconds / 1000 if seconds > 1e11 else seconds) - now
    if value and not _PIECE.sub("", value):
        return math.fsum(float(number) * _SECONDS[unit] for number, unit in _PIECE.findall(value))
    moment = _moment(value)
    if moment is None:
        return None
    return (moment - (_moment(headers.get("date", "")) or datetime.now(UTC))).total_seconds()


def _number(value: str, unit: float) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number * unit if math.isfinite(number) else None


def _moment(value: str) -> datetime | None:
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            moment = read(value)
        except (ValueError, TypeError, IndexError):
            continue
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return None
