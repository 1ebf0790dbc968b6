"""`atm-tui statusline`: prints the command of our status line, or shows what it prints for the running sessions."""

import argparse

from atm_hooks import journal
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.output import can_show, is_colour_terminal, write_line, write_parts
from atm_tui.cli.session_argument import add_sessions_argument, find_each_session
from atm_tui.model.session import Liveness, Session
from atm_tui.monitor.live import LiveMonitor


def add_statusline_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `statusline`."""
    add_sessions_argument(parser, "all that run")
    parser.add_argument("--preview", action="store_true", help="show the line of each session in its three widths")
    parser.add_argument("--no-color", action="store_true", help="without colours, as with NO_COLOR")
    parser.add_argument("--no-unicode", action="store_true", help="in ASCII, as with the key `ascii`")


def run_statusline(args: argparse.Namespace, monitor: LiveMonitor) -> int:
    """Prints the command or the preview; returns the exit code."""
    if not args.preview:
        from atm_tui.settings.installer import Installer

        write_line(Installer.create().commands.make_statusline_command())
        return ExitCode.DONE
    monitor.refresh()
    chosen = find_each_session(args.sessions, monitor)
    chosen = chosen or [each for each in monitor.fleet.sessions.values() if each.liveness is Liveness.LIVE]
    if not chosen:
        write_line("no session runs")
    for session in chosen:
        _write_preview(session, monitor, args)
    return ExitCode.DONE


def _write_preview(session: Session, monitor: LiveMonitor, args: argparse.Namespace) -> None:
    from atm_tui.view.statusline_preview import write_preview

    root = str(monitor.state_dir)
    state = journal.load_state(root, session.session_id)
    lines = write_preview(
        session,
        state,
        monitor.config,
        monitor.now(),
        ascii_only=args.no_unicode or monitor.config.ascii or not can_show("●▰"),
        is_unreadable=state is None and journal.has_damaged_state(root, session.session_id),
    )
    write_line(f"{session.name}  {session.session_id}")
    has_colours = is_colour_terminal() and not args.no_color
    for width, parts in lines:
        write_parts([(f"{width:5}  ", ""), *((text, style if has_colours else "") for text, style in parts)])
