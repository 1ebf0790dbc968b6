"""Reads all sessions once, for commands that need them only once."""

from collections.abc import Iterable
from pathlib import Path

from atm_tui.config import Config
from atm_tui.model.session import Session
from atm_tui.monitor.live import LiveMonitor


def read_sessions(state_dir: Path, config_dirs: Iterable[Path]) -> list[Session]:
    """Returns the sessions of these folders as they are now, ended ones too. Blocks while it reads."""
    monitor = LiveMonitor(state_dir, config_dirs, Config())
    monitor.refresh()
    return list(monitor.fleet.sessions.values())
