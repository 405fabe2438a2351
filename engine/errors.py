"""Every error that mien raises on purpose.

    MienError                  exit code 1
    ├── UsageError             exit code 2: the caller can mend it before anything is written
    │   ├── ConfigError        an experiment file, option or environment variable
    │   └── InputError         a data file: names file, line, field and remedy
    ├── StoreError             the store refused or lost something
    │   ├── StoreUnusable      exit code 2: cannot be written, full, or has no create-if-absent
    │   ├── PlanMismatch       exit code 2: a name is bound to another plan
    │   ├── Missing            no file of that name
    │   └── CorruptObject      a stored file is truncated, swapped or foreign
    ├── LeaseHeld              another driver is at work on this run
    ├── ModelError             a model is missing, its weights differ, or it cannot load
    ├── EngineDied             the process that holds a model must be replaced
    ├── BudgetReached          exit code 5: stopped by a limit of the experiment; the same command goes on
    └── ClusterError           Ray did not start, or lost what cannot be replaced

A *unit* that goes wrong is never an exception: it ends as an `engine.outcome.Failed` row.
"""

from __future__ import annotations


class MienError(Exception):
    """What happened, and what to do about it.

    Args:
        message: what happened, to which file or unit, in one sentence.
        remedy: what the reader should do; empty if there is nothing to do.
        code: a short stable identifier, for `mien errors` and tests; the class's own when empty.
    """

    code = "error"
    exit_code = 1

    def __init__(self, message: str, *, remedy: str = "", code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        if code:
            self.code = code

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}".rstrip()


class UsageError(MienError):
    """The command, a configuration or an input is wrong; nothing was written."""

    code = "usage"
    exit_code = 2


class ConfigError(UsageError):
    """An experiment file, option or environment variable is wrong."""

    code = "config"


class InputError(UsageError):
    """A data file is wrong; `file`, `line` (1-based) and `field` say where."""

    code = "input"

    def __init__(self, message: str, *, file: str = "", line: int | None = None, field: str = "", remedy: str = "", code: str = "") -> None:
        where = file if line is None else f"{file}:{line}"
        prefix = ": ".join(part for part in (where, field) if part)
        super().__init__(f"{prefix}: {message}" if prefix else message, remedy=remedy, code=code)
        self.file, self.line, self.field = file, line, field


class StoreError(MienError):
    """The store refused or lost something."""

    code = "store"


class StoreUnusable(StoreError):
    """The store cannot be written, is full, or has no atomic create-if-absent."""

    code = "store-unusable"
    exit_code = 2


class PlanMismatch(StoreError):
    """A run name is already bound to another plan."""

    code = "plan-mismatch"
    exit_code = 2


class Missing(StoreError):
    """No file of that name."""

    code = "missing"


class CorruptObject(StoreError):
    """A stored file is truncated, swapped or foreign."""

    code = "corrupt"


class LeaseHeld(MienError):
    """Another driver is at work on this run."""

    code = "lease-held"


class ModelError(MienError):
    """A model is missing, its weights differ from the recorded ones, or it cannot load."""

    code = "model"
    exit_code = 2


class EngineDied(MienError):
    """An engine answers nothing any more, or could not be loaded: its process ends, so that Ray replaces it."""

    code = "engine-died"


class BudgetReached(MienError):
    """A limit of the experiment stopped the run; what is finished is kept."""

    code = "budget"
    exit_code = 5


class ClusterError(MienError):
    """Ray did not start, or lost what cannot be replaced."""

    code = "cluster"
