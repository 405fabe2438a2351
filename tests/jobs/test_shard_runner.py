"""The runner: exactly one outcome a unit, bad units alone fail, overlays renew only what is open, and lineage holds."""

import numpy as np
import pyarrow as pa
import pytest

from engine.errors import EngineDied, InputError, StoreError
from engine.outcome import Answered, Failed, FailureKind
from engine.rows import inputs_digest, make_row
from engine.stage import Read, Stage, Unit
from engine.store import names
from engine.store.folder import FolderBackend
from engine.store.plans import Shard, Subject
from engine.store.results import Results
from jobs import asking
from jobs.asking import Asking
from jobs.calling import Caller
from jobs.shard_runner import UPSTREAM, Retry, ShardRunner

TEXT = pa.schema([("text", pa.string())])
SHARD = Shard.of([Subject(key * 64, key, key) for key in "abc"])


class Text(Stage):
    """A stage whose rows hold one text; `words` is its actor."""

    version = 1
    per = "person"
    payload = TEXT
    actor = "words"

    def __init__(self, kind, *inputs):
        self.kind = kind
        self.inputs = inputs

    def parameters(self):
        return {}

    def request(self, unit, *inputs):
        return (self.kind, unit.subject[0], *inputs)

    @staticmethod
    def ask(actor, requests):
        return actor(requests)

    def encode(self, value):
        return {"text": value}

    def decode(self, columns):
        return columns["text"]


class Actor:
    """Answers with the request joined; `broken` requests raise. Counts what it was asked."""

    def __init__(self, broken=(), error=None):
        self.broken, self.error = set(broken), error or ValueError("bad unit")
        self.batches = []

    def __call__(self, requests):
        self.batches.append(len(requests))
        for request in requests:
            if request[:2] in self.broken:
                raise self.error
        return [Answered("|".join(request)) for request in requests]

    @property
    def asked(self):
        return sum(self.batches)


def units(shard, stage):
    return [Unit(subject.key, subject.key) for subject in shard.subjects]


@pytest.fixture
def results(tmp_path):
    return Results(FolderBackend(tmp_path / "store"), repair=True)


def runner(results, stages, actor):
    return ShardRunner(results, stages, Caller(lambda name: actor), units)


def chain():
    first = Text("first")
    return [first, Text("second", first), Text("other")]


def outcomes(results, stage, overlays=0):
    return {row.subject[0]: row.outcome for row in results.read(stage, SHARD.key, overlays=overlays).values()}


def test_every_unit_of_every_stage_gets_one_outcome(results):
    _, second, _ = stages = chain()
    done = {}
    tallies = runner(results, stages, Actor()).run(SHARD, done)
    assert outcomes(results, second) == {k: Answered(f"second|{k}|first|{k}") for k in "abc"}
    assert {stage.id: (tally.rows, tally.failed) for stage in stages for tally in [tallies[stage.id]]} == {s.id: (3, 0) for s in stages}
    assert done == {stage.id: 0 for stage in stages}


def test_stages_that_share_actor_and_wave_share_a_batch(results):
    actor = Actor()
    runner(results, chain(), actor).run(SHARD, {})
    assert actor.batches == [6, 3]


def test_what_exists_is_not_asked_again(results):
    stages = chain()
    done = {}
    runner(results, stages, Actor()).run(SHARD, done)
    actor = Actor()
    tallies = runner(results, stages, actor).run(SHARD, dict(done))
    assert actor.asked == 0
    assert all(tally.skipped for tally in tallies.values())


def test_a_bad_unit_fails_alone_and_takes_only_its_own_downstream_along(results):
    first, second, _ = stages = chain()
    runner(results, stages, Actor(broken={("first", "b")})).run(SHARD, {})
    assert outcomes(results, first)["b"] == Failed("actor-error", "ValueError: bad unit")
    assert outcomes(results, second)["b"] == Failed(UPSTREAM + "actor-error", "first: ValueError: bad unit")
    assert outcomes(results, second)["a"] == Answered("second|a|first|a")


