"""Whether a process serves a session: kills, reused pids, processes that switched sessions, silence, reboots."""

from typing import Any

import pytest

from atm_tui.model.facts import HookEnd, HookProcess, HookState, ProcessFact, RegistryEntry
from atm_tui.model.liveness import SILENT, decide_liveness, find_live_entries, is_same_process
from atm_tui.model.session import Liveness

NOW = 1_000_000.0
RUNS = ProcessFact(pid=7, start="500", created_at=NOW - 100)


def make_hooks(**given: Any) -> HookState:
    process = HookProcess(first=NOW - 90, last=NOW - 10, began=NOW - 90, start="500")
    values: dict[str, Any] = {"pid": 7, "processes": {"7": process}, "updated_at": NOW - 10} | given
    return HookState(schema=1, session_id="s", **values)


def make_entry(**given: Any) -> RegistryEntry:
    return RegistryEntry(**({"pid": 7, "session_id": "s", "proc_start": "500"} | given))


def find_liveness(
    state: HookState | None,
    entries: tuple[RegistryEntry, ...] = (),
    processes: dict[int, ProcessFact] | None = None,
    serving: dict[int, str] | None = None,
    boot_at: float = 0.0,
) -> tuple[Liveness, str | None]:
    running = processes or {}
    return decide_liveness(state, find_live_entries(entries, running), running, serving or {}, boot_at, NOW)


def test_a_registered_process_that_runs_is_live() -> None:
    assert find_liveness(make_hooks(), (make_entry(),), {7: RUNS}) == (Liveness.LIVE, None)


def test_a_process_known_only_to_hooks_is_live_too() -> None:
    assert find_liveness(make_hooks(), (), {7: RUNS}) == (Liveness.LIVE, None)


def test_a_process_that_vanished_is_lost() -> None:
    assert find_liveness(make_hooks(), (make_entry(),)) == (Liveness.LOST, None)


def test_a_reused_pid_is_another_process() -> None:
    other = ProcessFact(pid=7, start="900", created_at=NOW - 5)
    assert find_liveness(make_hooks(), (make_entry(),), {7: other}) == (Liveness.LOST, None)


def test_without_clock_ticks_the_creation_time_reveals_a_reused_pid() -> None:
    young = ProcessFact(pid=7, created_at=NOW - 5)
    assert not is_same_process(young, None, NOW - 10)
    assert is_same_process(ProcessFact(pid=7, created_at=NOW - 100), None, NOW - 10)


def test_an_unreadable_process_counts_as_running() -> None:
    assert is_same_process(ProcessFact(pid=7), "500", NOW)


def test_a_session_end_event_ends_the_session_with_its_reason() -> None:
    ended = make_hooks(session_active=False, ended=HookEnd(at=NOW - 5, reason="prompt_input_exit"))
    assert find_liveness(ended, (), {7: RUNS}) == (Liveness.ENDED, "prompt_input_exit")


def test_the_end_of_one_of_two_processes_does_not_end_the_session() -> None:
    ended = make_hooks(session_active=False, ended=HookEnd(at=NOW - 5))
    other = ProcessFact(pid=8, start="501", created_at=NOW - 50)
    assert find_liveness(ended, (make_entry(pid=8, proc_start="501"),), {8: other}) == (Liveness.LIVE, None)


def test_a_process_that_switched_sessions_ended_the_previous_one() -> None:
    """/clear and /resume, when their SessionEnd was missed."""
    assert find_liveness(make_hooks(), (), {7: RUNS}, serving={7: "other"}) == (Liveness.ENDED, "moved")


def test_age_decides_only_when_no_pid_is_known() -> None:
    silent = make_hooks(pid=None, processes={}, updated_at=NOW - SILENT + 60)
    assert find_liveness(silent)[0] is Liveness.LIVE
    assert find_liveness(make_hooks(pid=None, processes={}, updated_at=NOW - SILENT - 60))[0] is Liveness.LOST
    long = HookProcess(first=NOW - 10 * SILENT, last=NOW - 9 * SILENT, began=NOW - 10 * SILENT, start="500")
    assert (
        find_liveness(make_hooks(processes={"7": long}, updated_at=NOW - 9 * SILENT), (), {7: RUNS})[0] is Liveness.LIVE
    )


def test_state_from_before_the_last_boot_is_lost() -> None:
    assert find_liveness(make_hooks(pid=None, processes={}), boot_at=NOW - 5)[0] is Liveness.LOST


@pytest.mark.parametrize("runs", [True, False])
def test_a_session_without_hooks_is_live_while_its_process_runs(runs: bool) -> None:
    expected = Liveness.LIVE if runs else Liveness.LOST
    assert find_liveness(None, (make_entry(),), {7: RUNS} if runs else {})[0] is expected
