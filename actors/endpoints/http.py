"""One HTTP client per served model: keys, rate limit, retries within a bound, and errors sorted by whom they concern.

aiohttp, because Ray brings it anyway and one event loop of it holds thousands of requests; the tries are counted here and not by a retry
library, because waiting for one's own rate limit must not use up a row's bound, and a pause that one request is asked for is everyone's.
"""

from __future__ import annotations

import asyncio
import io
import json
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import SecretStr

from actors.endpoints import credentials
from actors.endpoints.credentials import Provider
from actors.endpoints.limiter import REACH_S, Limiter, Slowed, TooLarge
from actors.endpoints.pauses import backoff
from actors.endpoints.usage import usage_of
from actors.endpoints.verdicts import Again, ApiError, Unanswered, verdict
from engine.errors import ConfigError, MienError, ModelError
from engine.generation.chat import ENDPOINT_FAILED, ENDPOINT_REFUSED, RATE_LIMITED
from engine.outcome import Failed, FailureKind
from engine.writer_config import Endpoint

if TYPE_CHECKING:
    from aiohttp import ClientSession

T = TypeVar("T")
Json = dict[str, Any]

JSON_BYTES = 32 << 20
FILE_BYTES = 4 << 30


class Unusable(ValueError):
    """A success whose body is not what it should be: worth another try."""


def any_reply(_: Json) -> None:
    """Every JSON object will do."""


