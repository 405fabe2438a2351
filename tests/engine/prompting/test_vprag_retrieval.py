"""VPRAG's retrieval: the golden values of METRICS, VPRAG, and each rule on a case small enough to follow."""

from __future__ import annotations

import json
from math import log

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import ConfigError, InputError
from engine.keys import canonical
from engine.prompting.evidence import EVIDENCE_SCHEMA, Evidence
from engine.prompting.retrieval import (
    RetrievalSettings,
    Vector,
    cap_binds,
    cosines,
    distinct_elements,
    entropy,
    post_count,
    rank_categories,
    retrieve,
    softmax_weights,
    top_posts,
)
from engine.records import Caption, Demographics, Element, Profile


def person(*posts: list[tuple[str, str]]) -> Profile:
    captions = tuple(Caption(f"post {i}", "", tuple(Element(*each) for each in post)) for i, post in enumerate(posts))
    return Profile("p", Demographics(), "given", "ref", (), captions, "p", "test")


def plane(cosine: float) -> list[float]:
    """A unit vector whose cosine with (1, 0) is given."""
    return [cosine, (1 - cosine**2) ** 0.5]


QUERY = np.array([1.0, 0.0])


def vectors(*values: float) -> Vector:
    return np.array([plane(value) for value in values]).reshape(-1, 2)


def test_weights_entropy_and_post_count_equal_the_first_golden_row() -> None:
    weights = softmax_weights(np.array([0.5, 0.4, 0.3, 0.1]), 0.1)  # METRICS, VPRAG
    assert weights == pytest.approx([0.6572330228, 0.2417825172, 0.0889468173, 0.0120376427], abs=1e-10)
    assert entropy(weights) == pytest.approx(0.887543368917, abs=1e-12)
    assert np.exp(entropy(weights)) == pytest.approx(2.429154778131, abs=1e-12)
    assert [post_count(2.429154778131, q) for q in (1, 2, 3)] == [2, 2, 2]


def test_weights_entropy_and_post_count_equal_the_second_golden_row() -> None:
    weights = softmax_weights(0.1 * np.array([log(4), log(2), 0, 0]), 0.1)  # METRICS, VPRAG
    assert weights == pytest.approx([1 / 2, 1 / 4, 1 / 8, 1 / 8], abs=1e-15)
    n_eff = float(np.exp(entropy(weights)))
    assert n_eff == pytest.approx(3.363585661015, abs=1e-12)
    assert post_count(n_eff, 3) == 3


def test_three_equal_weights_give_three_posts() -> None:
    n_eff = float(np.exp(entropy(softmax_weights(np.array([0.2, 0.2, 0.2]), 0.1))))
    assert post_count(n_eff, 3) == 3
    assert post_count(3 - 1e-12, 3) == 3


@pytest.mark.parametrize(("n_eff", "q", "k", "binds"), [(9.5, 3, 6, True), (6.9, 3, 6, False), (1.0, 3, 1, False), (4.0, 0, 0, True)])
def test_twice_q_caps_the_number_of_posts(n_eff: float, q: int, k: int, binds: bool) -> None:
    assert (post_count(n_eff, q), cap_binds(n_eff, q)) == (k, binds)


def test_equal_weights_select_the_lower_index() -> None:
    assert top_posts(np.array([0.2, 0.3, 0.2, 0.3]), 3) == (1, 3, 0)


@given(st.integers(2, 40), st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=30)
def test_equal_rows_have_equal_cosines_wherever_they_stand(rows: int, seed: int) -> None:
    generator = np.random.Generator(np.random.PCG64(seed))
    row, query = generator.normal(size=(2, 384))
    assert len(set(cosines(query, np.tile(row, (rows, 1))).tolist())) == 1


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=30), st.floats(0.01, 10))
@settings(deadline=None)
def test_the_effective_sample_size_lies_between_one_and_the_number_of_posts(similarities: list[float], tau: float) -> None:
    weights = softmax_weights(np.array(similarities), tau)
    assert weights.sum() == pytest.approx(1)
    assert 1 - 1e-9 <= np.exp(entropy(weights)) <= len(similarities) * (1 + 1e-9)


