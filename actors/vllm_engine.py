"""Language models on vLLM's own asynchronous engine: requests of all callers join one continuous batch. The same code on CPU and GPU."""

from __future__ import annotations

import asyncio
import itertools
import multiprocessing
import threading
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeVar

from actors.encoder import decodable
from actors.pictures import unseen
from actors.process_guard import ProcessGuard
from actors.vllm_arguments import EngineSettings, engine_arguments, prepare_process
from actors.vllm_pictures import PicturePrompts, expect_sight
from engine.errors import EngineDied, ModelError
from engine.generation.chat import CONTEXT_EXCEEDED, ENDPOINT_FAILED, ENDPOINT_REFUSED, ChatRequest, Choice, Reply, Spent
from engine.generation.reading import read_reply
from engine.outcome import Failed, FailureKind, Outcome

T = TypeVar("T")

FAREWELL_S = 2.0
"""How long an engine's processes may take to end before they are killed."""


class VllmEngine:
    """A chat model in processes of its own, reached over pipes of this machine. `chat` may be called from several threads at once.

    Seeds make a sample repeatable in the same batch on the same machine; vLLM's kernels round differently in batches of other sizes.

    Raises ModelError if vLLM is not installed, or the folder holds no chat model that it can serve.
    """

    def __init__(
        self,
        folder: Path,
        *,
        id: str,
        context: int = 0,
        dtype: str = "auto",
        tensor: int = 1,
        pipeline: int = 1,
        threads: int = 1,
        cache_gib: float = 0,
        share_prefixes: bool = True,
        pictures: int = 0,
        picture_cache_gb: float = 4,
    ) -> None:
        """The settings are those of `EngineSettings`."""
        self.id = id
        room = (cache_gib, share_prefixes, pictures, picture_cache_gb)
        settings = EngineSettings(folder, id, context, dtype, tensor, pipeline, threads, *room)
        prepare_process(settings)
        self._tokenizer: Any = None if pictures else _tokenizer(folder)
        self._tokenizing = threading.Lock()  # fast tokenizers may not be used by two threads at once
        self._spent, self._counting = Spent(), threading.Lock()
        self._numbers = itertools.count()
        self._ending = threading.Lock()
        self._engine: Any = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="vllm", daemon=True)
        self._thread.start()
        others = set(multiprocessing.active_children())
        try:
            self._engine = self._wait(_started(settings))
            self.pids = tuple(child.pid for child in multiprocessing.active_children() if child not in others and child.pid)
            """The engine's processes that this one started; their own end with them."""
            self._guard = ProcessGuard(self.pids)
        except BaseException:
            self._stop()
            raise
        self._context = int(self._engine.model_config.max_model_len)
        self._shown = PicturePrompts(self._engine, settings) if pictures else None

    @property
    def spent(self) -> Spent:
        """Everything used so far."""
        with self._counting:
            return self._spent

    def chat(self, requests: Sequence[ChatRequest]) -> list[Outcome[Reply]]:
        """One outcome a request, in order. Raises EngineDied if a process of the engine is gone; nothing of the batch is kept then."""
        from vllm.v1.engine.exceptions import EngineDeadError

        outcomes: dict[int, Outcome[Reply]] = {}
        prompts: dict[int, list[int] | None] = {}
        # Rows that begin alike follow each other: what the first computes is in the cache for the next.
        for index in sorted(range(len(requests)), key=lambda index: requests[index].prefix):
            # Prompts with pictures are large, and made when there is a place for them.
            tokens = self._shown.refused(requests[index]) if self._shown else self._tokens(requests[index])
            if isinstance(tokens, Failed):
                outcomes[index] = tokens
            else:
                prompts[index] = tokens
        try:
            answers = self._wait(self._together([(requests[index], tokens) for index, tokens in prompts.items()]))
        except EngineDeadError as error:
            self._shut_down()
            raise EngineDied("A process of the vLLM engine is gone.", remedy="The worker's log tells why (out of memory?).") from error
        outcomes.update(zip(prompts, answers, strict=True))
        return [outcomes[index] for index in range(len(requests))]

    def close(self) -> None:
        """End the engine's processes."""
        self._stop()
        self._guard.end()

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def _stop(self) -> None:
        self._shut_down()
        self._wait(_ended_tasks())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _shut_down(self) -> None:
        with self._ending:
            engine, self._engine = self._engine, None
        if engine is not None:
            engine.shutdown(timeout=FAREWELL_S)

    def _tokens(self, request: ChatRequest) -> list[int] | Failed:
        """The prompt's tokens, or why there can be none."""
        from jinja2 import TemplateError

        if blind := unseen(request, self.id):
            return blind
        messages = [{"role": message.role, "content": decodable(message.content)} for message in request.messages]
        try:
            with self._tokenizing:
                ids: list[int] = self._tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_dict=False)
        except TemplateError as error:
            return Failed(ENDPOINT_REFUSED, f"the model's chat template does not take these messages: {error}")
        return self._too_long(len(ids), request) or ids

    def _too_long(self, length: int, request: ChatRequest) -> Failed | None:
        room = request.sampling.max_tokens
        if length + room <= self._context:
            return None
        message = f"{length} tokens and {room} for the answer do not fit the model's {self._context}."
        return Failed(CONTEXT_EXCEEDED, f"{message} Show the model less, or lower max_tokens.")

    async def _together(self, prompts: Sequence[tuple[ChatRequest, list[int] | None]]) -> list[Outcome[Reply]]:
        """All at once: the engine batches them. Raises EngineDeadError if it died meanwhile or before."""
        from vllm.v1.engine.exceptions import EngineDeadError

        if (engine := self._engine) is None:
            raise EngineDeadError
        answers = await asyncio.gather(*(self._asked(engine, *prompt) for prompt in prompts), return_exceptions=True)
        for answer in answers:
            if isinstance(answer, EngineDeadError):
                raise answer
        return [_refused(answer) if isinstance(answer, BaseException) else answer for answer in answers]

    async def _asked(self, engine: Any, request: ChatRequest, tokens: list[int] | None) -> Outcome[Reply]:
        from vllm.inputs.engine import tokens_input
        from vllm.v1.engine.exceptions import EngineDeadError

        if tokens is not None:
            return await self._one(engine, request, tokens_input(tokens))
        assert self._shown is not None
        async with self._shown.places:
            if engine.errored or self._engine is None:
                raise EngineDeadError
            prompt = await self._shown.prompt(request)
            if isinstance(prompt, Failed):
                if self._engine is None:  # another caller found it dead meanwhile
                    raise EngineDeadError
                return prompt
            return self._too_long(len(prompt["prompt_token_ids"]), request) or await self._one(engine, request, prompt)

    async def _one(self, engine: Any, request: ChatRequest, prompt: Any) -> Outcome[Reply]:
        final, input_tokens = None, len(prompt["prompt_token_ids"])
        async for output in engine.generate(prompt, _sampling(request), str(next(self._numbers))):
            final = output
        assert final is not None
        made = sorted(final.outputs, key=lambda sample: sample.index)
        output_tokens = sum(len(sample.token_ids) for sample in made)
        with self._counting:
            self._spent += Spent(1, input_tokens, output_tokens)
        broken = next((sample.finish_reason for sample in made if sample.finish_reason not in ("stop", "length")), None)
        if broken:
            return Failed(ENDPOINT_FAILED, f"vLLM ended the reply with '{broken}'", FailureKind.RETRYABLE)
        choices = [Choice(sample.text, "length" if sample.finish_reason == "length" else "stop") for sample in made]
        choices *= request.sampling.n // len(choices)  # greedy samples are all the same one, made once
        return read_reply(request, Reply(tuple(choices), self.id, input_tokens, output_tokens))


