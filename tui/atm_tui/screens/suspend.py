"""Gives the terminal to another program or to the shell, and restores it afterwards."""

import asyncio
import contextlib
import signal
import subprocess
import threading
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Any

from textual.app import App, SuspendNotSupported
from textual.driver import Driver

from atm_tui.sources.exists import is_folder

if TYPE_CHECKING:
    from atm_tui.jump.values import Command


def run_suspended(app: App[None], command: "Command", directory: str = "") -> str | None:
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


def handle_stop_and_continue(app: App[Any], driver: Driver | None, repaint: Callable[[], None]) -> None:
    """Lets SIGCONT resume the screen only after SIGTSTP; after a SIGSTOP only `repaint` is called.

    SIGTSTP stops the app between two callbacks of its loop: within one, it may hold the lock of what is written, which stopping
    needs as well, and would wait for itself for ever.

    When a terminal is closed, the system sends SIGCONT with SIGHUP. Textual would then start its threads a second time,
    on a terminal that is gone, and wait for their output for ever. Does nothing without a terminal: each app that set a
    handler over that of the one before would keep it in memory.
    """
    if threading.current_thread() is not threading.main_thread() or driver is None or app.is_headless:
        return
    loop = asyncio.get_running_loop()
    stop, resume = signal.getsignal(signal.SIGTSTP), signal.getsignal(signal.SIGCONT)

    def on_stop(number: int, frame: FrameType | None) -> None:
        if callable(stop) and getattr(driver, "_auto_restart", True):  # else another program has the terminal
            loop.call_soon_threadsafe(stop, number, frame)

    def on_continue(number: int, frame: FrameType | None) -> None:
        if callable(resume) and getattr(driver, "_must_signal_resume", True):
            resume(number, frame)
        else:
            app.call_later(repaint)

    signal.signal(signal.SIGTSTP, on_stop)
    signal.signal(signal.SIGCONT, on_continue)


def leave_on_signals(leave: Callable[[int], object]) -> None:
    """Makes SIGTERM and SIGHUP quit as `q` does, so that the terminal is restored. `leave` gets the exit code."""
    if threading.current_thread() is not threading.main_thread():
        return
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGHUP):
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(number, leave, 128 + number)


def _ignore(_number: int, _frame: FrameType | None) -> None:
    """Does nothing: the signal was for the other program."""
