"""Where a run's people come from, and how they become shards of the `people` stage."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TypeAlias

from engine.config import Experiment
from engine.config import People as Source
from engine.errors import InputError
from engine.keys import content_key, file_sha256
from engine.outcome import Answered, Failed, Outcome
from engine.profiles.counting import count_rows
from engine.profiles.reading import read_people
from engine.profiles.validation import BadRow, person_key
from engine.queries.assigned import Assignment
from engine.records import Profile, Query
from engine.rows import Row, inputs_digest, make_row
from engine.stage import Unit
from engine.stages.people import People
from engine.stages.queries import query_key
from engine.store import names
from engine.store.names import short
from engine.store.plans import Shard, Subject
from engine.store.results import Results, encode_result

BAD_PERSON = "bad-person"
"""Code of a row of the people file that is no usable person."""

SHOWN = 10
"""Bad rows that an error lists before it only counts."""


@dataclass(frozen=True, slots=True)
class PeopleRead:
    """The people of a run as shards with their rows, whether a limit cut them, and how many the source holds."""

    shards: tuple[tuple[Shard, bytes], ...]
    """Each shard and its result file of the `people` stage: compressed, a few KB a person."""
    partial: bool
    total: int


def source_id(source: Source) -> str:
    """What pins the people of a source: the file's sha256, or the grammar's version, number and seed."""
    if source.file is None:
        from engine.profiles.grammar import grammar_id

        return f"{grammar_id()}:{source.grammar}:{source.seed}"
    if not source.file.is_file():
        raise InputError("there is no such file", file=str(source.file), field="people.file", remedy="See `mien profiles build --help`.")
    return f"sha256:{file_sha256(source.file)}"


Notice: TypeAlias = Callable[[int, int], None]


def read_shards(
    experiment: Experiment, stage: People, notice: Notice = lambda done, total: None, assigned: Assignment | None = None
) -> PeopleRead:
    """Read and check every person of a run, only those with queries if these are `assigned`; writes nothing.

    `notice` is told (people read, people planned). Raises InputError naming file, line and field when more rows are bad than `max_failed`
    allows, and where none of the people is there.
    """
    queries = assigned.queries if assigned else None
    total = count_people(experiment.people) if queries is None else len(queries)
    limit = experiment.people_limit(total)
    people = itertools.islice(_wanted(people_of(experiment.people), queries), limit)
    shards: list[tuple[Shard, bytes]] = []
    bad: list[BadRow] = []
    done = 0
    while group := list(itertools.islice(people, experiment.shard_size)):
        pairs = [_subject(stage, line, person, queries) for line, person in group]
        bad += [person for _, person in group if isinstance(person, BadRow)]
        shard = Shard.of([subject for subject, _ in pairs])
        shards.append((shard, encode_result(stage, shard.key, [row for _, row in pairs])))
        done += len(group)
        notice(done, limit)
    if queries is not None and not shards:
        raise _nobody(experiment, queries)
    if len(bad) > experiment.max_failed:
        raise _too_many(experiment, bad)
    _refuse_twins(experiment, [shard for shard, _ in shards])
    return PeopleRead(tuple(shards), limit < total, total)


def commit_people(people: PeopleRead, results: Results, stage: People) -> None:
    """Store the shards of the `people` stage that are not there yet, so that workers need no file of the driver's."""
    existing = results.done(stage)
    results.declare(stage)
    for shard, data in people.shards:
        if short(shard.key) not in existing:
            results.backend.create(names.result(stage.id, shard.key), data)


def count_people(source: Source) -> int:
    """Rows in a source, without checking them."""
    if source.file is None:
        assert source.grammar is not None
        return source.grammar
    return count_rows(source.file)


def people_of(source: Source) -> Iterator[tuple[int, Profile | BadRow]]:
    """The people of a source one at a time, each with its line. Raises as `read_people`."""
    if source.file is not None:
        return read_people(source.file)
    from engine.profiles.grammar import build_profiles  # reads a lexicon: only when people are built

    assert source.grammar is not None
    return enumerate(build_profiles(source.grammar, source.seed), start=1)


def _wanted(
    people: Iterator[tuple[int, Profile | BadRow]], queries: Mapping[str, tuple[Query, ...]] | None
) -> Iterator[tuple[int, Profile | BadRow]]:
    return people if queries is None else (found for found in people if found[1].id in queries)


def _nobody(experiment: Experiment, queries: Mapping[str, tuple[Query, ...]]) -> InputError:
    some = ", ".join(sorted(queries)[:3])
    return InputError(
        f"holds none of the {len(queries)} people that the prompts are for ({some}{', ...' if len(queries) > 3 else ''}).",
        file=str(experiment.people.file or "the grammar's people"),
        field="id",
        remedy="Give the profiles that the prompts were written from, with the same ids.",
    )


def _subject(
    stage: People, line: int, person: Profile | BadRow, queries: Mapping[str, tuple[Query, ...]] | None
) -> tuple[Subject, Row[Profile]]:
    outcome: Outcome[Profile]
    asked = tuple(query_key(query) for query in queries[person.id]) if queries is not None else ()
    if isinstance(person, BadRow):
        key = content_key({"bad_row": asdict(person)})
        outcome = Failed(BAD_PERSON, f"{person.told}. {person.remedy}")
        subject = Subject(key, person.id or f"line-{line}", key, bad=True, queries=asked)
    else:
        key = person_key(person)
        outcome = Answered(person)
        subject = Subject(key, person.id, person.cluster or person.id, queries=asked)
    return subject, make_row(stage, Unit(key, key), outcome, inputs_digest([]))


def _refuse_twins(experiment: Experiment, shards: list[Shard]) -> None:
    """Two rows with one content key would be one unit."""
    seen: dict[str, str] = {}
    for subject in itertools.chain.from_iterable(shard.subjects for shard in shards):
        if subject.key in seen:
            raise InputError(f"the person {subject.id} stands twice", file=str(experiment.people.file or ""), remedy="Remove one.")
        seen[subject.key] = subject.id


def _too_many(experiment: Experiment, bad: list[BadRow]) -> InputError:
    first = bad[0]
    more = [f"  {row.told}" for row in bad[1:SHOWN]]
    rest = [f"  and {len(bad) - SHOWN} more"] if len(bad) > SHOWN else []
    detail, file = "\n".join([first.reason, *more, *rest]), experiment.people.file
    return InputError(
        detail + ("\n" if more else "."),
        file=str(file),
        line=first.line,
        field=first.field,
        remedy=f"{first.remedy} Or run with --max-failed {len(bad)}: bad people then end as failed rows, never as scores. "
        f"`{shlex.join(['mien', 'profiles', 'check', str(file)])}` lists each with its remedy.",
    )
