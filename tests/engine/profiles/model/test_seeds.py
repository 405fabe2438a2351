"""Persona seeds: drawn from the grammar one by one, or read from a file in each of its forms."""

import json

import pytest

from engine.errors import ConfigError, InputError
from engine.profiles.model.seeds import file_seeds, grammar_seeds
from engine.profiles.model.sizes import Sizes


def test_a_grammar_seed_depends_on_its_number_alone():
    few, many = list(grammar_seeds(3, 1)), list(grammar_seeds(40, 1))
    assert many[:3] == few
    assert list(grammar_seeds(3, 2)) != few
    assert len({seed.id for seed in many}) == len({seed.text for seed in many}) == 40


def test_a_grammar_seed_tells_its_demographics():
    for seed in grammar_seeds(20, 0):
        d = seed.demographics
        assert all(part.lower() in seed.text.lower() for part in (d.region, d.culture, d.occupation, *d.interests))
        assert seed.own_words == ()


def seeds_of(tmp_path, *rows):
    file = tmp_path / "seeds.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file_seeds(file)


def test_a_file_may_hold_strings_lists_and_personas(tmp_path):
    seeds, bad = seeds_of(tmp_path, "I mend nets.", ["I fly kites.", "I live in Nuku."], {"persona": "A retired beekeeper."}, 3)
    assert [seed.text for seed in seeds] == ["I mend nets.", "I fly kites. I live in Nuku.", "A retired beekeeper."]
    assert [row.line for row in bad] == [4]
    assert all(seed.demographics is None and seed.own_words == (seed.text,) for seed in seeds)


def test_seeds_that_say_the_same_are_one_and_those_that_share_half_are_one_cluster(tmp_path):
    seeds, _ = seeds_of(tmp_path, "I mend nets.", "I mend the nets", ["I mend nets.", "I fly kites."])
    assert len(seeds) == 2
    assert len({seed.cluster for seed in seeds}) == 1


def test_what_a_seed_rejects_is_known(tmp_path):
    (seed,), _ = seeds_of(tmp_path, ["I mend nets.", "I do not eat bread."])
    assert "bread" in seed.rejected
    assert "net" not in seed.rejected


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        file_seeds(tmp_path / "none.jsonl")


@pytest.mark.parametrize("wrong", [{"least": 31}, {"least": 0}, {"elements": 0}, {"repairs": -1}, {"captions_together": 0}])
def test_sizes_that_cannot_be_are_refused(wrong):
    with pytest.raises(ConfigError):
        Sizes(**wrong)


def test_sizes_come_back_from_a_plan():
    assert Sizes.of(json.loads(json.dumps(Sizes(captions=12, least=9).recipe()))) == Sizes(captions=12, least=9)
