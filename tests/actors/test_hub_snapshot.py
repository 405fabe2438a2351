"""A hub's checkpoint is found by its commit, and nothing else will do."""

import pytest

from actors.hub_snapshot import hub_id, hub_snapshot
from engine.errors import ModelError
from engine.writer_config import LanguageModel

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def test_a_snapshot_lies_in_the_hubs_cache_under_its_commit(tmp_path, monkeypatch):
    folder = tmp_path / "hub" / "models--some--model" / "snapshots" / COMMIT
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    assert hub_snapshot("some/model", COMMIT) == folder
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("HF_HOME", "/nowhere")
    assert hub_snapshot("some/model", COMMIT) == folder
    assert hub_id("some/model", COMMIT) == f"some/model@{COMMIT}"


def test_another_commit_is_missing_with_the_command_that_brings_it(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(ModelError, match="not in the model cache") as error:
        hub_snapshot("some/model", COMMIT)
    assert f"hf download some/model --revision {COMMIT}" in error.value.remedy


@pytest.mark.parametrize(("engine", "revision"), [("vllm", "main"), ("vllm", COMMIT[:12]), ("llamacpp", COMMIT)])
def test_a_revision_that_could_move_or_means_nothing_is_refused(engine, revision):
    with pytest.raises(ValueError, match=r"is no commit|'revision' is for served models and for vllm"):
        LanguageModel(name="a", engine=engine, model="some/model", revision=revision)
