"""What runs on the cluster: the evaluation that users run, or a chain whose outputs are random."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Protocol

from engine.outcome import Answered
from engine.profiles.grammar import build_profiles
from engine.profiles.writing import write_people
from engine.store.opening import open_backend
from engine.store.results import Results
from jobs.opened_run import open_run
from tests.cluster import random_outputs
from tests.cluster.checks import Ended, same_reports

NAME = "small"
PEOPLE, SHARD_SIZE = 12, 2
EXPERIMENT = """name: {name}
encoder: tiny-trigrams
second_encoder: ""
methods: [vprag]
shard_size: {size}
people: {{file: {file}}}
"""


class Workload(Protocol):
    """Something that a driver brings to its end in a store."""

    planned: int
    """Result files of a finished run."""

    def command(self, store: str) -> list[str]:
        """Arguments of the interpreter that start a driver."""

    def ended(self, store: str) -> Ended:
        """A run that has ended."""

    def wrong(self, run: Ended) -> list[str]:
        """What is wrong with the values themselves."""


class Evaluation:
    """`mien run` on grammar people with the encoder that needs no weights: a method, the controls, and both phases."""

    def __init__(self, folder: Path) -> None:
        people = folder / "people.parquet"  # built once: each first driver would take a second for it
        write_people(build_profiles(PEOPLE, 0), people)
        self._file = folder / "experiment.yaml"
        self._file.write_text(EXPERIMENT.format(name=NAME, size=SHARD_SIZE, file=people))
        self._undisturbed: Ended | None = None
        self.planned = 0

    def command(self, store: str) -> list[str]:
        return ["-m", "jobs.cli", "run", str(self._file), "--store", store]

    def ended(self, store: str) -> Ended:
        run = open_run(store, NAME)
        return Ended(run.backend, run.plan, run.workflow)

    def compare_with(self, undisturbed: Ended) -> None:
        """Take a run that nothing was done to as the measure of all others."""
        self._undisturbed = undisturbed
        self.planned = len(undisturbed.backend.list("results/"))

    def wrong(self, run: Ended) -> list[str]:
        """The report's bytes must not tell what happened."""
        return same_reports(run, self._undisturbed) if self._undisturbed else []


class RandomOutputs:
    """Every computation gives another value, so only one value a unit may ever have been read downstream."""

    planned = random_outputs.TEXTS // random_outputs.SHARD_SIZE * (1 + len(random_outputs.CHAIN))

    def command(self, store: str) -> list[str]:
        return ["-m", random_outputs.__name__, store]

    def ended(self, store: str) -> Ended:
        backend = open_backend(store)
        return Ended(backend, *random_outputs.plan(Results(backend)))

    def wrong(self, run: Ended) -> list[str]:
        """Each digest must be of the value that is committed."""
        drawn, hashed = run.workflow.stages
        wrong = []
        for shard in run.plan.shards:
            rows = run.rows[shard.key]
            for key, row in rows[hashed.id].items():
                read = rows[drawn.id][key].outcome
                assert isinstance(read, Answered)
                if row.outcome != Answered(hashlib.sha256(read.value.encode()).hexdigest()):
                    wrong.append(f"{key}: the digest is of another value than the committed one")
        return wrong
