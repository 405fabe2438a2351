"""From a request to a model's messages: what the method may see of the person first, the query last.

Rows that show one person therefore begin alike, and an engine that caches prefixes reads the person once.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.generation.chat import Message
from engine.prompting.budget import Budget
from engine.prompting.evidence import RetrievedElement
from engine.prompting.model_templates import SAME_AS, filled, templates
from engine.prompting.writing import WriteRequest


def messages_for(request: WriteRequest) -> tuple[Message, ...]:
    """A system and a user message. They hold nothing of the person but what the request carries.

    Each piece of data is put on one line of its own, so that none can pass for another part of the message.
    """
    task = "editing" if request.query.source_caption else "generation"
    asked = f"{'phrases' if request.budget.is_by_phrases else 'words'}-{task}"
    values = {
        "summary": _line(request.summary),
        "captions": _list(request.captions),
        "elements": _list(_by_category(request.elements)),
        "query": _line(request.query.text),
        "source": _line(request.query.source_caption),
        "region": _line(request.query.region or request.query.source_caption),
        **_limits(request.budget),
    }
    method = SAME_AS.get(request.method, request.method)
    return (
        Message("system", templates()["system"]),
        Message("user", f"{filled(method, values)}\n\n{filled(asked, values)}"),
    )


def _limits(budget: Budget) -> dict[str, str]:
    limits = {"words": budget.words, "phrases": budget.phrases, "phrase_words": budget.phrase_words}
    return {name: "any number of" if limit is None else str(limit) for name, limit in limits.items()}


def _line(text: str) -> str:
    return " ".join(text.split())


def _list(texts: Iterable[str]) -> str:
    return "\n".join(f"- {_line(text)}" for text in texts)


def _by_category(elements: Iterable[RetrievedElement]) -> list[str]:
    """One line a category, categories and elements ranked best first."""
    found: dict[str, list[str]] = {}
    for element in elements:
        found.setdefault(element.category, []).append(_line(element.text))
    return [f"{category}: {'; '.join(texts)}" for category, texts in found.items()]
