"""What a sentence affirms and what it rejects: a rejected thing never reaches E or C (VPTT)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from engine.profiles.persona.words import lines, stem, words
from engine.tokens import tokens

_PARTS = re.compile(r"[,;:.!?()]|\b(?:but|because|although|though|however|since|so|yet|while)\b", re.IGNORECASE)
_PREFER = re.compile(
    r"\bprefer\w*\s+(?!to\b)(?P<this>.+?)\s+(?:over|rather than|instead of|than|to)\s+(?P<that>\S+(?:\s\S+)?)$", re.IGNORECASE
)
# "When I am not working" negates nothing that the person rejects.
# A negation ends where a new verb of liking or doing begins: "hates cats and runs a guesthouse".
_ANEW = re.compile(
    r"\band (?=(?:i )?(?:love|like|enjoy|adore|prefer)s?\b"
    r"|(?:run|play|own|live|work|collect|bake|paint|read|write|grow|keep|teach|speak)s\b)",
    re.IGNORECASE,
)
_UNLESS = re.compile(r"\b(if|when|whenever|unless|while) (i am|i'm|we are|we're) not\b", re.IGNORECASE)
_GLUED = re.compile(r"\b(\d+)([a-zA-Z]{3,})")
_NAMED = re.compile(r"\b(?:named|called) \w+")
_OWN = frozenset(("my", "our", "his", "her", "their"))
_FIRST = frozenset(("i", "we", "i'm", "i've", "i'd", "im", "ive", "l"))


@dataclass(frozen=True, slots=True)
class Reading:
    """A sentence read: the clauses it affirms, as lower-case words, and the stems of what it rejects."""

    affirmed: tuple[tuple[str, ...], ...]
    rejected: frozenset[str]


def read_sentence(sentence: str) -> Reading:
    """What `sentence` affirms and rejects. When in doubt a thing is rejected: a missing element costs less than a false one."""
    affirmed: list[tuple[str, ...]] = []
    rejected: set[str] = set()
    # "5cats" is a slip of the pen for "5 cats"; a pet's name is no place and no thing.
    sentence = _NAMED.sub("", _GLUED.sub(r"\1 \2", sentence.replace("\u2019", "'")))
    for pattern, plain in _idioms():
        sentence = pattern.sub(plain, sentence)
    for part in _PARTS.split(_UNLESS.sub(r"\1 \2", _ANEW.sub(", ", sentence))):
        preference = _PREFER.search(part)
        if preference and "close" not in part and "next" not in part:
            rejected |= _content(tokens(preference["that"]))
            part = part[: preference.end("this")]
        yes, no = _scopes(_mended(tokens(part)))
        if no is not None and not _content(no):
            # "I smoked, but I quit": the negation has no object of its own, so it takes the clause before it.
            rejected |= _content(yes) or (_content(affirmed.pop()) if affirmed else set())
            yes = ()
        elif no is not None:
            rejected |= _content(no)
        if yes:
            affirmed.append(yes)
    return Reading(tuple(affirmed), frozenset(rejected))


@lru_cache
def _idioms() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Idioms of liking and rejecting, and plain words for them."""
    pairs = (line.split(" =>", 1) for line in lines("idioms.txt"))
    return tuple((re.compile(pattern, re.IGNORECASE), plain[1:] if plain[:1] == " " else plain) for pattern, plain in pairs)


def _scopes(clause: list[str]) -> tuple[tuple[str, ...], tuple[str, ...] | None]:
    """The words before a negation, and those in its scope; None if there is none."""
    joined = "_".join(clause)
    if any(idiom in joined for idiom in words("affirming")):
        return tuple(clause), None
    if clause and clause[0] not in _FIRST and any(word in words("scaring") for word in clause):
        at = next(i for i, word in enumerate(clause) if word in words("scaring"))
        return (), tuple(clause[:at])
    at = next((i for i, word in enumerate(clause) if word in words("negators") or word.endswith("n't")), -1)
    if at < 0:
        return tuple(clause), None
    before, scope = clause[:at], clause[at + 1 :]
    real = [word for word in scope if word not in words("idle")]
    if before and before[0] not in _FIRST and before[0] not in ("and", "also") and not _FIRST & set(before):
        # Somebody else's negation: "my mother was not ..." rejects the predicate and affirms nothing.
        # "Spiders are not for me" rejects the spiders.
        return (), tuple(scope if before[0] in _OWN else before + scope)
    if not _content(real):
        return (), tuple(before + scope)
    return tuple(_settled(before)), tuple(scope)


def _settled(before: list[str]) -> list[str]:
    """The words before a negator, without the dangling subject and auxiliaries: "I am studious and do" -> "I am studious"."""
    kept = list(before)
    while kept and (kept[-1] in words("function") or kept[-1] in ("who", "which", "that")) and kept[-1] not in _FIRST:
        kept.pop()
    while kept and kept[-1] in _FIRST | {"and", "or", "am", "who", "that"}:
        kept.pop()
    return kept if _content(kept) else []


def _mended(clause: list[str]) -> list[str]:
    """ "don t" and "can t", as some sheets spell them, are one negator."""
    mended: list[str] = []
    for word in clause:
        if word == "t" and mended and mended[-1] in ("don", "can", "won", "doesn", "didn", "isn", "wasn", "couldn", "wouldn", "aren"):
            mended[-1] = "not"
        else:
            mended.append(word)
    return mended


def _content(clause: tuple[str, ...] | list[str]) -> set[str]:
    plain = words("function") | words("hollow") | words("negators") | words("idle")
    return {stem(word) for word in clause if word not in plain and len(word) > 1}
