"""Which pieces of its material a language model took over word for word."""

from __future__ import annotations

from collections import defaultdict

from engine.prompting.phrases import QUERY, Phrase
from engine.prompting.writing import WriteRequest
from engine.tokens import tokens


def standing_in(prompt: str, request: WriteRequest) -> tuple[Phrase, ...]:
    """The query and the phrases of `request` whose tokens (METRICS) stand in the prompt as one run, by where they begin; longer ones first.

    Letter case and punctuation may differ. Of equal pieces the best-ranked one is told, so that each run has one source. The query need not
    be among them: a model may put it in other words.
    """
    words = tokens(prompt)
    places: dict[str, list[int]] = defaultdict(list)
    for place, word in enumerate(words):
        places[word].append(place)
    found: dict[tuple[str, ...], tuple[int, int, Phrase]] = {}
    for phrase in (Phrase(request.query.text, QUERY), *request.phrases):
        run = tuple(tokens(phrase.text))
        if not run or run in found:
            continue
        for place in places.get(run[0], ()):
            if tuple(words[place : place + len(run)]) == run:
                found[run] = (place, -len(run), phrase)
                break
    return tuple(phrase for _, _, phrase in sorted(found.values(), key=lambda each: each[:2]))
