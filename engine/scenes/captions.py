"""What a scene is called: many wordings of one scene, from a plain sentence to the elements of an assembled prompt, among other words.

An attribute may go unnamed; the caption then says nothing of it and any class fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass

import numpy as np

from engine.scenes.vocabulary import ATTRIBUTES, Scene, named, vocabulary

_QUALITIES = (
    "old",
    "favourite",
    "small",
    "handsome",
    "spare",
    "trusty",
    "dainty",
    "battered",
    "cheerful",
    "scuffed",
    "brass",
    "wooden",
    "neat",
)
_TONES = ("deep", "faded", "bright", "dusty", "pale", "warm", "muted", "glossy", "raw", "smoky", "dark", "cool")
_LIGHTS = ("soft", "pale", "honeyed", "hazy", "cold", "gentle", "rosy", "flickering", "dim", "thin", "quiet")
_PLACES = ("nearest", "usual", "quiet", "weathered", "busy", "empty", "cherished", "windy", "local", "unspoilt")
_OBJECT = ("{a} {word}", "{quality} {word}", "{a} {quality} {word}", "a picture of {a} {word}", "{word}", "the {word}")
_OBJECT_COLOURED = ("{a} {colour} {word}", "{colour} {word}", "{quality} {colour} {word}", "{a} {word} in {colour}")
_PALETTE = (
    "{colour}",
    "{tone} {colour}",
    "{colour} tones",
    "a palette of {colour}",
    "coloured {colour}",
    "{colour} palette",
    "all in {colour}",
)
_BACKGROUND = (
    "{word}",
    "{place} {word}",
    "in the {word}",
    "by the {word}",
    "{a} {word} behind it",
    "{a} {place} {word}",
    "background: {word}",
)
_LIGHTING = ("{word}", "{light} {word}", "in {word}", "under {light} {word}", "lit by {word}")
_LAYOUT = ("{word}", "placed {word}", "framed {word}")
_WITHIN = (
    "weekday gooseberries",
    "last-minute walnuts",
    "kneading dough",
    "glass",
    "vinyl collecting",
    "loose slow-shutter shot",
    "felt",
    "neat cornrows",
)
"""Words beside the point, where none are given."""


@dataclass(frozen=True, slots=True)
class Captioned:
    """A caption and the classes it names, by attribute: several where one would do, none where it says nothing."""

    text: str
    named: dict[str, tuple[str, ...]]


def caption(scene: Scene, rng: np.random.Generator, beside: Sequence[str] = (), *, whole: bool = False) -> Captioned:
    """One wording of `scene`.

    Args:
        beside: phrases that name nothing of the vocabulary, to put among the scene's own.
        whole: name object, background and palette, and nothing that the scene does not show.
    """
    says: dict[str, tuple[str, ...]] = {
        attribute: (value,) for attribute, value in zip(ATTRIBUTES, astuple(scene), strict=True) if whole or rng.random() < 0.8
    }
    for attribute in ("lighting", "layout"):
        if rng.random() < 0.35:
            says.pop(attribute, None)
    if not whole and "object" in says and rng.random() < 0.2:
        other = _one(rng, tuple(vocabulary()["object"]))
        says["object"] = tuple(dict.fromkeys((*says["object"], other)))
    parts = _parts(says, rng)
    rng.shuffle(parts)
    most = 3 if whole else 9 if rng.random() < 0.3 else 3
    extra = [_one(rng, tuple(beside) or _WITHIN) for _ in range(int(rng.integers(0, most + 1)))]
    return Captioned(_written(parts, extra, rng), says)


def silent(phrases: Sequence[str]) -> tuple[str, ...]:
    """Those of `phrases` that name nothing of the vocabulary."""
    return tuple(phrase for phrase in dict.fromkeys(phrases) if phrase and not named(phrase))


def _parts(says: dict[str, tuple[str, ...]], rng: np.random.Generator) -> list[str]:
    words = {attribute: [_one(rng, vocabulary()[attribute][name]) for name in names] for attribute, names in says.items()}
    parts = []
    colour = words.get("palette", [""])[0]
    is_coloured = bool(colour) and "object" in words and rng.random() < 0.5
    for place, word in enumerate(words.get("object", [])):
        parts.append(_phrase(_OBJECT_COLOURED if is_coloured and place == 0 else _OBJECT, word, colour, rng))
    if colour and not is_coloured:
        parts.append(_phrase(_PALETTE, "", colour, rng))
    for attribute, forms in (("background", _BACKGROUND), ("lighting", _LIGHTING), ("layout", _LAYOUT)):
        parts += [_phrase(forms, word, colour, rng) for word in words.get(attribute, [])]
    return parts


def _phrase(forms: Sequence[str], word: str, colour: str, rng: np.random.Generator) -> str:
    form = _one(rng, forms)
    said = form.format(
        a="{a}",
        word=word,
        colour=colour,
        quality=_one(rng, _QUALITIES),
        tone=_one(rng, _TONES),
        light=_one(rng, _LIGHTS),
        place=_one(rng, _PLACES),
    )
    before, article, after = said.partition("{a} ")
    return said if not article else f"{before}{'an' if after[0] in 'aeiou' else 'a'} {after}"


def _written(parts: Sequence[str], extra: Sequence[str], rng: np.random.Generator) -> str:
    """The phrases in one line: a comma list, a sentence, or query, then everything else after semicolons and "with"."""
    style = rng.random()
    if style < 0.35 or not parts:
        phrases = [*parts, *extra]
        rng.shuffle(phrases)
        return _one(rng, (", ", "; ")).join(phrases)
    if style < 0.6:
        sentence = " ".join(parts)
        return ", ".join([sentence[:1].upper() + sentence[1:], *extra])
    cut = int(rng.integers(0, len(extra) + 1))
    lead = "; ".join(extra[:cut])
    rest = [*parts, *extra[cut:]]
    rng.shuffle(rest)
    listed = rest[0] + "".join(_one(rng, (", ", "; ")) + phrase for phrase in rest[1:])
    return f"{lead}, with {listed}" if lead else listed


def _one(rng: np.random.Generator, of: Sequence[str]) -> str:
    return of[int(rng.integers(len(of)))]
