"""Language models in one GGUF file, by llama.cpp's server inside this process (`xllamacpp`): no port is opened, CPU only.

A reply is the same bits whatever is asked beside or before it, so results depend on no batch mates and on nothing that a cache holds: each
sequence has keys and values of its own, and each token passes through the model by itself, since the kernels for several at once add in
another order. That reads prompts at seven tenths of the speed (SmolLM2); models for which it matters are vLLM's. Another kind of CPU may
round differently.
"""

from __future__ import annotations

import importlib.metadata
import json
import tempfile
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from jsonschema import SchemaError

from actors.encoder import decodable
from actors.gguf_header import GgufHeader
from actors.models import ModelFiles
from actors.pictures import unseen
from engine.errors import EngineDied, ModelError
from engine.generation.chat import CONTEXT_EXCEEDED, ENDPOINT_FAILED, ENDPOINT_REFUSED, ChatRequest, Choice, Reply, Sampling, Spent
from engine.generation.reading import fits, read_reply
from engine.keys import seed_of
from engine.outcome import Failed, FailureKind, Outcome

PACKAGE = "xllamacpp"

_SEEDS = 2**32 - 1
"""llama.cpp's seeds have 32 bits, and the largest one means "any"."""

_DEATH = "Compute error"
"""llama.cpp's words when a pass through the model failed, after which no pass can be relied on."""


def llamacpp_id(files: ModelFiles) -> str:
    """The model with the version of llama.cpp that runs it, which changes replies. Raises ModelError if one of them is not usable here.

    smollm2-135m-instruct@b179c952.1b2c3d4e+xllamacpp-2026.10.11549
    """
    try:
        return f"{files.of_kind('gguf').id}+{PACKAGE}-{importlib.metadata.version(PACKAGE)}"
    except importlib.metadata.PackageNotFoundError as error:
        raise _not_installed() from error


