"""`mien compare A B`: two runs on the cases that both have, from the stores alone; refuses figures that do not mean the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

import pyarrow as pa
import pyarrow.compute as pc

from engine.config import Experiment
from engine.errors import UsageError
from engine.keys import seed_of
from engine.metrics.definition import VpttDefinition
from engine.nearest import did_you_mean
from engine.prompting.budget import PRESETS
from engine.report.data import METRICS
from engine.report.versus import Side, Versus, refusal, versus
from engine.report.wording import counted
from engine.stages.queries import query_key
from jobs.console import Console
from jobs.opened_run import OpenedRun, open_run
from jobs.report_inputs import score_table


def compare_command(a: str, b: str, *, store: str, other_store: str, metric: str, as_json: bool) -> None:
    """Print the paired differences of two runs, A less B."""
    console = Console(as_json=as_json)
    runs = (open_run(store, a), open_run(other_store or store, b))
    if metric and metric not in METRICS:
        raise UsageError(f"There is no metric '{metric}'{did_you_mean(metric, METRICS)}.", remedy=f"Use one of {', '.join(METRICS)}.")
    chosen = metric or _scale(runs[0])
    one, two = (_side(run, name) for run, name in zip(runs, _names(runs), strict=True))
    if lines := refusal(one, two, chosen):
        raise UsageError(
            f"{chosen} of {one.name} and {two.name} cannot be compared:\n" + "\n".join(f"  {line}" for line in lines) + "\n",
            remedy="Score both runs with the same choices; what is stored and has not changed is taken over.",
            code="not-comparable",
        )
    with console.patience("reading the results of both runs..."):
        one, two = _with_scores(one, runs[0]), _with_scores(two, runs[1])
    found = versus(one, two, chosen, seed_of("compare", *(run.plan.run for run in runs)))
    _tell(console, runs, (one, two), chosen, found)


def _names(runs: Sequence[OpenedRun]) -> list[str]:
    """Runs of two stores may have one name."""
    names = [run.name for run in runs]
    return names if names[0] != names[1] else [f"{run.name} in {run.backend.uri}" for run in runs]


def _scale(run: OpenedRun) -> str:
    budget = PRESETS[_experiment(run).budgets[0]]
    return "v" if budget.score == "V" else "v_c"


def _experiment(run: OpenedRun) -> Experiment:
    return Experiment.model_validate(run.plan.identity["experiment"])


def _side(run: OpenedRun, name: str) -> Side:
    models = run.plan.identity["models"]
    second = VpttDefinition(encoder=models["second"]) if "second" in models else None
    return Side(name, _scale(run), run.workflow.ceilings.definition, second, models["gallery"], pa.table({}))


def _with_scores(side: Side, run: OpenedRun) -> Side:
    """With the rows of the run's first writer and budget; queries by id and content, since another pool may have another one of that id."""
    experiment = _experiment(run)
    scores = score_table(run.workflow, run.plan, run.results, run.progress())
    first = pc.and_(pc.equal(scores["writer"], experiment.writer_names()[0]), pc.equal(scores["budget"], experiment.budgets[0]))
    scores = scores.filter(first)
    keys = {query.id: f"{query.id}@{query_key(query)[:16]}" for query in run.workflow.pool}
    named = pa.array([keys[name] for name in scores["query"].to_pylist()], pa.string())
    index = scores.schema.get_field_index("query")
    return replace(side, scores=scores.set_column(index, scores.schema.field(index), named))


def _tell(console: Console, runs: Sequence[OpenedRun], sides: Sequence[Side], metric: str, found: Sequence[Versus]) -> None:
    facts = {letter: _facts(run, side) for letter, run, side in zip("AB", runs, sides, strict=True)}
    for letter, each in facts.items():
        console.say(f"{letter} = {each['name']} ({each['run']}): {each['cases']} cases, {each['setting']}{each['mark']}")
    console.event(
        "compare", metric=metric, metric_id=sides[0].definition.id, **{f"run_{name.lower()}": each for name, each in facts.items()}
    )
    shared = max((row.n for row in found), default=0)
    if not shared:
        console.say("The runs share no case with a score: no person with the same profile was asked the same query in both.")
        return
    console.say(f"{metric}, A less B over the cases that both have, 95 % intervals by person and query family:")
    console.say(f"  {'method':<28}{'A':>8}{'B':>8}{'A - B':>9}  {'interval':<20}{'cases':>6}{'clusters':>10}{'only A':>8}{'only B':>8}")
    for row in found:
        label = f"best: {row.method} - {row.other} *" if row.post_hoc else row.method
        interval = "no interval" if row.low is None or row.high is None else f"[{row.low:+.3f}, {row.high:+.3f}]"
        figures = f"{_shown(row.mean_a)}{_shown(row.mean_b)}{_shown(row.mean, 9, '+')}"
        console.say(f"  {label:<28}{figures}  {interval:<20}{row.n:>6}{row.clusters:>10}{row.only_a:>8}{row.only_b:>8}")
        console.event("difference", **asdict(row))
    if any(row.post_hoc for row in found):
        console.say("  * each run's best method that may be judged, chosen from these cases, anew in each resample: by person alone")


def _shown(value: float | None, width: int = 8, sign: str = "") -> str:
    return f"{'-' if value is None else format(value, f'{sign}.3f'):>{width}}"


def _facts(run: OpenedRun, side: Side) -> dict[str, object]:
    have, planned = run.progress().results(run.workflow.stages, run.plan)
    people = sum(len(shard.subjects) for shard in run.plan.shards)
    marks = [f"PARTIAL: {people} of {counted(run.plan.total_people, 'person')}"] if run.plan.partial else []
    marks += ["INCOMPLETE"] if have < planned else []
    experiment = _experiment(run)
    return {
        "name": side.name,
        "run": run.plan.run,
        "partial": run.plan.partial,
        "complete": have == planned,
        "cases": len(set(zip(side.scores["subject"].to_pylist(), side.scores["query"].to_pylist(), strict=True))),
        "setting": f"{experiment.writer_names()[0]} writer, budget {experiment.budgets[0]}",
        "mark": "".join(f", {mark}" for mark in marks),
    }
