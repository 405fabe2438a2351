"""The stand-in provider in Anthropic's words: /v1/messages."""

import json

from aiohttp import web

from tests.faults.model_rules import CONTEXT, FORBIDDEN, has_empty_text, input_tokens, reply_text, text_of, tokens_of
from tests.faults.model_server import ModelServer


class AnthropicServer(ModelServer):
    """As `ModelServer`. The first `overloads` messages meet 529; every input has `cached` tokens from a cache."""

    def __init__(self, *args, overloads=0, cached=0, **kwargs):
        self.overloads, self.cached = overloads, cached
        super().__init__(*args, **kwargs)

    def routes(self):
        return [*super().routes(), ("POST", "/v1/messages", self.messages)]

    async def messages(self, request):
        """A message, or what the request's text asks for instead."""
        refusal = self.unknown(request)
        if refusal is not None:
            return refusal
        body = await request.json()
        self.bodies.append(body)
        if self.overloads:
            self.overloads -= 1
            return web.json_response(_error("overloaded_error", "Overloaded"), status=529)
        status, message = self.message(body)
        if status != 200:
            return web.json_response(message, status=status)
        if fault := self.decide(body):
            return await self.fail(request, fault, json.dumps(message))
        self.count(message)
        return web.json_response(message)

    def unknown(self, request):
        """The refusal of a request without the right key and version; None if it has them."""
        if request.headers.get("x-api-key") == self.key and request.headers.get("anthropic-version") == "2023-06-01":
            return None
        return web.json_response(_error("authentication_error", "invalid x-api-key"), status=401)

    def count(self, message):
        """A message that was sent, in the server's own accounts."""
        usage = message["usage"]
        taken = usage["input_tokens"] + usage["cache_read_input_tokens"]
        self.told.update(calls=1, input=taken, output=usage["output_tokens"])

    def message(self, body):
        """(status, body) of the reply to a request."""
        asked, most, tools = text_of(body["messages"][-1]["content"]), body["max_tokens"], body.get("tools")
        taken = input_tokens(body["messages"]) + tokens_of(body.get("system", ""))
        if body["model"] != self.model:
            return 404, _error("not_found_error", f"model: {body['model']}")
        if "[poor]" in asked:
            return 400, _error("invalid_request_error", "Your credit balance is too low to access the API.")
        if "[bytes]" in asked:
            return 413, _error("request_too_large", "Request exceeds the maximum size")
        if taken + most > CONTEXT:
            return 400, _error("invalid_request_error", f"prompt is too long: {taken} tokens > {CONTEXT} maximum")
        if any(mark in asked for mark in FORBIDDEN) or has_empty_text(body["messages"][-1]["content"]):
            return 400, _error("invalid_request_error", "messages: text content blocks must be non-empty")
        text, cut = reply_text(asked, schema=tools[0]["input_schema"] if tools else None, most=most)
        content, reason = [{"type": "text", "text": text}] if text else [], "max_tokens" if cut else "end_turn"
        if "[refuse]" in asked:
            content, reason = [], "refusal"
        elif tools and text.startswith("{"):
            content, reason = [{"type": "tool_use", "id": "toolu_1", "name": tools[0]["name"], "input": json.loads(text)}], "tool_use"
        usage = {"input_tokens": taken - self.cached, "cache_read_input_tokens": self.cached, "output_tokens": tokens_of(text)}
        return 200, {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": self.says,
            "content": content,
            "stop_reason": reason,
            "usage": usage,
        }


def _error(kind, message):
    return {"type": "error", "error": {"type": kind, "message": message}}
