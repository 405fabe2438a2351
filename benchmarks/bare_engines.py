"""vLLM and llama.cpp driven as one would by hand, for `writer.py`: started with the actors' settings; no outcomes, no Ray."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from actors.llamacpp import _started
from actors.models import ModelFiles
from actors.vllm_arguments import EngineSettings, engine_arguments, prepare_process
from engine.generation.chat import ChatRequest


class BareVllm:
    """vLLM's own `LLM`."""

    def __init__(self, settings: EngineSettings) -> None:
        prepare_process(settings)
        from vllm import LLM
        from vllm.platforms import current_platform

        self._model = LLM(**engine_arguments(settings, cpu=current_platform.is_cpu()))

    def tokens(self, requests: Sequence[ChatRequest]) -> int:
        """Answer the requests together; returns how many tokens were written."""
        from vllm import SamplingParams

        lengths = [request.sampling.max_tokens for request in requests]
        sampling = [SamplingParams(temperature=0, max_tokens=each, min_tokens=each, ignore_eos=True) for each in lengths]
        answers = self._model.chat([_conversation(request) for request in requests], sampling, use_tqdm=False)
        return sum(len(answer.outputs[0].token_ids) for answer in answers)


class BareLlamaCpp:
    """llama.cpp's server in this process, one thread and one slot; its settings are the actor's, whose kernels others would outrun."""

    def __init__(self, files: ModelFiles, context: int) -> None:
        self._server = _started(files, context, 1, 1)

    def tokens(self, requests: Sequence[ChatRequest]) -> int:
        """Answer the requests one after another; returns how many tokens were written."""
        return sum(self._written(request) for request in requests)

    def _written(self, request: ChatRequest) -> int:
        answer: dict[str, Any] = self._server.handle_chat_completions(
            {
                "messages": _conversation(request),
                "max_tokens": request.sampling.max_tokens,
                "temperature": 0.0,
                "ignore_eos": True,
                "cache_prompt": True,
            }
        )
        return int(answer["usage"]["completion_tokens"])


def _conversation(request: ChatRequest) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.content} for message in request.messages]
