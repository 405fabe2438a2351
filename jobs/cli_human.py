"""`mien human ...` and `mien pairs ...` on the command line; heavy imports happen inside commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from jobs.cli_options import Force, Json, Store
from jobs.suggest import DEFAULT_STORE

human = typer.Typer(help="Ask people: blank sheets, and what came back.", no_args_is_help=True, rich_markup_mode=None)
pairs = typer.Typer(help="Pairs of outputs to compare.", no_args_is_help=True, rich_markup_mode=None)

Answers = Annotated[list[Path], typer.Argument(metavar="FILE...", help="CSV, Parquet or JSON lines; filled sheets with --key.")]
KindOption = Annotated[str, typer.Option("--kind", help="rating, pair or best-of-k; told from the columns if left out.")]
KeyFile = Annotated[Path | None, typer.Option("--key", help="Key of the sheets, if FILE is a filled one.")]
FilledBy = Annotated[str, typer.Option("--annotator", help="Who filled a sheet that does not say it.")]
Scale = Annotated[str, typer.Option("--scale", help="Of ratings whose file does not say it; only 0-5 is taken.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of all draws.")]


@human.command()
def sheet(
    outputs: Annotated[Path, typer.Argument(help="Outputs to show (JSON lines, CSV or Parquet).")],
    kind: Annotated[str, typer.Option("--kind", help="What to ask: rating, pair or best-of-k.")],
    out: Annotated[Path, typer.Option("--out", help="Folder to write: what annotators get.")],
    key: Annotated[Path | None, typer.Option("--key", help="Key to write, outside of it; beside the folder if left out.")] = None,
    annotator: Annotated[list[str] | None, typer.Option("--annotator", help="A sheet for each of them; may be repeated.")] = None,
    images: Annotated[Path | None, typer.Option("--images", help="Folder of the images; that of the file if left out.")] = None,
    seed: Seed = 0,
    max_failed: Annotated[int, typer.Option("--max-failed", min=0, help="Bad rows that are left out.")] = 0,
    force: Force = False,
    json: Json = False,
) -> None:
    """Write blank sheets for annotators, without method or file names, and the key to them.

    \b
    Each row of OUTPUTS has
      profile, method   the person's id, and who made it
      text or image     what it made; an image by its path below --images
    and may have
      query             the query's id
      about, asked      what annotators see of the person and of the request
      writer backbone budget renderer
    """
    from jobs.commands.human import sheet_command

    sheet_command(
        outputs,
        kind=kind,
        out=out,
        key=key,
        annotators=annotator or [""],
        images=images,
        seed=seed,
        max_failed=max_failed,
        force=force,
        as_json=json,
    )


@human.command("import")
def import_(
    files: Answers,
    out: Annotated[Path, typer.Option("--out", help="File to write: .parquet, .csv or .jsonl.")],
    kind: KindOption = "",
    key: KeyFile = None,
    annotator: FilledBy = "",
    scale: Scale = "0-5",
    max_failed: Annotated[int, typer.Option("--max-failed", min=0, help="Bad rows that are left out.")] = 0,
    force: Force = False,
    json: Json = False,
) -> None:
    """Bring what people answered into one file."""
    from jobs.commands.human import import_command

    import_command(files, out=out, kind=kind, key=key, annotator=annotator, scale=scale, max_failed=max_failed, force=force, as_json=json)


@human.command()
def check(
    files: Answers, kind: KindOption = "", key: KeyFile = None, annotator: FilledBy = "", scale: Scale = "0-5", json: Json = False
) -> None:
    """Name every bad row, and what is odd: incomplete blocks, straight-lining, too few rows. Exit code 2 if a row is bad."""
    from jobs.commands.human import check_command

    raise typer.Exit(check_command(files, kind=kind, key=key, annotator=annotator, scale=scale, as_json=json))


RunName = Annotated[str, typer.Argument(help="Name of a run.")]


@human.command("outputs")
def outputs_(
    run: RunName,
    out: Annotated[Path, typer.Option("--out", help="File to write (JSON lines).")],
    store: Store = DEFAULT_STORE,
    images: Annotated[bool, typer.Option("--images", help="The images instead of the prompts, with their files beside --out.")] = False,
    limit: Annotated[int, typer.Option("--limit", min=0, help="People at most; 0: all.")] = 0,
    force: Force = False,
    json: Json = False,
) -> None:
    """Write what the methods of a run made, for `mien human sheet`."""
    from jobs.commands.human_runs import outputs_command

    outputs_command(run, store=store, out=out, images=images, limit=limit, force=force, as_json=json)


@human.command()
def add(
    run: RunName,
    files: Answers,
    store: Store = DEFAULT_STORE,
    kind: KindOption = "",
    key: KeyFile = None,
    annotator: FilledBy = "",
    scale: Scale = "0-5",
    max_failed: Annotated[int, typer.Option("--max-failed", min=0, help="Bad rows that are left out.")] = 0,
    json: Json = False,
) -> None:
    """Keep people's answers beside a run, and rebuild its report with them."""
    from jobs.commands.human_runs import add_command

    raise typer.Exit(
        add_command(run, files, store=store, kind=kind, key=key, annotator=annotator, scale=scale, max_failed=max_failed, as_json=json)
    )


@pairs.command()
def make(
    data: Annotated[Path, typer.Argument(metavar="DATA", help="Folder below which all outputs lie.")],
    method: Annotated[list[str], typer.Option("--method", help="NAME=FOLDER below DATA, with {id}.png; two or more.")],
    out: Annotated[Path, typer.Option("--out", help="JSON lines to write, in the form of PIPBench's release.")],
    metadata: Annotated[Path | None, typer.Option("--metadata", help="The data's metadata.json, which says whose each sample is.")] = None,
    seed: Seed = 0,
    orders: Annotated[str, typer.Option("--orders", help="swap: a seeded side first, as PIPBench; both: one after the other.")] = "swap",
    per_sample: Annotated[int | None, typer.Option("--per-sample", min=1, help="Pairs a sample, balanced; all if left out.")] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Pair the images that several methods made for the same samples."""
    from jobs.commands.pairs import make_command

    make_command(
        data, methods=method, out=out, metadata=metadata, seed=seed, orders=orders, per_sample=per_sample, force=force, as_json=json
    )


@pairs.command("rate")
def rate_(
    pairs: Annotated[Path, typer.Argument(metavar="PAIRS", help="Pairs that were judged (JSON lines of PIPBench's release).")],
    verdicts: Annotated[list[Path], typer.Argument(metavar="FILE", help="Verdicts of judges (JSON lines of the release).")],
    metadata: Annotated[Path | None, typer.Option("--metadata", help="The data's metadata.json, which says whose each sample is.")] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Folder for elo_scores.json and win_rates.json.")] = None,
    judge: Annotated[str, typer.Option("--judge", help="Judge of all files; each is called by its file if left out.")] = "",
    seed: Seed = 0,
    max_failed: Annotated[int, typer.Option("--max-failed", min=0, help="Bad rows that are left out.")] = 0,
    force: Force = False,
    json: Json = False,
) -> None:
    """Rate models by judges' verdicts on pairs, each judge apart and all together, with PIPBench's own fit beside."""
    from jobs.commands.pair_ratings import rate_command

    rate_command(pairs, verdicts, metadata=metadata, out=out, judge=judge, seed=seed, max_failed=max_failed, force=force, as_json=json)
