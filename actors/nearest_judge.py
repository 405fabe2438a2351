"""A judge without opinions: what lies closer to the person's posts fits better. Deterministic, blind to order; a second laptop judge.

It knows nothing but words that go together, so it stands for no VLM and carries its own name; in the metric's own space its verdicts
would be the metric again, which is why the built-in one uses the second space.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from actors.encoders import Encoder
from engine.judging.asking import JudgeRequest
from engine.judging.rubric import CHOICES, HIGHEST
from engine.judging.verdicts import Judged
from engine.outcome import Answered, Failed, Outcome

RULE = "nearest-1"

NEAREST = 3
"""Posts whose mean cosine counts (as in METRICS, Re-identification)."""

TIE = 0.01
"""Two means closer than this are a tie, where a tie may be given."""

SURE = 0.1
"""Difference at which it is as sure as it gets."""


def nearest_id(encoder_id: str) -> str:
    """The rule, and the encoder with its revision."""
    return f"{RULE} {encoder_id}"


class NearestJudge:
    """Judges by cosine in an encoder's space. Usable without Ray: construct with an encoder, `judge`, close."""

    def __init__(self, encoder: Encoder) -> None:
        self.id = nearest_id(encoder.id)
        self._encoder = encoder

    def judge(self, requests: Sequence[JudgeRequest]) -> list[Outcome[Judged]]:
        """One outcome a question, in order; Failed `no-posts` where there is nothing to compare with."""
        texts = [text for request in requests for text in (*request.subject.posts, *(each.text for each in request.candidates))]
        vectors = self._encoder.encode(texts).vectors.astype(np.float64) if texts else np.empty((0, 0))
        outcomes: list[Outcome[Judged]] = []
        start = 0
        for request in requests:
            posts = vectors[start : start + len(request.subject.posts)]
            start += len(posts)
            made = vectors[start : start + len(request.candidates)]
            start += len(made)
            outcomes.append(_judged(request, posts, made))
        return outcomes

    def close(self) -> None:
        """Let go of the encoder."""
        self._encoder.close()


def _judged(request: JudgeRequest, posts: NDArray[np.float64], made: NDArray[np.float64]) -> Outcome[Judged]:
    if not len(posts):
        return Failed("no-posts", "The person has no posts to compare with.")
    cosines = np.sort(np.einsum("cd,pd->cp", made, posts), axis=1)[:, ::-1][:, :NEAREST].mean(axis=1)
    told = ", ".join(f"{cosine:.3f}" for cosine in cosines)
    reason = f"mean of the {min(NEAREST, len(posts))} best cosines: {told}"
    if request.rubric.question == "rating":
        score = round(float(np.clip(cosines[0], 0, 1)) * HIGHEST, 1)
        return Answered(Judged(score, None, reason, reason, RULE))
    ahead = float(cosines[0] - cosines[1])
    letters = CHOICES[request.rubric.question]
    tied = abs(ahead) < TIE and "tie" in letters
    # Without ties an exact draw goes to the text that sorts first, not to the position.
    first = ahead > 0 or (ahead == 0 and request.candidates[0].text <= request.candidates[1].text)
    decision = "tie" if tied else letters[0] if first else letters[1]
    return Answered(Judged(decision, 0.5 + 0.5 * min(1.0, abs(ahead) / SURE), reason, reason, RULE))
