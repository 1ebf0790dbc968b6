"""Commands that print fewer figures compute fewer, with the same output."""

import time
from pathlib import Path

from atm_tui.config import Config
from atm_tui.model.fleet import Health
from atm_tui.model.session import Session
from atm_tui.monitor.figures import Counted
from atm_tui.monitor.live import LiveMonitor
from atm_tui.view.status_columns import COLUMNS
from atm_tui.view.status_json import build_status_json
from atm_tui.view.status_table import format_table
from atm_tui.view.status_tmux import describe_for_tmux
from tests.bench.busy_fleet import BusyFleet


def test_what_a_command_prints_is_the_same_with_only_the_figures_that_it_needs(tmp_path: Path) -> None:
    fleet = BusyFleet(tmp_path / "home", 3, agents=1)
    fleet.folder.mkdir()
    try:
        fleet.fill()
        fleet.settle(waiting=1, working=1)
        now = time.time()

        def read(counted: Counted) -> tuple[LiveMonitor, list[Session]]:
            monitor = LiveMonitor(fleet.state, [fleet.config], Config(), now=lambda: now, counted=counted)
            monitor.refresh()
            return monitor, list(monitor.fleet.sessions.values())

        whole, all_sessions = read(Counted.PARTS)
        assert all(each.cost.usd and each.cost.by_agent and each.context.percent for each in all_sessions)
        monitor, sessions = read(Counted.AGENTS)
        assert build_status_json(monitor.fleet, now, sessions) == build_status_json(whole.fleet, now, all_sessions)
        monitor, sessions = read(Counted.SESSIONS)
        wanted = format_table(all_sessions, now, tuple(COLUMNS), width=None, headings=True)
        assert list(format_table(sessions, now, tuple(COLUMNS), width=None, headings=True)) == list(wanted)
        monitor, sessions = read(Counted.NOTHING)
        assert describe_for_tmux(monitor.fleet) == describe_for_tmux(whole.fleet)
        assert [each.waits for each in sessions] == [each.waits for each in all_sessions]
        assert not any(each.cost.usd for each in sessions)
        assert whole.fleet.health.notices, "without installed hooks there is something to say"
        assert monitor.fleet.health == Health()
    finally:
        fleet.close()
