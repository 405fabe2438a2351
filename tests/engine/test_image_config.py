"""Renderers in experiment files: what they mean, what is refused with the field's name, and what is identity."""

import pytest
from pydantic import TypeAdapter, ValidationError

from engine.image_config import BUILT_IN, TINY_SCENES, AnyRenderer, Renderer
from engine.images.rendering import RenderSettings

SDXL = {"name": "sdxl", "model": "/models/sdxl", "steps": 25, "guidance": 6.0, "width": 1024, "height": 768}


def test_a_renderer_says_how_each_image_is_drawn():
    assert Renderer(**SDXL, negative="blurred").settings() == RenderSettings(25, 6.0, 1024, 768, 0.6, "blurred")


def test_an_experiment_names_a_built_in_renderer_or_describes_one():
    anyone = TypeAdapter(AnyRenderer)
    assert anyone.validate_python(TINY_SCENES) == TINY_SCENES in BUILT_IN
    assert anyone.validate_python(SDXL) == Renderer(**SDXL)
    with pytest.raises(ValidationError, match=r"<model>\.stepz"):
        anyone.validate_python({**SDXL, "stepz": 3})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": "SDXL base"}, "cannot be a renderer's name"),
        ({"width": 1023}, "width"),
        ({"height": 0}, "height"),
        ({"steps": 0}, "steps"),
        ({"guidance": float("nan")}, "guidance"),
        ({"revision": "main"}, "'revision': 'main' is no commit"),
        ({"guidance": 1, "negative": "blurred"}, "'negative' acts through guidance"),
        ({"strength": 0}, "strength"),
        ({"loras": [{"file": "style.bin"}]}, r"'style.bin' is no \.safetensors file"),
        ({"loras": [{"file": "a/style.safetensors"}, {"file": "b/style.safetensors"}]}, "'loras': two files have the same name"),
        ({"dtype": "int8"}, "dtype"),
        ({"safety": "maybe"}, "safety"),
    ],
)
def test_what_cannot_work_is_refused_by_its_field(change, message):
    with pytest.raises(ValidationError, match=message):
        Renderer(**{**SDXL, **change})


def test_how_many_are_drawn_at_once_and_by_which_kernels_is_not_identity():
    base = Renderer(**SDXL).pinned("sdxl@31e35c80.9d8c7b6a.float16")
    assert Renderer(**SDXL, batch=32, compile=True, attention="slicing").pinned("sdxl@31e35c80.9d8c7b6a.float16") == base
    for change in ({"steps": 26}, {"negative": "blurred"}, {"safety": "off"}, {"dtype": "float16"}, {"strength": 0.7}, {"kind": "edit"}):
        assert Renderer(**{**SDXL, **change}).pinned("sdxl@31e35c80.9d8c7b6a.float16") != base


def test_what_is_pinned_is_a_renderer_and_holds_no_path():
    pinned = Renderer(**SDXL, loras=[{"file": "/models/style.safetensors"}]).pinned("sdxl@31e35c80.9d8c7b6a+style@0a1b2c3d*1.float16")
    assert "/models" not in str(pinned)
    assert Renderer.model_validate(pinned).settings() == Renderer(**SDXL).settings()
