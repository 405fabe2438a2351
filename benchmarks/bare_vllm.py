"""vLLM driven as one would by hand, for `writer.py`: its own `LLM` class, no outcomes, no Ray."""

from __future__ import annotations

from collections.abc import Sequence

from actors.vllm_arguments import EngineSettings, engine_arguments, prepare_process
from engine.generation.chat import ChatRequest


class BareVllm:
    """An engine with the arguments and environment of `actors.vllm_engine`."""

    def __init__(self, settings: EngineSettings) -> None:
        prepare_process(settings)
        from vllm import LLM
        from vllm.platforms import current_platform

        self._model = LLM(**engine_arguments(settings, cpu=current_platform.is_cpu()))

    def tokens(self, requests: Sequence[ChatRequest]) -> int:
        """Answer the requests together; returns how many tokens were written."""
        from vllm import SamplingParams

        parameters = [
            SamplingParams(temperature=0, max_tokens=count, min_tokens=count, ignore_eos=True, seed=request.seed)
            for request in requests
            for count in [request.sampling.max_tokens]
        ]
        conversations = [[{"role": message.role, "content": message.content} for message in request.messages] for request in requests]
        answers = self._model.chat(conversations, parameters, use_tqdm=False)
        return sum(len(answer.outputs[0].token_ids) for answer in answers)
