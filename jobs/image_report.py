"""The images' part of a run's report: its summary from committed rows, and its thumbnails from the store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from engine.config import Experiment
from engine.errors import Missing
from engine.report.data import RunFacts, Setting
from engine.report.images.data import ImageFacts
from engine.report.images.summarising import ImageSummary, summarise_images
from engine.store.backend import Backend
from engine.store.plans import Plan
from engine.store.results import Results
from jobs.image_inputs import gallery_table, image_table
from jobs.progress import Progress
from jobs.renderers import image_stand_ins, without_signal
from jobs.vptt import Vptt


@dataclass(frozen=True)
class ImagesRead:
    """What the report's images are made of, read whole before anything is written."""

    facts: ImageFacts
    images: pa.Table
    galleries: pa.Table

    @property
    def any_failed(self) -> bool:
        """Whether a row failed."""
        return any("failed" in table["outcome"].unique().to_pylist() for table in (self.images, self.galleries))

    def summary(self, run: RunFacts, setting: Setting | None) -> ImageSummary:
        """The figures; `setting` is the one that the report's verdict is about."""
        known = {"run": run.run, "name": run.name}
        return summarise_images(
            self.facts, self.images, self.galleries, **known, partial=run.partial, complete=run.complete, setting=setting
        )


def read_images(workflow: Vptt, plan: Plan, results: Results, progress: Progress) -> ImagesRead | None:
    """The rows of a run's images; None for a run without. Raises CorruptObject and Missing."""
    if (definition := workflow.drawings.definition) is None:
        return None
    experiment = Experiment.model_validate(plan.identity["experiment"])
    assert experiment.images is not None
    models = plan.identity["models"]
    told = {"stand_ins": image_stand_ins(models), "no_signal": without_signal(models)}
    facts = ImageFacts(definition, tuple(experiment.renderers()), experiment.images.gallery, **told)
    images = image_table(workflow, definition, plan, results, progress)
    return ImagesRead(facts, images, gallery_table(workflow, plan, results, progress))


def reader(backend: Backend) -> Callable[[str], bytes | None]:
    """Reads a thumbnail; None if it is gone, which spoils a picture and no figure."""

    def read(name: str) -> bytes | None:
        try:
            return backend.read(name)
        except Missing:
            return None

    return read