async def _started(settings: EngineSettings) -> Any:
    """A running engine, made inside the loop that it will live in."""
    try:
        from vllm.engine.arg_utils import AsyncEngineArgs
        from vllm.platforms import current_platform
        from vllm.v1.engine.async_llm import AsyncLLM
    except ImportError as error:
        raise ModelError(f"vLLM cannot be used: {error}.", remedy="Run `pip install mien[gpu]`; for a CPU see the README.") from error
    try:
        config = AsyncEngineArgs(**engine_arguments(settings, cpu=current_platform.is_cpu())).create_engine_config()
        if settings.pictures:
            expect_sight(config, settings)
    except (ValueError, OSError) as error:
        raise ModelError(
            f"vLLM does not take the model in {settings.folder}: {' '.join(str(error).split())[:500]}",
            remedy="Check the folder, `context` and `dtype`.",
            code="model-unsupported",
        ) from error
    return AsyncLLM.from_vllm_config(config, disable_log_stats=True)


async def _ended_tasks() -> None:
    """End what a closed engine left waiting in the loop."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _tokenizer(folder: Path) -> Any:
    """The model's tokenizer, with its chat template."""
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except (OSError, ValueError) as error:
        raise ModelError(f"There is no model in {folder} that can be read: {error}", remedy="Give the folder of a chat model.") from error
    if not tokenizer.chat_template:
        raise ModelError(f"The model in {folder} has no chat template.", remedy="Give a chat (instruct) model.", code="model-unsupported")
    return tokenizer


def _sampling(request: ChatRequest) -> Any:
    """vLLM's parameters for one request."""
    from vllm.sampling_params import RequestOutputKind, SamplingParams, StructuredOutputsParams

    asked = request.sampling
    return SamplingParams(
        n=asked.n if asked.temperature else 1,
        temperature=asked.temperature,
        top_p=asked.top_p,
        max_tokens=asked.max_tokens,
        min_tokens=asked.max_tokens if asked.fixed_length else 0,
        ignore_eos=asked.fixed_length,
        stop=[decodable(stop) for stop in asked.stop],
        seed=request.seed % 2**62,  # the engine adds a sample's number, in 64 bits
        structured_outputs=StructuredOutputsParams(json=request.schema) if request.schema else None,
        output_kind=RequestOutputKind.FINAL_ONLY,
    )


def _refused(error: BaseException) -> Failed:
    """A request that vLLM does not take, such as one with a schema that is none. What is not about a request is raised."""
    from jsonschema import SchemaError
    from vllm.exceptions import VLLMClientError
    from vllm.v1.engine.exceptions import EngineGenerateError

    cause = error.__cause__ if isinstance(error, EngineGenerateError) and error.__cause__ is not None else error
    if not isinstance(cause, VLLMClientError | SchemaError | ValueError | TypeError):
        raise error
    said = next(iter(str(cause).splitlines()), "")
    return Failed(ENDPOINT_REFUSED, f"vLLM does not take this request: {type(cause).__name__}: {said[:300]}")
