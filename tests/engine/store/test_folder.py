"""What a folder adds: no temporary file survives, and the disk's refusals say what to do."""

import errno
import os
from pathlib import Path

import pytest

from engine.errors import StoreUnusable
from engine.store.folder import FolderBackend
from engine.store.opening import open_backend, probe


def test_no_temporary_file_survives(tmp_path):
    backend = FolderBackend(tmp_path)
    backend.create("a/b", b"x")
    backend.create("a/b", b"y")
    backend.replace("c", b"z")
    assert list((tmp_path / ".tmp").iterdir()) == []


def test_a_full_disk_is_named_with_its_remedy_and_leaves_nothing(tmp_path, monkeypatch):
    backend = FolderBackend(tmp_path)

    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreUnusable, match="disk is full") as caught:
        backend.create("a/b", b"x")
    assert caught.value.exit_code == 2
    monkeypatch.undo()
    assert backend.list("a/") == []
    assert list((tmp_path / ".tmp").iterdir()) == []


def test_a_path_through_a_file_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreUnusable, match="is a file"):
        FolderBackend(tmp_path / "file" / "store").create("a", b"")


def test_a_folder_that_cannot_be_made_is_refused():
    with pytest.raises(StoreUnusable, match="No such file") as caught:
        probe(FolderBackend(Path("/proc/nope")))
    assert "choose another --store" in caught.value.remedy


def test_the_probe_passes_on_a_folder_and_leaves_no_file(tmp_path):
    backend = FolderBackend(tmp_path)
    probe(backend)
    assert backend.list("probe/") == []


class OverwritingBackend(FolderBackend):
    """A store that accepts the condition and ignores it, as some S3 servers do."""

    def create(self, name, data):
        self.replace(name, data)
        return True


def test_the_probe_refuses_a_store_that_overwrites(tmp_path):
    with pytest.raises(StoreUnusable, match="overwrites"):
        probe(OverwritingBackend(tmp_path))


def test_an_unknown_scheme_is_a_usage_error():
    with pytest.raises(Exception, match="unknown scheme 'ftp'"):
        open_backend("ftp://x")
