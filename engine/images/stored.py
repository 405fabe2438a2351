"""Images in the store: each an object under its own key, committed the moment it exists, with a thumbnail beside it.

A node that is lost loses only what was being drawn; whoever finds an object, or loses the race to write it, goes on with that one.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from engine.errors import CorruptObject, Missing
from engine.images.decoding import size_of
from engine.images.encoding import ENDINGS, Format, encoded, thumbnail
from engine.images.picture import Pixels
from engine.keys import content_key
from engine.store import names
from engine.store.backend import Backend


@dataclass(frozen=True, slots=True)
class StoredImage:
    """Where an image lies, and what it is: `sha256` digests its bytes; width and height in pixels, size in bytes."""

    object: str
    thumbnail: str
    sha256: str
    width: int
    height: int
    size: int


class ImageObjects:
    """The images of a store. `format` is how new ones are written."""

    def __init__(self, backend: Backend, format: Format = "png") -> None:
        self._backend, self._format = backend, format

    def find(self, stage: str, key: str) -> StoredImage | None:
        """The image of `key` that a stage has committed already, in the format of this store's images; None if there is none."""
        name, small = self._names(stage, key)
        try:
            data = self._backend.read(name)
        except Missing:
            return None
        return _described(name, small, data)

    def put(self, stage: str, key: str, pixels: Pixels) -> StoredImage:
        """Commit an image, thumbnail first; returns what stands in the store then, which may be another process's."""
        name, small = self._names(stage, key)
        self._backend.create(small, thumbnail(pixels))
        data = encoded(pixels, self._format)
        if not self._backend.create(name, data):
            data = self._backend.read(name)
        return _described(name, small, data)

    def read(self, image: StoredImage) -> bytes:
        """The bytes of an image. Raises Missing, and CorruptObject if they are not those that were committed."""
        data = self._backend.read(image.object)
        if hashlib.sha256(data).hexdigest() != image.sha256:
            raise CorruptObject(f"{image.object} is not the image that was committed.", remedy="Run the same command again.")
        return data

    def _names(self, stage: str, key: str) -> tuple[str, str]:
        digest = content_key(["image", key])
        return names.object_(stage, digest, self._format), names.object_(stage, digest, ENDINGS["thumbnail"])


def _described(name: str, small: str, data: bytes) -> StoredImage:
    width, height = size_of(data)
    return StoredImage(name, small, hashlib.sha256(data).hexdigest(), width, height, len(data))
