"""Runs the commands of the configuration on the selected session."""

import asyncio
import subprocess
from collections.abc import Sequence
from functools import partial

from atm_tui.model.custom_command import CustomCommand, Place, fill_in
from atm_tui.monitor.protocol import Monitor
from atm_tui.screens.command_screen import CommandScreen, Handlers
from atm_tui.screens.controllers.actions import RECORDED
from atm_tui.screens.custom_commands import make_custom_commands
from atm_tui.screens.suspend import run_suspended
from atm_tui.sources.exists import is_folder
from atm_tui.text import clean

_POLL = 0.25
"""Seconds between two checks of a background program, once it has run for some time."""
_LONGEST_ERROR = 2000
"""Bytes of its error output that are read."""


class CustomCommandsController:
    """Runs commands of the configuration; no shell reads their arguments."""

    def __init__(self, screen: CommandScreen, monitor: Monitor, given: Sequence[CustomCommand]) -> None:
        """`given`: the commands of the configuration, whose keys then work on the screen."""
        self._screen = screen
        self._is_recording = not monitor.capabilities.jumps
        self.made = make_custom_commands(given, screen.keys.commands)
        self.handlers: Handlers = {
            command.id: partial(self._run, custom) for custom, command in zip(given, self.made, strict=True)
        }
        screen.add_custom_commands(self.made)

    def _run(self, custom: CustomCommand) -> None:
        session = self._screen.selection.session
        if self._is_recording:
            self._screen.show_message(f"{custom.title}: {RECORDED}", trouble=True)
            return
        words = fill_in(custom, session)
        directory = session.cwd if session is not None and is_folder(session.cwd) else ""
        match custom.place:
            case Place.TERMINAL:
                self._report(custom, run_suspended(self._screen.app, words, directory))
            case Place.WINDOW:
                self._screen.run_worker(self._open_window(custom, words, directory), group="custom")
            case Place.BACKGROUND:
                self._screen.run_worker(self._run_in_background(custom, words, directory), group="custom")

    async def _open_window(self, custom: CustomCommand, words: tuple[str, ...], directory: str) -> None:
        from atm_tui.jump.own_terminal import find_own_terminal  # noqa: PLC0415
        from atm_tui.jump.run import resolve_program, run_command  # noqa: PLC0415
        from atm_tui.jump.tmux import make_new_window_command  # noqa: PLC0415
        from atm_tui.jump.values import JumpError  # noqa: PLC0415

        def open_window() -> str:
            if (resolved := resolve_program(words)) is None:
                return f"{words[0]} is not on the PATH"
            if (window := make_new_window_command(resolved, directory, find_own_terminal())) is None:
                return "atm-tui doesn't run in tmux, so that it can't open a window there"
            try:
                run_command(window)
            except JumpError as error:
                return str(error)
            return ""

        self._report(custom, await asyncio.to_thread(open_window), done="opened a tmux window")

    async def _run_in_background(self, custom: CustomCommand, words: tuple[str, ...], directory: str) -> None:
        from tempfile import TemporaryFile  # noqa: PLC0415

        with TemporaryFile() as errors:
            try:
                process = subprocess.Popen(  # noqa: ASYNC220  starting takes a moment only
                    words,
                    cwd=directory or None,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=errors,
                    start_new_session=True,
                )
            except OSError as error:
                self._report(custom, f"{words[0]}: {error.strerror}")
                return
            self._screen.show_message(f"{custom.title}: started")
            pause = _POLL / 8
            while process.poll() is None:
                await asyncio.sleep(pause)
                pause = min(2 * pause, _POLL)
            errors.seek(0)
            lines = errors.read(_LONGEST_ERROR).decode(errors="replace").split("\n")
        problem = next((clean(line) for line in lines if line.strip()), "")
        ended = f"ended with {process.returncode}{f': {problem}' if problem else ''}"
        self._report(custom, ended if process.returncode else None, done="done")

    def _report(self, custom: CustomCommand, trouble: str | None, *, done: str = "") -> None:
        if trouble:
            self._screen.show_message(f"{custom.title}: {clean(trouble)}", trouble=True)
        elif done:
            self._screen.show_message(f"{custom.title}: {done}")
