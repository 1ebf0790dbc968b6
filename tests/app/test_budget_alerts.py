"""Budget alerts are given once, even after a restart, and today's spending is counted outside the event loop."""

import json
import threading
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from atm_tui.config import Config
from atm_tui.model.session import Cost, Liveness, Session
from atm_tui.monitor.budgets import BudgetAlerts
from atm_tui.monitor.live import LiveMonitor
from tests.support.memory_monitor import MemoryMonitor


def make_session(number: int, usd: float | None, **fields: object) -> Session:
    return Session(session_id=f"s{number}", name=f"session {number}", cost=Cost(usd=usd), **fields)


class AlertHarness:
    """A watch over sessions in memory, and the alerts that it gave."""

    def __init__(self, **budgets: float) -> None:
        self.monitor = MemoryMonitor()
        self.said: list[str] = []
        self.changes = 0
        self.watch = BudgetAlerts(self.monitor, Config(**budgets), self._changed, self.said.append)

    def _changed(self) -> None:
        self.changes += 1

    def refresh(self, *sessions: Session) -> list[str]:
        self.monitor.put(sessions)
        self.monitor.refresh()
        self.said.clear()
        self.watch.check()
        return list(self.said)


def test_the_alert_for_a_sessions_budget_is_given_once() -> None:
    watched = AlertHarness(budget_session=5.0)
    assert watched.refresh(make_session(1, 4.99), make_session(2, None)) == []
    assert watched.refresh(make_session(1, 5.0)) == ["session 1 $5.00: over your budget of $5.00 a session"]
    assert watched.refresh(make_session(1, 6.0)) == []
    assert watched.refresh(make_session(1, 4.0)) == []
    assert watched.refresh(make_session(1, 7.0)) == [], "the alert was given"
    assert watched.refresh(make_session(1, 7.0), make_session(3, 9.0)) == [
        "session 3 $9.00: over your budget of $5.00 a session"
    ]


def test_simultaneous_alerts_are_one_sentence_without_ended_sessions() -> None:
    watched = AlertHarness(budget_session=1.0)
    over = [make_session(n, 2.0) for n in range(5)]
    gone = make_session(9, 50.0, liveness=Liveness.ENDED)
    (said,) = watched.refresh(*over, gone)
    assert said == "session 0 $2.00, session 1 $2.00, session 2 $2.00, 2 more: over your budget of $1.00 a session"


def test_the_alert_for_the_days_budget_is_given_once_a_day() -> None:
    watched = AlertHarness(budget_day=40.0)
    watched.monitor.fleet.today = 39.0
    assert watched.refresh() == []
    watched.monitor.fleet.today = 41.2
    assert watched.refresh() == ["$41.20 spent today: over your budget of $40.00"]
    assert watched.refresh() == []
    watched.monitor.time += 86_400
    assert watched.refresh() == ["$41.20 spent today: over your budget of $40.00"]


def test_without_budgets_there_are_no_alerts() -> None:
    watched = AlertHarness()
    watched.monitor.fleet.today = 1e6
    assert watched.refresh(make_session(1, 1e6)) == []
    assert watched.monitor.alerts == []


async def test_today_is_counted_and_shown_when_it_differs() -> None:
    watched = AlertHarness()
    watched.monitor.usd_today = 41.2
    stop = threading.Event()
    await watched.watch.count(stop)
    await watched.watch.count(stop)
    assert (watched.monitor.fleet.today, watched.changes) == (41.2, 1)
    stop.set()
    watched.monitor.usd_today = 50.0
    await watched.watch.count(stop)
    assert watched.monitor.fleet.today == 41.2, "an interrupted count changes nothing"


async def test_the_app_counts_and_warns_in_plain_text(drive) -> None:
    expensive = msgspec.structs.replace(make_session(1, 8.0), name="[/]")
    async with drive([expensive, make_session(2, 3.0)], config=Config(budget_session=5.0)) as app:
        (toast,) = app.app._notifications
        assert toast.message == "[/] $8.00: over your budget of $5.00 a session"
        assert not toast.markup
        await app.put(msgspec.structs.replace(expensive, turns=5), make_session(2, 3.5))
        assert len(app.app._notifications) == 1
        assert [row.over_budget for row in app.tree.rows if row.id[0] == "session"] == [True, False]
        app.monitor.usd_today = 3.0
        await app.app._budgets.count(app.app._stop)
        await app.wait_until(lambda: "today $3.00" in app.lines[0])


def make_answer(number: int, at: datetime, usd: float) -> str:
    message = {"id": f"m{number}", "model": "claude-opus-5-5", "usage": {"input_tokens": round(usd * 250_000)}}
    record = {"type": "assistant", "timestamp": at.isoformat(), "requestId": f"r{number}", "message": message}
    return json.dumps(record) + "\n"


def test_usage_of_today_is_counted_first_and_then_followed(tmp_path: Path) -> None:
    path = tmp_path / "claude" / "projects" / "p" / "s.jsonl"
    path.parent.mkdir(parents=True)
    noon = datetime.now().astimezone().replace(hour=12)
    early = datetime.fromtimestamp(noon.timestamp() - 86_400, UTC)
    path.write_text(make_answer(1, early, 4.0) + make_answer(2, noon, 1.0))
    app = LiveMonitor(tmp_path / "state", [tmp_path / "claude"], Config(), now=noon.timestamp)
    assert list(app.spending.count_today())[-1] == 1.0
    with path.open("a") as out:
        out.write(make_answer(3, noon, 0.5))
    assert list(app.spending.count_today())[-1] == 1.5
    assert not (tmp_path / "claude" / "cache").exists()
    price = {"input": 8.0, "output": 20.0, "cache_write_5m": 5.0, "cache_write_1h": 8.0, "cache_read": 0.2}
    app.apply_config(Config(pricing={"models": {"claude-opus-5-5": {"context_window": 1_000_000, "prices": [price]}}}))
    assert list(app.spending.count_today())[-1] == 3.0, "all of it, with other prices"


def test_alerts_are_remembered_after_a_restart_and_by_other_apps(tmp_path: Path) -> None:
    one, two = (LiveMonitor(tmp_path / "state", [tmp_path], Config()) for _ in range(2))
    assert one.is_first_time("day")
    assert not one.is_first_time("day")
    assert not two.is_first_time("day")
    assert two.is_first_time("session")
    assert not LiveMonitor(tmp_path / "state", [tmp_path], Config()).is_first_time("session")
