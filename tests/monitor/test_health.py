"""The notices about hooks: the first folder in which they don't work decides, and every problem is named."""

from msgspec.structs import replace

from atm_tui.model.session import Liveness, Session
from atm_tui.monitor.health import describe_health
from atm_tui.settings.status import HookReport, HookStatus

LIVE = Session(session_id="a", liveness=Liveness.LIVE, is_reported=True, updated_at=5.0)
GOOD = HookReport(HookStatus.INSTALLED)


def test_without_problems_there_are_no_notices() -> None:
    health = describe_health([LIVE, replace(LIVE, session_id="b", updated_at=7.0)], {"/c": GOOD}, [None])
    assert (health.hooks, health.last_event_at, health.without_hooks, health.notices) == ("installed", 7.0, 0, ())


def test_every_folder_without_hooks_is_named_and_the_first_sets_the_notice() -> None:
    reports = {
        "/a": GOOD,
        "/b": HookReport(HookStatus.STALE, "older hooks"),
        "/c": HookReport(HookStatus.MISSING, "no hooks"),
    }
    health = describe_health([], reports, ["a full disk", None])
    assert health.hooks == "stale"
    assert health.notices == ("/b: older hooks", "/c: no hooks", "a full disk")
    assert health.last_event_at is None


def test_live_sessions_without_hooks_are_counted_and_ended_ones_are_not() -> None:
    silent = replace(LIVE, is_reported=False)
    health = describe_health([silent, replace(silent, liveness=Liveness.ENDED)], {}, [])
    assert health.without_hooks == 1
    assert health.notices[0].startswith("The live session started before")
    assert "restart" in health.notices[0]
    health = describe_health([replace(silent, version="2.1.332")], {}, [])
    assert "no restart is needed" in health.notices[0]
    health = describe_health([replace(silent, version="2.1.332"), replace(silent, version="1.0.80")], {}, [])
    assert "restart the older clients" in health.notices[0]
    health = describe_health([silent, LIVE], {}, [])
    assert health.notices[0].startswith("1 of 2 live sessions started before")
