"""Whether what a model said can be used: the same rule for every engine."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator

from engine.generation.chat import ChatRequest, Reply
from engine.outcome import Answered, Outcome, Unparsed


def read_reply(request: ChatRequest, reply: Reply) -> Outcome[Reply]:
    """Answered if every choice says something and, where there is a schema, is JSON that fits it; else Unparsed of the first that does not.

    Raises ValueError or jsonschema's SchemaError for a schema that is none.
    """
    if not reply.choices:
        return Unparsed("")
    for choice in reply.choices:
        if not choice.text.strip():
            return Unparsed("")
        if request.schema and not fits(choice.text, request.schema):
            return Unparsed(choice.text)
    return Answered(reply)


def fits(text: str, schema: str) -> bool:
    """Whether a text is JSON that fits a JSON schema (draft 2020-12)."""
    validator = _validator(schema)
    try:
        return bool(validator.is_valid(strict_json(text)))
    except (ValueError, RecursionError):
        return False


def strict_json(text: str) -> Any:
    """JSON as RFC 8259 has it. Raises ValueError for anything else, NaN, infinity and a name that stands twice in an object."""
    return json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice")
    return found


def _no_number(constant: str) -> Any:
    raise ValueError(f"{constant} is no number of JSON")


@lru_cache(maxsize=64)
def _validator(schema: str) -> Draft202012Validator:
    read = json.loads(schema)
    Draft202012Validator.check_schema(read)
    return Draft202012Validator(read)