def test_a_retry_renews_only_open_units_and_what_depends_on_them(results):
    first, second, other = stages = chain()
    done = {}
    runner(results, stages, Actor(broken={("first", "b")}, error=TimeoutError("slow"))).run(SHARD, done)
    assert outcomes(results, first)["b"].kind is FailureKind.RETRYABLE
    actor = Actor()
    runner(results, stages, actor).run(SHARD, done, retry=Retry())
    assert actor.batches == [1, 1]
    assert done == {first.id: 1, second.id: 1, other.id: 0}
    assert outcomes(results, second, overlays=1) == {k: Answered(f"second|{k}|first|{k}") for k in "abc"}


def test_permanent_failures_are_retried_only_by_their_code(results):
    first, _, _ = stages = chain()
    done = {}
    runner(results, stages, Actor(broken={("first", "b")})).run(SHARD, done)
    actor = Actor()
    runner(results, stages, actor).run(SHARD, done, retry=Retry())
    assert actor.asked == 0
    runner(results, stages, actor).run(SHARD, done, retry=Retry("actor-error"))
    assert outcomes(results, first, overlays=1)["b"] == Answered("first|b")


class Fresh(Text):
    """A stage that is not deterministic: each computation gives another value (STORAGE, what must be shown)."""

    @staticmethod
    def ask(actor, requests):
        return [Answered(str(np.random.default_rng().integers(2**60))) for _ in requests]


def test_downstream_reads_what_was_committed_never_a_copy_that_lost(results):
    first = Fresh("fresh")
    second = Text("second", first)
    winner = [make_row(first, unit, Answered("winner"), inputs_digest([])) for unit in units(SHARD, first)]
    results.commit(first, SHARD.key, winner)
    # The runner does not know of the winner's file: it computes, loses, and must go on with the winner's rows.
    runner(results, [first, second], Actor()).run(SHARD, {})
    assert outcomes(results, second) == {k: Answered(f"second|{k}|winner") for k in "abc"}
    first_rows = results.read(first, SHARD.key, overlays=0)
    for unit, row in results.read(second, SHARD.key, overlays=0).items():
        assert row.input_sha256 == inputs_digest([first_rows[unit].sha256])


def test_what_is_computed_again_renews_what_was_computed_from_it(results):
    """A stage that is not deterministic lost its file: its new values must reach everything downstream (STORAGE, rule 4)."""
    first = Fresh("fresh")
    second = Text("second", first)
    done = {}
    runner(results, [first, second], Actor()).run(SHARD, done)
    results.backend.delete(names.result(first.id, SHARD.key))
    del done[first.id]
    runner(results, [first, second], Actor()).run(SHARD, done)
    assert done == {first.id: 0, second.id: 1}
    fresh = outcomes(results, first)
    assert outcomes(results, second, overlays=1) == {k: Answered(f"second|{k}|{fresh[k].value}") for k in "abc"}


def test_a_retry_that_ended_half_way_is_found_by_inspection(results):
    first, second, other = stages = chain()
    done = {}
    runner(results, stages, Actor(broken={("first", "b")}, error=ValueError("x"))).run(SHARD, done)
    runner(results, [first], Actor()).run(SHARD, done, retry=Retry("actor-error"))
    assert done[first.id] == 1
    assert isinstance(outcomes(results, second)["b"], Failed)
    actor = Actor()
    runner(results, stages, actor).run(SHARD, done, inspect=True)
    assert actor.batches == [1]
    assert outcomes(results, second, overlays=1)["b"] == Answered("second|b|first|b")
    assert done == {first.id: 1, second.id: 1, other.id: 0}


def test_a_result_whose_units_are_not_the_shards_is_quarantined(results):
    first, second, _ = chain()
    rows = [make_row(first, unit, Answered("x"), inputs_digest([])) for unit in units(SHARD, first)[:2]]
    results.commit(first, SHARD.key, rows)
    with pytest.raises(Exception, match="units are not the shard's"):
        runner(results, [first, second], Actor()).run(SHARD, {first.id: 0})
    assert results.done(first) == {}


