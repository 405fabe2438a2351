"""In which pool of processes each stage of a VPTT run has its models."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.execution_config import Execution
from engine.judge_config import Judge
from engine.writer_config import LanguageModel
from jobs.judges import DESCRIBER
from jobs.operators import ANY, Operator, operators
from jobs.vptt import Vptt


def operators_of(
    workflow: Vptt,
    execution: Execution,
    models: Mapping[str, LanguageModel] = MappingProxyType({}),
    judges: Mapping[str, Judge] = MappingProxyType({}),
) -> list[Operator]:
    """The pools of processes that run the stages; `models` are the writers that are language models.

    Scores and ceilings are arithmetic: they run where their inputs were made.
    """
    shared = {"writer": execution.writer, "renderer": execution.renderer, "vision": execution.vision, "judge": execution.judge}
    pools = {"encoder": execution.encoder, **{name: pool for name, pool in shared.items() if pool}}
    own = {"writer": execution.writers, "judge": execution.judges}
    pools |= {f"{kind}-{name}": pool for kind, named in own.items() for name, pool in named.items()}
    parallel = {f"writer-{name}": model.parallel for name, model in models.items()}
    parallel |= {f"judge-{name}": judge.model.parallel for name, judge in judges.items() if judge.model}

    def pool_of(actor: str) -> str:
        kind, _, name = actor.partition(":")
        kind = "vision" if kind == DESCRIBER else kind
        if kind in ("scorer", "second", "retrieval"):
            return ANY
        return next(pool for pool in (f"{kind}-{name}", kind, "encoder") if pool in pools)

    found: list[Operator] = []
    for phase in workflow.phases:
        found += operators(phase, pool_of, pools, parallel=parallel, earlier=len(found))
    return found
