"""The judges' part of a run's report: its summary from committed verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from engine.config import Experiment
from engine.human.records import Row
from engine.judge_config import Judge
from engine.judging.family import family_of
from engine.prompting.budget import PRESETS
from engine.report.data import RunFacts
from engine.report.judging.data import METRIC_SCHEMA, JudgeFacts, JudgingFacts
from engine.report.judging.humans import humans_of
from engine.report.judging.summarising import JudgingSummary, Rows, summarise_judging
from engine.store.plans import Plan
from engine.store.results import Results
from jobs.judge_inputs import pair_table, rating_table, turing_table
from jobs.judges import DESCRIBER, JUDGE, JUDGE_MODEL, family
from jobs.progress import Progress
from jobs.stand_ins import stand_ins
from jobs.vptt import Vptt

_BY_NO_MODEL = ("baseline", "own", "noise")
"""Methods and controls whose texts no writer wrote."""

_NEAREST = "a nearest neighbour in word vectors, which knows nothing but words"
_SCRIPT = "a script with known habits, which has no opinion"


@dataclass(frozen=True)
class JudgingRead:
    """What the judges' part is made of, read whole before anything is written."""

    facts: JudgingFacts
    rows: Rows

    @property
    def any_failed(self) -> bool:
        """Whether a row failed."""
        return any("failed" in table["outcome"].unique().to_pylist() for table in (self.rows.ratings, self.rows.pairs, self.rows.turing))

    def summary(self, run: RunFacts) -> JudgingSummary:
        """The figures, and sentences about the writer and budget that the report's verdict is about."""
        known = {"run": run.run, "name": run.name, "writer": run.writer, "budget": run.budget}
        return summarise_judging(self.facts, self.rows, **known, partial=run.partial, complete=run.complete)


def read_judging(
    workflow: Vptt, plan: Plan, results: Results, progress: Progress, scores: pa.Table, said: Sequence[Row] = ()
) -> JudgingRead | None:
    """The verdicts of a run's judges; None for a run without. Raises CorruptObject and Missing.

    `scores` holds the rows of `SCORES_SCHEMA`, whose own score stands beside the judges'; `said` what people said of the same outputs.
    """
    experiment = Experiment.model_validate(plan.identity["experiment"])
    if experiment.judging is None:
        return None
    ratings, pairs, turing = (make(workflow, plan, results, progress) for make in (rating_table, pair_table, turing_table))
    humans = humans_of(said, ratings, pairs) if said else None
    named = tuple((name, PRESETS[name].score) for name in experiment.budgets)
    return JudgingRead(
        _facts(experiment, plan.identity["models"]), Rows(ratings, pairs, turing, _metric(scores, dict(named)), named, humans)
    )


def _facts(experiment: Experiment, models: dict[str, str]) -> JudgingFacts:
    assert experiment.judging is not None
    judging = experiment.judging
    rubrics = tuple((question, judging.rubrics.of(question).id) for question in judging.questions())
    judges = tuple(
        JudgeFacts(name, models[JUDGE + name], family(judge, models), judge.looks, judge.sees, _stand_in(judge, models), rubrics)
        for name, judge in experiment.judges().items()
    )
    writers = tuple((writer, family_of(models[f"model:{writer}"])) for writer in experiment.writer_names() if f"model:{writer}" in models)
    methods = (*((name, "") for name in _BY_NO_MODEL), *((own.name, own.family) for own in experiment.own_methods()))
    return JudgingFacts(judges, judging.orders, judging.share, writers, methods, models.get(DESCRIBER, ""))


def _stand_in(judge: Judge, models: dict[str, str]) -> str:
    """What a judge is instead of a real one; "" for a real one."""
    if judge.script is not None:
        return _SCRIPT
    if judge.nearest:
        return _NEAREST
    named = {f"model:{judge.name}": models.get(JUDGE_MODEL + judge.name, "")}
    return stand_ins([judge.name], named).get(judge.name, "").removeprefix(f"{judge.name}: ")


def _metric(scores: pa.Table, score_of_budget: dict[str, str]) -> pa.Table:
    """`METRIC_SCHEMA`: V or V-c of every unit, by its budget."""
    parts = [METRIC_SCHEMA.empty_table()]
    keys = [name for name in METRIC_SCHEMA.names if name != "value"]
    for budget, score in score_of_budget.items():
        mine = scores.filter(pc.equal(scores["budget"], budget))
        parts.append(mine.select([*keys, "v" if score == "V" else "v_c"]).rename_columns([*keys, "value"]).cast(METRIC_SCHEMA))
    return pa.concat_tables(parts)
