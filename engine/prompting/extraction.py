"""The prompt in a language model's reply: without reasoning, self-talk, labels, markdown, quotes and remarks; the first of several.

    Sure! Here is a prompt: "A red kite over green hills"  I hope this helps!      ->  A red kite over green hills

Everything else stays as it is, on one line. What is taken from a result is that result: every rule is applied until none applies.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from itertools import pairwise

import regex

from engine.prompting import self_talk
from engine.prompting.phrases import clauses, tidied
from engine.tokens import tokens

VERSION = "extraction-1"

Rule = Callable[[str], str]

_SPLIT = regex.compile(r"[;；؛]")
_INLINE_NUMBER = regex.compile(r"(?:\A|(?<=\s))\(?[1-9][.)]\s+")


def prompt_in(raw: str) -> str | None:
    """The prompt that a reply holds; None if nothing is left of it."""
    return _with_words(_settled(without_reasoning(raw), lambda text: _one_line(_settled(text, _first_prompt))))


def phrases_in(raw: str) -> tuple[str, ...]:
    """The phrases that a reply lists, in order, however many: one a line, or separated by semicolons, or by commas.

    Where some lines are marked as a list's, the others are none of it. A number alone is no phrase.
    """
    text = _settled(without_reasoning(raw), _unwrapped)
    lines = [line for line in text.splitlines() if tokens(line)]
    if len(lines) == 1:
        lines = _INLINE_NUMBER.split(lines[0])
    listed = [line for line in lines if any(mark.match(line) for mark in _MARKS)]
    lines = [_settled(line, _bare_line) for line in (listed if len(listed) > 1 else lines)]
    parts = [part for line in lines for part in _SPLIT.split(line) if tokens(part)]
    if len(listed) < 2 and len(parts) == len(lines) and not any(_SPLIT.search(line) for line in lines):
        parts = [clause for part in parts for clause in clauses(part)]
    found = (_settled(part, _bare_phrase) for part in parts)
    return tuple(phrase for phrase in found if any(map(str.isalpha, phrase)))


def without_reasoning(raw: str) -> str:
    """The reply without what the model thought first, and without marks of a chat template."""
    return _settled(raw, _without_marks).strip()


def _settled(text: str, rule: Rule) -> str:
    while True:
        shorter = rule(text)
        if shorter == text:
            return text
        text = shorter


def _without_marks(text: str) -> str:
    for mark in (self_talk.REASONING, self_talk.END_OF_TURN, self_talk.START_OF_TURN):
        text = mark.sub("", text)
    return text


def _with_words(text: str) -> str | None:
    return text if tokens(text) else None


def _first_prompt(text: str) -> str:
    """One round of all rules for a whole prompt; line breaks still stand."""
    for rule in (_unwrapped, _first_alternative, _first_quoted_line, _listed, _unquoted):
        text = rule(text)
    return text


def _unwrapped(text: str) -> str:
    """Without what stands around the answer."""
    for rule in (_fenced, _tagged, _plain, _labelled, _opened, _noted):
        text = rule(text).strip()
    return text


def _fenced(text: str) -> str:
    found = self_talk.FENCE.search(text)
    return found[1] if found and tokens(found[1]) else text


def _tagged(text: str) -> str:
    found = self_talk.TAGGED.search(text)
    return found[2] if found and tokens(found[2]) else text


def _plain(text: str) -> str:
    """Without bold, italics around a line, and the mark of a quoted line."""
    text = self_talk.BOLD.sub(r"\1", text)
    text = self_talk.ITALIC_LINE.sub(r"\1\2", text)
    return self_talk.QUOTED_LINE.sub("", text)


def _labelled(text: str) -> str:
    """What follows the first label that something follows, up to the next one; a numbered head of an alternative is left to its rule."""
    edges = [*(mark.span() for mark in self_talk.LABEL.finditer(text)), (len(text), len(text))]
    parts = (text[end:start] for (_, end), (start, _) in pairwise(edges))
    return next(filter(tokens, parts), text)


def _opened(text: str) -> str:
    for opening in self_talk.OPENINGS:
        text = opening.sub("", text)
    return self_talk.HEADING.sub("", text) if not self_talk.ALTERNATIVE.match(text) else text


def _noted(text: str) -> str:
    return self_talk.WORD_COUNT.sub("", self_talk.NOTE.sub("", text))


def _first_alternative(text: str) -> str:
    """What stands before the second of several, without the head of the first."""
    first = next((head for head in self_talk.ALTERNATIVE.finditer(text) if head["number"].casefold() in ("1", "a", "one")), None)
    start = first.end() if first else 0
    heads = (head for pattern in (self_talk.ALTERNATIVE, self_talk.ANOTHER) for head in pattern.finditer(text, start))
    edges = [(start, start), *sorted(head.span() for head in heads), (len(text), len(text))]
    parts = (text[end:begin] for (_, end), (begin, _) in pairwise(edges))
    return next((part.strip() for part in parts if tokens(part)), "")


def _first_quoted_line(text: str) -> str:
    """A first line that is quoted whole is the prompt; what follows is another one, or a remark."""
    first = text.split("\n", 1)[0].strip()
    return first if first != text and _unquoted(first) != first else text


def _listed(text: str) -> str:
    """A list that begins with number 1 holds alternatives; other list items are parts of one prompt."""
    first = self_talk.NUMBERED.match(text)
    if first and first[1] == "1":
        second = next((mark for mark in self_talk.NUMBERED.finditer(text) if mark[1] == "2"), None)
        return text[first.end() : second.start() if second else len(text)].strip()
    lines: list[str] = []
    for line in text.split("\n"):
        mark = self_talk.BULLET.match(line) or (self_talk.NUMBERED.match(line) if lines else None)
        item = line[mark.end() :] if mark else line
        if lines and mark and tokens(item):
            lines[-1] = _joinable(lines[-1]) + item
        else:
            lines.append(item)
    return "\n".join(lines)


def _joinable(text: str) -> str:
    """A list item with what stands between it and the next: a semicolon, if it has no mark of its own."""
    text = text.rstrip()
    return f"{text} " if _has_end(text) else f"{text}; "


def _has_end(text: str) -> bool:
    return not text or unicodedata.category(text[-1])[0] == "P"


def _unquoted(text: str) -> str:
    """Without the pair of quotation marks around the whole; a sentence mark behind them goes with them if one stands inside."""
    for body, mark in ((text, ""), (text[:-1], text[-1:])):
        if len(body) < 2 or mark not in ("", ".", ",", ";") or body[-1] not in self_talk.PAIRS.get(body[0], ""):
            continue
        inside = body[1:-1].strip()
        if not _has_mark(inside, body[0] + body[-1]):
            return inside if _has_end(inside) or mark in ("", ",", ";") else inside + mark
    return text


def _has_mark(text: str, marks: str) -> bool:
    """Whether one of the quotation marks stands in the text as one, and not as an apostrophe."""
    return any(
        character in marks and not (character in "'’" and 0 < i < len(text) - 1 and text[i - 1].isalnum() and text[i + 1].isalnum())
        for i, character in enumerate(text)
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())


_MARKS = (self_talk.NUMBERED, self_talk.BULLET, self_talk.PHRASE_LABEL, self_talk.HEADING)


def _bare_line(line: str) -> str:
    for mark in _MARKS:
        line = mark.sub("", line)
    return line.strip()


def _bare_phrase(phrase: str) -> str:
    phrase = self_talk.CATEGORY.sub("", tidied(_unquoted(phrase.strip())))
    return phrase[4:] if phrase.startswith("and ") else phrase
