"""A prompt without the words of a summary."""

from __future__ import annotations

from engine.tokens import TOKEN_RULE, tokens

MASK_RULE = f"mask-1.{TOKEN_RULE}"


def masked(prompt: str, summary: str) -> str:
    """The prompt's tokens that are not in the summary, in order; the empty string if none is left."""
    known = set(tokens(summary))
    return " ".join(word for word in tokens(prompt) if word not in known)
