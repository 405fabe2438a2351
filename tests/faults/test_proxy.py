"""The proxy does exactly what its plan says, and nothing else to what passes through."""

import hashlib
import http.client
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest

from tests.faults.proxy import ERRORS, FAULTS, FaultProxy


class Echo(BaseHTTPRequestHandler):
    """Says which host, condition and body came, and remembers every request."""

    protocol_version = "HTTP/1.1"

    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.seen.append((self.headers["Host"], self.headers.get("If-None-Match"), hashlib.sha256(body).hexdigest()))
        reply = b"echo" * 10
        self.send_response(200)
        self.send_header("Content-Length", str(len(reply)))
        self.send_header("ETag", '"tag"')
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Echo) as echo:
        echo.seen = []
        echo.endpoint = f"http://127.0.0.1:{echo.server_address[1]}"
        thread = threading.Thread(target=echo.serve_forever, args=(0.05,))
        thread.start()
        yield echo
        echo.shutdown()
        thread.join()


BODY = bytes(range(256)) * 100


def put(proxy, path="/b/k"):
    connection = http.client.HTTPConnection(urlsplit(proxy.endpoint).netloc, timeout=10)
    try:
        connection.request("PUT", path, BODY, {"Host": "the.bucket.example", "If-None-Match": "*"})
        reply = connection.getresponse()
        return reply.status, reply.read(), reply.getheader("ETag")
    finally:
        connection.close()


def test_without_faults_all_passes_unchanged(server):
    with FaultProxy(server.endpoint, seed=1) as proxy:
        assert put(proxy) == (200, b"echo" * 10, '"tag"')
        assert server.seen == [("the.bucket.example", "*", hashlib.sha256(BODY).hexdigest())]
        assert proxy.counts == {}
        assert proxy.requests == 1


@pytest.mark.parametrize("fault", sorted(ERRORS))
def test_an_error_comes_as_s3_writes_it_and_the_server_sees_nothing(server, fault):
    with FaultProxy(server.endpoint, seed=1, rates={fault: 1.0}) as proxy:
        status, body, _ = put(proxy)
    assert (status, f"<Code>{ERRORS[fault][1]}</Code>".encode() in body, server.seen) == (ERRORS[fault][0], True, [])


@pytest.mark.parametrize(("fault", "reached"), [("reset-before", 0), ("reset-after", 1)])
def test_a_reset_comes_before_or_after_the_effect(server, fault, reached):
    with FaultProxy(server.endpoint, seed=1, rates={fault: 1.0}) as proxy, pytest.raises(ConnectionResetError):
        put(proxy)
    assert len(server.seen) == reached


def test_a_reply_is_cut_off_after_the_effect(server):
    with FaultProxy(server.endpoint, seed=1, rates={"truncated": 1.0}) as proxy, pytest.raises(http.client.IncompleteRead):
        put(proxy)
    assert len(server.seen) == 1


def test_the_condition_is_kept_from_the_server(server):
    with FaultProxy(server.endpoint, seed=1, rates={"ignore-condition": 1.0}) as proxy:
        assert put(proxy)[0] == 200
    assert server.seen[0][1] is None


def test_a_plan_follows_from_its_seed_and_its_rates(server):
    def planned(seed):
        with FaultProxy(server.endpoint, seed, {"slowdown": 0.3}) as proxy:
            return [proxy.decide("PUT", f"/b/{path % 20}", False) for path in range(200)]

    assert planned(1) == planned(1) != planned(2)
    assert 30 < planned(1).count("slowdown") < 90


def test_only_matching_requests_meet_faults_and_rates_can_change(server):
    with FaultProxy(server.endpoint, seed=1, rates={"internal": 1.0}, match=lambda method, path: path.startswith("/b/bad")) as proxy:
        assert [put(proxy, "/b/good")[0], put(proxy, "/b/bad")[0]] == [200, 500]
        proxy.set_rates({})
        assert put(proxy, "/b/bad")[0] == 200
        assert proxy.counts == {"internal": 1}


@pytest.mark.parametrize("rates", [{"flood": 0.1}, {"slow": 0.7, "internal": 0.7}])
def test_an_impossible_plan_is_refused(server, rates):
    with FaultProxy(server.endpoint, seed=1) as proxy, pytest.raises(ValueError, match="fault plan"):
        proxy.set_rates(rates)
    assert "slow" in FAULTS


def test_a_server_that_is_away_is_a_reset():
    with FaultProxy("http://127.0.0.1:9", seed=1) as proxy, pytest.raises(ConnectionResetError):
        put(proxy)
