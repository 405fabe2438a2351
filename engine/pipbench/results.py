"""The release's result files: `elo_scores.json` and `win_rates.json`."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import InputError
from engine.ratings.battles import Battles
from engine.ratings.matrices import matrices
from engine.ratings.pipbench import PipbenchElo


@dataclass(frozen=True, slots=True)
class EloScore:
    """A model's rating, and half the width of its 95 % interval; NaN where there is none, null in the file."""

    model: str
    elo: float
    ci95: float


@dataclass(frozen=True, slots=True)
class WinRate:
    """Wins of `model` over `opponent` in their `matches`, a tie half a win."""

    model: str
    opponent: str
    wins: float
    matches: int
    win_rate: float


def elo_scores(entrants: Sequence[str], found: PipbenchElo) -> list[EloScore]:
    """The release's own fit of `entrants`."""
    fitted = zip(entrants, found.rating, found.half, strict=True)
    return [EloScore(model, float(rating), float(half)) for model, rating, half in fitted]


def win_rates(battles: Battles) -> list[WinRate]:
    """Every two models that met, in both directions, over all judges and orders; doubtful verdicts must be ties already."""
    found = matrices(battles)
    wins, matches, names = found.wins + found.ties / 2, found.battles, battles.entrants
    return [
        WinRate(names[i], names[j], float(wins[i, j]), int(matches[i, j]), float(wins[i, j] / matches[i, j]))
        for i, j in zip(*np.nonzero(matches), strict=True)
    ]


def write_elo_scores(path: Path, scores: Sequence[EloScore]) -> None:
    """Write `elo_scores.json`, the best first."""
    ordered = sorted(scores, key=lambda score: (math.isnan(score.elo), -score.elo, score.model))
    _write(path, [asdict(score) for score in ordered])


def write_win_rates(path: Path, rates: Sequence[WinRate]) -> None:
    """Write `win_rates.json`."""
    _write(path, [asdict(rate) for rate in rates])


def read_elo_scores(path: Path) -> list[EloScore]:
    """The rows of an `elo_scores.json`. Raises InputError naming row and field."""
    return [EloScore(_text(row, "model", path, n), _float(row, "elo", path, n), _float(row, "ci95", path, n)) for n, row in _rows(path)]


def read_win_rates(path: Path) -> list[WinRate]:
    """The rows of a `win_rates.json`. Raises InputError naming row and field."""
    found = []
    for n, row in _rows(path):
        names = _text(row, "model", path, n), _text(row, "opponent", path, n)
        matches = _float(row, "matches", path, n)
        if matches != int(matches) or matches < 1:
            raise _wrong(path, n, "matches", "is no number of matches")
        found.append(WinRate(*names, _float(row, "wins", path, n), int(matches), _float(row, "win_rate", path, n)))
    return found


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    plain = [{name: None if isinstance(value, float) and math.isnan(value) else value for name, value in row.items()} for row in rows]
    path.write_text(json.dumps(plain, ensure_ascii=False, indent=2, allow_nan=False) + "\n", encoding="utf-8", newline="\n")


def _rows(path: Path) -> list[tuple[int, dict[str, Any]]]:
    try:
        rows = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"cannot be read ({type(error).__name__})", file=str(path), remedy="Give a result file of PIPBench.") from error
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InputError("is no array of objects", file=str(path), remedy="Give a result file of PIPBench.")
    return list(enumerate(rows, start=1))


def _text(row: dict[str, Any], field: str, path: Path, number: int) -> str:
    value = row.get(field)
    if not isinstance(value, str) or not value:
        raise _wrong(path, number, field, "is no name")
    return value


def _float(row: dict[str, Any], field: str, path: Path, number: int) -> float:
    value = row.get(field)
    if value is None and field in row and field in ("elo", "ci95"):
        return math.nan
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise _wrong(path, number, field, "is no finite number")
    return float(value)


def _wrong(path: Path, number: int, field: str, what: str) -> InputError:
    return InputError(f"{what} (row {number})", file=str(path), field=field, remedy="Give a result file of PIPBench.")
