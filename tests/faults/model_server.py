"""A stand-in for a provider of language models on this machine: real HTTP, fixed replies, its own accounts, and faults by a seed.

    with ModelServer(seed=1, faults=0.2) as server:
        model = OpenAiChat(LanguageModel(..., endpoint=Endpoint(base_url=server.url)))

It speaks /v1/chat/completions, /v1/completions, /v1/embeddings and /v1/models; a subclass adds paths in `routes`. Which request fails how
depends on the seed, its body and how often that body came before: not on the order in which requests come.
"""

import asyncio
import json
import random
import socket
import struct
import threading
import time
from collections import Counter
from dataclasses import dataclass

from aiohttp import web

from tests.faults.model_rules import CONTEXT, FORBIDDEN, choice, input_tokens, reply_text, text_of, tokens_of, vector_of

FAULTS = {
    "slowdown": "429 with Retry-After: 1 instead of a reply",
    "internal": "500 instead of a reply",
    "hang": "no byte for as long as the client waits",
    "reset": "the connection is reset once the request is read",
    "malformed": "200 with a body that is no JSON",
    "truncated": "200 with half of the body, then the connection ends",
}
KEY = "sk-stand-in-0123456789abcdef"
MODEL = "stand-in-1"


@dataclass(frozen=True)
class Arrival:
    """A request as the server counts it in its rate limit: when it came, and the tokens of its input and its reply."""

    at: float
    tokens: int


