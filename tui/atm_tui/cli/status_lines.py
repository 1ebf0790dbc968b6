"""The lines of `atm-tui status`: which sessions, which columns, in which order."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from atm_tui.cli.command_error import CommandError
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.output import is_colour_terminal, is_terminal, write_fields, write_lines, write_parts
from atm_tui.model.session import Session
from atm_tui.monitor.live import LiveMonitor
from atm_tui.text import clean, suggest_name

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace, _MutuallyExclusiveGroup

    from atm_tui.model.machine import Machine


def add_table_arguments(parser: "ArgumentParser", form: "_MutuallyExclusiveGroup") -> None:
    """Adds the options that choose sessions, columns and order. `form`: the group of those that exclude each other."""
    from atm_tui.cli.parser import add_choice_option
    from atm_tui.cli.session_filter import add_filter_arguments
    from atm_tui.model.sorting import Order
    from atm_tui.view.status_columns import DEFAULT

    add_filter_arguments(parser)
    form.add_argument("--format", metavar="TEXT", help="print this text with its {fields} filled in")
    form.add_argument("--columns", metavar="A,B,…", help=f"the columns of the table (default: {','.join(DEFAULT)})")
    add_choice_option(parser, "--sort", Order, "the order (default: started)", default=Order.STARTED)
    parser.add_argument("--no-headings", dest="headings", action="store_false", help="leave out the line with headings")


def list_chosen(args: "Namespace", monitor: LiveMonitor) -> list[Session]:
    """Returns the sessions that the options choose, in the chosen order. Raises CommandError on an unknown ID."""
    if args.sessions or args.state or args.project:
        from atm_tui.cli.session_filter import select_sessions

        sessions = select_sessions(args, monitor)
    else:
        sessions = list(monitor.fleet.sessions.values())
    if args.sort == "started":  # as the fleet lists them
        return sessions
    from atm_tui.model.sorting import rank_sessions

    ranks = rank_sessions(sessions, args.sort)
    return sorted(sessions, key=lambda each: ranks[each.session_id])


def print_lines(args: "Namespace", monitor: LiveMonitor, sessions: Sequence[Session]) -> None:
    """Prints the text of --format, or the table. Raises CommandError on an unknown column or field."""
    now = monitor.now()
    if args.format is not None:
        from atm_tui.cli.missing_sessions import warn_of_missing_sessions
        from atm_tui.model.template import TemplateError
        from atm_tui.view.status_format import format_sessions

        try:
            lines = format_sessions(args.format, sessions, now)
        except TemplateError as error:
            raise CommandError(f"--format: {error}", ExitCode.USAGE) from error
        warn_of_missing_sessions(monitor)
        for line in lines:
            write_fields(line.split("\t"))
        return
    from atm_tui.view.status_columns import DEFAULT
    from atm_tui.view.status_table import EMPTY, format_table

    default = ("machine", *DEFAULT) if monitor.fleet.machines else DEFAULT
    columns = default if args.columns is None else _parse_columns(args.columns)
    has_colours = is_colour_terminal()
    table = format_table(sessions, now, columns, width=_measure_width(), headings=args.headings)
    if has_colours:
        for parts in table:
            write_parts(parts)
    else:
        write_lines("".join([text for text, _ in parts]) for parts in table)
    fleet = monitor.fleet
    unreadable = [f"unreadable  {clean(each.path)}: {clean(each.problem)}" for each in fleet.unreadable]
    notices = [f"! {clean(notice)}" for notice in (*_describe_links(fleet.machines, now), *fleet.health.notices)]
    counts = _describe_counts(fleet.machines)
    if fleet.older and not (args.sessions or args.state or args.project):
        counts.append(f"+{fleet.older:,} older, which are over. `atm-tui status --all` lists them.")
    write_lines([*counts, *([] if fleet.sessions or unreadable or counts else [EMPTY]), *unreadable, *notices])


def _describe_links(machines: "Sequence[Machine]", now: float) -> list[str]:
    """Returns a sentence for each machine whose link is not live."""
    if not machines:
        return []
    from atm_tui.view.machine_text import list_broken_links

    return list_broken_links(machines, now)


def _describe_counts(machines: "Sequence[Machine]") -> list[str]:
    """Returns a line for each machine that publishes only how many sessions it has."""
    counted = [(each.name, each.counts) for each in machines if each.counts is not None]
    if not counted:
        return []
    from atm_tui.view.machine_text import describe_counts

    return [f"{name}: {''.join(text for text, _ in describe_counts(counts))}" for name, counts in counted]


def _measure_width() -> int | None:
    """Returns the width of the terminal in cells; None if the output is none."""
    if not is_terminal():
        return None
    import shutil  # takes a while to load

    return shutil.get_terminal_size().columns


def _parse_columns(given: str) -> tuple[str, ...]:
    from atm_tui.view.status_columns import COLUMNS

    names = tuple(filter(None, (each.strip() for each in given.split(","))))
    if not names:
        raise CommandError(f"--columns: none is named; known columns: {', '.join(COLUMNS)}", ExitCode.USAGE)
    for name in names:
        if name not in COLUMNS:
            message = f'--columns: unknown column "{clean(name)}"{suggest_name(name, COLUMNS, "columns")}'
            raise CommandError(message, ExitCode.USAGE)
    return tuple(dict.fromkeys(names))
