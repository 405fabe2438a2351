"""`mien profiles ...` on the command line; heavy imports happen inside commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from jobs.cli_options import Force, Json, Store
from jobs.suggest import DEFAULT_STORE

profiles = typer.Typer(help="Build, import, check and show people.", no_args_is_help=True, rich_markup_mode=None)


@profiles.command()
def build(
    out: Annotated[Path, typer.Option("--out", help="Parquet file to write.")],
    n: Annotated[int, typer.Option("--n", min=1, help="Number of people.")] = 100,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed.")] = 0,
    writer: Annotated[str, typer.Option("--writer", help="Language model that writes them, such as smollm2-sampled.")] = "",
    seeds: Annotated[Path | None, typer.Option("--seeds", help="Persona seeds for --writer; else the grammar draws demographics.")] = None,
    experiment: Annotated[Path | None, typer.Option("--experiment", help="Experiment file that knows --writer and its pool.")] = None,
    repairs: Annotated[int, typer.Option("--repairs", min=0, help="Rounds in which --writer mends what cannot be used.")] = 2,
    store: Store = DEFAULT_STORE,
    max_failed: Annotated[int, typer.Option("--max-failed", min=0, help="People that --writer may fail to make.")] = 0,
    force: Force = False,
    json: Json = False,
) -> None:
    """Build synthetic people, with the grammar builder (no model) or a language model; no real person.

    \b
    With --writer what is finished is kept in the store, and the same command goes on from there. Exit code 3: somebody was rejected;
    the others are written all the same.
    """
    if not writer:
        from jobs.commands.people import build_command

        if seeds or experiment:
            from engine.errors import UsageError

            raise UsageError("--seeds and --experiment are for a language model.", remedy="Add --writer.")
        build_command(n, seed, out, force=force, as_json=json)
        return
    from jobs.commands.people_by_model import build_by_model_command

    raise typer.Exit(
        build_by_model_command(
            writer,
            n,
            seed,
            out,
            seeds=seeds,
            store=store,
            experiment=experiment,
            repairs=repairs,
            max_failed=max_failed,
            force=force,
            as_json=json,
        )
    )


@profiles.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="Profiles or persona seeds, JSONL or Parquet.")],
    out: Annotated[Path, typer.Option("--out", help="Parquet file to write.")],
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of what a persona seed leaves open.")] = 0,
    max_failed: Annotated[int, typer.Option("--max-failed", min=0, help="Bad rows that are left out.")] = 0,
    force: Force = False,
    json: Json = False,
) -> None:
    """Import profiles, or make profiles from persona seeds."""
    from jobs.commands.people import import_command

    import_command(file, out, seed=seed, max_failed=max_failed, force=force, as_json=json)


@profiles.command()
def check(
    file: Annotated[Path, typer.Argument(help="Profiles, JSONL or Parquet.")],
    quality: Annotated[bool, typer.Option("--quality", help="Measure the good rows as well; exit code 4 if a band is not met.")] = False,
    against: Annotated[Path | None, typer.Option("--against", help="A real prompt list to measure beside them; with --quality.")] = None,
    json: Json = False,
) -> None:
    """Name every bad row with line, field and reason; with --quality also each figure of the people beside its band."""
    from jobs.commands.people import check_command

    if against and not quality:
        from engine.errors import UsageError

        raise UsageError("--against is a list to measure beside the people.", remedy="Add --quality.")
    code = check_command(file, as_json=json)
    if quality and not code:
        from jobs.commands.quality import quality_command

        code = quality_command(file, against=against, as_json=json)
    raise typer.Exit(code)


@profiles.command()
def show(
    person: Annotated[str, typer.Argument(metavar="ID", help="The person's id.")],
    people: Annotated[Path | None, typer.Option("--people", help="A file of profiles; otherwise built by the grammar.")] = None,
) -> None:
    """Print one person readably."""
    from jobs.commands.people import show_command

    show_command(person, people)
