"""Images in a store: each once, whoever draws it first; what was changed behind our back is told."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from engine.errors import CorruptObject, Missing
from engine.images.decoding import decode
from engine.images.stored import ImageObjects
from engine.store.folder import FolderBackend

STAGE = "image-vprag-0123456789abcdef"


def pixels(seed, height=40, width=56):
    return np.random.Generator(np.random.PCG64(seed)).integers(0, 256, (height, width, 3), np.uint8)


@pytest.fixture
def backend(tmp_path):
    return FolderBackend(tmp_path)


@pytest.mark.parametrize("format", ["png", "webp"])
def test_an_image_comes_back_pixel_by_pixel(backend, format):
    images = ImageObjects(backend, format)
    stored = images.put(STAGE, "unit", pixels(1))
    assert (stored.width, stored.height) == (56, 40)
    assert stored.object.endswith(f".{format}")
    assert (decode(images.read(stored)).value.pixels == pixels(1)).all()
    assert images.find(STAGE, "unit") == stored


def test_a_thumbnail_lies_beside_it(backend):
    stored = ImageObjects(backend).put(STAGE, "unit", pixels(1, 600, 300))
    assert decode(backend.read(stored.thumbnail)).value.size == (128, 256)


def test_whoever_comes_second_goes_on_with_the_first_ones_image(backend):
    images = ImageObjects(backend)
    first = images.put(STAGE, "unit", pixels(1))
    assert images.put(STAGE, "unit", pixels(2)) == first
    assert (decode(images.read(first)).value.pixels == pixels(1)).all()


def test_of_many_contenders_all_go_on_with_one(backend):
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda seed: ImageObjects(backend).put(STAGE, "unit", pixels(seed)), range(8)))
    assert len({each.sha256 for each in found}) == 1


def test_keys_and_stages_are_apart(backend):
    images = ImageObjects(backend)
    made = [images.put(*of, pixels(seed)) for seed, of in enumerate([(STAGE, "a"), (STAGE, "b"), ("gallery-1", "a")])]
    assert len({each.object for each in made}) == 3


def test_what_is_not_there_is_not_found(backend):
    images = ImageObjects(backend)
    assert images.find(STAGE, "unit") is None
    stored = images.put(STAGE, "unit", pixels(1))
    backend.delete(stored.object)
    with pytest.raises(Missing):
        images.read(stored)


def test_an_image_that_was_changed_is_not_taken_for_the_one_that_was_committed(backend):
    images = ImageObjects(backend)
    stored = images.put(STAGE, "unit", pixels(1))
    backend.replace(stored.object, backend.read(images.put(STAGE, "other", pixels(2)).object))
    with pytest.raises(CorruptObject):
        images.read(stored)
