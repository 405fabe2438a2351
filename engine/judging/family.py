"""Which models are of one family: a judge may favour what its own family wrote."""

from __future__ import annotations

import regex

_KNOWN = ("smollm", "qwen", "llama", "mistral", "mixtral", "gemma", "gemini", "gpt", "claude", "phi", "deepseek", "internvl", "llava", "yi")
"""Names by which model ids are recognised; others are their own family."""

_WORD = regex.compile(r"[a-z]+")
_OF_KNOWN = {known: regex.compile(rf"(?<![a-z]){known}(?![a-z])") for known in _KNOWN}
"""Whole words, which digits may follow: "qwen2.5" is Qwen's, "graphixer" is not Phi's."""


def family_of(model: str) -> str:
    """The family that a model's id names, in its last part or else before it, such as "qwen" for "Qwen/Qwen2.5-72B-Instruct"; the last
    part's first word for an unknown one."""
    name = model.lower().split("@", 1)[0]
    told = name.rsplit("/", 1)[-1]
    for part in (told, name):
        for known, word in _OF_KNOWN.items():
            if word.search(part):
                return known
    words = _WORD.findall(told)
    return words[0] if words else told