def test_a_broad_query_has_a_larger_effective_sample_size_than_a_narrow_one() -> None:
    profile = person(*[[] for _ in range(6)])
    none = np.empty((0, 6))
    captions = np.eye(6)
    broad = retrieve(profile, np.ones(6), captions, none, RetrievalSettings())
    narrow = retrieve(profile, np.array([5.0, 1, 1, 1, 1, 1]), captions, none, RetrievalSettings())
    assert broad.n_eff == pytest.approx(6)
    assert narrow.n_eff < 2
    assert (broad.k, narrow.k) == (6, 1)


def test_categories_are_ranked_by_the_mean_of_their_best_q_cosines() -> None:
    ranked = rank_categories({"objects": [0.9, 0.1, 0.1], "lighting": [0.5, 0.5, 0.0], "extra": [], "colour": [0.5, 0.5]}, 2)
    assert ranked == [("lighting", 0.5), ("objects", 0.5), ("colour", 0.5)]
    assert rank_categories({"objects": [0.9, 0.1], "lighting": [0.5]}, 1)[0] == ("objects", 0.9)


def test_elements_come_by_category_then_post_weight_then_cosine() -> None:
    profile = person([("objects", "low"), ("objects", "high"), ("colour", "red")], [("objects", "other"), ("lighting", "dusk")], [])
    assert distinct_elements(profile) == ("low", "high", "red", "other", "dusk")
    evidence = retrieve(profile, QUERY, vectors(0.50, 0.52, 0.50), vectors(0.1, 0.4, 0.9, 0.3, 0.2), RetrievalSettings(q=2))
    # Three nearly equal weights: n_eff is just under 3, so two posts.
    assert evidence.posts == (1, 0)
    assert [category.category for category in evidence.categories] == ["colour", "objects", "lighting"]
    # objects: n = (1, 2), weights .38 and .31 -> x = (.76, 1.24) -> one element each.
    assert [(each.text, each.post) for each in evidence.elements] == [("red", 0), ("other", 1), ("high", 0), ("dusk", 1)]
    assert evidence.categories[1].quotas == (1, 1)
    assert evidence.categories[1].score == pytest.approx(0.35)
    assert evidence.elements[0].cosine == pytest.approx(0.9)


def test_elements_with_equal_cosines_keep_the_order_of_the_post() -> None:
    profile = person([("objects", "b"), ("objects", "a"), ("objects", "c")])
    evidence = retrieve(profile, QUERY, vectors(0.5), vectors(0.3, 0.3, 0.3), RetrievalSettings(q=2))
    assert [each.text for each in evidence.elements] == ["b", "a"]


def test_a_repeated_text_is_taken_once_and_refilled_from_the_next_ranked() -> None:
    profile = person([("objects", "Red kite"), ("objects", "drum")], [("objects", "red  KITE!"), ("objects", "rope"), ("objects", "tin")])
    similar = vectors(0.9, 0.1, 0.9, 0.5, 0.4)
    evidence = retrieve(profile, QUERY, vectors(0.5, 0.5), similar, RetrievalSettings(q=3))
    # Equal weights, n = (2, 3) -> x = (1.2, 1.8) -> (1, 2): the second post's kite gives way to its next two.
    assert evidence.categories[0].quotas == (1, 2)
    assert [(each.text, each.post) for each in evidence.elements] == [("Red kite", 0), ("rope", 1), ("tin", 1)]


def test_a_post_that_runs_dry_is_refilled_from_the_other_posts() -> None:
    profile = person([("objects", "kite"), ("objects", "drum")], [("objects", "kite")])
    evidence = retrieve(profile, QUERY, vectors(0.5, 0.5), vectors(0.9, 0.1), RetrievalSettings(q=2))
    assert evidence.categories[0].quotas == (1, 1)
    assert [(each.text, each.post) for each in evidence.elements] == [("kite", 0), ("drum", 0)]


def test_a_text_is_not_taken_by_two_categories() -> None:
    profile = person([("colour", "gold"), ("materials", "gold"), ("colour", "felt grey")])
    evidence = retrieve(profile, QUERY, vectors(0.5), vectors(0.9, 0.2), RetrievalSettings(q=1))
    # Both categories score .9; materials stands first and takes the word, so colour is refilled from its next.
    assert [(each.category, each.text) for each in evidence.elements] == [("materials", "gold"), ("colour", "felt grey")]


