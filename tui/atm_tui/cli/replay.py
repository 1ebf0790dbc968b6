"""`atm-tui replay`: the app on the journal of a session, or on a recording in a file."""

import argparse
import math
import sys
from pathlib import Path

from atm_hooks import journal
from atm_tui.jump.find_old import NotFoundError, find_session
from atm_tui.monitor.live import LiveMonitor
from atm_tui.monitor.replay import Entry, NoJournalError, Replay, read_entries
from atm_tui.sources.theme import ThemeFile
from atm_tui.text import clean

FASTEST = 1000.0


def _speed(given: str) -> float:
    try:
        speed = float(given)
    except ValueError:
        speed = 0.0
    if not (0 < speed <= FASTEST and math.isfinite(speed)):
        raise argparse.ArgumentTypeError(f"{given}: not a number over 0, at most {FASTEST:.0f}")
    return speed


def add_replay_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `replay`."""
    parser.add_argument(
        "source", metavar="FILE|ID", help="a journal or recording, or the start of a session's id or name"
    )
    parser.add_argument("--speed", type=_speed, default=1.0, metavar="X", help="times as fast as it was (default: 1)")
    parser.add_argument("--paused", action="store_true", help="start with the clock stopped")


def run_replay(args: argparse.Namespace, monitor: LiveMonitor) -> int:
    """Opens the app on a recording; its exit code. 1: there is nothing to replay; 2: no terminal."""
    try:
        entries = _entries(args.source, monitor)
    except (NoJournalError, NotFoundError) as error:
        sys.stderr.write(f"atm-tui: {clean(str(error), lines=True)}\n")
        return 1
    # the app is painted on stderr
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        sys.stderr.write("atm-tui: the replay needs a terminal; start it in one, without a pipe or a redirection.\n")
        return 2
    from atm_tui.app import AtmApp

    replay = Replay(entries)
    replay.speed, replay.paused = args.speed, args.paused
    app = AtmApp(replay, monitor.config, themes=ThemeFile(monitor.state_dir))
    app.run()
    return app.return_code or 0


def _entries(source: str, monitor: LiveMonitor) -> list[Entry]:
    """What a file or the journal of a session holds. Raises NoJournalError or NotFoundError."""
    if Path(source).exists() or "/" in source:
        return read_entries(Path(source))
    monitor.refresh()
    session = find_session(monitor.fleet.sessions.values(), source)
    path = Path(journal.journal_path(str(monitor.state_dir), session.session_id))
    before = path.with_name(f"{path.name}.1")
    if not path.exists() and not before.exists():
        raise NoJournalError(f"{session.name}: no hook has spoken of it, so there is no journal to replay.")
    found: list[Entry] = []
    for each in (before, path):
        try:
            found += read_entries(each) if each.exists() else []
        except NoJournalError:
            # a generation that has just begun is empty; what there is of the other one is shown
            if each is path and not found:
                raise
    return sorted(found, key=lambda entry: entry[0])
