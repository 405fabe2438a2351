"""Experiment files: precedence, origins, and errors that name file, line, field and the nearest valid name."""

from pathlib import Path

import pytest

from engine.config import Experiment
from engine.config_loading import load, parse_set
from engine.errors import ConfigError

ROOT = Path(__file__).parents[2]


def write(tmp_path, text):
    path = tmp_path / "exp.yaml"
    path.write_text(text)
    return path


def test_precedence_is_command_line_then_environment_then_file_then_default(tmp_path):
    file = write(tmp_path, "seed: 1\nshard_size: 8\npeople: {grammar: 7, seed: 2}\n")
    loaded = load(file, {"MIEN_SEED": "3", "MIEN_PEOPLE__SEED": "4", "HOME": "/x"}, {"people.seed": 5})
    assert (loaded.experiment.seed, loaded.experiment.shard_size, loaded.experiment.people.seed) == (3, 8, 5)
    assert loaded.experiment.people.grammar == 7
    assert loaded.origins["seed"] == "MIEN_SEED"
    assert loaded.origins["shard_size"] == f"{file}:2"
    assert loaded.origins["people.seed"] == "--set people.seed"
    assert loaded.origins["encoder"] == "default"


def test_a_people_file_replaces_the_grammar_and_is_relative_to_the_experiment(tmp_path):
    file = write(tmp_path, "people: {file: p.parquet}\n")
    assert load(file, {}, {}).experiment.people.file == tmp_path / "p.parquet"
    assert load(None, {}, {"people.file": "q.parquet"}).experiment.people.grammar is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("methds: [baseline]\n", r"exp\.yaml:1: methds: there is no such field \(did you mean 'methods'\?\)"),
        ("seed: 0\npeople:\n  grammar: 3\n  sed: 4\n", r"exp\.yaml:4: people\.sed: there is no such field \(did you mean 'seed'\?\)"),
        ("methods: [baseline, vprga]\n", r"exp\.yaml:1: methods: unknown method 'vprga' \(did you mean 'vprag'\?\)"),
        ("methods: [baseline, baseline]\n", "a method stands twice"),
        ("seed: many\n", r"exp\.yaml:1: seed: .*integer.*not 'many'"),
        ("seed: -1\n", r"exp\.yaml:1: seed: .*greater than or equal to 0"),
        ("limit: 0\n", r"exp\.yaml:1: limit: '0' is no limit"),
        ("limit: 101%\n", "is no limit"),
        ("name: Über\n", "cannot be a run name"),
        ("people: {file: a, grammar: 3}\n", "either"),
        (
            "images: {renderers: [tiny-scense]}\n",
            r"exp\.yaml:1: images.renderers: unknown renderer 'tiny-scense' \(did you mean 'tiny-scenes'\?\)",
        ),
        ("images: {renderers: [tiny-scenes, tiny-scenes]}\n", "a renderer stands twice"),
        ("judging: {judges: [smolm2]}\n", r"exp\.yaml:1: judging.judges: unknown judge 'smolm2' \(did you mean 'smollm2'\?\)"),
        ("judging: {judges: [smollm2, smollm2]}\n", "a judge stands twice"),
        ("judging: {judges: [{name: x, nearest: m, model: smollm2}]}\n", "exactly one of"),
        ("judging: {judges: [{name: x, script: {}}]}\n", "begin it with 'script'"),
        ("judging: {judges: [{name: x, looks: pictures, model: smollm2}]}\n", "only a VLM"),
        ("judging: {judges: [socratic-smollm2]}\n", "section 'images'"),
        ("judging: {methods: [vprga]}\n", r"nothing here is called 'vprga' \(did you mean 'vprag'\?\)"),
        ("judging: {rate: false, pairs: false}\n", "nothing is asked"),
        ("judging: {rubrics: {pair: {name: x}}}\n", r"exp\.yaml:1: judging.rubrics.pair.version: field required"),
        ("execution: {judges: {nobody: {gpus: 1}}}\njudging: {}\n", "no judge 'nobody'"),
        ("images: {methods: [vprga]}\n", r"nothing here is called 'vprga' \(did you mean 'vprag'\?\)"),
        ("images: {gallery: 1}\n", r"images\.gallery: .*greater than or equal to 2"),
        ("images: {galery: 3}\n", r"images\.galery: there is no such field \(did you mean 'gallery'\?\)"),
        ("execution: {encoder: {min: 3, max: 2}}\n", r"min \(3\) is larger than max \(2\)"),
        ("budgets: [q4]\n", "unknown budget 'q4'"),
        ("cross_fit: 1.5\n", r"exp\.yaml:1: cross_fit: .*less than or equal to 1"),
        ("methods: [stranger]\n", "unknown method 'stranger'"),
        ("methods: [{name: vprag, file: p.jsonl}]\n", "'vprag' is a built-in method or control"),
        ("methods: [{name: noise, file: p.jsonl}]\n", "'noise' is a built-in method or control"),
        ("methods: [{name: mine, file: p.jsonl}, {name: mine, file: q.jsonl}]\n", "a method stands twice"),
        ("methods: [{name: Mine, file: p.jsonl}]\n", "cannot be a method's name"),
        ("seed: 1\nseed: 2\n", "duplicate key"),
        ("a: [1\n", r"exp\.yaml:\d+: "),
        ("- 1\n", "mapping of fields"),
    ],
)
def test_an_error_names_file_line_field_and_remedy(tmp_path, text, expected):
    with pytest.raises(ConfigError, match=expected) as caught:
        load(write(tmp_path, text), {}, {})
    assert caught.value.exit_code == 2


