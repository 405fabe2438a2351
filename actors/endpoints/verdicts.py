"""What a response without a usable reply means: for this try, for this row, or for every row.

The shapes that are read: {"error": {"message", "type", "code", "param"}} (OpenAI, vLLM, Anthropic, llama.cpp), the same in a list
(Gemini), and {"detail": [{"loc", "msg"}]} (FastAPI, Mistral).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from actors.endpoints.pauses import asked_pause
from engine.errors import BudgetReached, ConfigError, MienError
from engine.generation.chat import CONTEXT_EXCEEDED, ENDPOINT_FAILED, ENDPOINT_REFUSED, RATE_LIMITED
from engine.outcome import Failed, Refused

MESSAGE_CHARACTERS = 300

_TRANSIENT = frozenset({408, 409, 425, 429})
_UNPAID = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "billing_error"})
_FILTERED = frozenset({"content_filter", "content_policy_violation", "moderation_blocked", "responsibleaipolicyviolation"})
_FILTERED_BY = "content management policy"
_OVER_CONTEXT = frozenset({"context_length_exceeded", "exceed_context_size_error"})
_TOO_LONG = re.compile(
    r"context.{0,12}(length|window|size|limit)|prompt is too long|maximum (model|context|input) length|input token count.{0,40}exceed", re.I
)
_NAMED = re.compile(r"(?:Unknown name \\?\"|[Uu]nsupported (?:parameter|value): ')(\w+)")


@dataclass(frozen=True, slots=True)
class Again:
    """Worth another try; `code` is the row's if none helps, `pause_s` what the provider asks for."""

    code: str
    why: str
    pause_s: float | None = None


class Unanswered(Exception):
    """A request that ends without a reply: `outcome` is the row's, `status` HTTP's or 0, `parameter` the field that is not accepted."""

    def __init__(self, outcome: Refused | Failed, *, status: int = 0, parameter: str = "") -> None:
        super().__init__(outcome.raw if isinstance(outcome, Refused) else outcome.message)
        self.outcome, self.status, self.parameter = outcome, status, parameter


@dataclass(frozen=True, slots=True)
class ApiError:
    """An error object, its parts as text."""

    message: str = ""
    kinds: frozenset[str] = frozenset()
    parameter: str = ""

    @classmethod
    def read(cls, text: str) -> ApiError:
        """The error in a body; the body's beginning if it holds none."""
        try:
            body = json.loads(text)
        except (ValueError, RecursionError):
            return cls()
        body = body[0] if isinstance(body, list) and body else body
        return cls.of(body) if isinstance(body, dict) else cls()

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> ApiError:
        error, detail = body.get("error"), body.get("detail")
        if isinstance(error, str):
            return cls(error)
        if isinstance(detail, list) and detail and isinstance(detail[0], dict):
            place = detail[0].get("loc")
            return cls(str(detail[0].get("msg", "")), parameter=str(place[-1]) if isinstance(place, list) and place else "")
        # vLLM's first servers had the fields at the top.
        fields = error if isinstance(error, dict) else body if body.get("object") == "error" else {}
        inner = fields.get("innererror") or {}
        kinds = [fields.get("code"), fields.get("type"), fields.get("status"), inner.get("code") if isinstance(inner, dict) else None]
        message = str(fields.get("message") or "")
        named = _NAMED.search(message)
        return cls(
            message,
            frozenset(kind.lower() for kind in kinds if isinstance(kind, str)),
            str(fields.get("param") or (named[1] if named else "")),
        )


def verdict(status: int, headers: Mapping[str, str], error: ApiError, *, key_variable: str) -> Again | Unanswered | MienError:
    """What to do about a response that is not a success."""
    said = shortened(error.message) or f"HTTP {status}"
    if status == 402 or error.kinds & _UNPAID or "credit balance is too low" in error.message:
        return BudgetReached(
            f"The provider's account is used up: {said}", remedy="Add credit or raise its limit; the same command goes on.", code="quota"
        )
    if status in _TRANSIENT or status >= 500:
        code = RATE_LIMITED if status == 429 else ENDPOINT_FAILED
        return Again(code, f"HTTP {status}", asked_pause(headers))
    if status in (401, 403):
        return ConfigError(
            f"The endpoint does not accept the API key (HTTP {status}): {said}",
            remedy=f"Set a valid key in {key_variable} where the workers run.",
            code="api-key",
        )
    if 300 <= status < 400:
        return ConfigError(
            f"The endpoint's address leads elsewhere (HTTP {status}), and a key is not sent after it.", remedy="Correct base_url."
        )
    if status == 404 and (not error.message or error.parameter == "model" or "model" in error.message.lower()):
        return ConfigError(f"The endpoint does not know the model, or has no such path: {said}", remedy="Correct model or base_url.")
    if error.kinds & _FILTERED or _FILTERED_BY in error.message:
        return Unanswered(Refused(said), status=status)
    if status == 413 or error.kinds & _OVER_CONTEXT or _TOO_LONG.search(error.message):
        return Unanswered(Failed(CONTEXT_EXCEEDED, said), status=status)
    return Unanswered(
        Failed(ENDPOINT_REFUSED, f"The endpoint refused the request (HTTP {status}): {said}"), status=status, parameter=error.parameter
    )


def shortened(text: str) -> str:
    """On one line, 300 characters at most."""
    line = " ".join(text.split())
    return line if len(line) <= MESSAGE_CHARACTERS else line[: MESSAGE_CHARACTERS - 1] + "…"
