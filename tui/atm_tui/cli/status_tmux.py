"""`atm-tui status --tmux`: one short line for the status line of tmux, which asks for it every few seconds.

While its sources are unchanged, the line is built from facts that an earlier call saved.
"""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from atm_tui import paths
from atm_tui.cli.command_error import CommandError
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.output import can_show, write_line
from atm_tui.sources.kept_result import KeptResult, Sources
from atm_tui.view.tmux_line import NEEDS, WORKING, TmuxFacts, format_tmux

if TYPE_CHECKING:
    from argparse import Namespace

    from atm_tui.monitor.live import LiveMonitor

_NAME = "status-line"
"""The file in the cache folder."""
_FIELDS = 5
"""Number of texts in a saved line."""


def run_status_tmux(args: "Namespace", make_monitor: "Callable[[], LiveMonitor]") -> int:
    """Prints the line; returns the exit code. Raises CommandError when sessions are chosen too."""
    if args.sessions or args.state or args.project:
        raise CommandError("--tmux counts all sessions: leave out the others, or use --format.", ExitCode.USAGE)
    began = time.time()
    config_file = str(paths.find_config_file())
    folders = map(str, args.watch or [paths.find_claude_config_dir()])
    others = [*args.host, *([args.nats] if args.nats else ())]
    kept = KeptResult(paths.find_cache_dir(), _NAME, [str(paths.find_state_dir()), config_file, *folders, *others])
    texts = kept.load(began)
    if texts is not None and len(texts) == _FIELDS:
        waiting, working, name, since, ascii_only = texts
        _print_line(TmuxFacts(int(waiting), int(working), name, float(since)), began, ascii_only=bool(ascii_only))
        return ExitCode.DONE
    monitor = make_monitor()  # before anything else loads msgspec
    monitor.refresh()
    from atm_tui.view.status_tmux import summarize_for_tmux

    facts, is_ascii = summarize_for_tmux(monitor.fleet), monitor.config.ascii
    _print_line(facts, monitor.now(), ascii_only=is_ascii)
    if (found := monitor.list_sources()) is not None:
        texts = [str(facts.waiting), str(facts.working), facts.name, repr(facts.since), "ascii" if is_ascii else ""]
        kept.save(texts, Sources([config_file, *found.paths], found.processes, found.until), began)
    return ExitCode.DONE


def _print_line(facts: TmuxFacts, at: float, *, ascii_only: bool) -> None:
    write_line(format_tmux(facts, at, ascii_only=ascii_only or not can_show(NEEDS[0] + WORKING[0])))
