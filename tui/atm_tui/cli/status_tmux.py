"""`atm-tui status --tmux`: one short line for the status line of tmux, which asks for it every few seconds.

The line is built from what an earlier call saved of each session; only sessions that changed since are read again.
"""

import time
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import TYPE_CHECKING

from atm_tui import paths
from atm_tui.cli.command_error import CommandError
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.output import can_show, write_line
from atm_tui.sources.kept_parts import KeptParts
from atm_tui.view.tmux_line import NEEDS, WORKING, TmuxFacts, count_for_tmux, format_tmux

if TYPE_CHECKING:
    from argparse import Namespace

    from atm_tui.monitor.live import LiveMonitor

MakeMonitor = Callable[["Collection[str] | None"], "LiveMonitor"]
"""Makes a monitor; takes the files to which its reading is limited, None for all."""
_NAME = "status-line"
"""The file in the cache folder."""
_ASCII = "ascii"


def run_status_tmux(args: "Namespace", make_monitor: MakeMonitor) -> int:
    """Prints the line; returns the exit code. Raises CommandError when sessions are chosen too."""
    if args.sessions or args.state or args.project:
        raise CommandError("--tmux counts all sessions: leave out the others, or use --format.", ExitCode.USAGE)
    config_file = str(paths.find_config_file())
    folders = map(str, args.watch or [paths.find_claude_config_dir()])
    others = [*args.host, *([args.nats] if args.nats else ())]
    kept = KeptParts(paths.find_cache_dir(), _NAME, [str(paths.find_state_dir()), config_file, *folders, *others])
    facts, ascii_only = read_facts(kept, config_file, make_monitor, time.time())
    write_line(format_tmux(facts, time.time(), ascii_only=ascii_only or not can_show(NEEDS[0] + WORKING[0])))
    return ExitCode.DONE


def read_facts(kept: KeptParts, config_file: str, make_monitor: MakeMonitor, now: float) -> tuple[TmuxFacts, bool]:
    """Returns the facts of the line at `now` (epoch seconds), and whether the configuration wants ASCII; keeps what was read."""
    if kept.load(now) and (not kept.stale or _renew(kept, make_monitor, now)):
        with suppress(ValueError):  # what another program wrote there
            return count_for_tmux(kept.texts), kept.shared_texts == [_ASCII]
    monitor = make_monitor(None)  # before anything else loads msgspec
    monitor.refresh()
    from atm_tui.view.status_tmux import describe_for_tmux

    if monitor.fleet.machines:
        from atm_tui.cli.missing_sessions import warn_of_missing_sessions  # most users have one machine

        warn_of_missing_sessions(monitor)
    texts, ascii_only = describe_for_tmux(monitor.fleet), monitor.config.ascii
    if (found := monitor.list_parts(texts)) is not None:
        parts, shared = found
        shared.sources.paths = [config_file, *shared.sources.paths]
        shared.texts = [_ASCII] if ascii_only else []
        kept.save(parts, shared, now)
    return count_for_tmux(texts), ascii_only


def _renew(kept: KeptParts, make_monitor: MakeMonitor, now: float) -> bool:
    """Reads only the sessions that changed; returns whether that was possible, and enough."""
    if 2 * len(kept.stale) > len(kept.texts):
        return False
    monitor = make_monitor(kept.list_files())
    monitor.refresh()
    from atm_tui.view.status_tmux import describe_for_tmux

    found = monitor.list_parts(describe_for_tmux(monitor.fleet))
    return found is not None and kept.renew(found[0], now)
