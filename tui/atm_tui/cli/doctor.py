"""`atm-tui doctor`: runs all checks and prints them as lines or JSON; exit code 1 if something is broken."""

import argparse
from dataclasses import asdict
from pathlib import Path

from atm_tui import paths
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.output import format_json, write_json, write_lines
from atm_tui.cli.targets import add_config_dir_option
from atm_tui.monitor.read_once import read_sessions
from atm_tui.settings.all_checks import find_config_dirs, run_all_checks
from atm_tui.settings.check import Level
from atm_tui.settings.doctor import read_clock
from atm_tui.view.doctor_text import format_checks


def add_doctor_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `doctor`."""
    add_config_dir_option(parser, "all known ones")
    parser.add_argument("--json", action="store_true", help="print one JSON object with all checks")


def run_doctor(args: argparse.Namespace) -> int:
    """Prints all checks; returns the exit code, FAILED if something is broken."""
    found = list(run_all_checks(find_config_dirs(args.config_dir), paths.find_state_dir(), Path.cwd(), read_sessions))
    is_broken = any(check.level is Level.BROKEN for check in found)
    if args.json:
        found_json = {"schema": 1, "at": read_clock(), "ok": not is_broken, "checks": [asdict(each) for each in found]}
        write_json(format_json(found_json))
        return ExitCode.FAILED if is_broken else ExitCode.DONE
    write_lines(format_checks(found))
    return ExitCode.FAILED if is_broken else ExitCode.DONE
