"""Figures of the words of a corpus: how many, how long, how often the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from engine.profiles.quality.bands import Figure
from engine.tokens import tokens


def wording_figures(captions: Sequence[str]) -> dict[str, Figure]:
    """Distinct words, standard deviation of the length in words, and the share of captions that repeat an earlier one word for word."""
    words = [tuple(tokens(caption)) for caption in captions]
    lengths = np.array([len(each) for each in words], dtype=np.float64)
    same = Counter(words)
    repeated = sorted(((count, " ".join(each)) for each, count in same.items() if count > 1), key=lambda item: (-item[0], item[1]))
    return {
        "distinct_words": Figure(len({word for each in words for word in each})),
        "length_sd": Figure(
            float(lengths.std()) if len(lengths) else float("nan"),
            note=f"mean {lengths.mean():.1f}, {lengths.min():.0f} to {lengths.max():.0f} words" if len(lengths) else "no captions",
        ),
        "duplicate_captions": Figure(
            (len(words) - len(same)) / max(len(words), 1), tuple(f"{count} times: {text}" for count, text in repeated[:3])
        ),
    }
