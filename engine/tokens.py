"""The one token rule of the project: novelty, word budgets and quality figures all count these tokens (METRICS, `tokens-1`)."""

from __future__ import annotations

import re
import unicodedata

import regex

TOKEN_RULE = "tokens-1"

# Scripts written without spaces: each character is its own token.
_SPACELESS = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_TOKEN = regex.compile(
    # Combining marks belong to the letter before them (Devanagari vowels, stacked accents).
    rf"(?:[{_SPACELESS}--\p{{P}}--\p{{S}}]\p{{M}}*|[\p{{L}}\p{{N}}--[{_SPACELESS}]][\p{{L}}\p{{N}}\p{{M}}--[{_SPACELESS}]]*"
    rf"(?:'[\p{{L}}\p{{N}}\p{{M}}--[{_SPACELESS}]]+)*)",
    regex.VERSION1,
)

# The same rule where every character is ASCII, five times as fast: novelty tokenises every prompt and caption.
_ASCII_TOKEN = re.compile(r"[a-z0-9]+(?:'[a-z0-9]+)*")


def tokens(text: str) -> list[str]:
    """The tokens of `text`: NFKC, casefolded runs of letters and digits; inner apostrophes stay, punctuation and emoji go."""
    if text.isascii():
        return _ASCII_TOKEN.findall(text.lower())
    folded = unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'")
    found: list[str] = _TOKEN.findall(folded)
    return found
