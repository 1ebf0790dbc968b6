"""Gives the terminal to another program, and restores it afterwards."""

import signal
import subprocess
from types import FrameType

from textual.app import App, SuspendNotSupported

from atm_tui.jump.values import Command
from atm_tui.sources.exists import is_folder


def run_suspended(app: App[None], command: Command, directory: str = "") -> str | None:
    """Suspends the app while a program has its terminal. Returns None, or why the program could not run.

    The app blocks meanwhile, so that it does not draw over the program.
    """
    if directory and not is_folder(directory):
        return f"no such folder: {directory}"
    # ^C and ^\\ are meant for the program; a handler, unlike SIG_IGN, is not inherited by it.
    before = {number: signal.signal(number, _ignore) for number in (signal.SIGINT, signal.SIGQUIT)}
    try:
        with app.suspend():
            try:
                subprocess.run(command, cwd=directory or None, check=False)
            except FileNotFoundError:
                return f"{command[0]} is not on the PATH"
            except OSError as error:
                return f"{command[0]}: {error.strerror}"
    except SuspendNotSupported:
        return "the terminal can't be handed over here"
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return None


def _ignore(_number: int, _frame: FrameType | None) -> None:
    """Does nothing: the signal was for the other program."""
