"""The random LLaVA by transformers alone: its folder, and that pictures reach what it says."""

from importlib.util import find_spec
from pathlib import Path

import pytest
import torch
from PIL import Image

from actors.models import resolve
from actors.random_llava import NAME, PICTURE_TOKENS, SOURCE, main, write
from engine.errors import ModelError

PHOTOGRAPHS = Path(find_spec("skimage").origin).parent / "data"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write(tmp_path_factory.mktemp("models") / NAME)


def test_it_is_a_folder_of_its_own_name_and_always_the_same(folder, tmp_path, capsys):
    again = tmp_path / NAME
    assert main([str(again)]) == 0
    assert capsys.readouterr().out == f"{again}\n"
    assert resolve(str(again)).id == resolve(str(folder)).id
    assert resolve(str(folder)).id.startswith("random-llava@")
    made = (folder / "model.safetensors").stat()
    assert write(folder) == folder
    assert (folder / "model.safetensors").stat() == made


def test_a_folder_of_something_else_is_not_touched(tmp_path, capsys):
    (tmp_path / SOURCE).write_text("{}")
    assert main([str(tmp_path)]) == ModelError.exit_code
    assert "was not made from random-llava" in capsys.readouterr().err


def test_each_picture_has_its_tokens_and_another_one_changes_the_reply(folder):
    from transformers import AutoProcessor, LlavaForConditionalGeneration

    processor = AutoProcessor.from_pretrained(folder, local_files_only=True)
    model = LlavaForConditionalGeneration.from_pretrained(folder, local_files_only=True).eval()
    replies, lengths = [], []
    for names in (("coffee.png", "astronaut.png"), ("astronaut.png", "coffee.png"), ("coffee.png",), ("coffee.png", "astronaut.png")):
        parts = [{"type": "image"}] * len(names) + [{"type": "text", "text": "Which one?"}]
        prompt = processor.apply_chat_template([{"role": "user", "content": parts}], add_generation_prompt=True)
        pictures = [Image.open(PHOTOGRAPHS / name).convert("RGB") for name in names]
        inputs = processor(images=pictures, text=prompt, return_tensors="pt")
        lengths.append(inputs["input_ids"].shape[1])
        with torch.inference_mode():
            replies.append(model.generate(**inputs, max_new_tokens=12, min_new_tokens=12, do_sample=False)[0, lengths[-1] :].tolist())
    assert lengths[0] - lengths[2] == PICTURE_TOKENS
    assert replies[0] == replies[3]
    assert len(set(map(tuple, replies))) == 3
