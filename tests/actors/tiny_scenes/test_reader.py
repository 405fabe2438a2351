import numpy as np
import torch

from actors.tiny_scenes.examples import caption_examples, phrases_beside
from actors.tiny_scenes.reader_training import filled, train_reader
from engine.scenes.captions import caption
from engine.scenes.splitting import draw_scenes
from engine.scenes.vocabulary import ATTRIBUTES, classes, named

TEXTS = ["a red cat", "with straw hat, faded cobalt; nearest kitchen, rosy moonlight, dead centre", "music in the evening"]


def shares(pipe, texts):
    """(n, attributes, most classes)."""
    padded, mask = filled(pipe.text_states.of(texts))
    with torch.no_grad():
        return pipe.reader.scores(padded, mask).softmax(2)


def test_a_text_is_read_to_the_same_bits_whatever_else_is_read(pipe):
    together = pipe.reader.read(pipe.text_states.of(TEXTS))
    for text, read in zip(TEXTS, together, strict=True):
        assert torch.equal(pipe.reader.read(pipe.text_states.of([text]))[0], read)


def test_shares_add_up_and_stay_within_the_classes(pipe):
    found = shares(pipe, TEXTS)
    assert torch.allclose(found.sum(2), torch.ones(3, len(ATTRIBUTES)))
    for row, attribute in enumerate(ATTRIBUTES):
        assert not found[:, row, len(classes(attribute)) :].any()


def test_named_classes_are_read_in_held_out_combinations_among_other_words(pipe):
    rng = np.random.default_rng(31)
    beside = phrases_beside(3)
    scenes = draw_scenes(120, rng, held_out=True)
    found = shares(pipe, [caption(scene, rng, beside, whole=True).text for scene in scenes]).argmax(2).numpy()
    right = (found == np.array([scene.labels() for scene in scenes])).mean(0)
    assert right[ATTRIBUTES.index("object")] >= 0.95
    assert right[ATTRIBUTES.index("background")] >= 0.95
    assert right[ATTRIBUTES.index("palette")] >= 0.95


def test_an_unnamed_attribute_is_read_with_less_certainty(pipe):
    bare, whole = shares(pipe, ["music"])[0].amax(1), shares(pipe, [TEXTS[1]])[0].amax(1)
    assert (whole > 0.85).all()
    assert bare.mean() < 0.7


def test_phrases_beside_name_nothing():
    beside = phrases_beside(3)
    assert len(beside) > 200
    assert not any(named(phrase) for phrase in beside)


def test_a_few_captions_are_learned(pipe):
    examples = caption_examples(256, np.random.default_rng(32), ())
    states = pipe.text_states.of(examples.texts)
    told = []
    reader = train_reader(states, torch.from_numpy(examples.named), epochs=12, seed=1, tell=told.append)
    assert len(told) == 12
    padded, mask = filled(states)
    best = reader.scores(padded, mask).argmax(2).numpy()
    says = examples.named.sum(2) > 0
    right = np.take_along_axis(examples.named, best[..., None], 2)[..., 0] > 0
    assert right[says].mean() > 0.35  # of 12, 10, 4, 8 and 3 classes: chance is below .2
