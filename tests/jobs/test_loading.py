"""Loading actors: passing errors are tried again, and what is told of them holds no credentials."""

import pickle
import traceback

import pytest

from engine.errors import EngineDied, ModelError
from jobs import loading
from jobs.loading import LOAD_FAILED, LOAD_TRIES, Loader

TOKEN = "hf_" + "Ab3" * 8


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch):
    monkeypatch.setattr(loading, "PAUSE_S", 0.001)


def failing(times, error):
    """Makes an actor that raises `error` so many times at first, and the list of its calls."""
    calls = []

    def make(name):
        calls.append(name)
        if len(calls) <= times:
            raise error
        return f"actor {name}"

    return make, calls


def test_a_load_that_fails_for_a_while_is_tried_again_and_kept():
    make, calls = failing(LOAD_TRIES - 1, OSError("away"))
    actors = Loader(make)
    assert actors("encoder") == actors("encoder") == "actor encoder"
    assert len(calls) == LOAD_TRIES


def test_missing_weights_are_not_looked_for_again():
    make, calls = failing(9, ModelError("none of that name"))
    with pytest.raises(ModelError, match="none of that name"):
        Loader(make)("encoder")
    assert len(calls) == 1


@pytest.mark.parametrize("words", [f"401 for https://user:{TOKEN}@host/x", f"token {TOKEN} is invalid, see /home/me/cache/file"])
def test_a_failed_load_tells_no_credentials_to_anyone(words, capsys):
    make, _ = failing(LOAD_TRIES, OSError(words))
    with pytest.raises(EngineDied, match="OSError") as caught:
        Loader(make)("encoder")
    assert caught.value.code == LOAD_FAILED
    shown = "".join(traceback.format_exception(caught.value)) + str(pickle.dumps(caught.value)) + str(caught.value)
    logged = capsys.readouterr().err
    assert TOKEN not in shown + logged
    assert "/home/me" not in str(caught.value)
    assert "Traceback" in logged
    assert "in make" in logged
