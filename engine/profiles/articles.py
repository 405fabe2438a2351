""" "a" or "an", by sound."""

from __future__ import annotations

import regex

# Vowel letters that sound like consonants, and the reverse, by the beginning of the word.
_CONSONANT_SOUND = ("eu", "ewe", "one-", "one ", "ouija", "ubi", "uni", "use", "usu", "uten", "u-", "ukulele", "uk ", "ut ")
_VOWEL_SOUND = ("heir", "honest", "honour", "hour", "mbira", "x-")
# "unimpressed" and its like are the exception to "uni".
_VOWEL_AFTER_ALL = ("unim", "unin")
_SPELLED_OUT = frozenset({*"fhlmnrsx", "fm", "lp", "mit", "mri", "nba", "nfl", "nhl"})
_VOWELS = frozenset("aeiouàáâäãåæèéêëìíîïòóôöøùúûüœʻ")
_ARTICLE = regex.compile(r"\b([Aa])n? (?=([\p{L}\p{N}][^\s,;:.!?]*(?: \S)?))")


def indefinite(phrase: str) -> str:
    """ "a" or "an", by the sound with which `phrase` begins; figures are read aloud (an 85mm lens)."""
    word = phrase.casefold()
    if regex.match(r"8|11(?!\d)|18(?!\d)", word) or word.split(" ")[0].strip(".,;:!?") in _SPELLED_OUT or word.startswith(_VOWEL_SOUND):
        return "an"
    if f"{word} ".startswith(_CONSONANT_SOUND) and not word.startswith(_VOWEL_AFTER_ALL):
        return "a"
    return "an" if word[:1] in _VOWELS else "a"


def with_right_articles(text: str) -> str:
    """`text` with each "a" and "an" as the word after it asks."""
    return _ARTICLE.sub(lambda match: f"{match[1]}{indefinite(match[2])[1:]} ", text)
