"""Judges by what an experiment says of them: ids for fingerprints without loading anything, then the judge itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from engine.config import Experiment
from engine.errors import ModelError
from engine.judge_config import Judge
from engine.judging.family import family_of
from jobs.writers import Seat, chat_model, model_id

if TYPE_CHECKING:
    from actors.describer import Describer

JUDGE = "judge:"
"""Begins the name of a judge's actor, and of its id among the models of a plan."""

JUDGE_MODEL = "judge-model:"
"""Begins the name of a judge's language model among the models of a plan."""

DESCRIBER = "describer"


def judge_ids(experiment: Experiment) -> dict[str, str]:
    """The id of each "judge:<name>", of the language models as "judge-model:<name>", and of the "describer" if one is needed.

    Raises ModelError if a model is not installed.
    """
    ids: dict[str, str] = {}
    for name, judge in experiment.judges().items():
        if judge.model is not None:
            ids[JUDGE_MODEL + name] = model_id(judge.model)
        ids[JUDGE + name] = _id(judge)
    if any(judge.looks == "descriptions" for judge in experiment.judges().values()):
        from actors.describer import describer_id

        ids[DESCRIBER] = describer_id()
    return ids


def family(judge: Judge, models: Mapping[str, str]) -> str:
    """The judge's family: as given, or by its language model's id; a scripted or nearest-neighbour judge writes nothing and has none."""
    if judge.family or judge.model is None:
        return judge.family
    return family_of(models[JUDGE_MODEL + judge.name])


def judge_options(experiment: Experiment) -> dict[str, object]:
    """What workers need to make the judges of an experiment: configurations and seats, by name; no secret is among them."""
    found: dict[str, object] = {}
    for name, judge in experiment.judges().items():
        pool = experiment.execution.pool_of_judge(name)
        found[name] = {"config": judge.model_dump(mode="json"), "threads": pool.threads, "processes": pool.max}
    pools = experiment.execution
    return {"judges": found, "describer_threads": (pools.vision or pools.encoder).threads} if found else {}


def make_judge(name: str, options: Mapping[str, Any], expected: str) -> Any:
    """The judge called `name`. Raises ModelError if what is here is not what the plan names."""
    from actors.judge import ModelJudge

    given = options["judges"][name]
    judge = Judge.model_validate(given["config"])
    if (found := _id(judge)) != expected:
        raise ModelError(f"The judge '{name}' is {found} here, the plan names {expected}.", remedy="Install the same model on every node.")
    if judge.nearest:
        from actors.encoders import make_encoder
        from actors.nearest_judge import NearestJudge

        return NearestJudge(make_encoder(judge.nearest, threads=int(given["threads"])))
    if judge.script is not None:
        from actors.scripted_chat import ScriptedChat
        from engine.generation.chat import Sampling

        return ModelJudge(ScriptedChat(judge.script, judge.family), Sampling(), found)
    assert judge.model is not None
    seeing = judge.looks == "pictures"
    seat = Seat(
        int(given["threads"]),
        int(given["processes"]),
        str(options["store"]),
        pictures=judge.pictures if seeing else 0,
        picture_cache_gb=judge.picture_cache_gb,
    )
    read = _reader(options) if seeing else None
    return ModelJudge(chat_model(judge.model, seat), judge.model.sampling(), found, read, judge.max_pixels)


def make_describer(options: Mapping[str, Any], expected: str) -> Describer:
    """What puts images into words. Raises ModelError if it is not what the plan names."""
    from actors.describer import Describer

    describer = Describer(_reader(options), threads=int(options["describer_threads"]))
    if describer.id != expected:
        raise ModelError(f"The describer is {describer.id} here, the plan names {expected}.", remedy="Install the same weights everywhere.")
    return describer


def _reader(options: Mapping[str, Any]) -> Callable[[str], bytes]:
    from engine.store.opening import open_backend

    return open_backend(str(options["store"]), proven=True).read


def _id(judge: Judge) -> str:
    if judge.nearest:
        from actors.encoders import encoder_id
        from actors.nearest_judge import nearest_id

        return nearest_id(encoder_id(judge.nearest))
    if judge.script is not None:
        from actors.scripted_chat import script_id

        return script_id(judge.script, judge.family)
    from actors.judge import judge_id

    assert judge.model is not None
    return judge_id(judge, model_id(judge.model))
