"""How long a snooze lasts, what the next press does, and when a dismissal ends."""

import msgspec
import pytest

from atm_tui.model.flags import NO_FLAGS, SessionFlags, Snooze, choose_next_snooze, is_dismissed, is_snoozed
from atm_tui.model.fleet import Fleet
from atm_tui.model.session import Liveness, Session, State
from atm_tui.model.wait import Wait

ASKS = Session(session_id="s", state=State.NEEDS_YOU, since=100.0)
OVER = Session(session_id="s", liveness=Liveness.ENDED, since=50.0, ended_at=100.0)


def test_repeated_presses_cycle_through_the_durations() -> None:
    flags, spells = NO_FLAGS, []
    for _ in range(4):
        flags = SessionFlags(snooze=choose_next_snooze(ASKS, flags, 200.0))
        spells.append(flags.snooze and (flags.snooze.seconds or 0.0))
    assert spells == [0.0, 900.0, 3600.0, None]


def test_after_a_snooze_ends_the_durations_start_over() -> None:
    flags = SessionFlags(snooze=Snooze(at=200.0, seconds=900.0))
    after = choose_next_snooze(ASKS, flags, 1200.0)
    assert after is not None
    assert after.seconds is None


def test_a_snooze_can_last_until_the_session_changes() -> None:
    flags = SessionFlags(snooze=Snooze(at=200.0, since=100.0))
    assert is_snoozed(ASKS, flags, 1e9)
    assert not is_snoozed(msgspec.structs.replace(ASKS, since=300.0), flags, 300.0)
    assert not is_snoozed(msgspec.structs.replace(ASKS, waits=(Wait(key="k", since=250.0),)), flags, 300.0)
    assert not is_snoozed(msgspec.structs.replace(ASKS, liveness=Liveness.LOST), flags, 300.0)


@pytest.mark.parametrize(("now", "asleep"), [(200.0, True), (1099.0, True), (1100.0, False)])
def test_a_timed_snooze_outlasts_changes(now: float, asleep: bool) -> None:
    flags = SessionFlags(snooze=Snooze(at=200.0, seconds=900.0, since=100.0))
    assert is_snoozed(msgspec.structs.replace(ASKS, since=150.0), flags, now) is asleep


def test_a_dismissed_session_comes_back_when_it_resumes_or_ends_again() -> None:
    flags = SessionFlags(dismissed=100.0)
    assert is_dismissed(OVER, flags)
    assert not is_dismissed(msgspec.structs.replace(OVER, ended_at=400.0), flags)
    assert not is_dismissed(msgspec.structs.replace(OVER, liveness=Liveness.LIVE), flags)
    assert not is_dismissed(OVER, NO_FLAGS)


def test_a_snoozed_session_does_not_need_you_until_the_snooze_ends() -> None:
    fleet = Fleet()
    fleet.update([ASKS])
    flags = {"s": SessionFlags(snooze=Snooze(at=200.0, seconds=900.0)), "gone": SessionFlags(pinned=True)}
    assert fleet.apply_flags(flags, 300.0)
    assert not fleet.apply_flags(flags, 301.0)
    assert (fleet.list_attention(), fleet.compute_totals().needs_you) == ((), 1)
    assert fleet.apply_flags(flags, 1200.0)
    assert fleet.list_attention() == (ASKS,)
