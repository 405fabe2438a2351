"""A language model as a writer: requests become messages, replies become prompts within their budget."""

from __future__ import annotations

from collections.abc import Sequence

from actors.by_chat import ByChat
from engine.generation.chat import ChatModel, ChatRequest, Choice, Reply, Sampling
from engine.generation.refusals import VERSION as REFUSAL_RULE
from engine.generation.refusals import is_refusal
from engine.keys import content_key
from engine.outcome import Answered, Outcome, Refused, Unparsed
from engine.prompting.extraction import VERSION as EXTRACTION_RULE
from engine.prompting.extraction import phrases_in, prompt_in, without_reasoning
from engine.prompting.fitting import VERSION as FITTING_RULE
from engine.prompting.fitting import Fitted, fitted, fitted_phrases
from engine.prompting.messages import messages_for
from engine.prompting.model_templates import VERSION as TEMPLATES
from engine.prompting.model_templates import templates_sha256
from engine.prompting.pieces import standing_in
from engine.prompting.writing import Said, WriteRequest, Written, unwritable
from engine.tokens import TOKEN_RULE
from engine.writer_config import LanguageModel

ID_LIMIT = 80
_TAIL = 20
"""Characters at the end of a stopped reply by which its end is recognised in the prompt."""


class ModelWriter(ByChat):
    """Writes prompts by a language model. One call a request, all calls of a batch at once; the model's outcomes pass through.

    Adds: Failed `empty-query` and `query-over-budget` without a call; Refused where the reply declines; Unparsed where no prompt is in it.
    """

    def __init__(self, model: ChatModel, sampling: Sampling, id: str = "") -> None:
        """`id`: as `writer_id` gives it; the model's own if left out."""
        super().__init__(model, id)
        self._sampling = sampling

    def write(self, requests: Sequence[WriteRequest]) -> list[Outcome[Written]]:
        """One outcome a request, in order. Raises what the model raises."""
        failures = [unwritable(request) for request in requests]
        asked = [request for request, failed in zip(requests, failures, strict=True) if failed is None]
        replies = iter(zip(asked, self._model.chat([self._call(request) for request in asked]) if asked else (), strict=True))
        return [failed or _outcome(*next(replies)) for failed in failures]

    def _call(self, request: WriteRequest) -> ChatRequest:
        return ChatRequest(call_key(request), messages_for(request), self._sampling, request.seed, prefix=request.prefix)


def call_key(request: WriteRequest) -> str:
    """What a call is named: 64 hex characters, unlike the unit's key different for each method, view, budget and stage's seed."""
    return content_key([request.key, request.method, request.prefix, request.budget.name, str(request.seed)])


def text_rules() -> str:
    """Names the text side of asking: the templates and the rules by which a reply becomes a prompt, such as `templates-1.ab12cd34`."""
    rules = [templates_sha256(), EXTRACTION_RULE, FITTING_RULE, REFUSAL_RULE, TOKEN_RULE]
    return f"{TEMPLATES}.{content_key(rules)[:8]}"


def writer_id(config: LanguageModel, model_id: str) -> str:
    """Names everything that changes what a model writes, in at most 80 characters.

        smollm2-135m-instruct@b179c952 llamacpp t0.7 p0.95 256/4096 templates-1.ab12cd34

    256/4096: tokens of an answer, and of a whole call if that is limited. The model's part ends in a digest where it would be too long.
    """
    drawn = [f"t{config.temperature:g}"] + ([f"p{config.top_p:g}"] if config.temperature else [])
    room = f"{config.max_tokens}/{config.context}" if config.context else f"{config.max_tokens}"
    kind = [config.api] * (config.api != "chat") + [config.dtype] * (config.dtype != "auto")
    model = f"{model_id} {config.revision}" if config.revision and config.revision not in model_id else model_id
    end = " ".join(["", config.engine, *kind, *drawn, room, text_rules()])
    if len(model) + len(end) > ID_LIMIT:
        digest = content_key(model)[:8]
        model = f"{model[: ID_LIMIT - len(end) - len(digest) - 1]}~{digest}"
    return model + end


def _outcome(request: WriteRequest, outcome: Outcome[Reply]) -> Outcome[Written]:
    if not isinstance(outcome, Answered):
        return outcome
    reply = outcome.value
    choice = reply.choices[0]
    if is_refusal(without_reasoning(choice.text)):
        return Refused(choice.text)
    made = _prompt(request, choice)
    if made is None:
        return Unparsed(choice.text)
    said = Said(choice.text, choice.finish, reply.model, reply.input_tokens, reply.output_tokens)
    return Answered(Written(made.prompt, made.words, standing_in(made.prompt, request), made.cut, said))


def _prompt(request: WriteRequest, choice: Choice) -> Fitted | None:
    if request.budget.is_by_phrases:
        phrases = phrases_in(choice.text)
        return fitted_phrases(request.query.text, phrases, request.budget, unfinished=_is_stopped(choice, phrases[-1])) if phrases else None
    text = prompt_in(choice.text)
    made = fitted(text, request.budget, unfinished=_is_stopped(choice, text)) if text else None
    return made if made and made.words else None


def _is_stopped(choice: Choice, end: str) -> bool:
    """Whether the model was stopped within what became of its reply, and not in a remark behind it."""
    return choice.finish == "length" and " ".join(choice.text.split()).endswith(end[-_TAIL:])