def test_a_batch_that_raises_is_halved_until_the_unit_at_fault_stands_alone():
    actor = Actor(broken={("x", "7")})
    found = Asking().outcomes(Text.ask, actor, [("x", str(i)) for i in range(16)])
    assert [type(outcome) for outcome in found] == [Failed if i == 7 else Answered for i in range(16)]
    assert len(actor.batches) <= 9


def test_an_actor_that_answers_too_few_is_never_matched_to_units():
    found = Asking().outcomes(Text.ask, lambda requests: [Answered("x")] * (len(requests) - 1), [("a",), ("b",)])
    assert [outcome.code for outcome in found] == ["actor-error", "actor-error"]
    assert "answered 0 of 1" in found[0].message


def test_a_passing_error_is_asked_again_within_the_task(monkeypatch):
    monkeypatch.setattr(asking, "PAUSE_S", 0.001)
    calls = []

    def flaky(requests):
        calls.append(len(requests))
        if len(calls) < 3:
            raise ConnectionResetError("reset")
        return [Answered("x") for _ in requests]

    assert Asking().outcomes(Text.ask, flaky, [("a",)]) == [Answered("x")]
    assert calls == [1, 1, 1]


def test_errors_of_the_store_are_no_units_fault_but_bad_input_is():
    def refuse(error):
        def ask(requests):
            raise error

        return ask

    with pytest.raises(StoreError):
        Asking().outcomes(Text.ask, refuse(StoreError("gone")), [("a",)])
    assert Asking().outcomes(Text.ask, refuse(InputError("not finite", code="nan")), [("a",)]) == [Failed("nan", "not finite")]


def test_a_failure_tells_no_credentials_paths_or_addresses():
    error = RuntimeError("http://me:s3cret@host/v1 refused /home/me/model.bin at 0x7f12, pid 4711")
    (found,) = Asking().outcomes(Text.ask, Actor(broken={("x", "a")}, error=error), [("x", "a")])
    for secret in ("s3cret", "/home/me", "0x7f12", "4711"):
        assert secret not in found.message


class Fragile(Text):
    """A stage that raises of its own: in `request` for b, in `value` for c."""

    def request(self, unit, *inputs):
        if unit.subject.startswith("b"):
            raise KeyError("request")
        return super().request(unit, *inputs)

    def value(self, unit, inputs, reply):
        if unit.subject.startswith("c"):
            raise ValueError("value")
        return reply


def test_a_stage_that_raises_for_one_unit_fails_that_unit_alone(results):
    stage = Fragile("fragile")
    runner(results, [stage], Actor()).run(SHARD, {})
    found = outcomes(results, stage)
    assert found["a"] == Answered("fragile|a")
    assert (found["b"].code, found["c"].code) == ("actor-error", "actor-error")


@pytest.mark.parametrize(
    ("error", "code", "kind"),
    [
        (MemoryError(), "out-of-memory", FailureKind.OUT_OF_MEMORY),
        (RuntimeError("CUDA out of memory"), "out-of-memory", FailureKind.OUT_OF_MEMORY),
        (ConnectionResetError("reset"), "transient", FailureKind.RETRYABLE),
        (KeyError("x"), "actor-error", FailureKind.PERMANENT),
    ],
)
def test_failures_say_whether_a_retry_can_help(error, code, kind):
    (found,) = Asking().outcomes(Text.ask, Actor(broken={("x", "a")}, error=error), [("x", "a")])
    assert (found.code, found.kind) == (code, kind)


class Hostile(Text):
    """Raises before it is asked, with words that an engine's death would use."""

    def request(self, unit, *inputs):
        raise ValueError("no such caption: 'a poster that says CUDA error: 42'")


def test_only_an_actors_own_words_can_declare_an_engine_dead(results):
    stage = Hostile("hostile")
    runner(results, [stage], Actor()).run(SHARD, {})
    assert {outcome.code for outcome in outcomes(results, stage).values()} == {"actor-error"}
    with pytest.raises(EngineDied):
        Asking().outcomes(Text.ask, Actor(broken={("x", "a")}, error=RuntimeError("CUDA error: an illegal memory access")), [("x", "a")])


