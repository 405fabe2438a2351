"""What image stages ask for: seeds, keys and references, decided by keys alone."""

from dataclasses import replace

import numpy as np
import pytest

from engine.images.looking import Looked
from engine.images.rendering import RenderSettings
from engine.images.stored import StoredImage
from engine.metrics.images import ImageDefinition
from engine.outcome import Answered, Failed
from engine.profiles.grammar.builder import build_profile
from engine.prompting.budget import PRESETS
from engine.prompting.writing import Written
from engine.queries.builtin import builtin_queries
from engine.rows import inputs_digest, make_row, rows_to_table, table_to_rows
from engine.stage import Unit
from engine.stages.image_scores import ScoreGallery, ScoreImage
from engine.stages.images import Galleries, Gallery, Images, RenderedBy, Sources
from engine.stages.looks import Look, LookAtGallery
from engine.stages.people import People
from engine.stages.prompt import Given
from engine.stages.queries import Draw

BY = RenderedBy("tiny-scenes", "tiny-scenes@1", RenderSettings(20, 3.0, 64, 64))
DRAW = Draw("pool", ("social-editing",), 1, 0)
DEFINITION = ImageDefinition("text", "self", "lpips", ("sharp",), 0.95)
EDIT = next(query for query in builtin_queries() if query.source_caption)
GENERATION = next(query for query in builtin_queries() if not query.source_caption)
SOURCE = StoredImage("objects/s/aa/aa.png", "objects/s/aa/aa.jpeg", "a" * 64, 64, 64, 900)
PEOPLE = People()


def prompt(label):
    return Given(label, "content", DRAW, PRESETS["q3"], writer="template", writer_id="template-1")


def written(text):
    return Written(text, len(text.split()), (), 0)


def images(label="vprag"):
    return Images(prompt(label), Sources(DRAW, BY))


def unit(key="u1", query=GENERATION, strangers=()):
    return Unit(key, "p1", query, strangers)


def test_methods_share_a_units_seed_and_units_do_not():
    seeds = {(label, key): images(label).request(unit(key), written("a cat")).request.seed for label in ("a", "b") for key in ("u1", "u2")}
    assert seeds["a", "u1"] == seeds["b", "u1"]
    assert seeds["a", "u1"] != seeds["a", "u2"]


def test_another_prompt_or_source_of_the_same_unit_is_another_object():
    other = replace(SOURCE, sha256="b" * 64)
    asked = [images().request(unit(query=EDIT), written(text), source) for text in ("a cat", "a dog") for source in (SOURCE, other)]
    assert len({each.request.key for each in asked}) == 4
    assert images().request(unit(query=EDIT), written("a cat"), SOURCE) == asked[0]


def test_a_stored_image_survives_its_row():
    stage = images()
    table = rows_to_table(stage, [make_row(stage, unit(), Answered(SOURCE), inputs_digest([]))])
    assert len(set(table.column_names)) == len(table.column_names)
    assert table_to_rows(stage, table)[0].outcome == Answered(SOURCE)


def test_only_edits_have_a_source_and_it_is_the_same_for_everybody():
    sources = Sources(DRAW, BY)
    assert not sources.takes(unit())
    assert sources.takes(unit(query=EDIT))
    assert sources.request(unit("u1", EDIT)) == sources.request(replace(unit("u2", EDIT), subject="p2"))
    assert [read.stage.kind for read in images().reads(unit())] == ["prompt"]
    assert [read.stage.kind for read in images().reads(unit(query=EDIT))] == ["prompt", "source"]


