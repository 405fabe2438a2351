"""Three ways to spoil people, each failing the band that is there for it, and none of the bands of the others."""

import pytest

from engine.profiles.grammar import build_profiles
from engine.profiles.quality import BANDS, judge, measure_corpus, measure_embeddings
from tests.engine.profiles.quality.spoiled_people import few_skeletons, made_up_groups, near_duplicates, without_elements

TEMPLATES = {"skeletons", "commonest skeleton", "sentence skeletons", "commonest sentence"}
GUARDS = {*TEMPLATES, "near-duplicate people", "captions with elements"}


@pytest.fixture(scope="module")
def people():
    return list(build_profiles(30, 0))


def failing(people):
    figures = {**measure_corpus(people), **measure_embeddings(made_up_groups(people))}
    return {verdict.band.name: verdict for verdict in judge(BANDS, figures, len(people)) if verdict.state == "failed"}


def test_built_people_fail_none_of_the_guards(people):
    assert not set(failing(people)) & (GUARDS - {"commonest sentence"})  # 30 people have few captions for a share of 1 %


def test_few_sentence_skeletons_fail_every_band_of_templates_and_show_the_template(people):
    failed = failing(few_skeletons(people))
    assert set(failed) & GUARDS >= TEMPLATES
    assert "there is a _ near the _ again ." in " ".join(failed["commonest skeleton"].figure.examples)


def test_a_person_copied_into_another_cluster_fails_near_duplicates_and_both_are_named(people):
    failed = failing(near_duplicates(people))
    assert "near-duplicate people" in failed
    assert people[0].id in failed["near-duplicate people"].figure.examples[0]
    assert people[-1].id in failed["near-duplicate people"].figure.examples[0]
    assert "captions with elements" not in failed


def test_captions_without_elements_fail_that_band(people):
    failed = failing(without_elements(people))
    assert "captions with elements" in failed
    assert people[0].captions[0].text in failed["captions with elements"].figure.examples[0]
    assert "near-duplicate people" not in failed