class ModelServer:
    """Listens on 127.0.0.1 until `stop` or `kill`.

    `faults` is the share of requests that meet one of `kinds`. `takes` names the values that a parameter may have ({"temperature": {1}});
    with an empty set it is refused altogether. `says` is the model that replies name, "" for none. `tells` False leaves usage out.
    """

    def __init__(
        self,
        seed=0,
        faults=0.0,
        *,
        kinds=tuple(FAULTS),
        takes=None,
        key=KEY,
        model=MODEL,
        says=MODEL,
        tells=True,
        delay_s=0.0,
        retry_after="1",
    ):
        self.key, self.model, self.says, self.tells, self.delay_s, self.retry_after = key, model, says, tells, delay_s, retry_after
        self.takes = takes or {}
        self.faults, self._seed, self._kinds = faults, seed, kinds
        self.fail_next = 0
        """So many of the next requests end with 500, whatever `faults` says."""
        self._asked = Counter()
        self.counts = Counter()
        """Faults, by kind."""
        self.answered = Counter()
        """Whole replies that were sent, by the text of the last message (the text, for embeddings)."""
        self.arrivals = []
        self.told = Counter()
        """What sent replies said they took: "calls", "input", "output"."""
        self.bodies = []
        self.most_at_once = self._at_once = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, name="model-server", daemon=True)
        self._ready = threading.Event()
        self._thread.start()
        self._ready.wait(10)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    @property
    def url(self):
        """What an endpoint's base_url is."""
        return f"http://127.0.0.1:{self.port}/v1"

    def routes(self):
        """(method, path, handler) of each path."""
        return [
            ("POST", "/v1/chat/completions", self.chat),
            ("POST", "/v1/completions", self.completions),
            ("POST", "/v1/embeddings", self.embeddings),
            ("GET", "/v1/models", self.models),
        ]

    def stop(self):
        """End it and every connection."""
        if self._thread.is_alive():
            asyncio.run_coroutine_threadsafe(self._runner.cleanup(), self._loop).result(10)
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    kill = stop

    def most_in_window(self, seconds):
        """The most requests and the most tokens that came within any window of that length, its end not included."""
        most = [0, 0]
        for first, start in enumerate(self.arrivals):
            within = [arrival for arrival in self.arrivals[first:] if arrival.at < start.at + seconds]
            most = [max(most[0], len(within)), max(most[1], sum(arrival.tokens for arrival in within))]
        return tuple(most)

    async def chat(self, request):
        """A chat reply, or what the request's text asks for instead."""
        body = await request.json()
        return await self.answer(request, body, *self.chat_reply(body))

    def chat_reply(self, body):
        """(text asked, tokens taken, reply, tokens of a reply at most) of a chat's body."""
        schema = body.get("response_format", {}).get("json_schema", {}).get("schema")
        asked = text_of(body["messages"][-1]["content"])
        most = body.get("max_tokens") or body.get("max_completion_tokens") or 256
        told = [reply_text(asked, number=number, schema=schema, most=most) for number in range(body.get("n", 1))]
        choices = [{"index": number, **choice(asked, *each)} for number, each in enumerate(told)]
        took = input_tokens(body["messages"]), sum(tokens_of(text) for text, _ in told)
        return asked, took, {"object": "chat.completion", "choices": choices[::-1]}, most

    async def completions(self, request):
        """A text that goes on where the prompt ends."""
        body = await request.json()
        asked, most = body["prompt"], body.get("max_tokens", 16)
        told = [reply_text(asked, number=number, most=most) for number in range(body.get("n", 1))]
        choices = [{"index": i, "text": text, "finish_reason": "length" if cut else "stop"} for i, (text, cut) in enumerate(told)]
        took = tokens_of(asked), sum(tokens_of(text) for text, _ in told)
        return await self.answer(request, body, asked, took, {"object": "text_completion", "choices": choices}, most)

    async def embeddings(self, request):
        """A vector a text, last text first; a text marked [long] is refused, one marked [cut] is said to be truncated."""
        body = await request.json()
        dimensions = body.get("dimensions", 16)
        data = [
            {"index": index, "embedding": vector_of(text, dimensions), "truncated": "[cut]" in text}
            for index, text in enumerate(body["input"])
        ]
        took = sum(map(tokens_of, body["input"])), 0
        long = CONTEXT if any("[long]" in text for text in body["input"]) else 0
        return await self.answer(request, body, " | ".join(body["input"]), took, {"object": "list", "data": data[::-1]}, long)

    async def models(self, request):
        """The one model that there is."""
        return self.error(*self.refusal(request, {"model": self.model}, "", (0, 0), 0)) or web.json_response({"data": [{"id": self.model}]})

    async def answer(self, request, body, asked, took, reply, most):
        """Count the request, let it meet its fault, and send `reply` with the tokens that it took (input, output)."""
        self.arrivals.append(Arrival(time.monotonic(), sum(took)))
        self.bodies.append(body)
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            if self.delay_s:
                await asyncio.sleep(self.delay_s)
            refusal = self.error(*self.refusal(request, body, asked, took, most))
            if refusal is not None:
                return refusal
            usage = {"prompt_tokens": took[0], "completion_tokens": took[1], "total_tokens": sum(took)}
            whole = json.dumps(reply | ({"model": self.says} if self.says else {}) | ({"usage": usage} if self.tells else {}))
            fault = self.decide(body)
            if fault:
                return await self.fail(request, fault, whole)
            self.answered[asked] += 1
            self.told.update(calls=1, input=took[0], output=took[1])
            return web.Response(text=whole, content_type="application/json")
        finally:
            self._at_once -= 1

    def refusal(self, request, body, asked, took, most):
        """Why a request is not answered: (status, code, message, parameter); status 0 if it is."""
        if request.headers.get("authorization") != f"Bearer {self.key}":
            # A careless provider repeats what it was sent.
            return 401, "invalid_api_key", f"Incorrect API key provided: {request.headers.get('authorization')}.", None
        if body["model"] != self.model:
            return 404, "model_not_found", f"The model `{body['model']}` does not exist.", None
        for name, values in self.takes.items():
            if name in body and body[name] not in values:
                return 400, "unsupported_parameter", f"Unsupported value: '{name}' with this model.", name
        for mark, (code, message) in FORBIDDEN.items():
            if mark in asked:
                return 400, code, message, None
        if "[quota]" in asked:
            return 429, "insufficient_quota", "You exceeded your current quota.", None
        if "[500]" in asked:
            return 500, "server_error", "This one never works.", None
        if took[0] + most > CONTEXT:
            return 400, "context_length_exceeded", f"This model's maximum context length is {CONTEXT} tokens.", "messages"
        return 0, "", "", None

    def error(self, status, code, message, parameter):
        """An error in OpenAI's form; None for status 0."""
        if not status:
            return None
        return web.json_response(
            {"error": {"message": message, "type": "invalid_request_error", "param": parameter, "code": code}}, status=status
        )

    def decide(self, body):
        """The fault that this request meets, or None."""
        content = json.dumps(body, sort_keys=True)
        drawn = random.Random(f"{self._seed} {content} {self._asked[content]}")
        self._asked[content] += 1
        if self.fail_next:
            self.fail_next -= 1
            return "internal"
        if drawn.random() >= self.faults:
            return None
        kind = drawn.choice(self._kinds)
        self.counts[kind] += 1
        return kind

    async def fail(self, request, kind, whole):
        """What a request meets instead of its reply."""
        if kind == "slowdown":
            response = self.error(429, "rate_limit_exceeded", "Slow down.", None)
            response.headers["Retry-After"] = self.retry_after
            return response
        if kind == "internal":
            return web.Response(status=500, text="<html>Internal Server Error</html>", content_type="text/html")
        if kind == "hang":
            await asyncio.sleep(3600)  # ends when the client goes away
        if kind == "malformed":
            return web.Response(text=whole[: len(whole) // 2] + "}", content_type="application/json")
        if kind == "truncated":
            response = web.StreamResponse(headers={"content-length": str(len(whole)), "content-type": "application/json"})
            await response.prepare(request)
            await response.write(whole[: len(whole) // 2].encode())
        else:
            response = web.Response()
            request.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        request.transport.abort()
        return response

    def _serve(self):
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._start())
        self._ready.set()
        self._loop.run_forever()

    async def _start(self):
        app = web.Application(client_max_size=1 << 26)
        for method, path, handler in self.routes():
            app.router.add_route(method, path, handler)
        # A client that gives up cancels its handler, so that a hang ends.
        self._runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.port = self._runner.addresses[0][1]
