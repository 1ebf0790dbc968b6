"""`atm-tui doctor`: every check at once, as lines or as JSON; exit code 1 when something is broken."""

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from atm_tui import paths
from atm_tui.cli.doctor_jumps import check_jumps
from atm_tui.settings.check import Check, Level
from atm_tui.settings.console import out, out_json
from atm_tui.settings.doctor import (
    check_answers,
    check_policy,
    check_project,
    check_sessions,
    check_settings,
    clock,
)
from atm_tui.settings.doctor_machine import check_client, check_inotify, check_tmux
from atm_tui.settings.doctor_state import check_hook_log, check_state_dir
from atm_tui.settings.locations import config_dirs, managed_dir, receipts_dir
from atm_tui.settings.receipt import Receipts

SIGNS = {Level.OK: "ok      ", Level.WARNING: "warning ", Level.BROKEN: "BROKEN  "}


def add_doctor_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `atm-tui doctor`."""
    parser.add_argument(
        "--config-dir",
        action="append",
        default=[],
        metavar="DIR",
        help="a config folder of Claude Code; may be given more than once (default: all that we know of)",
    )
    parser.add_argument("--json", action="store_true", help="for scripts: one object with all checks")


def run_doctor(args: argparse.Namespace) -> int:
    """0: nothing broken; 1: something is."""
    found = list(all_checks(known_folders(args.config_dir), paths.state_dir(), Path.cwd()))
    is_broken = any(check.level is Level.BROKEN for check in found)
    if args.json:
        out_json(
            json.dumps({"schema": 1, "at": clock(), "ok": not is_broken, "checks": [asdict(each) for each in found]})
        )
        return int(is_broken)
    where = None
    for check in found:
        if check.where != where:
            out(check.where)
            where = check.where
        out(f"  {SIGNS[check.level]}{check.name}: {check.text}")
        if check.advice:
            out(f"          {check.advice}")
    return int(is_broken)


def all_checks(config_dirs: list[Path], state_dir: Path, project: Path) -> Iterator[Check]:
    """Every check, grouped by what it looks at; `project` is the folder whose own settings count too."""
    for folder in config_dirs:
        yield from check_settings(folder, state_dir)
        yield from check_sessions(folder, state_dir, clock())
    yield from check_project(project, config_dirs[0], state_dir)
    yield from check_policy(managed_dir())
    yield from check_state_dir(state_dir)
    yield from check_hook_log(state_dir, clock())
    yield from check_answers(state_dir)
    yield from check_inotify()
    yield from check_tmux()
    yield from check_client()
    yield from check_jumps(state_dir, config_dirs)


def known_folders(given: list[str]) -> list[Path]:
    """Those that were named; else the shell's own and those that we once installed into and that are still there."""
    named = config_dirs(given)
    if given:
        return named
    written = [path.parent for path in Receipts(receipts_dir()).targets() if path.name == "settings.json"]
    return list(dict.fromkeys([*named, *(folder for folder in written if folder.is_dir())]))