def test_a_gallery_is_spread_over_all_captions():
    profile = build_profile(3, 0)
    asked = Galleries(PEOPLE, BY, 4).request(Unit("p1", "p1"), profile)
    texts = [caption.text for caption in profile.captions]
    assert [texts.index(each.request.prompt) for each in asked] == [0, len(texts) // 4, len(texts) // 2, 3 * len(texts) // 4]
    assert len({each.request.seed for each in asked}) == 4


def test_a_person_with_one_caption_has_no_gallery():
    profile = build_profile(3, 0)
    found = Galleries(PEOPLE, BY, 4).request(Unit("p1", "p1"), replace(profile, captions=profile.captions[:1]))
    assert isinstance(found, Failed)
    assert found.code == "no-captions"


class Drawing:
    """Answers each request with what is listed."""

    def __init__(self, outcomes):
        self.outcomes = outcomes

    def render(self, requests):
        assert len(requests) == len(self.outcomes)
        return self.outcomes


@pytest.mark.parametrize(("good", "answered"), [(3, True), (2, True), (1, False)])
def test_a_gallery_stands_with_two_images_and_counts_the_others(good, answered):
    outcomes = [Answered(SOURCE)] * good + [Failed("blank-image", "")] * (3 - good)
    (found,) = Galleries.ask(Drawing(outcomes), [(None, None, None)])
    assert isinstance(found, Answered) is answered
    if answered:
        assert (len(found.value.images), found.value.failed) == (good, 3 - good)


def vector(*values):
    found = np.array(values, np.float32)
    return found / np.linalg.norm(found)


def looked(text, own, distances, gray=None):
    vectors = {"text": vector(*text), "self": vector(*own)}
    texts = {"text": vector(1, 0)[None]}
    return Looked("0" * 64, vectors, texts, {"lpips": np.array(distances, np.float32)}, {"sharp": 2.5}, gray)


def seen(look, *images_):
    return look.value(unit(), (), [replace(image, gray=replace(image, quality={})) for image in images_])


@pytest.fixture
def looks():
    galleries = Galleries(PEOPLE, BY, 2)
    return Look(images(), galleries, DEFINITION), LookAtGallery(galleries, DEFINITION)


def test_an_image_is_held_against_its_text_gallery_and_source(looks):
    gallery = Gallery((SOURCE, replace(SOURCE, object="objects/s/bb/bb.png")), 0)
    edited, source = looks[0].request(unit(query=EDIT), SOURCE, gallery, replace(SOURCE, object="objects/s/cc/cc.png"))
    assert (edited.image, source.image) == (SOURCE.object, "objects/s/cc/cc.png")
    assert edited.texts == (EDIT.text,)
    assert edited.against == ("objects/s/aa/aa.png", "objects/s/bb/bb.png", "objects/s/cc/cc.png")


def test_what_was_seen_survives_the_store(looks):
    value = seen(looks[0], looked((1, 0), (0, 1, 0), (0.5, 0.25)))
    again = looks[0].decode(looks[0].encode(value))
    for name in ("image_text", "self_supervised", "text", "distances", "quality"):
        assert (getattr(again, name) == getattr(value, name)).all(), name
    assert (again.gray.distances == value.gray.distances).all()


def test_an_image_is_scored_against_its_own_gallery_and_against_strangers(looks):
    look, at_gallery = looks
    own = seen(at_gallery, looked((1, 0), (1, 0, 0), (0, 0.4)), looked((0, 1), (0, 1, 0), (0.4, 0)))
    stranger = seen(at_gallery, looked((0, 1), (0, 0, 1), (0, 0.4)), looked((0, 1), (0, 0, 1), (0.4, 0)))
    image = seen(look, looked((1, 0), (1, 0, 0), (0.2, 0.6, 0.9)), looked((0, 1), (0.6, 0.8, 0), (0.3, 0.3, 0)))
    score = ScoreImage(look, at_gallery).request(unit(query=EDIT, strangers=("p2", "p3")), image, own, stranger, None)
    assert score.cls_t == pytest.approx(100)
    assert (score.cls_r, score.dis_r) == (pytest.approx(50), pytest.approx(50))
    assert score.lpips_r == pytest.approx(0.4)
    assert (score.kept_dis, score.kept_lpips) == (pytest.approx(60), pytest.approx(0.9))
    assert (score.stranger_cls_r, score.stranger_dis_r, score.strangers) == (0, 0, 1)
    assert (score.nearest, score.copies) == (pytest.approx(1), True)
    assert score.quality == (2.5,)
    found = ScoreGallery(at_gallery).request(Unit("p1", "p1"), own, stranger)
    assert (found.within, found.between, found.strangers) == (pytest.approx(1), pytest.approx(1), 1)
    assert found.within_lpips == pytest.approx(0.4)


def test_an_image_without_strangers_or_source_has_no_such_figure(looks):
    look, at_gallery = looks
    own = seen(at_gallery, looked((1, 0), (1, 0), (0, 0.4)), looked((0, 1), (0, 1), (0.4, 0)))
    score = ScoreImage(look, at_gallery).request(unit(), seen(look, looked((1, 0), (1, 0), (0.2, 0.6))), own)
    assert (score.stranger_cls_r, score.stranger_dis_r, score.strangers, score.kept_dis, score.kept_lpips) == (None, None, 0, None, None)
