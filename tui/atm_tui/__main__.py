"""The start of the command `atm-tui`, which is also `python -m atm_tui`."""

import _signal  # type: ignore[import-not-found]  # `signal` takes time to load, in which Ctrl+C would show a traceback
import sys


def main() -> int:
    """Runs the command line; its exit code. Ctrl+C while modules are loaded, or after all is done, ends it without a traceback."""
    _end_on_interrupt()
    from atm_tui.cli.fixed_texts import print_fixed_text  # noqa: PLC0415

    if (printed := print_fixed_text(sys.argv[1:])) is not None:
        return printed
    from atm_tui.cli.main import main as run_command_line  # noqa: PLC0415

    code = run_command_line()
    _end_on_interrupt()
    return code


def _end_on_interrupt() -> None:
    """Lets the system end the process at SIGINT, unless whoever started it has it ignored."""
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)


if __name__ == "__main__":
    sys.exit(main())
