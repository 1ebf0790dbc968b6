"""`atm-tui` without a command: opens the monitor, or prints lines if the terminal can't show a screen."""

import gc

from atm_tui import paths
from atm_tui.cli.command_error import CommandError
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.messages import describe_missing_terminal
from atm_tui.cli.terminal import can_show_screen
from atm_tui.monitor.live import LiveMonitor
from atm_tui.sources.followed_config import FollowedConfig


def run_monitor(monitor: LiveMonitor, followed: FollowedConfig) -> int:
    """Runs the app until the user quits; returns its exit code. `followed`: the configuration of the monitor.

    Raises CommandError without a terminal.
    """
    if not can_show_screen():
        raise CommandError(
            describe_missing_terminal("the monitor", "`atm-tui status` prints the sessions."), ExitCode.USAGE
        )
    if paths.is_dumb_terminal():
        from atm_tui.cli.plain import run_plain

        gc.enable()
        return run_plain(monitor)
    from atm_tui.cli.open_app import open_app
    from atm_tui.monitor import gc_tuning
    from atm_tui.monitor.first_read import FirstRead

    gc_tuning.pause()
    first_read = FirstRead(monitor.refresh)
    first_read.give_head_start()
    return open_app(monitor, followed, greets=True, first_read=first_read)
