import numpy as np
import torch

from actors.tiny_scenes.codes import class_codes
from actors.tiny_scenes.denoising_training import CHECKPOINT, DenoiserTraining, averaged_denoiser
from actors.tiny_scenes.drawn import drawings
from engine.scenes.vocabulary import ATTRIBUTES, classes

DRAWN = drawings(24, np.random.default_rng(1), held_out=False)


def training(out, seconds):
    return DenoiserTraining(out, DRAWN, class_codes(), minutes=seconds / 60, seed=3, tell=lambda line: None)


def test_a_stopped_training_goes_on_where_it_was(tmp_path):
    first = training(tmp_path, 1.0)
    first.run()
    assert (tmp_path / CHECKPOINT).exists()
    again = training(tmp_path, 2.0)
    assert again.progress == first.progress
    for name, tensor in first.denoiser.state_dict().items():
        assert torch.equal(tensor, again.denoiser.state_dict()[name])
    again.run()
    assert again.progress.step > first.progress.step
    assert averaged_denoiser(tmp_path, class_codes(), 8).config.sample_size == 8


def test_a_finished_training_does_nothing_more(tmp_path):
    first = training(tmp_path, 0.5)
    first.run()
    again = training(tmp_path, 0.5)
    again.run()
    assert again.progress == first.progress


def test_what_is_told_of_a_drawing_is_right_as_often_as_its_shares_say(tmp_path):
    told = training(tmp_path, 1.0)._told(torch.zeros(4000, len(ATTRIBUTES), dtype=torch.int64), torch.Generator().manual_seed(4))
    codes = class_codes()[0, : len(classes("object"))]
    shares = torch.linalg.lstsq(codes.T, told[:, 0].T).solution.T
    nothing = shares.abs().sum(1) < 1e-4
    sure = (shares[:, 0] - 1).abs() < 1e-4
    assert 0.08 < nothing.float().mean() < 0.12
    assert 0.62 < sure.float().mean() < 0.73
    assert (shares[~nothing].sum(1) - 1).abs().max() < 1e-3
    # Of a Dirichlet with this concentration, whose class was drawn by it.
    assert abs(shares[~nothing & ~sure, 0].mean() - (1 + 0.25) / (1 + 0.25 * len(codes))) < 0.03


def test_codes_tell_classes_apart():
    codes = class_codes()
    for row, attribute in enumerate(ATTRIBUTES):
        vectors = codes[row, : len(classes(attribute))]
        cosines = vectors @ vectors.T / 64 - torch.eye(len(vectors))
        assert cosines.abs().max() < 0.5
        assert not codes[row, len(classes(attribute)) :].any()