class EndpointClient:
    """Asks one endpoint; all methods run on the loop of `actors.endpoints.background.in_background`.

    A try that fails in passing (429, 408, 409, 5xx, no connection, a hang, a reset, a body that is no JSON) is repeated for up to
    `give_up_s`, waiting for a place and for one's own rate limit not counted. Once a row was given up while nothing at all came back, and
    as long as that stays so, each further row gets a single try: a dead server ends a batch soon.

    Args:
        endpoint: where, how fast, how long.
        provider: whose headers and usual key variable.
        processes: how many processes share the rate limit.
        window_s: what the limits' "per minute" means, for tests; a provider's minute has 60.

    Raises:
        ConfigError: no key in the environment, or no room in the rate limit for so many processes.
    """

    def __init__(self, endpoint: Endpoint, provider: Provider, *, processes: int = 1, window_s: float = 60.0) -> None:
        self.endpoint, self.provider = endpoint, provider
        self._key = SecretStr(credentials.read_key(endpoint, provider))
        self._url = credentials.base_url(endpoint, provider)
        self._limiter = Limiter(endpoint.requests_per_minute, endpoint.tokens_per_minute, processes=processes, window_s=window_s)
        self._places = asyncio.Semaphore(endpoint.concurrency)
        self._session: ClientSession | None = None
        self._replied = 0.0
        self._silent = False

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._url!r})"

    async def post_json(self, path: str, body: Json, *, tokens: int, check: Callable[[Json], None] = any_reply, once: bool = False) -> Json:
        """The JSON object that answers `body`. Its usage settles the `tokens` reserved for it; `check` raises Unusable for a useless reply.

        `check` sees every reply of status 200 that is a JSON object, so it is the place to count what was charged. `once`: a single try,
        for what must not be sent again before it is known whether it took effect.

        Raises:
            Unanswered: no reply for this row; carries its outcome.
            ConfigError, BudgetReached: what no row would escape (key, model, address, credit); later calls raise it at once.
        """
        data = json.dumps(body, ensure_ascii=True, allow_nan=False).encode()

        def send() -> Json:
            # Not as bytes: with pictures there are megabytes of them, which hold up the loop.
            return {"method": "POST", "data": io.BytesIO(data), "headers": {"content-type": "application/json"}}

        def read(content: bytes) -> Json:
            reply = _object(content)
            check(reply)
            return reply

        return await self._answer(path, send, read, tokens, once=once)

    async def get_json(self, path: str) -> Json:
        """A JSON object. Raises as `post_json`."""
        return await self._answer(path, lambda: {"method": "GET"}, _object, 0)

    async def get_bytes(self, path: str) -> bytes:
        """A file's content, whole. Raises as `post_json`."""
        return await self._answer(path, lambda: {"method": "GET"}, bytes, 0, most=FILE_BYTES)

    async def upload(self, path: str, fields: Mapping[str, str], file: bytes, *, name: str = "requests.jsonl") -> Json:
        """The JSON object that answers a form with `fields` and one `file`. Raises as `post_json`."""

        def form() -> Json:
            from aiohttp import FormData

            data = FormData(fields)
            data.add_field("file", io.BytesIO(file), filename=name, content_type="application/octet-stream")
            return {"method": "POST", "data": data}

        return await self._answer(path, form, _object, 0)

    async def close(self) -> None:
        """Let go of the connections; everything raises ModelError afterwards."""
        self._limiter.stop(ModelError("The endpoint's client is closed.", code="model-closed"))
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _answer(
        self, path: str, send: Callable[[], Json], read: Callable[[bytes], T], tokens: int, *, most: int = JSON_BYTES, once: bool = False
    ) -> T:
        left, tries = self.endpoint.give_up_s, 0
        last = Again(RATE_LIMITED, "the provider asks for a longer pause")
        # A row keeps its place between its tries: a provider in trouble is not asked by ever more rows, and the first ones learn soon
        # whether it is dead.
        async with self._places:
            began = time.monotonic()
            while left > 0:
                try:
                    slot = await self._limiter.slot(tokens, left)
                except Slowed:
                    break
                except TooLarge as error:
                    raise Unanswered(Failed(ENDPOINT_REFUSED, f"Too large for the rate limit: {error}.")) from None
                left -= slot.held_s
                sent = time.monotonic()
                answer: T | Again | None = None
                try:
                    answer = await self._try(path, send(), read, most, min(self.endpoint.timeout_s, max(left, 0.001)))
                finally:
                    slot.settle(_tokens_of(answer))
                    left -= time.monotonic() - sent
                if not isinstance(answer, Again):
                    self._came_back()
                    return answer
                tries, last = tries + 1, answer
                if last.pause_s is not None:
                    self._limiter.hold(last.pause_s)
                if once or self._silent:
                    break
                if last.pause_s is None:
                    pause = min(backoff(tries), max(left, 0.0))
                    await asyncio.sleep(pause)
                    left -= pause
        self._silent = self._silent or (not once and self._replied < began)
        bound = "" if once else f" within give_up_s: {self.endpoint.give_up_s:g}"
        raise Unanswered(Failed(last.code, f"No usable response{bound}; at last: {last.why}.", FailureKind.RETRYABLE))

    def _came_back(self) -> None:
        self._replied, self._silent = time.monotonic(), False

    async def _try(self, path: str, send: Json, read: Callable[[bytes], T], most: int, seconds: float) -> T | Again:
        import aiohttp

        timeout = aiohttp.ClientTimeout(total=seconds, sock_connect=REACH_S / 2)
        try:
            async with self._connections().request(url=self._url + path, timeout=timeout, allow_redirects=False, **send) as response:
                content = await _body(response.content, most)
                status, headers = response.status, {name.lower(): value for name, value in response.headers.items()}
        except aiohttp.InvalidURL:
            raise ConfigError("The endpoint's base_url is no address that can be reached.", remedy="Correct base_url.") from None
        except TimeoutError:
            return Again(ENDPOINT_FAILED, "no answer in time")
        except (aiohttp.ClientError, OSError) as error:
            return Again(ENDPOINT_FAILED, f"the connection failed ({type(error).__name__})")
        except Unusable as error:
            return Again(ENDPOINT_FAILED, str(error))
        if 200 <= status < 300:
            try:
                return read(content)
            except Unusable as error:
                return Again(ENDPOINT_FAILED, str(error))
            except _ErrorInside as error:
                status, content = error.status, content
        return self._sorted(status, headers, content)

    def _sorted(self, status: int, headers: Mapping[str, str], content: bytes) -> Again:
        """What to try again; raises what is for the row or for everybody. No message shows the key, even if the server repeats it."""
        text = content.decode("utf-8", "replace")
        if len(self._key) > 4:
            text = text.replace(self._key.get_secret_value(), "(the key)")
        found = verdict(status, headers, ApiError.read(text), key_variable=credentials.key_variable(self.endpoint, self.provider))
        if isinstance(found, Again):
            return found
        self._came_back()
        if isinstance(found, MienError):
            self._limiter.stop(found)
        raise found

    def _connections(self) -> ClientSession:
        if self._session is None:
            import aiohttp

            self._session = aiohttp.ClientSession(
                headers=credentials.headers(self.provider, self._key.get_secret_value()),
                connector=aiohttp.TCPConnector(limit=0),  # `concurrency` is the limit: who has a place must not wait again
                proxy=credentials.proxy(self._url),
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        return self._session


class _ErrorInside(Exception):
    """An error object in the body of a success, as gateways send it; `status` is what it should have been."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


async def _body(stream: Any, most: int) -> bytes:
    chunks, size = [], 0
    async for chunk in stream.iter_chunked(1 << 16):
        size += len(chunk)
        if size > most:
            raise Unusable(f"a body of more than {most} bytes")
        chunks.append(chunk)
    return b"".join(chunks)


def _object(content: bytes) -> Json:
    try:
        reply = json.loads(content)
    except (ValueError, RecursionError):
        raise Unusable("the body is no JSON") from None
    if not isinstance(reply, dict):
        raise Unusable("the body is no JSON object")
    error = reply.get("error")
    if isinstance(error, dict) and error and "choices" not in reply and "id" not in reply:
        code = error.get("code")
        raise _ErrorInside(code if isinstance(code, int) and 400 <= code < 600 else 502)
    return reply


def _tokens_of(answer: object) -> int | None:
    usage = usage_of(answer) if isinstance(answer, dict) else None
    return usage.total if usage else None
