"""On photographs each laptop metric prefers what is right: a paired AUC of .75 or more, with an interval that leaves out chance."""

import pytest
from image_direction import of_distance, of_likeness, of_quality, of_text, photographed


@pytest.fixture(scope="module")
def material():
    return photographed()


def test_conse_finds_the_own_caption_of_a_photograph(conse, material):
    found = of_text(conse, "conse", material)
    assert found.auc >= 0.75
    assert found.low > 0.5


@pytest.mark.parametrize("name", ["conse", "dinov2"])
def test_a_photograph_is_nearest_to_its_own_altered_crop(name, material, request):
    found = of_likeness(request.getfixturevalue(name), name, material)
    assert found.auc >= 0.75
    assert found.low > 0.5


def test_lpips_is_least_to_a_photographs_own_altered_crop(alex, material):
    found = of_distance(alex, "alex", material)
    assert found.auc >= 0.75
    assert found.low > 0.5


def test_brisque_prefers_a_photograph_to_its_damaged_self(brisque, material):
    found = of_quality(brisque, "brisque", material)
    assert found.auc >= 0.75
    assert found.low > 0.5
