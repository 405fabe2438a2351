"""What the controls write: prompts whose score is known beforehand to be personal, or not (METRICS, Controls).

stranger   vprag on another person's profile                 must not gain anything
random     as vprag, own elements drawn at random            what retrieval adds
own        own captions as long as vprag's, held out of C    what a person really shares
noise      unrelated text as long as vprag's prompt          the bottom
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from engine.keys import seed_of
from engine.prompting.budget import word_count
from engine.prompting.evidence import Evidence, RetrievedElement
from engine.prompting.phrases import Phrase, caption_source
from engine.prompting.unrelated import sentences
from engine.prompting.writing import Written
from engine.records import Profile

RULE = "controls-1"
NOISE = "noise"
NOISE_TEXTS, NOISE_STEP = 64, 8


def random_evidence(profile: Profile, evidence: Evidence, unit: str) -> Evidence:
    """As many elements as `evidence` retrieved, drawn from all that the person's captions use, each as likely as any other."""
    every = {
        (element.category, element.text): RetrievedElement(element.category, element.text, post, 0.0)
        for post, caption in reversed(list(enumerate(profile.captions)))
        for element in caption.elements
    }
    random = Random(seed_of(RULE, "random", unit))
    tickets = {key: random.random() for key in sorted(every)}
    drawn = sorted(tickets, key=tickets.__getitem__)[: len(evidence.elements)]
    return replace(evidence, elements=tuple(every[key] for key in drawn), categories=())


def own_captions(profile: Profile, words: int, unit: str) -> Written:
    """Captions of the person's as a prompt of about `words` words, at least one and at most half of them, drawn by the unit's key.

    One caption alone would be compared with prompts several times as long; how one caption scores is the ceiling. The pieces say which.
    """
    random = Random(seed_of(RULE, "own", unit))
    order = sorted(range(len(profile.captions)), key=[random.random() for _ in profile.captions].__getitem__)
    drawn: list[int] = []
    length = 0
    for index in order[: max(1, len(order) // 2)]:
        longer = length + word_count(profile.captions[index].text)
        if drawn and longer - words > words - length:  # the nearest length wins
            break
        drawn.append(index)
        length = longer
    pieces = tuple(Phrase(profile.captions[index].text, caption_source(index)) for index in drawn)
    text = " ".join(piece.text for piece in pieces)
    return Written(text, word_count(text), pieces, 0)


def noise(words: int, unit: str) -> Written:
    """One of 64 texts about nobody's life, drawn by the unit's key, of about `words` words: whole sentences, the last one cut.

    Lengths go in steps of eight words, so that a run holds some hundred such texts and an encoder that remembers texts meets each once.
    """
    words = max(NOISE_STEP, NOISE_STEP * round(words / NOISE_STEP))
    random = Random(seed_of(RULE, NOISE, str(seed_of(RULE, NOISE, unit) % NOISE_TEXTS)))
    kept: list[str] = []
    for sentence in sentences(random.random):
        kept += sentence.split()
        if word_count(" ".join(kept)) >= words:
            break
    while len(kept) > 1 and word_count(" ".join(kept)) > words:
        kept.pop()
    text = " ".join(kept).rstrip(".,;") + "."
    return Written(text, word_count(text), (Phrase(text, NOISE),), 0)
