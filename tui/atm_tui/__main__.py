"""The start of the command `atm-tui`, which is also `python -m atm_tui`."""

import _signal  # type: ignore[import-not-found]  # `signal` takes time to load, in which Ctrl+C would show a traceback
import gc
import os
import sys

from atm_tui.cli.fixed_texts import print_fixed_text


def main() -> int:
    """Runs the command line; its exit code. Ctrl+C while modules are loaded, or after all is done, ends it without a traceback."""
    _end_on_interrupt()
    if (printed := print_fixed_text(sys.argv[1:])) is not None:
        return printed
    gc.disable()  # loading makes many objects that stay
    from atm_tui.cli.quick_finder import add_quick_finder  # noqa: PLC0415

    add_quick_finder()
    from atm_tui.cli.quick_imports import load_pathlib  # noqa: PLC0415

    load_pathlib()
    from atm_tui.cli.arguments import FREQUENT  # noqa: PLC0415
    from atm_tui.cli.main import main as run_command_line  # noqa: PLC0415

    words = tuple(sys.argv[1:])
    is_short = bool(words) and words in FREQUENT
    if words and not is_short:  # without words: what runs until the user quits turns it on once it has started
        gc.enable()
    code = run_command_line()
    _end_on_interrupt()
    if is_short:
        _leave(code)
    return code


def _leave(code: int) -> None:
    """Ends the process without freeing its memory bit by bit, which takes a tenth of a short command's time."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            return  # Python's own way to end reports it
    os._exit(code)


def _end_on_interrupt() -> None:
    """Lets the system end the process at SIGINT, unless whoever started it has it ignored."""
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)


if __name__ == "__main__":
    sys.exit(main())
