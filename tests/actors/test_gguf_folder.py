import json
from pathlib import Path

import pytest

from actors.gguf_folder import SOURCE, VERSION, agreement, convert, main
from actors.models import resolve
from engine.errors import ModelError

NAME = "smollm2-135m-instruct"


@pytest.mark.slow
def test_the_folder_is_a_checkpoint_that_agrees_with_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "models" / "smollm2"
    assert main([NAME, str(folder)]) == 0  # checks the agreement itself, before the folder appears
    assert capsys.readouterr().out == f"{folder}\n"
    assert [path.name for path in folder.parent.iterdir()] == ["smollm2"]
    assert resolve(str(folder)).kind == "checkpoint"
    config = json.loads((folder / "config.json").read_text())
    assert (config["architectures"], config["dtype"], "quantization_config" in config) == (["LlamaForCausalLM"], "float32", False)
    assert "<|im_start|>assistant" in (folder / "chat_template.jinja").read_text()
    made = (folder / "model.safetensors").stat()
    assert convert(resolve(NAME), folder) == folder
    assert (folder / "model.safetensors").stat() == made


def test_a_folder_made_before_is_left_as_it_is(tmp_path: Path) -> None:
    files = resolve(NAME)
    (tmp_path / SOURCE).write_text(json.dumps({"model": files.id, "sha256": files.sha256, "made_by": VERSION}))
    assert convert(files, tmp_path) == tmp_path
    assert [path.name for path in tmp_path.iterdir()] == [SOURCE]


@pytest.mark.parametrize("held", [None, "{}", "no json"])
def test_a_folder_of_something_else_is_not_touched(held: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if held is not None:
        (tmp_path / SOURCE).write_text(held)
    assert main([NAME, str(tmp_path)]) == ModelError.exit_code
    assert "was not made from smollm2-135m-instruct@b179c952" in capsys.readouterr().err


def test_only_a_gguf_is_converted(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no language model in a GGUF file"):
        convert(resolve("minilm-l6-v2"), tmp_path / "folder")
    assert not (tmp_path / "folder").exists()


def test_agreement_counts_the_tokens_in_common_at_the_start() -> None:
    assert (agreement([1, 2, 3], [1, 2, 4]), agreement([1, 2], [1, 2, 3]), agreement([], [1]), agreement([5], [1])) == (2, 2, 0, 0)
