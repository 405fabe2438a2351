"""llama.cpp's server driven as one would by hand, for `writer.py`: no batches, no outcomes, no Ray."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.generation.chat import ChatRequest


class BareLlamaCpp:
    """The settings of `actors.llamacpp` with one slot and one thread."""

    def __init__(self, weights: Path, context: int) -> None:
        import xllamacpp

        params = xllamacpp.CommonParams()
        params.model.path = str(weights)
        params.n_ctx, params.n_parallel = context, 1
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
        params.n_gpu_layers = 0
        params.kv_unified = params.ctx_shift = params.fit_params = False
        params.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_ENABLED
        params.cache_type_k = params.cache_type_v = xllamacpp.ggml_type.GGML_TYPE_BF16
        params.reasoning_format = xllamacpp.common_reasoning_format.COMMON_REASONING_FORMAT_NONE
        params.cache_ram_mib = 0
        params.warmup = params.ui = params.endpoint_slots = False
        params.n_threads_http, params.verbosity = 1, 0
        with tempfile.TemporaryDirectory() as folder:
            params.hostnames = [str(Path(folder) / "llama.sock")]
            self._server = xllamacpp.Server(params)

    def tokens(self, requests: Sequence[ChatRequest]) -> int:
        """Answer the requests one after another; returns how many tokens were written."""
        return sum(int(self._answer(request)["usage"]["completion_tokens"]) for request in requests)

    def _answer(self, request: ChatRequest) -> dict[str, Any]:
        body = {
            "messages": [{"role": message.role, "content": message.content} for message in request.messages],
            "max_tokens": request.sampling.max_tokens,
            "temperature": 0.0,
            "ignore_eos": True,
            "cache_prompt": True,
        }
        answer: dict[str, Any] = self._server.handle_chat_completions(body)
        return answer
