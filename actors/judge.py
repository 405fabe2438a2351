"""A language model or VLM as a judge: questions become messages with pictures, replies become verdicts in one place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from actors.by_chat import ByChat
from engine.errors import Missing
from engine.generation.chat import ChatModel, ChatRequest, Message, Reply, Sampling
from engine.images.shrinking import shrunk
from engine.judge_config import Judge
from engine.judging.asking import JudgeRequest, is_of_pictures, system_text, user_text
from engine.judging.reading import read_verdict
from engine.judging.verdicts import Judged
from engine.outcome import Answered, Failed, Outcome, Unparsed

AT_ONCE = 64
"""Questions with pictures whose images are in memory at once; those about one person share theirs."""


class ModelJudge(ByChat):
    """Judges by a language model. One call a question, all calls of a batch at once; the model's own outcomes pass through.

    Adds: Refused where the reply declines; Unparsed where no verdict is in it.

    Args:
        model: what is asked.
        sampling: how it draws.
        id: as `judge_id` gives it.
        read: an image object's bytes, by its name.
        max_pixels: larger images are made smaller.
    """

    def __init__(
        self, model: ChatModel, sampling: Sampling, id: str, read: Callable[[str], bytes] | None = None, max_pixels: int = 1_048_576
    ) -> None:
        super().__init__(model, id)
        self._sampling, self._read, self._max_pixels = sampling, read, max_pixels

    def judge(self, requests: Sequence[JudgeRequest]) -> list[Outcome[Judged]]:
        """One outcome a question, in order. Raises what the model raises, and StoreError where pictures cannot be read."""
        outcomes: list[Outcome[Judged]] = []
        at_once = AT_ONCE if any(request.pictures for request in requests) else len(requests)
        for start in range(0, len(requests), at_once or 1):
            outcomes += self._some(requests[start : start + at_once])
        return outcomes

    def _some(self, requests: Sequence[JudgeRequest]) -> list[Outcome[Judged]]:
        shown = {name: self._picture(name) for name in dict.fromkeys(name for request in requests for name in request.pictures)}
        calls = [self._call(request, shown) for request in requests]
        asked = [call for call in calls if isinstance(call, ChatRequest)]
        replies = iter(self._model.chat(asked) if asked else ())
        return [
            call if isinstance(call, Failed) else _outcome(request, next(replies)) for request, call in zip(requests, calls, strict=True)
        ]

    def _picture(self, name: str) -> bytes | Failed:
        assert self._read is not None, "judges of pictures are given a store"
        try:
            return shrunk(self._read(name), self._max_pixels)
        except Missing:
            return Failed("image-missing", "The image is gone from the store. Run the same command again.")

    def _call(self, request: JudgeRequest, shown: Mapping[str, bytes | Failed]) -> ChatRequest | Failed:
        pictures: list[bytes] = []
        for name in request.pictures:
            opened = shown[name]
            if isinstance(opened, Failed):
                return opened
            pictures.append(opened)
        thing = "picture" if is_of_pictures(request) else "text"
        messages = (Message("system", system_text(request.rubric, thing)), Message("user", user_text(request), tuple(pictures)))
        return ChatRequest(request.key, messages, self._sampling, request.seed, request.rubric.schema_text, request.prefix)


def judge_id(config: Judge, model_id: str) -> str:
    """Names everything that changes what a language model decides, but for the rubric and the person: those are the stage's.

    smollm2-135m-instruct@b179c952 llamacpp t0 256/4096
    """
    assert config.model is not None
    model = config.model
    drawn = f"t{model.temperature:g}" + (f" p{model.top_p:g}" if model.temperature else "")
    room = f"{model.max_tokens}/{model.context}" if model.context else f"{model.max_tokens}"
    seen = f" {config.max_pixels}px" if config.looks == "pictures" else ""
    revision = f" {model.revision}" if model.revision and model.revision not in model_id else ""
    kind = "".join([f" {model.api}"] * (model.api != "chat") + [f" {model.dtype}"] * (model.dtype != "auto"))
    return f"{model_id}{revision} {model.engine}{kind} {drawn} {room}{seen}"


def _outcome(request: JudgeRequest, outcome: Outcome[Reply]) -> Outcome[Judged]:
    if isinstance(outcome, Unparsed):
        # An engine without guided decoding may have put the verdict into a block, or declined.
        return read_verdict(request.rubric, outcome.raw)
    if not isinstance(outcome, Answered):
        return outcome
    reply = outcome.value
    read = read_verdict(request.rubric, reply.choices[0].text)
    if not isinstance(read, Answered):
        return read
    return Answered(replace(read.value, model=reply.model, input_tokens=reply.input_tokens, output_tokens=reply.output_tokens))
