"""Looks at images: every model's vectors, distances and figures of an image from one decode (METRICS, Image metrics)."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future

import numpy as np

from actors.lpips import Lpips
from actors.lpips_distances import Compared, LpipsDistances
from actors.vision_features import Features, Vector
from actors.vision_loading import Load, Loaded, Loader, Need
from engine.images.looking import ImageEncoder, Looked, LookRequest, QualityMeasure
from engine.images.preprocessing import gray_sha256
from engine.outcome import Answered, Failed, Outcome

NO_VECTOR = "image-without-vector"
"""Failed, permanent: a model gave values that are no vector (not finite), as half precision may."""


class Vision:
    """Answers `LookRequest`s with image encoders, perceptual distances and quality measures.

    Vectors are kept by the image's sha256 and the model's id, and so are LPIPS features of references. The twin of an image is compared
    with the twins of its references.

    Args:
        read: the bytes of the image of a name. `engine.errors.Missing` and InputError end the image; other errors are raised by `look`.
        batch: requests in one pass of the encoders.
        decoders: threads that read and decode the next batch meanwhile.
        vector_bytes: bound of what is kept of vectors and figures.
        feature_bytes: bound, for each distance, of what is kept of references (2.6 MB an image for `alex`, 33 MB for `vgg`).
    """

    def __init__(
        self,
        encoders: Sequence[ImageEncoder],
        perceptual: Sequence[Lpips],
        quality: Sequence[QualityMeasure],
        read: Callable[[str], bytes],
        *,
        batch: int = 16,
        decoders: int = 2,
        vector_bytes: int = 64 << 20,
        feature_bytes: int = 256 << 20,
    ) -> None:
        if batch < 1 or decoders < 1:
            raise ValueError(f"batch {batch} and decoders {decoders} must be at least 1")
        self._batch = batch
        self.features = Features(encoders, quality, vector_bytes)
        self.distances = [LpipsDistances(model, feature_bytes) for model in perceptual]
        self.loader = Loader(read, self._known, decoders)

    @property
    def progress(self) -> int:
        """Images unpacked so far: a sign of life during a long call."""
        return self.loader.decoded

    def look(self, requests: Sequence[LookRequest]) -> list[Outcome[Looked]]:
        """One outcome a request, in order. An image, or one it is held against, that cannot be read ends its own requests alone.

        Raises what `read` and the models raise beyond that, such as errors of memory.
        """
        batches = [requests[start : start + self._batch] for start in range(0, len(requests), self._batch)]
        outcomes: list[Outcome[Looked]] = []
        ahead = self.loader.submit(self._needs(requests[: self._batch]))
        try:
            for batch, following in itertools.zip_longest(batches, batches[1:], fillvalue=()):
                loading, ahead = ahead, self.loader.submit(self._needs(following))
                outcomes += self._look(batch, _loaded(loading))
        finally:
            for future in ahead.values():
                future.cancel()
        return outcomes

    def close(self) -> None:
        """Let go of the models, the threads and everything kept."""
        self.loader.close()
        self.features.close()
        for distance in self.distances:
            distance.close()

    def _needs(self, requests: Sequence[LookRequest]) -> dict[str, Need]:
        needs: dict[str, Need] = {}
        for request in requests:
            against = self._against(request)
            image = Need(seen=True, compared=bool(against), gray=request.gray)
            for name, need in [(request.image, image), *((name, Need(reference=True, gray=request.gray)) for name in against)]:
                needs[name] = needs.get(name, Need()) | need
        return needs

    def _against(self, request: LookRequest) -> tuple[str, ...]:
        """The images whose pixels a request needs beside its own."""
        return request.against if self.distances else ()

    def _known(self, sha256: str, need: Need) -> bool:
        digests = [gray_sha256(sha256) if gray else sha256 for gray in need.twins]
        seen = not need.seen or all(self.features.known(digest) for digest in digests)
        reference = not need.reference or all(distance.known(digest) for digest in digests for distance in self.distances)
        return seen and reference and not need.compared

    def _look(self, requests: Sequence[LookRequest], loads: Mapping[str, Load]) -> list[Outcome[Looked]]:
        outcomes: dict[LookRequest, Outcome[Looked]] = {}
        for request in requests:
            named = (loads[name] for name in (request.image, *self._against(request)))
            failure = next((load for load in named if isinstance(load, Failed)), None)
            if failure is not None:
                outcomes[request] = failure
        images = {name: load for name, load in loads.items() if isinstance(load, Loaded)}
        good = [request for request in dict.fromkeys(requests) if request not in outcomes]
        rows = [(request, gray) for request in good for gray in _twins(request)]
        pictures = [_compared(images[request.image], gray) for request, gray in rows]
        seen = self.features.of({each.digest: each.picture for each in pictures})
        texts = self.features.of_texts([text for request in good for text in request.texts])
        measured: dict[tuple[LookRequest, bool], dict[str, Vector]] = {row: {} for row in rows}
        for distance in self.distances:
            against = [[_compared(images[name], gray) for name in request.against] for request, gray in rows]
            compared = [i for i, references in enumerate(against) if references]
            for i, values in zip(compared, distance.measure([(pictures[i], against[i]) for i in compared]), strict=True):
                measured[rows[i]][distance.id] = values
        for request in good:
            stacked = {name: np.stack([known[text] for text in request.texts]) for name, known in texts.items() if request.texts}
            answer: Looked | None = None
            for gray in reversed(_twins(request)):
                digest = images[request.image].digest(gray)
                answer = Looked(digest, seen[digest].vectors, stacked, measured[request, gray], seen[digest].quality, answer)
            outcomes[request] = _finite(request, answer)
        return [outcomes[request] for request in requests]


def _finite(request: LookRequest, looked: Looked | None) -> Outcome[Looked]:
    """The answer, unless a vector or distance of the image or of its twin is none."""
    each = looked
    while each is not None:
        if not all(np.isfinite(values).all() for values in (*each.vectors.values(), *each.distances.values())):
            return Failed(NO_VECTOR, f"{request.image}: A model gave values that are not finite.")
        each = each.gray
    assert looked is not None
    return Answered(looked)


def _twins(request: LookRequest) -> tuple[bool, ...]:
    return (False, True) if request.gray else (False,)


def _compared(load: Loaded, gray: bool) -> Compared:
    return Compared(load.digest(gray), functools.partial(load.picture, gray))


def _loaded(loading: Mapping[str, Future[Load]]) -> dict[str, Load]:
    return {name: future.result() for name, future in loading.items()}
