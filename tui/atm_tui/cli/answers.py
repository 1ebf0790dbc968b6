"""`atm-tui answers`: lists the answers that were given from atm-tui, by whom, and their outcomes, as logged by the hooks."""

import argparse

from atm_hooks import answer_log
from atm_hooks.journal import UnsafeError
from atm_tui import paths
from atm_tui.cli.command_error import CommandError
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.messages import describe_read_error
from atm_tui.cli.output import format_json, write_json, write_lines
from atm_tui.view.answer_log import format_answer


def add_answers_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `answers`."""
    parser.add_argument("--json", action="store_true", help="print a JSON list, oldest first")


def run_answers(args: argparse.Namespace) -> int:
    """Prints the log of answers, newest last; returns the exit code. Raises CommandError if it can't be read."""
    root = str(paths.find_state_dir())
    try:
        lines = answer_log.read_lines(root)
    except (OSError, UnsafeError) as error:
        raise CommandError(
            describe_read_error(f"the log of answers in {root}/answers", error), ExitCode.FAILED
        ) from error
    if args.json:
        write_json(format_json(lines, indent=2))
        return ExitCode.DONE
    write_lines(map(format_answer, lines) if lines else ["Nothing was answered from here yet."])
    return ExitCode.DONE
