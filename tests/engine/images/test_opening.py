"""A name that came from data opens nothing outside the folder of the data."""

import os

import pytest
from photographs import photographs

from engine.errors import CorruptObject, InputError, Missing
from engine.images import decoding, opening
from engine.images.opening import ImageFolder, fetched, open_picture
from engine.keys import sha256
from engine.outcome import Answered, Failed

CAT = (photographs() / "chelsea.png").read_bytes()


@pytest.fixture
def folder(tmp_path):
    """`data` with an image in a sub-folder, and a secret beside `data`."""
    data = tmp_path / "data"
    (data / "images").mkdir(parents=True)
    (data / "images" / "cat.png").write_bytes(CAT)
    (data / "svg.png").write_text("<svg/>")
    (tmp_path / "secret.png").write_bytes(CAT)
    (tmp_path / "database").mkdir()
    (tmp_path / "database" / "cat.png").write_bytes(CAT)
    (data / "link.png").symlink_to(tmp_path / "secret.png")
    (data / "away").symlink_to(tmp_path)
    (data / "inside.png").symlink_to(data / "images" / "cat.png")
    (data / "loop.png").symlink_to("loop.png")
    os.mkfifo(data / "pipe.png")
    return ImageFolder(data)


@pytest.mark.parametrize("name", ["images/cat.png", "./images/cat.png", "inside.png", "images/../inside.png"])
def test_a_name_below_the_folder_is_read(folder, name):
    outcome = open_picture(folder.read, name)
    assert isinstance(outcome, Answered)
    assert (outcome.value.sha256, outcome.value.size) == (sha256(CAT), (451, 300))


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("nothing.png", opening.MISSING),
        ("images/cat.png/more", opening.MISSING),
        ("", opening.UNREADABLE),
        ("images", opening.UNREADABLE),
        ("pipe.png", opening.UNREADABLE),
        ("loop.png", opening.MISSING),
        ("nul\0.png", opening.MISSING),
        ("\ud800.png", opening.MISSING),
        ("x" * 5000, opening.MISSING),
        ("../secret.png", opening.OUTSIDE),
        ("images/../../secret.png", opening.OUTSIDE),
        ("../database/cat.png", opening.OUTSIDE),
        ("../data/images/../../secret.png", opening.OUTSIDE),
        ("link.png", opening.OUTSIDE),
        ("away/secret.png", opening.OUTSIDE),
        ("/etc/hostname", opening.OUTSIDE),
        ("svg.png", decoding.NO_IMAGE),
    ],
)
def test_any_other_name_is_a_named_failure(folder, name, code):
    outcome = open_picture(folder.read, name)
    assert isinstance(outcome, Failed)
    assert outcome.code == code


def test_an_absolute_name_is_refused_even_of_a_file_in_the_folder(folder, tmp_path):
    outcome = open_picture(folder.read, str(tmp_path / "data" / "images" / "cat.png"))
    assert isinstance(outcome, Failed)
    assert outcome.code == opening.OUTSIDE


def test_a_failure_never_says_where_the_folder_lies(folder, tmp_path):
    for name in ("nothing.png", "link.png", "pipe.png", "../secret.png", "loop.png"):
        outcome = open_picture(folder.read, name)
        assert isinstance(outcome, Failed)
        assert str(tmp_path) not in outcome.message


def test_a_file_larger_than_any_image_is_not_read(folder, tmp_path):
    with (tmp_path / "data" / "huge.png").open("wb") as file:
        file.truncate(opening.MAX_BYTES + 1)
    with pytest.raises(InputError) as caught:
        folder.read("huge.png")
    assert caught.value.code == opening.UNREADABLE


def test_what_a_store_lacks_is_missing_and_what_a_store_lost_is_raised():
    def lacks(name):
        raise Missing(f"{name} is not there")

    def lost(name):
        raise CorruptObject(f"{name} is truncated")

    assert fetched(lacks, "a.png") == Failed(opening.MISSING, "a.png: There is no such image.")
    with pytest.raises(CorruptObject):
        fetched(lost, "a.png")
