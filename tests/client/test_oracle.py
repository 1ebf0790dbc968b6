"""A person's walk through the real client: we show what the client's own registry says, and what that person knows.

A run takes five steps, of kinds and in an order that ATM_TEST_SEED decides; ATM_TEST_LONG=1 makes it fifty steps.
"""

import random
import time

from tests.client.lab import Lab
from tests.client.oracle import Oracle
from tests.client.walk import Walk
from tests.support.effort import LONG
from tests.support.needs import walk_seed

KINDS = {
    "text": 3,
    "tool": 3,
    "allowed": 3,
    "denied": 3,
    "question": 4,
    "escape": 8,
    "failing": 2,
    "queued": 2,
    "bang": 1,
    "shell": 1,
    "agents": 4,
    "home": 5,
    "both": 2,
    "rename": 1,
    "dialog": 1,
    "compact": 3,
    "clear": 2,
    "branch": 1,
    "kill": 2,
    "leave": 1,
}
"""How often each kind of step comes in a long walk."""
SHORT = 5
"""Steps of a short walk, each of another kind."""


def test_a_random_walk_is_told_as_it_happens(lab: Lab) -> None:
    seed = walk_seed()
    print(f"seed {seed} (ATM_TEST_SEED={seed} repeats it)")
    lab.install()
    kinds = [kind for kind, times in KINDS.items() for _ in range(times if LONG else 1)]
    chance = random.Random(seed)
    chance.shuffle(kinds)
    if not LONG:
        del kinds[SHORT:]
    with Oracle(lab) as oracle:
        walk = Walk(lab, oracle, chance)
        try:
            walk.begin()
            for kind in kinds:
                began = time.monotonic()
                walk.take(kind)
                print(f"{walk.step}: {time.monotonic() - began:.1f} s")
            walk.finish()
        finally:
            for gate in walk.gates:
                gate.set()
    print("\n".join(oracle.report()))
    late = [str(each) for each in oracle.differences if each.seconds > oracle.limit]
    assert not late, "\n".join(late)