class LlamaCpp:
    """A `ChatModel`. Requests with an equal `prefix` take one slot, one after another, so that what they share is computed once.

    Args:
        files: a model of kind `gguf`.
        context: tokens of a whole call, the answer included; 0: what the model was made for.
        threads: CPU threads of a forward pass. They wait for each other by spinning: more than there are free cores is far slower.
        slots: sequences at once, none of which waits for a long one before it; the tokens a second stay the same.

    Raises:
        ModelError: llama.cpp is not installed, or the file is no chat model or smaller than `context`.
    """

    def __init__(self, files: ModelFiles, *, context: int = 0, threads: int = 1, slots: int = 1) -> None:
        if context < 0 or threads < 1 or slots < 1:
            raise ValueError(f"threads {threads} and slots {slots} must be at least 1, context {context} at least 0")
        self.id = llamacpp_id(files)
        header = GgufHeader.read(files.folder / files.weights)
        if not header.chat_template:
            raise ModelError(f"{files.name} has no chat template.", remedy="Give a chat (instruct) model.", code="model-unsupported")
        if context > header.context:
            raise ModelError(
                f"{files.name} was made for {header.context} tokens, not {context}.",
                remedy="Lower `context`.",
                code="model-unsupported",
            )
        self._context = context or header.context
        self._server: Any = _started(files, self._context, threads, slots)
        self._pool = ThreadPoolExecutor(slots, thread_name_prefix="llamacpp")
        self._free: SimpleQueue[int] = SimpleQueue()
        for slot in range(slots):
            self._free.put(slot)
        self._spent, self._counting = Spent(), threading.Lock()

    @property
    def spent(self) -> Spent:
        """Everything used so far, calls that came to nothing included."""
        with self._counting:
            return self._spent

    def chat(self, requests: Sequence[ChatRequest]) -> list[Outcome[Reply]]:
        """One outcome a request, in order; safe from several threads. Raises EngineDied if llama.cpp cannot be relied on any more."""
        if self._server is None:
            raise ModelError(f"The model {self.id} is closed.", code="model-closed")
        order = sorted(range(len(requests)), key=lambda index: requests[index].prefix)
        alike = groupby(order, key=lambda index: requests[index].prefix or index)
        runs = [list(indices) for _, indices in alike]
        futures = [self._pool.submit(self._run, [requests[index] for index in run]) for run in runs]
        outcomes: dict[int, Outcome[Reply]] = {}
        try:
            for run, future in zip(runs, futures, strict=True):
                outcomes |= zip(run, future.result(), strict=True)
        finally:
            for future in futures:
                future.cancel()
        return [outcomes[index] for index in range(len(requests))]

    def close(self) -> None:
        """Let go of the model, once calls under way are answered; `chat` raises afterwards."""
        self._pool.shutdown(cancel_futures=True)
        self._server = None

    def _run(self, requests: Sequence[ChatRequest]) -> list[Outcome[Reply]]:
        slot = self._free.get()
        try:
            return [self._one(request, slot) for request in requests]
        finally:
            self._free.put(slot)

    def _one(self, request: ChatRequest, slot: int) -> Outcome[Reply]:
        if blind := unseen(request, self.id):
            return blind
        try:
            if request.schema:
                fits("", request.schema)  # llama.cpp passes over what is no schema
        except (ValueError, SchemaError) as error:
            return Failed(ENDPOINT_REFUSED, f"schema is no JSON schema: {type(error).__name__}")
        sampling = request.sampling
        # Greedy samples are all the same one.
        drawn = sampling.n if sampling.temperature else 1
        choices: list[Choice] = []
        output_tokens = input_tokens = 0
        for number in range(drawn):
            said = self._ask(_body(request, slot, number))
            if isinstance(said, Failed):
                return said
            choices.append(_choice(said))
            input_tokens = int(said["usage"]["prompt_tokens"])
            output_tokens += int(said["usage"]["completion_tokens"])
            if input_tokens + sampling.max_tokens > self._context:
                break
        with self._counting:
            self._spent += Spent(1, input_tokens, output_tokens)
        if input_tokens + sampling.max_tokens > self._context:
            return _too_long(input_tokens, sampling, self._context)
        return read_reply(request, Reply(tuple(choices) * (sampling.n // drawn), self.id, input_tokens, output_tokens))

    def _ask(self, body: dict[str, Any]) -> dict[str, Any] | Failed:
        """What the server says, or why it does not."""
        try:
            said: dict[str, Any] = self._server.handle_chat_completions(body)
        except (ValueError, RuntimeError) as error:
            if isinstance(error, RuntimeError) and "json.exception" not in str(error):
                raise EngineDied(f"llama.cpp failed: {error}") from error
            return Failed(ENDPOINT_REFUSED, f"llama.cpp does not take this request: {str(error)[:300]}")
        problem = said.get("error")
        if problem is None:
            return said
        message = str(problem.get("message", ""))
        if problem.get("type") == "exceed_context_size_error":
            return Failed(
                CONTEXT_EXCEEDED,
                f"{problem['n_prompt_tokens']} tokens do not fit the model's {self._context}. Show the model less.",
            )
        if int(problem.get("code", 500)) < 500:
            return Failed(ENDPOINT_REFUSED, f"llama.cpp does not take this request: {message[:300]}")
        if _DEATH in message or problem.get("type") == "unavailable_error":
            raise EngineDied(f"llama.cpp failed: {message}")
        return Failed(ENDPOINT_FAILED, f"llama.cpp failed at this request: {message[:300]}", FailureKind.RETRYABLE)


def _started(files: ModelFiles, context: int, threads: int, slots: int) -> Any:
    """llama.cpp's server with the model loaded, behind no port."""
    try:
        import xllamacpp
    except ImportError as error:
        raise _not_installed() from error
    params = xllamacpp.CommonParams()
    params.model.path = str(files.folder / files.weights)
    params.n_ctx, params.n_parallel = context * slots, slots
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.n_gpu_layers = 0
    # What makes a reply independent of everything around it; without flash attention, which on a CPU halves the speed behind long prompts.
    params.kv_unified = False
    params.n_ubatch = 1
    params.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    # Nothing is cut, shrunk or taken out of a reply in silence.
    params.ctx_shift = params.fit_params = False
    params.reasoning_format = xllamacpp.common_reasoning_format.COMMON_REASONING_FORMAT_NONE
    params.cache_ram_mib = 0
    params.warmup = params.ui = params.endpoint_slots = False
    params.n_threads_http = 1
    params.verbosity = 0
    # The server listens in any case: at a socket in a private folder that is gone before anybody could connect.
    with tempfile.TemporaryDirectory(prefix="mien-") as private:
        params.hostnames = [str(Path(private) / "llama.sock")]
        try:
            return xllamacpp.Server(params)
        except RuntimeError as error:
            raise ModelError(
                f"llama.cpp cannot load {files.folder / files.weights}.",
                remedy="The file is damaged, of an architecture that this version does not know, or too large for the memory.",
                code="model-unsupported",
            ) from error


def _body(request: ChatRequest, slot: int, number: int) -> dict[str, Any]:
    """One sample of a request, as llama.cpp's server takes it. Samplers that only llama.cpp has stay out."""
    sampling = request.sampling
    body: dict[str, Any] = {
        "messages": [{"role": message.role, "content": decodable(message.content)} for message in request.messages],
        "id_slot": slot,
        "cache_prompt": True,
        "max_tokens": sampling.max_tokens,
        "samplers": ["temperature", "top_p"],
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "seed": seed_of(str(request.seed), str(number)) % _SEEDS,
        "stop": [decodable(stop) for stop in sampling.stop],
        "ignore_eos": sampling.fixed_length,
    }
    if request.schema:
        body["response_format"] = {"type": "json_schema", "json_schema": {"schema": json.loads(request.schema)}}
    return body


def _choice(said: dict[str, Any]) -> Choice:
    choice = said["choices"][0]
    return Choice(choice["message"]["content"] or "", "length" if choice["finish_reason"] == "length" else "stop")


def _too_long(input_tokens: int, sampling: Sampling, context: int) -> Failed:
    return Failed(
        CONTEXT_EXCEEDED,
        f"{input_tokens} tokens and {sampling.max_tokens} for the answer do not fit the model's {context}. "
        "Show the model less, or lower max_tokens.",
    )


def _not_installed() -> ModelError:
    return ModelError(f"{PACKAGE} is not installed.", remedy="Run `pip install mien[laptop]`.", code="model-missing")
