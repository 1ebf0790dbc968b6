"""`atm-tui hosts`: lists the other machines, tries the link to each, and says what is missing there."""

import argparse
import time
from collections.abc import Mapping
from typing import Any

import msgspec

from atm_tui import paths
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.host_argument import choose_hosts
from atm_tui.cli.output import format_json, write_json, write_line, write_text
from atm_tui.cli.parser import parse_seconds
from atm_tui.cli.user_config import read_user_config
from atm_tui.model.host import Host
from atm_tui.model.machine import LinkState
from atm_tui.monitor.answers_elsewhere import AnswersElsewhere
from atm_tui.monitor.link import Link, LinkUpdate
from atm_tui.text import clean, fit_width, format_count
from atm_tui.view.machine_text import describe_answers, describe_clock

WAIT = 25.0
"""Seconds that a machine has to answer."""


def add_hosts_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `hosts`."""
    parser.add_argument("names", nargs="*", metavar="NAME", help="a machine (default: all of the configuration)")
    parser.add_argument("--json", action="store_true", help="print a JSON object for each machine")
    parser.add_argument(
        "--timeout", type=parse_seconds, default=WAIT, metavar="S", help=f"seconds to wait for each (default: {WAIT:g})"
    )


def run_hosts(args: argparse.Namespace) -> int:
    """Prints a line for each machine; returns the exit code: FAILED when one can't be shown."""
    config, _ = read_user_config()
    hosts = choose_hosts(args.names, config, always=not args.names)
    if not hosts:
        write_text(
            f"No other machines are configured. For one of them, put this into {clean(str(paths.find_config_file()))}:\n\n"
            '[hosts.gpu]\nssh = "user@gpu"'
        )
        return ExitCode.DONE
    updates = _ask_all(hosts, args.timeout)
    for name, host in hosts.items():
        if args.json:
            write_json(format_json(_build_json(host, updates[name])))
        else:
            _print(name, host, updates[name], max(map(len, hosts)))
    return ExitCode.DONE if all(each.machine.link is LinkState.LIVE for each in updates.values()) else ExitCode.FAILED


def _ask_all(hosts: Mapping[str, Host], timeout: float) -> dict[str, LinkUpdate]:
    """Asks all machines at the same time."""
    links = {name: Link(name, host, time.time, lambda: None) for name, host in hosts.items()}
    answers = AnswersElsewhere(links.values(), time.time, lambda: None)
    try:
        for link in links.values():
            link.start()
        until = time.monotonic() + timeout
        for link in links.values():
            link.wait_settled(max(0.0, until - time.monotonic()))
        answers.ask(max(0.0, until - time.monotonic()))
        updates = {name: link.take() for name, link in links.items()}
        return {
            name: msgspec.structs.replace(each, machine=answers.describe(each.machine))
            for name, each in updates.items()
        }
    finally:
        for link in links.values():
            link.stop()


def _find_problem(update: LinkUpdate) -> str:
    if update.machine.link is LinkState.LIVE:
        return ""
    return update.machine.problem or "no answer in time"


def _print(name: str, host: Host, update: LinkUpdate, width: int) -> None:
    problem = _find_problem(update)
    clock = f"its clock is {ahead}" if (ahead := describe_clock(update.machine.ahead)) else ""
    answers = describe_answers(update.machine)
    parts = (
        f"atm-tui {update.machine.version}",
        format_count(len(update.sessions), "session"),
        clock,
        f"answers {answers}" if answers and not update.machine.arming_problem else "",
    )
    found = ", ".join(filter(None, parts))
    how = host.describe()
    write_line(f"{fit_width(name, width)}  {'fail' if problem else 'ok  '}  {problem or found}  ({how})")
    if update.machine.arming_problem:
        write_line(f"{' ' * width}  warn  answers {answers}")
    for notice in update.machine.notices:
        write_line(f"{' ' * width}  warn  {notice}")


def _build_json(host: Host, update: LinkUpdate) -> dict[str, Any]:
    machine = update.machine
    return {
        "name": machine.name,
        "how": host.describe(),
        "state": machine.link.value,
        "problem": _find_problem(update) or None,
        "version": machine.version or None,
        "sessions": len(update.sessions),
        "clock_ahead": round(machine.ahead, 1),
        "answers": machine.arming.value if machine.arming else None,
        "answers_problem": machine.arming_problem or None,
        "notices": list(machine.notices),
    }
