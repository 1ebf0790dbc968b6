"""Reads all sessions once, for commands that need them only once."""

import math
from collections.abc import Iterable
from pathlib import Path

from atm_tui.config import Config
from atm_tui.model.session import Session
from atm_tui.monitor.figures import Counted
from atm_tui.monitor.live import LiveMonitor
from atm_tui.monitor.reading import MOST_WHOLE


def read_sessions(state_dir: Path, config_dirs: Iterable[Path], counted: Counted = Counted.PARTS) -> list[Session]:
    """Returns the sessions of these folders as they are now; of those that are over, the newest. Blocks while it reads.

    Removes nothing: how long files are kept is in the configuration, which is not read.
    """
    config = Config(forget_after=math.inf)
    monitor = LiveMonitor(state_dir, config_dirs, config, counted=counted, most_whole=MOST_WHOLE)
    monitor.refresh()
    return list(monitor.fleet.sessions.values())
