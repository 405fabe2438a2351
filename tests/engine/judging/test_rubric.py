"""Rubrics: the built-in ones hold together, and a wrong file is told by file, field and remedy."""

import json
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from engine.errors import ConfigError
from engine.judging.rubric import HIGHEST, LOWEST, QUESTIONS, Rubric, built_in, rubric_of

PAIR_REPLY = {"type": "object", "required": ["preferred"], "properties": {"preferred": {"enum": ["A", "B", "tie"]}}}
BUILT_IN = Path(__file__).parents[3] / "engine" / "judging" / "rubrics"


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_built_in_rubric_asks_for_reasons_before_the_verdict(question):
    rubric = built_in(question)
    fields = list(json.loads(rubric.schema_text)["properties"])
    assert fields.index("reason") < fields.index(rubric.verdict)
    assert set(json.loads(rubric.schema_text)["required"]) == set(fields)


def test_ratings_have_one_line_a_level():
    assert sorted(built_in("rating").levels) == list(range(LOWEST, HIGHEST + 1))


def test_the_form_of_a_reply_does_not_depend_on_the_order_in_which_a_plan_keeps_it():
    rubric = built_in("pair")
    turned = rubric.model_dump(mode="json")
    turned["reply"]["properties"] = dict(sorted(turned["reply"]["properties"].items()))
    again = Rubric.model_validate(turned)
    assert again.schema_text == rubric.schema_text
    assert again.id == rubric.id


def test_a_changed_word_is_another_rubric(tmp_path):
    text = (BUILT_IN / "pair.yaml").read_text()
    (tmp_path / "mine.yaml").write_text(text.replace("more beautiful", "prettier"))
    assert rubric_of(tmp_path / "mine.yaml", "pair").sha256 != built_in("pair").sha256


def changed(name, **fields):
    with (BUILT_IN / f"{name}.yaml").open() as file:
        return {**YAML(typ="safe").load(file), **fields}


@pytest.mark.parametrize(
    ("question", "fields", "told"),
    [
        ("rating", {"levels": {0: "bad", 5: "good"}}, "levels"),
        ("pair", {"levels": {0: "bad"}}, "levels"),
        ("pair", {"verdict": "winner"}, "winner"),
        ("rating", {"reply": {"type": "object", "required": ["score"], "properties": {"score": {"type": "integer"}}}}, "minimum 0"),
        ("pair", {"reply": {"type": "object", "properties": {"preferred": {"enum": ["A", "B", "tie"]}}}}, "required"),
        ("pair", {"reply": {"type": "objekt"}}, "JSON schema"),
        ("pair", {"criterion": ["x"]}, "criterion"),
        ("rating", {"reply": {"type": "object", "required": ["score"], "properties": {"score": {"minimum": 0, "maximum": 5}}}}, "integer"),
        ("rating", {"reply": {"type": "object", "required": ["score"], "properties": {"score": True}}}, "what it is"),
        ("pair", {"reply": {"type": "object", "required": ["preferred"], "properties": {"preferred": {"enum": ["A", "B", 1]}}}}, "one of"),
        ("pair", {"reply": {"type": "object", "required": ["preferred"], "properties": {"preferred": {"$ref": "#/nope"}}}}, "ref"),
        ("pair", {"reply": {**PAIR_REPLY, "properties": {**PAIR_REPLY["properties"], "confidence": {"type": "number"}}}}, "maximum 1"),
        ("turing", {"question": "pair"}, "preferred|shared"),
    ],
)
def test_a_wrong_rubric_is_told_with_its_file(tmp_path, question, fields, told):
    with (tmp_path / "mine.yaml").open("w") as file:
        YAML(typ="safe").dump(changed(question, **fields), file)
    with pytest.raises(ConfigError, match=told) as raised:
        rubric_of(tmp_path / "mine.yaml", question)
    assert "mine.yaml" in str(raised.value)
    assert raised.value.remedy


@pytest.mark.parametrize(("content", "told"), [(b"name: [", "line"), (b"\xff\xfe", "cannot be read"), (b"", "mine.yaml")])
def test_what_is_no_yaml_is_told(tmp_path, content, told):
    (tmp_path / "mine.yaml").write_bytes(content)
    with pytest.raises(ConfigError, match=told):
        rubric_of(tmp_path / "mine.yaml", "pair")


def test_a_missing_file_names_the_setting(tmp_path):
    with pytest.raises(ConfigError, match="no rubric") as raised:
        rubric_of(tmp_path / "none.yaml", "pair")
    assert "judging.rubrics.pair" in str(raised.value.remedy)
