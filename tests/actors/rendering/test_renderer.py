"""The renderer's actor on a real store: each image is committed once, as soon as it exists, and none is drawn twice."""

import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from asking import drawn, model, requests

from actors.renderer import Renderer
from engine.errors import StoreError
from engine.images.decoding import TRUNCATED, decode
from engine.images.rendering import DrawRequest
from engine.images.stored import ImageObjects
from engine.outcome import Answered, Failed
from engine.store.folder import FolderBackend
from jobs.asking import Asking

STAGE = "image-0123456789abcdef"


def wanted(count, **changes):
    return [DrawRequest(STAGE, request) for request in requests(count, **changes)]


def values(outcomes):
    assert all(isinstance(outcome, Answered) for outcome in outcomes), outcomes
    return [outcome.value for outcome in outcomes]


@pytest.fixture
def store(tmp_path):
    return FolderBackend(tmp_path / "store")


def test_images_lie_in_the_store_with_a_thumbnail_beside_each(random_sd, store):
    painter = Renderer(model(random_sd), ImageObjects(store))
    stored = values(painter.render(wanted(5)))
    assert sorted(store.list("")) == sorted([image.object for image in stored] + [image.thumbnail for image in stored])
    assert len({image.object for image in stored}) == 5
    pixels = [decode(store.read(image.object)).value.pixels for image in stored]
    assert all(np.array_equal(*pair) for pair in zip(pixels, drawn(model(random_sd), requests(5)), strict=True))
    assert [(image.width, image.height, image.size) for image in stored] == [(32, 32, len(store.read(image.object))) for image in stored]
    assert (painter.drawn, painter.found, painter.seconds > 0) == (5, 0, True)
    assert painter.id == model(random_sd).id


def test_what_the_store_has_is_not_drawn_again_and_what_several_want_is_drawn_once(random_sd, store):
    painter = Renderer(model(random_sd), ImageObjects(store))
    first = values(painter.render(wanted(2)))
    again = values(painter.render([*wanted(4), *wanted(4)]))
    assert again[:2] == first
    assert again[:4] == again[4:]
    assert (painter.drawn, painter.found) == (4, 2)


def test_what_cannot_be_drawn_is_an_outcome_in_its_place_and_leaves_nothing_in_the_store(filtering_sd, store):
    asked = wanted(2)
    asked[0] = replace(asked[0], request=replace(asked[0].request, prompt=""))
    failed, refused = Renderer(model(filtering_sd), ImageObjects(store)).render(asked)
    assert isinstance(failed, Failed)
    assert failed.code == "empty-prompt"
    assert type(refused).__name__ == "Refused"
    assert store.list("") == []


def test_an_edit_begins_from_its_source_in_the_store(random_sd, store):
    images = ImageObjects(store)
    painter = Renderer(model(random_sd), images)
    source = images.put(STAGE, "source", np.full((32, 32, 3), 200, np.uint8))
    plain = wanted(1)[0]
    edit = DrawRequest(STAGE, replace(plain.request, key="edit"), source)
    (stored,) = values(painter.render([edit]))
    picture = decode(images.read(source)).value
    assert np.array_equal(decode(images.read(stored)).value.pixels, drawn(model(random_sd), [replace(plain.request, source=picture)])[0])


def test_a_source_that_is_no_image_is_a_named_failure(random_sd, store):
    images = ImageObjects(store)
    whole = images.put(STAGE, "source", np.full((32, 32, 3), 200, np.uint8))
    data = store.read(whole.object)[:-20]
    from engine.keys import sha256

    store.create("objects/half.png", data)
    edit = replace(wanted(1)[0], source=replace(whole, object="objects/half.png", sha256=sha256(data)))
    (failed,) = Renderer(model(random_sd), images).render([edit])
    assert isinstance(failed, Failed)
    assert failed.code == TRUNCATED


class Faulty(FolderBackend):
    """A folder that refuses to take the images after the first ones."""

    def __init__(self, root: Path, takes: int) -> None:
        super().__init__(root)
        self.left = takes

    def create(self, name: str, data: bytes) -> bool:
        if name.endswith(".png"):
            self.left -= 1
            if self.left < 0:
                raise StoreError("The disk is full.")
        return super().create(name, data)


def test_an_error_of_the_store_is_raised_and_nothing_is_dropped(random_sd, tmp_path):
    painter = Renderer(model(random_sd), ImageObjects(Faulty(tmp_path, 2)), threads=1)
    with pytest.raises(StoreError, match="disk is full"):
        painter.render(wanted(6))
    healthy = Renderer(model(random_sd), ImageObjects(FolderBackend(tmp_path)))
    assert len(values(healthy.render(wanted(6)))) == 6
    assert (healthy.found, healthy.drawn) == (2, 4)


class Small:
    """A model on a device that has room for batches of two."""

    def __init__(self, model):
        self.id, self.render_all, self.close = model.id, model.render, model.close

    def render(self, asked):
        yield from self.render_all(asked[:2])
        if len(asked) > 2:
            raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB")


def test_what_was_drawn_before_the_memory_ran_out_is_kept(random_sd, store):
    painter = Renderer(Small(model(random_sd)), ImageObjects(store))
    outcomes = Asking().outcomes(lambda actor, batch: actor.render(batch), painter, wanted(5))
    assert len(values(outcomes)) == 5
    assert painter.drawn == 5


class Slow(FolderBackend):
    """A folder that takes images only when it is told to."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.opened = threading.Event()

    def create(self, name: str, data: bytes) -> bool:
        assert self.opened.wait(30)
        return super().create(name, data)


class Watched:
    """Counts what a model has given away."""

    def __init__(self, model):
        self.id, self.render_all, self.close = model.id, model.render, model.close
        self.given = 0

    def render(self, asked):
        for each in self.render_all(asked):
            self.given += 1
            yield each


def test_drawing_goes_on_while_images_are_written_and_waits_when_too_many_are_not(random_sd, tmp_path):
    watched, slow = Watched(model(random_sd)), Slow(tmp_path)
    painter = Renderer(watched, ImageObjects(slow), threads=1, waiting=3)
    working = threading.Thread(target=painter.render, args=[wanted(8)])
    working.start()
    deadline = time.monotonic() + 20
    while watched.given < 4 and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.2)
    assert watched.given == 4, "three wait, the fourth is in hand"
    slow.opened.set()
    working.join(30)
    assert not working.is_alive()
    assert len(slow.list("")) == 16
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("images")]


KILLED = """
import sys
sys.path.insert(0, sys.argv[1])
from asking import model
from test_renderer import *
Renderer(model(Path(sys.argv[2]), batch=1), ImageObjects(FolderBackend(Path(sys.argv[3])))).render(wanted(400))
"""


def test_a_kill_between_two_images_keeps_those_that_were_committed(random_sd, store):
    """Killed without a word (SIGKILL), in the middle of its work."""
    command = [sys.executable, "-c", KILLED, str(Path(__file__).parent), str(random_sd), str(store.root)]
    process = subprocess.Popen(command, cwd=Path(__file__).parents[3], stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while len(store.list("")) < 8 and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.01)
    process.kill()
    process.wait()
    kept = {name: store.read(name) for name in store.list("") if name.endswith(".png")}
    assert 3 <= len(kept) < 400
    count = len(kept) + 2
    painter = Renderer(model(random_sd, batch=1), ImageObjects(store))
    stored = values(painter.render(wanted(count)))
    assert (painter.found, painter.drawn) == (len(kept), 2)
    assert {image.object: store.read(image.object) for image in stored if image.object in kept} == kept