def test_a_total_keeps_the_best_ranked_elements() -> None:
    profile = person([("objects", "a"), ("objects", "b"), ("colour", "c")])
    evidence = retrieve(profile, QUERY, vectors(0.5), vectors(0.3, 0.4, 0.9), RetrievalSettings(q=3, total=2))
    assert [each.text for each in evidence.elements] == ["c", "b"]


def test_the_paper_quota_counts_its_over_asks() -> None:
    profile = person([("objects", "a")], [("objects", "b")])
    # Equal weights, Q = 3: shares 1.5 and 1.5 -> 2 and 1, of which the first post has 1.
    evidence = retrieve(profile, QUERY, vectors(0.5, 0.5), vectors(0.1, 0.2), RetrievalSettings(quota="paper"))
    assert (evidence.categories[0].quotas, evidence.over_asks) == ((1, 1), 1)
    assert retrieve(profile, QUERY, vectors(0.5, 0.5), vectors(0.1, 0.2), RetrievalSettings()).over_asks == 0


def test_a_caption_without_direction_gets_no_weight_and_a_query_without_one_weighs_all_alike() -> None:
    profile = person([("objects", "a")], [("objects", "b")], [("objects", "c")])
    captions = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 0.0]])
    evidence = retrieve(profile, QUERY, captions, vectors(0.1, 0.2, 0.3), RetrievalSettings())
    assert evidence.posts == (1, 2)
    assert evidence.weights == (0.5, 0.5)
    assert retrieve(profile, np.zeros(2), captions, vectors(0.1, 0.2, 0.3), RetrievalSettings()).posts == (1, 2)


def test_without_captions_or_with_q_zero_nothing_is_retrieved() -> None:
    empty = retrieve(person(), QUERY, np.empty((0, 2)), np.empty((0, 2)), RetrievalSettings())
    assert (empty.k, empty.posts, empty.elements) == (0, (), ())
    none = retrieve(person([("objects", "a")]), QUERY, vectors(0.5), vectors(0.5), RetrievalSettings(q=0))
    assert (none.k, none.posts, none.categories, none.elements) == (0, (), (), ())


def test_evidence_survives_json_and_arrow_unchanged() -> None:
    profile = person([("objects", "银壶"), ("objects", "b")], [("colour", "red")])
    evidence = retrieve(profile, QUERY, vectors(0.51, 0.5), vectors(0.1, 0.3, 0.7), RetrievalSettings())
    assert evidence.elements
    assert Evidence.from_json(json.loads(canonical(evidence.to_json()))) == evidence
    column = pa.array([evidence.to_json(), None], type=EVIDENCE_SCHEMA)
    assert Evidence.from_json(column.to_pylist()[0]) == evidence
    assert column.to_pylist()[1] is None


def test_shapes_that_do_not_fit_and_vectors_that_are_not_finite_are_refused() -> None:
    profile = person([("objects", "a")])
    with pytest.raises(ValueError, match="elements"):
        retrieve(profile, QUERY, vectors(0.5), vectors(0.5, 0.5), RetrievalSettings())
    with pytest.raises(InputError, match="caption vector") as caught:
        retrieve(profile, QUERY, np.array([[np.nan, 0.0]]), vectors(0.5), RetrievalSettings())
    assert caught.value.code == "non-finite-vector"


@pytest.mark.parametrize("bad", [{"q": -1}, {"tau": 0.0}, {"tau": float("nan")}, {"quota": "theirs"}, {"total": -2}])
def test_settings_without_a_meaning_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(ConfigError):
        RetrievalSettings(**bad)  # type: ignore[arg-type]


def test_every_setting_changes_the_recipe() -> None:
    changed = [RetrievalSettings(q=2), RetrievalSettings(tau=0.2), RetrievalSettings(quota="paper"), RetrievalSettings(total=3)]
    recipes = [canonical(each.recipe()) for each in (RetrievalSettings(), *changed)]
    assert len(set(recipes)) == 5


def test_retrieval_is_the_same_whatever_the_scale_of_the_vectors() -> None:
    generator = np.random.Generator(np.random.PCG64(5))
    profile = person(*[[("objects", f"o{i}{j}") for j in range(3)] for i in range(5)])
    query, captions, elements = generator.normal(size=8), generator.normal(size=(5, 8)), generator.normal(size=(15, 8))
    plain = retrieve(profile, query, captions, elements, RetrievalSettings())
    scaled = retrieve(profile, query * 4, captions * 2, elements * 8, RetrievalSettings())
    assert plain == scaled
