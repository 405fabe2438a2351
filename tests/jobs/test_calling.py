"""Actors that wait on a server on purpose are not ended by the watchdog, and keep their units together."""

import subprocess
import sys

import pytest

from engine.outcome import Answered
from engine.store.folder import FolderBackend
from jobs.attempts import ALONE_AFTER, Attempts
from jobs.calling import Call, Caller
from jobs.watchdog import EXIT_CODE

WAITING = """
import time
from engine.outcome import Answered
from jobs.calling import Call, Caller
from jobs.watchdog import Watchdog

class Actor:
    patient = {patient}

def ask(actor, requests):
    time.sleep(1)
    return [Answered(each) for each in requests]

print(Caller(lambda name: Actor(), watchdog=Watchdog(0.2)).outcomes("writer", ask, [Call("s", "f", "u", "r")], "0" * 64, None))
"""


@pytest.mark.parametrize(("patient", "returned"), [(True, 0), (False, EXIT_CODE)])
def test_only_a_patient_actor_may_take_longer_than_the_limit(patient, returned):
    script = WAITING.format(patient=patient)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == returned
    assert ("Answered" in done.stdout) is patient


@pytest.mark.parametrize(("patient", "batches"), [(True, [3]), (False, [1, 1, 1])])
def test_after_lost_tasks_a_patient_actor_is_still_asked_for_all_units_together(tmp_path, patient, batches):
    """What is asked for in pieces would be paid again: a provider's batch is known by its rows."""
    attempts, asked = Attempts(FolderBackend(tmp_path), "0" * 16, "writer-1"), []

    class Actor:
        pass

    Actor.patient = patient

    def ask(actor, requests):
        asked.append(len(requests))
        return [Answered(each) for each in requests]

    for _ in range(ALONE_AFTER + 1):
        attempt = attempts.begin("a" * 64)
    assert attempt.alone
    calls = [Call("stage", "b" * 64, f"{unit}" * 64, unit) for unit in range(3)]
    outcomes = Caller(lambda name: Actor(), attempts=attempts).outcomes("writer", ask, calls, "a" * 64, attempt)
    assert outcomes == [Answered(0), Answered(1), Answered(2)]
    assert asked == batches
