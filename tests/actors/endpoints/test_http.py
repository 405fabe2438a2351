import asyncio
import threading

import pytest
from aiohttp import web

from actors.endpoints import credentials
from actors.endpoints.background import in_background
from actors.endpoints.http import EndpointClient
from actors.endpoints.verdicts import Unanswered
from engine.errors import ConfigError
from engine.writer_config import Endpoint
from tests.faults.model_server import KEY, ModelServer


class Odd(ModelServer):
    """Paths that answer oddly."""

    def routes(self):
        return [
            *super().routes(),
            ("POST", "/v1/files", self.files),
            ("GET", "/v1/moved", self.moved),
            ("POST", "/v1/inside", self.inside),
            ("GET", "/v1/list", self.list),
            ("GET", "/v1/headers", self.headers),
        ]

    async def files(self, request):
        form = await request.post()
        self.counts["files"] += 1
        if self.counts["files"] == 1:
            return web.Response(status=503)
        return web.json_response({"purpose": form["purpose"], "bytes": len(form["file"].file.read()), "name": form["file"].filename})

    async def moved(self, request):
        return web.Response(status=302, headers={"Location": "http://127.0.0.1:9/v1/moved"})

    async def inside(self, request):
        return web.json_response({"error": {"code": 400, "message": "bad"}})

    async def list(self, request):
        return web.json_response([1])

    async def headers(self, request):
        return web.json_response(dict(request.headers))


@pytest.fixture
def odd():
    with Odd() as server:
        yield server


@pytest.fixture
def client(odd):
    client = EndpointClient(Endpoint(base_url=odd.url, give_up_s=1), "openai")
    yield client
    in_background(client.close())


def test_json_bytes_and_files_travel(client):
    assert in_background(client.get_json("/models")) == {"data": [{"id": "stand-in-1"}]}
    assert in_background(client.get_bytes("/models")).startswith(b'{"data"')
    # The first try is refused with 503: the form is made anew.
    file = b"x" * 100_000
    assert in_background(client.upload("/files", {"purpose": "batch"}, file)) == {
        "purpose": "batch",
        "bytes": 100_000,
        "name": "requests.jsonl",
    }


def test_a_key_does_not_follow_a_redirect(client):
    with pytest.raises(ConfigError, match="leads elsewhere"):
        in_background(client.get_json("/moved"))


def test_an_error_inside_a_success_is_an_error(client):
    with pytest.raises(Unanswered) as caught:
        in_background(client.post_json("/inside", {}, tokens=1))
    assert caught.value.status == 400


def test_json_that_is_no_object_is_tried_again_until_the_bound(client):
    with pytest.raises(Unanswered, match="no JSON object"):
        in_background(client.get_json("/list"))


def test_a_request_beyond_the_rate_limit_itself_is_the_rows_own_failure(odd):
    client = EndpointClient(Endpoint(base_url=odd.url, tokens_per_minute=100), "openai")
    with pytest.raises(Unanswered, match="Too large for the rate limit: about 101 tokens"):
        in_background(client.post_json("/inside", {}, tokens=101))
    in_background(client.close())


@pytest.mark.parametrize(
    ("provider", "variable", "header", "value"),
    [("openai", "OPENAI_API_KEY", "Authorization", f"Bearer {KEY}"), ("anthropic", "ANTHROPIC_API_KEY", "x-api-key", KEY)],
)
def test_each_provider_gets_its_key_as_it_wants_it(odd, monkeypatch, provider, variable, header, value):
    monkeypatch.setenv(variable, f"{KEY}\n")  # as a file's content has it
    client = EndpointClient(Endpoint(base_url=odd.url), provider)
    sent = in_background(client.get_json("/headers"))
    assert {name.lower(): text for name, text in sent.items()}[header.lower()] == value
    assert KEY not in repr(client) + repr(vars(client))
    in_background(client.close())


def test_an_address_of_this_machine_is_never_reached_through_a_proxy(odd, monkeypatch):
    for name in ("HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://user:secret@127.0.0.1:9")
    client = EndpointClient(Endpoint(base_url=odd.url), "openai")
    assert in_background(client.get_json("/models"))
    in_background(client.close())
    assert credentials.proxy("https://api.example.org/v1") == "http://user:secret@127.0.0.1:9"
    monkeypatch.setenv("NO_PROXY", "example.org")
    assert credentials.proxy("https://api.example.org/v1") is None


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("http://127.0.0.1:8000/v1", True),
        ("http://[::1]:8000", True),
        ("http://localhost", True),
        ("http://127.0.0.1.example.org", False),
        ("http://10.0.0.1", False),
    ],
)
def test_what_counts_as_this_machine(url, here):
    assert credentials.is_loopback(url) is here


def test_what_work_raises_is_raised_in_the_thread_that_waits_and_many_may_wait():
    async def add(a, b):
        await asyncio.sleep(0.05)
        return a + b

    async def fail():
        raise KeyError("k")

    found = {}
    threads = [threading.Thread(target=lambda i=i: found.update({i: in_background(add(i, 1))})) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(2)
    assert found == {i: i + 1 for i in range(8)}
    with pytest.raises(KeyError):
        in_background(fail())
