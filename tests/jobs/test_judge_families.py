"""A judge's family: as given, by its language model, and none for what writes nothing."""

from engine.judge_config import BUILT_IN, Judge
from jobs.judges import JUDGE_MODEL, family

MODELS = {f"{JUDGE_MODEL}smollm2": "smollm2-135m-instruct@b179c952"}


def test_a_language_model_names_its_family() -> None:
    assert family(BUILT_IN["smollm2"], MODELS) == "smollm"


def test_a_nearest_judge_and_a_script_have_none_but_what_is_given() -> None:
    assert family(BUILT_IN["nearest-wordllama"], MODELS) == ""
    assert family(Judge.model_validate({"name": "script-a", "script": {}}), MODELS) == ""
    assert family(Judge.model_validate({"name": "script-a", "script": {}, "family": "acme"}), MODELS) == "acme"
