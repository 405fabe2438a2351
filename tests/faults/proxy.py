"""A reverse proxy between an S3 client and a server that does what networks and busy servers do, by a seeded plan.

    with FaultProxy(server.endpoint, seed=1, rates={"slowdown": 0.05, "reset-after": 0.05}) as proxy:
        backend = open_backend(server.uri(endpoint=proxy.endpoint))

The Host header and the body pass unchanged, so that signatures stay valid. Which request fails how depends on the seed, its method, its
path and how often that was asked before: not on the order in which threads come.
"""

import http.client
import os
import random
import socket
import struct
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar
from urllib.parse import urlsplit

FAULTS = {
    "slowdown": "503 SlowDown instead of the request",
    "conflict": "409 ConditionalRequestConflict instead of a conditional PUT",
    "internal": "500 InternalError instead of the request",
    "reset-before": "the connection is reset and the server never sees the request",
    "reset-after": "the server carries the request out, and the connection is reset instead of the reply",
    "slow": "the reply comes late",
    "truncated": "the reply is cut off in its middle",
    "ignore-condition": "the server is not told If-None-Match (its signatures must not be checked then)",
}
ERRORS = {
    "slowdown": (503, "SlowDown", "Please reduce your request rate."),
    "conflict": (409, "ConditionalRequestConflict", "A conflicting operation is under way."),
    "internal": (500, "InternalError", "An internal error came up."),
}


class FaultProxy:
    """Listens on 127.0.0.1; `rates` are probabilities by fault, `match(method, path)` tells which requests may meet one."""

    def __init__(self, target, seed, rates=None, match=None, delay_s=0.3):
        self.host, self.delay_s = urlsplit(target).netloc, delay_s
        self._seed, self._match = seed, match or (lambda method, path: True)
        self._lock = threading.Lock()
        self._asked = Counter()
        self._rates = {}
        self.counts = Counter()
        self.requests = 0
        self.set_rates(rates or {})
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="fault-proxy", daemon=True)
        self._thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    @property
    def endpoint(self):
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def set_rates(self, rates):
        """Replace the fault plan: fault -> probability, together at most 1."""
        unknown = set(rates) - set(FAULTS)
        if unknown or sum(rates.values()) > 1:
            raise ValueError(f"no such fault plan: {rates}; faults are {', '.join(FAULTS)}")
        with self._lock:
            self._rates = dict(sorted(rates.items()))

    def stop(self):
        """End it and every connection through it."""
        self._server.shutdown()
        self._thread.join()
        self._server.end_connections()
        self._server.server_close()

    def decide(self, method, path, conditional):
        """The fault that this request meets, or None."""
        with self._lock:
            self.requests += 1
            asked = self._asked[method, path]
            self._asked[method, path] += 1
            drawn = random.Random(f"{self._seed} {method} {path} {asked}").random()
            fault = None
            if self._match(method, path):
                for name, rate in self._rates.items():
                    if drawn < rate:
                        fault = name
                        break
                    drawn -= rate
            if fault in ("conflict", "ignore-condition") and not conditional:
                fault = None
            if fault:
                self.counts[fault] += 1
            return fault


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    HOP_BY_HOP: ClassVar = {"connection", "keep-alive", "transfer-encoding", "expect"}

    def log_message(self, *_):
        pass

    def serve(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        proxy = self.server.proxy
        fault = proxy.decide(self.command, self.path, "If-None-Match" in self.headers)
        if fault in ERRORS:
            return self.refuse(*ERRORS[fault])
        if fault == "reset-before":
            return self.reset()
        try:
            status, headers, reply = self.forward(proxy.host, body, drop="if-none-match" if fault == "ignore-condition" else "")
        except (OSError, http.client.HTTPException):
            return self.reset()  # the server is away
        if fault == "reset-after":
            return self.reset()
        if fault == "slow":
            time.sleep(proxy.delay_s)
        self.answer(status, headers, reply, cut=fault == "truncated")

    def do_GET(self):
        self.serve()

    def do_PUT(self):
        self.serve()

    def do_HEAD(self):
        self.serve()

    def do_DELETE(self):
        self.serve()

    def do_POST(self):
        self.serve()

    def forward(self, host, body, drop):
        upstream = http.client.HTTPConnection(host, timeout=60)
        try:
            upstream.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for key, value in self.headers.items():
                if key.lower() not in self.HOP_BY_HOP and key.lower() != drop:
                    upstream.putheader(key, value)
            upstream.endheaders(body or None)
            reply = upstream.getresponse()
            return reply.status, reply.getheaders(), reply.read()
        finally:
            upstream.close()

    def answer(self, status, headers, reply, cut):
        lines = [f"HTTP/1.1 {status} {http.client.responses.get(status, '')}"]
        lines += [f"{key}: {value}" for key, value in headers if key.lower() not in {*self.HOP_BY_HOP, "content-length"}]
        length = next((value for key, value in headers if key.lower() == "content-length"), "0") if self.command == "HEAD" else len(reply)
        if status != 204:
            lines.append(f"Content-Length: {length}")
        head = ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
        if cut:
            whole = head + reply
            self.wfile.write(whole[: len(head) + len(reply) // 2 if len(reply) > 1 else len(head) // 2])
            self.close_connection = True
        else:
            self.wfile.write(head + (b"" if self.command == "HEAD" else reply))

    def refuse(self, status, code, message):
        body = f'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>{code}</Code><Message>{message}</Message></Error>'.encode()
        self.answer(status, [("Content-Type", "application/xml")], b"" if self.command == "HEAD" else body, cut=False)

    def reset(self):
        """End the connection with RST, as a crashed peer or a firewall does."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        os.close(self.connection.detach())


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # so that closing waits for them
    request_queue_size = 128

    def __init__(self, proxy):
        self.proxy = proxy
        self._connections = set()
        super().__init__(("127.0.0.1", 0), _Handler)

    def process_request(self, request, client_address):
        self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request):
        self._connections.discard(request)
        super().shutdown_request(request)

    def end_connections(self):
        for connection in list(self._connections):
            with suppress(OSError):  # closed meanwhile
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], OSError):  # a client that went away is no error of ours
            super().handle_error(request, client_address)
