"""Both providers' batches, on top of the stand-in of `model_server`: files, states, results in no order, and accounts of what was charged.

    with BatchServer(fates=["expire"]) as server: ...

A text marked [once lost] is missing from the results of the first batch it is in, [twice] comes twice, [foreign] brings a line of somebody
else's, [spoiled] is half a line, [row 500] fails in its first batch.
"""

import asyncio
import datetime
import json
import random
import threading
import time
from collections import Counter, deque
from dataclasses import dataclass, field
from types import SimpleNamespace

from aiohttp import web

from tests.faults.anthropic_server import AnthropicServer
from tests.faults.model_rules import text_of

OPEN_STATES = ("validating", "in_progress", "finalizing")


@dataclass
class Batch:
    """What was submitted (row id -> body) and how it goes: `fate` is what happens to it, `looks` how often it was looked at."""

    id: str
    rows: dict
    metadata: dict = field(default_factory=dict)
    fate: str = ""
    looks: int = 0
    began: float = field(default_factory=time.time)
    lines: list = None
    """Results, once it has ended."""
    errors: list = field(default_factory=list)


class BatchServer(AnthropicServer):
    """What happens to the batches, by `fates` in the order in which they come, nothing special to later ones: "expire" and "cancel" after
    half of the rows, "vanish", "forget" (its results), "full" (no room in the queue), "fail", "bad line" (the second is at fault),
    "no model".

    `looks` is how often a batch is seen open. While `held` is set none ends, while `away` is set no look is answered. `before_accept()`
    and `before_reply(batch)` run in the server around accepting a batch; the connection breaks if one returns False.
    """

    def __init__(self, *args, fates=(), looks=1, **kwargs):
        self.fates, self.looks = deque(fates), looks
        self.held, self.away = threading.Event(), threading.Event()
        self.before_accept = lambda: True
        self.before_reply = lambda batch: True
        self.submitted = Counter()
        """How often a row was accepted in a batch, by row id."""
        self.charged = Counter()
        """How often a row was computed, by the text that was asked."""
        self.batches = {}
        self.files = {}
        super().__init__(*args, **kwargs)

    def routes(self):
        return [
            *super().routes(),
            ("POST", "/v1/files", self.upload),
            ("GET", "/v1/files/{id}/content", self.content),
            ("POST", "/v1/batches", self.create),
            ("GET", "/v1/batches", self.list_),
            ("GET", "/v1/batches/{id}", self.look),
            ("POST", "/v1/batches/{id}/cancel", self.cancel),
            ("POST", "/v1/messages/batches", self.create_messages),
            ("GET", "/v1/messages/batches", self.list_messages),
            ("GET", "/v1/messages/batches/{id}", self.look_messages),
            ("GET", "/v1/messages/batches/{id}/results", self.results),
            ("POST", "/v1/messages/batches/{id}/cancel", self.cancel),
        ]

    async def upload(self, request):
        """A file of requests."""
        form = await request.post()
        assert form["purpose"] == "batch"
        id_ = f"file-{len(self.files)}"
        self.files[id_] = form["file"].file.read()
        return web.json_response({"id": id_})

    async def content(self, request):
        """A file."""
        forgotten = {f"{batch.id}-{kind}" for batch in self.batches.values() for kind in ("out", "err") if batch.fate == "forget"}
        data = None if request.match_info["id"] in forgotten else self.files.get(request.match_info["id"])
        return web.Response(body=data) if data is not None else self.error(404, "", "No such File object", "id")

    async def create(self, request):
        """A batch of an uploaded file."""
        body = await request.json()
        lines = [json.loads(line) for line in self.files[body["input_file_id"]].splitlines()]
        assert {line["url"] for line in lines} == {body["endpoint"]} == {"/v1/chat/completions"}
        return await self.accept(request, {line["custom_id"]: line["body"] for line in lines}, body["metadata"], self.openai)

    async def create_messages(self, request):
        """A batch of messages."""
        if (refusal := self.unknown(request)) is not None:
            return refusal
        rows = {each["custom_id"]: each["params"] for each in (await request.json())["requests"]}
        assert all(len(id_) <= 64 for id_ in rows)
        return await self.accept(request, rows, {}, self.anthropic)

    def begin(self, rows, metadata=None):
        """A batch of the account."""
        batch = Batch(f"batch_{len(self.batches)}", rows, metadata or {}, self.fates.popleft() if self.fates else "")
        self.batches[batch.id] = batch
        self.submitted.update(rows.keys())
        return batch

    async def accept(self, request, rows, metadata, told):
        """Begin a batch and tell of it, unless one of the two is not to be."""
        if await asyncio.to_thread(self.before_accept):
            batch = self.begin(rows, metadata)
            if await asyncio.to_thread(self.before_reply, batch):
                return web.json_response(told(batch))
        request.transport.abort()
        return web.Response()

    async def list_(self, request):
        """A page of batches, the last one first."""
        page, more = self.page(request.query.get("after"), 2)
        return web.json_response({"data": [self.openai(batch) for batch in page], "has_more": more})

    async def list_messages(self, request):
        """A page of batches, the last one first."""
        page, more = self.page(request.query.get("after_id"), 2)
        told = [self.anthropic(batch) for batch in page]
        return web.json_response({"data": told, "has_more": more, "last_id": told[-1]["id"] if told else None})

    def page(self, after, size):
        """The batches behind `after`, and whether there are more."""
        ids = list(self.batches)[::-1]
        start = ids.index(after) + 1 if after else 0
        return [self.batches[id_] for id_ in ids[start : start + size]], len(ids) > start + size

    async def look(self, request):
        """A batch."""
        batch = self.looked_at(request)
        return web.json_response(self.openai(batch)) if batch else self.error(404, "", "No batch found", "id")

    async def look_messages(self, request):
        """A batch of messages."""
        batch = self.looked_at(request)
        missing = {"type": "error", "error": {"type": "not_found_error", "message": "There is no such batch."}}
        return web.json_response(self.anthropic(batch) if batch else missing, status=200 if batch else 404)

    def looked_at(self, request):
        """The batch, which gets on by being looked at; None if there is none."""
        if self.away.is_set():
            request.transport.abort()
        batch = self.batches.get(request.match_info["id"])
        if batch is None or batch.fate == "vanish":
            return None
        batch.looks += 1
        if batch.looks > self.looks and not self.held.is_set() and batch.lines is None:
            self.end(batch)
        return batch

    async def cancel(self, request):
        """End a batch before anything of it is computed."""
        batch = self.batches[request.match_info["id"]]
        if batch.lines is None:
            batch.fate, batch.lines = "cancelled", []
        return web.json_response({"id": batch.id})

    def end(self, batch):
        """Compute what the fate lets be computed."""
        ids = list(batch.rows)
        if batch.fate in ("full", "fail", "bad line", "no model"):
            batch.errors = [FAILURES[batch.fate]]
            batch.lines = []
            return
        done = ids[: len(ids) // 2] if batch.fate in ("expire", "cancel") else ids
        batch.lines = []
        for id_ in ids:
            asked = text_of(batch.rows[id_]["messages"][-1]["content"])
            first = self.submitted[id_] == 1
            line = self.line(batch, id_, asked, done=id_ in done, fails="[row 500]" in asked and first)
            batch.lines += [line] * (2 if "[twice]" in asked else 0 if "[once lost]" in asked and first else 1)
            if "[foreign]" in asked:
                batch.lines.append(line | {"custom_id": "f" * 40})
        random.Random(batch.id).shuffle(batch.lines)
        self.files |= {f"{batch.id}-out": self.written(batch, errors=False), f"{batch.id}-err": self.written(batch, errors=True)}

    def line(self, batch, id_, asked, *, done, fails):
        """One line of the results, in the words of the batch's provider."""
        if not done:
            kind = "expired" if batch.fate == "expire" else "canceled"
            error = {"code": "batch_expired" if batch.fate == "expire" else "batch_cancelled", "message": "Not begun."}
            return {"custom_id": id_, **({"response": None, "error": error} if batch.metadata else {"result": {"type": kind}})}
        compute = self.chat_line if batch.metadata else self.message_line
        line, charged = compute(batch.rows[id_], fails)
        self.charged[asked] += charged
        return {"custom_id": id_, **line}

    def chat_line(self, body, fails):
        """(what an output line says of a chat, whether it is charged)."""
        asked, took, reply, most = self.chat_reply(body)
        authorised = SimpleNamespace(headers={"authorization": f"Bearer {self.key}"})  # as the batch itself was
        status, code, message, parameter = (500, "", "", None) if fails else self.refusal(authorised, body, asked, took, most)
        if status:
            error = {"code": code, "message": message, "param": parameter}
            return {"response": {"status_code": status, "body": {"error": error}}, "error": None}, False
        self.told.update(calls=1, input=took[0], output=took[1])
        usage = {"prompt_tokens": took[0], "completion_tokens": took[1]}
        return {"response": {"status_code": 200, "body": reply | {"model": self.says, "usage": usage}}, "error": None}, True

    def message_line(self, body, fails):
        """(what a result line says of a message, whether it is charged)."""
        status, message = (500, {"type": "error", "error": {"type": "api_error"}}) if fails else self.message(body)
        if status != 200:
            return {"result": {"type": "errored", "error": message}}, False
        self.count(message)
        return {"result": {"type": "succeeded", "message": message}}, True

    def written(self, batch, *, errors):
        """The file of outputs, or of errors; OpenAI has two."""
        lines = [json.dumps(line) for line in batch.lines if errors == ((line.get("response") or {"status_code": 0})["status_code"] != 200)]
        texts = {id_: text_of(body["messages"][-1]["content"]) for id_, body in batch.rows.items()}
        cut = {id_ for id_, text in texts.items() if "[spoiled]" in text}
        return "".join((line[: len(line) // 2] if json.loads(line)["custom_id"] in cut else line) + "\n" for line in lines).encode()

    async def results(self, request):
        """All lines of an ended batch of messages."""
        batch = self.batches[request.match_info["id"]]
        if batch.fate == "forget":
            return web.json_response({"type": "error", "error": {"type": "not_found_error", "message": "No results."}}, status=404)
        return web.Response(body=self.written(batch, errors=False) + self.written(batch, errors=True))

    def openai(self, batch):
        """A batch in OpenAI's words."""
        ended = batch.lines is not None
        state = OPEN_STATES[min(batch.looks, 2)]
        if ended:
            state = {"expire": "expired", "cancel": "cancelled", "cancelled": "cancelled"}.get(batch.fate, "completed")
            state = "failed" if batch.errors else state
        files = {"output_file_id": f"{batch.id}-out", "error_file_id": f"{batch.id}-err"} if f"{batch.id}-out" in self.files else {}
        counts = {"total": len(batch.rows), "completed": len(batch.lines or ()), "failed": 0}
        told = {"id": batch.id, "object": "batch", "status": state, "metadata": batch.metadata, "created_at": int(batch.began)}
        return told | files | {"request_counts": counts, "errors": {"data": batch.errors}}

    def anthropic(self, batch):
        """A batch in Anthropic's words."""
        ended = batch.lines is not None
        counts = {"processing": 0 if ended else len(batch.rows), "succeeded": len(batch.rows) if ended else 0, "errored": 0}
        began = datetime.datetime.fromtimestamp(batch.began, datetime.UTC).isoformat().replace("+00:00", "Z")
        url = f"{self.url}/messages/batches/{batch.id}/results" if ended else None
        told = {"id": batch.id, "type": "message_batch", "created_at": began, "results_url": url}
        return told | {"processing_status": "ended" if ended else "in_progress", "request_counts": counts}


FAILURES = {
    "full": {"code": "token_limit_exceeded", "message": "Enqueued token limit reached."},
    "fail": {"code": "internal_error", "message": "Something went wrong."},
    "bad line": {"code": "invalid_value", "message": "This line is no good.", "line": 2},
    "no model": {"code": "model_not_found", "message": "The model does not exist.", "line": 1},
}
