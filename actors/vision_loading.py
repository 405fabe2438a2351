"""Images read and decoded on threads, ahead of the networks: each of a batch is opened once, and what is known already is not decoded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeAlias

from engine.errors import InputError
from engine.images.decoding import decode
from engine.images.opening import fetched
from engine.images.picture import Picture
from engine.images.preprocessing import cropped, gray_sha256, grayscale, square
from engine.keys import sha256
from engine.outcome import Failed


@dataclass(frozen=True, slots=True)
class Need:
    """What a batch asks of an image: to be `seen` itself, to be `compared` with references, to be a `reference`; `gray`: so its twin."""

    seen: bool = False
    compared: bool = False
    reference: bool = False
    gray: bool = False

    def __or__(self, other: Need) -> Need:
        return Need(self.seen or other.seen, self.compared or other.compared, self.reference or other.reference, self.gray or other.gray)

    @property
    def twins(self) -> tuple[bool, ...]:
        """The image alone, or the image and its grayscale twin, as values of `gray`."""
        return (False, True) if self.gray else (False,)


@dataclass(slots=True)
class Loaded:
    """An image that was read; its pixels are unpacked when somebody needs them."""

    name: str
    data: bytes
    sha256: str
    _pictures: dict[bool, Picture] = field(default_factory=dict)

    def digest(self, gray: bool) -> str:
        """What names the image, or its grayscale twin, in caches."""
        return gray_sha256(self.sha256) if gray else self.sha256

    def picture(self, gray: bool) -> Picture:
        """The picture, or its grayscale twin. Raises InputError if the bytes are no picture."""
        if False not in self._pictures:
            outcome = decode(self.data)
            if isinstance(outcome, Failed):
                raise InputError(outcome.message, file=self.name, code=outcome.code)
            self._pictures[False] = outcome.value
        if gray not in self._pictures:
            self._pictures[gray] = grayscale(self._pictures[False])
        return self._pictures[gray]


Load: TypeAlias = Loaded | Failed


class Loader:
    """Reads images by name and prepares them on `threads`. `known(digest, need)`: nothing will ask for that image's pixels."""

    def __init__(self, read: Callable[[str], bytes], known: Callable[[str, Need], bool], threads: int) -> None:
        self._read, self._known = read, known
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="decode")
        self.decoded = 0
        """Images that were unpacked."""

    def submit(self, needs: Mapping[str, Need]) -> dict[str, Future[Load]]:
        """Start to load images; whatever `read` raises beyond a failure of the image is raised by its future."""
        return {name: self._pool.submit(self._load, name, need) for name, need in needs.items()}

    def close(self) -> None:
        """End the threads; what was not begun is dropped."""
        self._pool.shutdown(cancel_futures=True)

    def _load(self, name: str, need: Need) -> Load:
        data = fetched(self._read, name)
        if isinstance(data, Failed):
            return data
        loaded = Loaded(name, data, sha256(data))
        if self._known(loaded.sha256, need):
            return loaded
        self.decoded += 1
        try:
            pictures = [loaded.picture(gray) for gray in need.twins]
        except InputError as error:
            return Failed(error.code, error.message)
        for picture in pictures:
            if need.seen:
                cropped(picture)
            if need.compared or need.reference:
                square(picture)
        return loaded
