"""Entry point of the command `atm-tui`, which is also `python -m atm_tui`."""

import signal
import sys


def main() -> int:
    """Runs the command line; returns its exit code. Ctrl+C ends it without a traceback, also while modules are loaded."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from atm_tui.cli.main import main as run_command_line  # noqa: PLC0415

    code = run_command_line()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return code


if __name__ == "__main__":
    sys.exit(main())
