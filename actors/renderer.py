"""Draws what stages want and commits each image the moment it exists, on threads, while the next batch is drawn."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from threading import BoundedSemaphore

from engine.images.decoding import decode
from engine.images.picture import Pixels
from engine.images.rendering import DrawRequest, ImageModel, RenderRequest
from engine.images.stored import ImageObjects, StoredImage
from engine.outcome import Answered, Failed, Outcome


class Renderer:
    """Images by an `ImageModel`, kept in a store.

    Args:
        model: what draws.
        images: where images go and sources come from.
        threads: that read, encode and write.
        waiting: drawn images at most that are not yet in the store; drawing waits for room.
    """

    def __init__(self, model: ImageModel, images: ImageObjects, *, threads: int = 2, waiting: int = 32) -> None:
        if threads < 1 or waiting < 1:
            raise ValueError(f"threads {threads} and waiting {waiting} must be at least 1")
        self._model, self._images, self._threads, self._waiting = model, images, threads, waiting
        self.drawn = self.found = 0
        """Images drawn, and images that the store had already; one that several requests share counts once."""
        self.seconds = 0.0
        """In `render`."""

    @property
    def id(self) -> str:
        """The model's."""
        return self._model.id

    @property
    def progress(self) -> int:
        """Images so far: a sign of life during a long call."""
        return self.drawn + self.found

    def render(self, requests: Sequence[DrawRequest]) -> list[Outcome[StoredImage]]:
        """One outcome a request, in order. What stage and key name is drawn once, and never again when the store has it.

        Returns, and raises, only when all that was drawn is in the store. Raises StoreError, and what the model raises.
        """
        began = time.perf_counter()
        wanted = {(request.stage, request.request.key): request for request in requests}
        try:
            with ThreadPoolExecutor(self._threads, "images") as threads:
                outcomes = self._find(wanted, threads)
                outcomes |= self._draw({place: request for place, request in wanted.items() if place not in outcomes}, threads)
        finally:
            self.seconds += time.perf_counter() - began
        return [outcomes[request.stage, request.request.key] for request in requests]

    def close(self) -> None:
        """Let go of the model."""
        self._model.close()

    def _find(self, wanted: dict[_Place, DrawRequest], threads: ThreadPoolExecutor) -> dict[_Place, Outcome[StoredImage]]:
        found = zip(wanted, threads.map(lambda place: self._images.find(*place), wanted), strict=True)
        there: dict[_Place, Outcome[StoredImage]] = {place: Answered(image) for place, image in found if image}
        self.found += len(there)
        return there

    def _draw(self, wanted: dict[_Place, DrawRequest], threads: ThreadPoolExecutor) -> dict[_Place, Outcome[StoredImage]]:
        outcomes: dict[_Place, Outcome[StoredImage]] = {}
        asked: dict[_Place, RenderRequest] = {}
        for place, opened in zip(wanted, threads.map(self._with_source, wanted.values()), strict=True):
            if isinstance(opened, Failed):
                outcomes[place] = opened
            else:
                asked[place] = opened
        places, room = list(asked), BoundedSemaphore(self._waiting)
        written: dict[_Place, Future[StoredImage]] = {}
        try:
            for index, outcome in self._model.render(list(asked.values())):
                if not isinstance(outcome, Answered):
                    outcomes[places[index]] = outcome
                    continue
                room.acquire()
                written[places[index]] = threads.submit(self._put, places[index], outcome.value, room)
                self.drawn += 1
                if any(future.done() and future.exception() for future in written.values()):
                    break  # a store that fails is told at once; results are gathered below
        finally:
            # Also when the model raises: what it has drawn is kept, and a batch that is asked again finds it.
            failures = [future.exception() for future in written.values()]
        for failure in failures:
            if failure:
                raise failure
        return outcomes | {place: Answered(future.result()) for place, future in written.items()}

    def _with_source(self, wanted: DrawRequest) -> RenderRequest | Failed:
        if wanted.source is None:
            return wanted.request
        opened = decode(self._images.read(wanted.source))
        return opened if isinstance(opened, Failed) else replace(wanted.request, source=opened.value)

    def _put(self, place: _Place, pixels: Pixels, room: BoundedSemaphore) -> StoredImage:
        try:
            return self._images.put(*place, pixels)
        finally:
            room.release()


_Place = tuple[str, str]
"""The stage and the key of an image."""
