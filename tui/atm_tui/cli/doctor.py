"""`atm-tui doctor`: runs all checks and prints them as lines or JSON; exit code 1 if something is broken."""

import argparse
from dataclasses import asdict
from pathlib import Path

from atm_tui import paths
from atm_tui.cli.config import list_problems
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.output import format_json, write_json, write_lines
from atm_tui.cli.targets import add_config_dir_option
from atm_tui.jump.run import has_program
from atm_tui.monitor.read_once import read_sessions
from atm_tui.settings.all_checks import find_config_dirs, run_all_checks
from atm_tui.settings.check import Check, Level
from atm_tui.settings.doctor import read_clock
from atm_tui.sources.config_file import examine_config
from atm_tui.text import format_count
from atm_tui.view.doctor_text import format_checks


def add_doctor_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `doctor`."""
    add_config_dir_option(parser, "all known ones")
    parser.add_argument("--json", action="store_true", help="print one JSON object with all checks")


def run_doctor(args: argparse.Namespace) -> int:
    """Prints all checks; returns the exit code, FAILED if something is broken."""
    found = list(run_all_checks(find_config_dirs(args.config_dir), paths.find_state_dir(), Path.cwd(), read_sessions))
    found += check_configuration(paths.find_config_file())
    is_broken = any(check.level is Level.BROKEN for check in found)
    if args.json:
        found_json = {"schema": 1, "at": read_clock(), "ok": not is_broken, "checks": [asdict(each) for each in found]}
        write_json(format_json(found_json))
        return ExitCode.FAILED if is_broken else ExitCode.DONE
    write_lines(format_checks(found))
    return ExitCode.FAILED if is_broken else ExitCode.DONE


def check_configuration(path: Path) -> list[Check]:
    """Checks the configuration: what is wrong in it, keys that are taken, programs that are not there. Nothing without a file."""
    reading = examine_config(path)
    if reading.text is None and not reading.problems:
        return []
    if problems := list_problems(path):
        text = f"{format_count(len(problems), 'problem')}; {problems[0].removeprefix(str(path)).lstrip(': ')}"
        return [Check("configuration", Level.BROKEN, str(path), text, "`atm-tui config --check` lists them all.")]
    given = reading.config.commands
    missing = dict.fromkeys(each.run[0] for each in given if not has_program(each.run[0]))
    if missing:
        text = f"not on the PATH: {', '.join(missing)}"
        advice = "Install it, or change `run` in the configuration."
        return [Check("configuration", Level.WARNING, str(path), text, advice)]
    own = f", and {format_count(len(given), 'command')} of your own, each with a free key" if given else ""
    return [Check("configuration", Level.OK, str(path), f"no problems{own}")]