def test_an_overlay_lost_to_a_run_that_tried_other_units_again_becomes_the_next_one(results):
    stage = Text("first")
    a, b, c = units(SHARD, stage)
    outcome = {a.key: Failed("one", "x"), b.key: Failed("two", "x"), c.key: Answered("fine")}
    results.commit(stage, SHARD.key, [make_row(stage, unit, outcome[unit.key], inputs_digest([])) for unit in (a, b, c)])

    def actor(requests):
        results.commit(stage, SHARD.key, [make_row(stage, a, Answered("theirs"), inputs_digest([]))], overlay=1)
        return [Answered("ours") for _ in requests]

    done = {stage.id: 0}
    runner(results, [stage], actor).run(SHARD, done, retry=Retry("two"))
    assert done == {stage.id: 2}
    assert outcomes(results, stage, overlays=2) == {"a": Answered("theirs"), "b": Answered("ours"), "c": Answered("fine")}


def test_memory_that_ran_out_once_keeps_later_batches_small():
    sizes = []

    def actor(requests):
        sizes.append(len(requests))
        if len(requests) > 4:
            raise RuntimeError("CUDA out of memory")
        return [Answered("x") for _ in requests]

    asking = Asking()
    assert asking.outcomes(Text.ask, actor, [("x",)] * 16) == [Answered("x")] * 16
    assert sizes == [16, 8, 4, 4, 4, 4]
    sizes.clear()
    asking.outcomes(Text.ask, actor, [("x",)] * 16)
    assert sizes == [4, 4, 4, 4]


class Beside(Text):
    """Reads its own row and, optionally, the next person's."""

    optional = True

    def reads(self, unit):
        (source,) = self.inputs
        beside = {key * 64: other * 64 for key, other in zip("abc", "bca", strict=True)}[unit.subject]
        return (Read(source, unit.subject), Read(source, beside, self.optional))

    def request(self, unit, *inputs):
        return (self.kind, unit.subject[0], *(str(value) for value in inputs))


def test_an_optional_read_without_an_answer_is_none_and_fails_nobody(results):
    first = Text("first")
    beside = Beside("beside", first)
    runner(results, [first, beside], Actor(broken={("first", "b")})).run(SHARD, {})
    found = outcomes(results, beside)
    assert found["a"] == Answered("beside|a|first|a|None")
    assert found["b"].code == UPSTREAM + "actor-error", "its own row is required"
    assert found["c"] == Answered("beside|c|first|c|first|a")


def test_a_required_read_of_somebody_else_fails_whoever_reads_it(results):
    first = Text("first")
    beside = Beside("beside", first)
    beside.optional = False
    runner(results, [first, beside], Actor(broken={("first", "b")})).run(SHARD, {})
    found = outcomes(results, beside)
    assert [found[key].code for key in "ab"] == [UPSTREAM + "actor-error"] * 2
    assert found["c"] == Answered("beside|c|first|c|first|a")


def test_a_row_that_read_somebody_elses_row_is_renewed_with_it(results):
    first = Text("first")
    beside, done = Beside("beside", first), {}
    runner(results, [first, beside], Actor(broken={("first", "b")})).run(SHARD, done)
    actor = Actor()
    runner(results, [first, beside], actor).run(SHARD, done, retry=Retry("actor-error"))
    assert actor.batches == [1, 2], "b itself, and those who read it: b and a"
    assert outcomes(results, beside, overlays=1) == {
        k: Answered(f"beside|{k}|first|{k}|first|{o}") for k, o in zip("abc", "bca", strict=True)
    }


class Some(Text):
    """About a alone, whatever else the shard holds."""

    def takes(self, unit):
        return unit.subject.startswith("a")


def test_a_stage_that_takes_nobody_here_has_a_result_of_no_rows(results):
    stage, done = Some("some"), {}
    alone = Shard.of([Subject("b" * 64, "b", "b")])
    runs = ShardRunner(results, [stage], Caller(lambda name: Actor()), lambda shard, each: [u for u in units(shard, each) if each.takes(u)])
    runs.run(alone, done)
    assert done == {stage.id: 0}
    assert results.read(stage, alone.key, overlays=0, units=[]) == {}
    runs.run(SHARD, {})
    assert outcomes(results, stage) == {"a": Answered("some|a")}
