"""A person's walk through the real client: we show what the client's own registry says, and what that person knows.

A run takes two steps, of kinds and in an order that ATM_TEST_SEED decides; ATM_TEST_LONG=1 makes it fifty steps.
"""

import random
import time

from tests.client.oracle import Oracle
from tests.client.sandbox import Sandbox
from tests.client.walk import RandomWalk
from tests.support.effort import LONG
from tests.support.needs import walk_seed

KINDS = {
    "answer_prompt": 3,
    "run_tool": 3,
    "allow_permission": 3,
    "deny_permission": 3,
    "ask_question": 4,
    "press_escape": 8,
    "fail_request": 2,
    "queue_prompt": 2,
    "run_own_command": 1,
    "run_background_shell": 1,
    "start_agents": 4,
    "finish_agent": 5,
    "ask_from_two_agents": 2,
    "rename_session": 1,
    "open_dialog": 1,
    "compact_conversation": 3,
    "clear_conversation": 2,
    "branch_conversation": 1,
    "kill_client": 2,
    "leave_client": 1,
}
"""How often each kind of step comes in a long walk."""
SHORT = 2
"""Steps of a short walk, each of another kind."""


def test_a_random_walk_is_reported_correctly(sandbox: Sandbox) -> None:
    seed = walk_seed()
    print(f"seed {seed} (ATM_TEST_SEED={seed} repeats it)")
    sandbox.install()
    kinds = [kind for kind, times in KINDS.items() for _ in range(times if LONG else 1)]
    chance = random.Random(seed)
    chance.shuffle(kinds)
    if not LONG:
        del kinds[SHORT:]
    with Oracle(sandbox) as oracle:
        walk = RandomWalk(sandbox, oracle, chance)
        try:
            walk.begin()
            for kind in kinds:
                began = time.monotonic()
                walk.take_step(kind)
                print(f"{walk.step}: {time.monotonic() - began:.1f} s")
            walk.finish()
        finally:
            for gate in walk.gates:
                gate.set()
    print("\n".join(oracle.report()))
    late = [str(each) for each in oracle.differences if each.seconds > oracle.limit]
    assert not late, "\n".join(late)
