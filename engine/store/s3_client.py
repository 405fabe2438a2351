"""One boto3 client a process, each of its requests counted, and patience with a server that is away (STORAGE, rule 2)."""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any, TypeVar

from tenacity import RetryCallState, Retrying, retry_if_exception_type, wait_random_exponential

from engine.errors import Missing, StoreError, StoreUnusable
from engine.store.fork_lock import ForkLock
from engine.store.s3_address import S3Address, session
from engine.store.s3_errors import EmptyRange, Passing, Refused, Taken, s3_errors
from engine.store.s3_outage import Outage
from engine.store.s3_pace import Pace

T = TypeVar("T")

CONCURRENCY = 16
PATIENCE_S = 300.0
FIRST_CONTACT_S = 60.0
"""The most for a server that never answered: a wrong address is likelier than an outage, unless the caller knows that it is right."""
REFUSED_S = 15.0
"""The same where nothing listens: a server that starts needs a few seconds."""
CONNECT_S = 5.0
READ_S = 30.0
LONGEST_WAIT_S = 5.0

_making = ForkLock()


class _Connection:
    """What belongs to one process: neither sockets nor locks survive a fork."""

    def __init__(self, address: S3Address) -> None:
        self.pid = os.getpid()
        self.pace = Pace(CONCURRENCY)
        self.sent: Counter[str] = Counter()
        self._lock = threading.Lock()
        self.client = _client(address)
        self.client.meta.events.register("before-send.s3", self._count)

    def _count(self, event_name: str, **_: Any) -> None:
        """Sees every attempt, also those that boto3 makes by itself after a redirect."""
        with self._lock:
            self.sent[event_name.rsplit(".", 1)[-1]] += 1


@dataclass(slots=True)
class _Contact:
    """What the views of one client share: whether the server ever answered, its outages, and what belongs to this process."""

    proven: bool
    outage: Outage
    held: _Connection | None = None


class S3Client:
    """Sends requests to one bucket; safe in several threads, and after a fork."""

    def __init__(self, address: S3Address, *, patience_s: float = PATIENCE_S, proven: bool = False) -> None:
        """`proven`: the address is known to be right, for example because another process used it."""
        self.address = address
        self._patience_s = patience_s
        self._contact = _Contact(proven, Outage(address.place))

    def with_patience(self, seconds: float) -> S3Client:
        """A view of this client with the same sockets, turns and counts that gives up on an outage after `seconds`."""
        view = copy(self)
        view._patience_s = seconds
        return view

    @property
    def requests(self) -> Mapping[str, int]:
        """Requests sent by this process so far, by kind."""
        held = self._contact.held
        return dict(sorted(held.sent.items())) if held and held.pid == os.getpid() else {}

    def send(self, operation: str, name: str, **arguments: Any) -> dict[str, Any]:
        """One request and its whole reply; a body is read into "Body". Raises Missing, Taken, EmptyRange, Passing or StoreUnusable."""
        try:
            reply = self._reply(operation, name, arguments)
        except (Missing, Taken, EmptyRange):
            self._contact.proven = True
            raise
        self._contact.proven = True
        return reply

    def _reply(self, operation: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        connection = self._connection()  # may raise Passing, too: credentials can be away for a while
        with connection.pace.turn(), s3_errors(self.address.place, name):
            reply: dict[str, Any] = getattr(connection.client, operation)(Bucket=self.address.bucket, **arguments)
            if "Body" in reply:
                with reply["Body"] as stream:
                    reply["Body"] = stream.read()
            return reply

    def patiently(self, action: Callable[[], T], name: str) -> T:
        """The value of `action`, repeated after growing random pauses while it raises Passing. Raises StoreError when patience ends."""
        began = time.monotonic()
        retrying = Retrying(
            retry=retry_if_exception_type(Passing),
            wait=lambda state: min(_pause(state), max(0.0, self._patience(_trouble(state)) - _waited_s(state))),
            stop=lambda state: _waited_s(state) >= self._patience(_trouble(state)),
            before_sleep=lambda state: self._tell(began, _trouble(state)),
            reraise=True,
        )
        try:
            value = retrying(action)
        except Passing as trouble:
            self._contact.outage.given_up()
            raise StoreError(
                f"The store {self.address.place} failed {name} for {self._patience(trouble):.0f} s: {trouble.message}.",
                remedy="Is its server up and its address right? Then run the same command again; finished work is kept.",
            ) from None
        except StoreError:  # an answer, too
            self._end_wait(began, retrying)
            raise
        self._end_wait(began, retrying)
        return value

    def _patience(self, trouble: BaseException | None) -> float:
        """How long `trouble` is put up with."""
        if self._contact.proven:
            return self._patience_s
        return min(self._patience_s, REFUSED_S if isinstance(trouble, Refused) else FIRST_CONTACT_S)

    def _tell(self, began: float, trouble: BaseException | None) -> None:
        if isinstance(trouble, Passing):
            self._contact.outage.waits(began, self._patience(trouble), trouble.message)

    def _end_wait(self, began: float, retrying: Retrying) -> None:
        if retrying.statistics["attempt_number"] > 1:  # a slow answer to the first try is no outage
            self._contact.outage.answered(began)

    def close(self) -> None:
        """Let the sockets of this process go; the next request makes new ones."""
        held, self._contact.held = self._contact.held, None
        if held and held.pid == os.getpid():
            held.client.close()

    def _connection(self) -> _Connection:
        held = self._contact.held
        if held and held.pid == os.getpid():
            return held
        with _making:
            if not self._contact.held or self._contact.held.pid != os.getpid():
                self._contact.held = _Connection(self.address)
            return self._contact.held


_pause = wait_random_exponential(multiplier=0.1, max=LONGEST_WAIT_S)


def _waited_s(state: RetryCallState) -> float:
    return state.seconds_since_start or 0.0


def _trouble(state: RetryCallState) -> BaseException | None:
    return state.outcome.exception() if state.outcome else None


def _client(address: S3Address) -> Any:
    from botocore.config import Config

    config = Config(
        retries={"mode": "standard", "total_max_attempts": 1},  # `patiently` repeats, and Pace adapts: see there
        connect_timeout=CONNECT_S,
        read_timeout=READ_S,
        max_pool_connections=CONCURRENCY,
        s3={"addressing_style": address.addressing},
        request_checksum_calculation=address.checksums,
        response_checksum_validation=address.checksums,
    )
    try:
        with s3_errors(address.place, "the client"):
            return session().create_client(
                "s3", endpoint_url=address.endpoint_url or None, region_name=address.region or None, config=config
            )
    except (OSError, ValueError) as error:  # a credential_process that is not there, or says something else; its words may be secret
        raise StoreUnusable(
            f"No client of the store {address.place} can be made: {type(error).__name__}.",
            remedy="Check credential_process in the AWS configuration, and the endpoint and region in the URI.",
        ) from None