def test_all_errors_of_a_file_are_told_at_once(tmp_path):
    with pytest.raises(ConfigError) as caught:
        load(write(tmp_path, "methds: [x]\nseed: x\n"), {}, {})
    assert "methds" in str(caught.value)
    assert "seed" in str(caught.value)


def test_a_missing_or_binary_file_is_a_config_error(tmp_path):
    with pytest.raises(ConfigError, match="There is no file"):
        load(tmp_path / "nope.yaml", {}, {})
    path = tmp_path / "x.yaml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="cannot be read"):
        load(path, {}, {})


def test_set_takes_yaml_values():
    assert parse_set(["methods=[baseline]", "people.seed=3"]) == {"methods": ["baseline"], "people.seed": 3}
    with pytest.raises(ConfigError, match="field=value"):
        parse_set(["seed"])


@pytest.mark.parametrize("path", sorted((ROOT / "experiments").glob("*.yaml")), ids=lambda path: path.name)
def test_the_ready_experiments_load(path):
    assert load(path, {}, {}).experiment.benchmark == "vptt"


def test_laptop_yaml_is_the_embedded_default_written_out():
    assert load(ROOT / "experiments" / "laptop.yaml", {}, {}).experiment == Experiment()


def test_only_what_can_change_a_result_is_pinned():
    base = Experiment().pinned("p", "q", {})
    assert Experiment.model_validate({"max_failed": 9, "execution": {"encoder": {"max": 7}}, "name": "other"}).pinned("p", "q", {}) == base
    for change in ({"seed": 1}, {"cross_fit": 0.5}, {"retrieval": {"matched_tau": 0.05}}):
        assert Experiment.model_validate(change).pinned("p", "q", {}) != base
    assert Experiment.model_validate(base).pinned("p", "q", {}) == base


def test_own_prompts_are_pinned_by_their_content_and_stay_a_valid_experiment():
    own = {"given:mine": "sha256:1"}
    one, other = (
        Experiment.model_validate({"methods": ["baseline", {"name": "mine", "file": f"{folder}/prompts.jsonl"}]}) for folder in "ab"
    )
    pinned = one.pinned("p", "q", own)
    assert pinned["methods"] == ["baseline", {"name": "mine", "file": "sha256:1"}]
    assert other.pinned("p", "q", own) == pinned
    assert other.pinned("p", "q", {"given:mine": "sha256:2"}) != pinned
    assert Experiment.model_validate(pinned).pinned("p", "q", own) == pinned


@pytest.mark.parametrize(("limit", "people"), [("", 200), ("50", 50), ("10%", 20), ("0.1%", 1), ("999", 200)])
def test_limits_count_people(limit, people):
    assert Experiment.model_validate({"limit": limit}).people_limit(200) == people


def test_a_wrong_entry_is_told_once_and_not_as_a_missing_one(tmp_path):
    file = write(tmp_path, "writers:\n  - {name: mine, engine: llamacpp}\n")
    with pytest.raises(ConfigError) as error:
        load(file, {}, {})
    assert len(error.value.message.splitlines()) == 1
    assert "mine" in error.value.message or "model" in error.value.message
