"""`mien profiles build --writer`: people by a language model."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from engine.config_loading import load
from engine.errors import UsageError
from engine.execution_config import Execution, Pool
from engine.nearest import did_you_mean
from engine.profiles.model.seeds import PersonaSeed, file_seeds, grammar_seeds
from engine.profiles.model.sizes import Sizes
from engine.profiles.writing import write_people
from engine.writer_config import BUILT_IN, LanguageModel
from jobs.building_people import Build, Built
from jobs.commands.people import refuse_bad_rows, refuse_existing
from jobs.console import Console
from jobs.run import COMPLETE, INCOMPLETE, TOO_MANY_FAILED

SHOWN = 5
"""Rejected people that are named for each reason; --json names all."""


def build_by_model_command(
    writer: str,
    n: int,
    seed: int,
    out: Path,
    *,
    seeds: Path | None,
    store: str,
    experiment: Path | None,
    repairs: int,
    max_failed: int,
    force: bool,
    as_json: bool,
) -> int:
    """Ask a language model for `n` people; returns the exit code: 3 if more of them than `max_failed` were rejected, 6 if some could
    not be asked."""
    refuse_existing(out, force)
    console = Console(as_json=as_json)
    model, pool, execution = _writer(writer, experiment)
    wanted = _seeds(seeds, n, seed, max_failed, console)
    command = f"profiles build --writer {shlex.quote(writer)}"
    built = Build(model, wanted, store, pool, execution, Sizes(repairs=repairs), command).run(console)
    _tell(console, built, len(wanted))
    written = 0
    if built.is_open:
        code = INCOMPLETE
        console.warn(f"Some could not be asked, so {out} is not written yet; run the same command again to go on.")
    else:
        code = TOO_MANY_FAILED if len(built.rejected) > max_failed else COMPLETE
        written = _write(console, built, out)
    console.event("done", asked=len(wanted), people=written, rejected=len(built.rejected), file=str(out), exit_code=code)
    return code


def _write(console: Console, built: Built, out: Path) -> int:
    if not built.people:
        console.say(f"Nobody was made, so {out} is not written.")
        return 0
    written = write_people(iter(built.people), out)
    console.say(f"{written} people in {out}. Look at one: mien profiles show {built.people[0].id} --people {shlex.quote(str(out))}")
    return written


def _writer(name: str, file: Path | None) -> tuple[LanguageModel, Pool, Execution]:
    """A writer by its name, built in or of an experiment file, with its pool."""
    built_in = {"writers": [name]} if file is None and name in BUILT_IN else {}
    experiment = load(file, os.environ, built_in).experiment
    models = experiment.language_models()
    if name not in models:
        known = sorted({*BUILT_IN, *models})
        raise UsageError(
            f"There is no language model '{name}'{did_you_mean(name, known)}.",
            remedy=f"Built in: {', '.join(BUILT_IN)}. Others: name one of an experiment's writers, and the file with --experiment.",
        )
    return models[name], experiment.execution.pool_of_writer(name), experiment.execution


def _seeds(file: Path | None, n: int, seed: int, max_failed: int, console: Console) -> Sequence[PersonaSeed]:
    if file is None:
        return list(grammar_seeds(n, seed))
    found, bad = file_seeds(file)
    refuse_bad_rows(file, bad, max_failed)
    if bad:
        console.warn(f"{len(bad)} bad rows of {file} are left out.")
    if len(found) < n:
        console.warn(f"{file} holds {len(found)} distinct persona seeds; {n} people were asked for.")
    return list(islice(found, n))


def _tell(console: Console, built: Built, asked: int) -> None:
    """How many came of it, who not and why, and what it took."""
    effort = built.effort
    console.say(f"{asked} people asked for, {len(built.people)} made, {len(built.rejected)} rejected.")
    for (step, reason), ids in built.by_reason.items():
        more = f" and {len(ids) - SHOWN} more" if len(ids) > SHOWN else ""
        console.say(f"  {len(ids):>5} in {step}: {reason} ({', '.join(ids[:SHOWN])}{more})")
    for each in built.rejected:
        console.event("rejected", id=each.id, step=each.step, reason=each.reason, message=each.message)
    refused = ", ".join(f"{fault} {count}" for fault, count in effort.faults) or "none"
    console.say(
        f"Steps that were made took {effort.calls} calls, {effort.repairs} of them repairs, and {effort.input_tokens} + "
        f"{effort.output_tokens} tokens by {effort.model or 'no model'}. Pieces refused on the way: {refused}."
    )
    console.event(
        "effort",
        calls=effort.calls,
        repairs=effort.repairs,
        input_tokens=effort.input_tokens,
        output_tokens=effort.output_tokens,
        model=effort.model,
        faults=dict(effort.faults),
    )
