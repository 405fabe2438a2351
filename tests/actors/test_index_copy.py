import json
import os
import subprocess
import sys
from contextlib import closing

import pytest
from made_up_memory import people_with_ties

from actors.index_build import build_index
from actors.index_copy import commit_index, ensure_local
from engine.errors import CorruptObject, Missing
from engine.keys import sha256
from engine.store.folder import FolderBackend
from engine.store.opening import open_backend

NAME = "objects/index-0123456789abcdef/ab/abcdef.safetensors"

OPEN_AND_SEARCH = """
import json, sys
from pathlib import Path
import numpy as np
from actors.index_copy import ensure_local
from actors.index_file import open_index
from actors.retrieval import RetrievalActor
from engine.store.opening import open_backend

uri, name, digest, cache = sys.argv[1:]
backend = open_backend(uri)
path = ensure_local(backend, name, digest, cache=Path(cache))
index = open_index(path, verify=False)
hits = RetrievalActor(index).search(np.ones((1, index.dimension)), 3)
print(json.dumps([str(path), backend.requests.get("GetObject", 0), hits.people.tolist(), hits.cosines.tolist()]))
backend.close()
"""


@pytest.fixture
def bucket(s3_server):
    with closing(open_backend(s3_server.uri().replace("s3://mien", f"s3://mien/index-{os.urandom(4).hex()}"))) as backend:
        yield backend


@pytest.fixture
def built(tmp_path):
    path = tmp_path / "built"
    return path, build_index(path, people_with_ties(1), encoder="e@1")


def test_in_a_folder_the_object_itself_is_opened(tmp_path, built):
    path, digest = built
    store = FolderBackend(tmp_path / "store")
    assert commit_index(store, NAME, path) == digest
    assert str(ensure_local(store, NAME, digest, cache=tmp_path / "cache")) == store.locate(NAME)
    assert not (tmp_path / "cache").exists()


def test_a_missing_or_damaged_object_of_a_folder_is_refused(tmp_path, built):
    path, digest = built
    store = FolderBackend(tmp_path / "store")
    with pytest.raises(Missing):
        ensure_local(store, NAME, digest)
    commit_index(store, NAME, path)
    store.replace(NAME, path.read_bytes()[:-1] + b"?")
    with pytest.raises(CorruptObject, match=digest[:16]):
        ensure_local(store, NAME, digest)


def test_who_commits_second_goes_on_with_what_stands(tmp_path, built):
    path, digest = built
    store = FolderBackend(tmp_path / "store")
    other = tmp_path / "other"
    build_index(other, people_with_ties(2), encoder="e@1")
    assert commit_index(store, NAME, path) == commit_index(store, NAME, path) == digest
    assert commit_index(store, NAME, other) == digest
    assert sha256(store.read(NAME)) == digest


def test_a_bucket_is_read_once_and_a_damaged_copy_again(tmp_path, bucket, built):
    path, digest = built
    assert commit_index(bucket, NAME, path) == digest
    cache = tmp_path / "cache"
    copy = ensure_local(bucket, NAME, digest, cache=cache)
    assert copy.read_bytes() == path.read_bytes()
    assert ensure_local(bucket, NAME, digest, cache=cache) == copy
    assert bucket.requests["GetObject"] == 1
    copy.write_bytes(b"not what was downloaded")
    assert ensure_local(bucket, NAME, digest, cache=cache).read_bytes() == path.read_bytes()
    assert bucket.requests["GetObject"] == 2
    assert sorted(file.suffix for file in copy.parent.iterdir()) == [".lock", ".safetensors"]


def test_another_object_under_the_name_is_refused_and_not_kept(tmp_path, bucket, built):
    _, digest = built
    bucket.create(NAME, b"something else")
    with pytest.raises(CorruptObject, match=NAME):
        ensure_local(bucket, NAME, digest, cache=tmp_path / "cache")
    assert [file.suffix for file in (tmp_path / "cache").iterdir()] == [".lock"]
    with pytest.raises(Missing):
        ensure_local(bucket, NAME.replace("abcdef.", "abcdee."), digest, cache=tmp_path / "cache")


def test_processes_that_open_at_once_share_one_download(tmp_path, bucket, built):
    path, digest = built
    commit_index(bucket, NAME, path)
    command = [sys.executable, "-c", OPEN_AND_SEARCH, bucket.uri, NAME, digest, str(tmp_path / "cache")]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    answers = [json.loads(process.communicate(timeout=120)[0]) for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0]
    assert sum(reads for _, reads, _, _ in answers) == 1
    assert all(answer[0] == answers[0][0] and answer[2:] == answers[0][2:] for answer in answers)
