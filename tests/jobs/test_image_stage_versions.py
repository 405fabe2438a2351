"""The promise of the image stages' versions (see `test_stage_versions`): recorded replies of renderer and vision models give the same rows.

`golden/image_stages.json` is written by MIEN_WRITE_GOLDEN=1 as there.
"""

import hashlib
import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from actors.scorer import VpttScorer
from actors.writer import TemplateWriter
from engine.config import Experiment
from engine.images.looking import Looked
from engine.images.stored import StoredImage
from engine.outcome import Answered
from engine.profiles.validation import person_key
from engine.rows import inputs_digest, make_row
from engine.stage import Unit
from engine.store.folder import FolderBackend
from engine.store.plans import Shard, Subject
from engine.store.results import Results
from jobs.calling import Caller
from jobs.shard_runner import ShardRunner
from jobs.vptt import vptt
from tests.jobs.hand_made import PEOPLE, QUERIES, RecordedEncoder
from tests.jobs.test_stage_versions import digest

GOLDEN = Path(__file__).parent / "golden" / "image_stages.json"
MODELS = {
    "encoder": "recorded@1",
    "writer:template": TemplateWriter.id,
    "gallery": "the five people",
    "renderer:tiny-scenes": "recorded-renderer@1",
    "image_text": "recorded-text@1",
    "self_supervised": "recorded-self@1",
    "perceptual": "recorded-distance@1",
    "quality:brisque": "recorded-quality@1",
}
EDITED = tuple(
    replace(query, source_caption=f"a plain {query.id}", source_id=query.id) if "editing" in query.task else query for query in QUERIES
)


def numbers(text, count):
    """`count` numbers in [-0.3, 0.7] from a text's sha256."""
    return np.frombuffer(hashlib.sha256(text.encode()).digest(), "<u2")[:count].astype(np.float64) / 65535 - 0.3


class RecordedRenderer:
    """Replays where each image would lie."""

    def render(self, requests):
        return [Answered(self._image(request)) for request in requests]

    def _image(self, request):
        drawn = json.dumps([request.request.prompt, request.request.seed, request.source.sha256 if request.source else ""])
        sha256 = hashlib.sha256(drawn.encode()).hexdigest()
        return StoredImage(f"objects/x/{sha256[:2]}/{sha256}.png", f"objects/x/{sha256[:2]}/{sha256}.jpeg", sha256, 8, 8, 99)


class RecordedVision:
    """Replays what would be seen in an image of that name."""

    def look(self, requests):
        return [Answered(self._looked(request, "gray", self._looked(request, ""))) for request in requests]

    def _looked(self, request, twin, other=None):
        def unit(text):
            vector = numbers(twin + text, 8)
            return (vector / np.linalg.norm(vector)).astype(np.float32)

        vectors = {"recorded-text@1": unit("t" + request.image), "recorded-self@1": unit("s" + request.image)}
        texts = {"recorded-text@1": np.stack([unit(text) for text in request.texts])} if request.texts else {}
        distances = np.array([abs(numbers(twin + request.image + name, 1)[0]) for name in request.against], np.float32)
        return Looked(request.image, vectors, texts, {"recorded-distance@1": distances}, {"recorded-quality@1": 1.5}, other)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """Stage name -> (stage, units, rows) of the image stages on 5 people x 4 tasks."""
    results = Results(FolderBackend(tmp_path_factory.mktemp("store")))
    choices = {"methods": ["baseline", "persona"], "cross_fit": 0, "second_encoder": "", "images": {"gallery": 3, "quality": ["brisque"]}}
    workflow = vptt(Experiment.model_validate(choices), MODELS, EDITED)
    people = {person_key(profile): profile for profile in PEOPLE}
    shard = Shard.of([Subject(key, profile.id, profile.cluster) for key, profile in people.items()])
    rows = [make_row(workflow.people, Unit(key, key), Answered(profile), inputs_digest([])) for key, profile in people.items()]
    results.commit(workflow.people, shard.key, rows)
    actors = {
        "encoder": RecordedEncoder(),
        "writer:template": TemplateWriter(),
        "scorer": VpttScorer(workflow.ceilings.definition),
        "renderer:tiny-scenes": RecordedRenderer(),
        "vision": RecordedVision(),
    }
    ShardRunner(results, workflow.stages, Caller(actors.__getitem__), workflow.units).run(shard, {workflow.people.id: 0})
    drawn = {stage.name: stage for stage in workflow.drawings.stages if stage.kind not in ("people", "prompt")}
    units = {name: {unit.key: unit for unit in workflow.units(shard, stage)} for name, stage in drawn.items()}
    return {name: (stage, units[name], results.read(stage, shard.key, overlays=0)) for name, stage in drawn.items()}


def test_every_unit_is_answered(outputs):
    # One gallery with its look and score; one source; for each method an image, its look and its score.
    assert len(outputs) == 3 + 1 + 2 * 3
    for stage, units, rows in outputs.values():
        assert len(rows) == len(units) == {"person": 5, "task": 10 if stage.kind == "source" else 20}[stage.per]
        assert all(isinstance(row.outcome, Answered) for row in rows.values()), stage.name


def test_the_output_of_a_stage_changes_only_with_its_version(outputs):
    found = {f"{name} version {stage.version}": digest(stage, rows) for name, (stage, _, rows) in sorted(outputs.items())}
    if os.environ.get("MIEN_WRITE_GOLDEN"):
        GOLDEN.write_text(json.dumps(found, indent=1) + "\n")
    assert found == json.loads(GOLDEN.read_text()), "raise the version or restore the behaviour"


def test_an_image_is_compared_with_strangers_of_its_shard_and_an_edit_with_its_source(outputs):
    scores = [
        (units[key], row.outcome.value)
        for name, (_, units, rows) in outputs.items()
        if name.startswith("image-score")
        for key, row in rows.items()
    ]
    assert {score.strangers for _, score in scores} == {3}
    assert all((score.kept_lpips is not None) == bool(unit.query.source_caption) for unit, score in scores)
