"""Which writers are called stand-ins, and whom a report is about."""

import pytest

from jobs.stand_ins import main_writer, stand_ins

MODELS = {
    "writer:template": "template-1",
    "model:smollm2": "smollm2-135m-instruct@b179c952",
    "model:ours": "SmolLM2-135M-Instruct",
    "model:tiny-chat": "tiny-chat@1",
    "model:big": "Qwen/Qwen2.5-72B-Instruct@495f3936",
}


def test_a_small_model_is_a_stand_in_by_whatever_name_it_goes():
    found = stand_ins(["template", "smollm2", "ours", "tiny-chat", "big"], MODELS)
    assert list(found) == ["template", "smollm2", "ours", "tiny-chat"]
    assert found["ours"] == "ours: SmolLM2-135M, and a 135M model's opinions are worth little"
    assert found["template"] == "template writer for a language model"


@pytest.mark.parametrize(
    ("writers", "expected"),
    [
        (["template"], "template"),
        (["template", "smollm2"], "smollm2"),
        (["template", "smollm2", "big"], "big"),
        (["big", "another", "template"], "big"),
        (["tiny-chat", "smollm2"], "tiny-chat"),
    ],
)
def test_a_report_is_about_a_real_language_model_else_about_any_else_about_the_first(writers, expected):
    assert main_writer(writers, stand_ins(writers, MODELS)) == expected
