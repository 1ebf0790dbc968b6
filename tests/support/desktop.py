"""A desktop for tests: a session bus of its own, and on it dunst, a real notification daemon, on a screen that nobody sees."""

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.support.waiting import PATIENCE, wait_until

BUS = "org.freedesktop.DBus"
NAME = "org.freedesktop.Notifications"
CONFIG = """
[global]
    dmenu = {choose}
[urgency_normal]
    timeout = 0
"""
"""Of dunst: a notification stays until it is acted on; a program chooses from the menu of its actions."""
CHOOSE = """#!/bin/sh
grep -F "$(cat {wanted})"
"""


class Desktop:
    """Programs that are started with `env` find the bus, and the daemon on it."""

    def __init__(self, env: Mapping[str, str], received: Path, wanted: Path) -> None:
        """`received`: what the daemon printed; `wanted`: the title of the action to choose."""
        self.env = dict(env)
        self._received = received
        self._wanted = wanted

    def read_received(self) -> str:
        """Returns all notifications that the daemon received, as it prints them."""
        return self._received.read_text()

    def call(self, name: str, path: str, method: str, *arguments: str) -> str:
        """Calls a method on the bus, and returns the reply as text; empty while that is not possible."""
        words = ["dbus-send", "--session", "--print-reply=literal", f"--dest={name}", path, method, *arguments]
        done = subprocess.run(words, env=self.env, capture_output=True, text=True, timeout=PATIENCE, check=False)
        return done.stdout.strip()

    def has_daemon(self) -> bool:
        """Returns whether a notification daemon is on the bus."""
        return "true" in self.call(BUS, "/org/freedesktop/DBus", f"{BUS}.NameHasOwner", f"string:{NAME}")

    def invoke_action(self) -> None:
        """Does what a click on the newest notification does: the daemon sends ActionInvoked."""
        self.call(NAME, "/org/freedesktop/Notifications", "org.dunstproject.cmd0.NotificationAction", "uint32:0")

    def choose_action(self, title: str) -> None:
        """Chooses an action of the notifications by its title, in the menu of the daemon."""
        self._wanted.write_text(title)
        self.call(NAME, "/org/freedesktop/Notifications", "org.dunstproject.cmd0.ContextMenuCall")


class _Programs:
    """Programs in the background, with files in a folder for what they print."""

    def __init__(self, folder: Path, env: Mapping[str, str], stack: ExitStack) -> None:
        self.env = dict(env)
        self._folder = folder
        self._stack = stack

    def start(self, words: Sequence[str], output: str) -> Path:
        """Starts a program that prints into this file, and ends it with the stack."""
        path = self._folder / output
        stream = self._stack.enter_context(path.open("wb"))
        null = subprocess.DEVNULL
        process = subprocess.Popen(words, env=self.env, stdin=null, stdout=stream, stderr=null)
        self._stack.callback(process.wait, PATIENCE)
        self._stack.callback(process.terminate)
        return path

    def read_first_line(self, path: Path) -> str:
        """Waits until a program has printed a line, and returns it."""
        wait_until(lambda: path.read_text().endswith("\n"), f"the {path.name}")
        return path.read_text().strip()

    def start_display(self) -> None:
        """Starts a screen that nobody sees, for all programs after it."""
        printed = self.start(["Xvfb", "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"], "display")
        self.env["DISPLAY"] = f":{self.read_first_line(printed)}"


@contextmanager
def open_display(folder: Path, env: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Starts a screen that nobody sees, and ends it; yields the environment for its programs."""
    with ExitStack() as stack:
        programs = _Programs(folder, env, stack)
        programs.start_display()
        yield programs.env


@contextmanager
def open_desktop(folder: Path, env: Mapping[str, str]) -> Iterator[Desktop]:
    """Starts bus, screen and daemon with files in a folder, and ends them."""
    config, choose, wanted = (folder / name for name in ("dunstrc", "choose", "wanted"))
    config.write_text(CONFIG.format(choose=choose))
    choose.write_text(CHOOSE.format(wanted=wanted))
    choose.chmod(0o755)
    with ExitStack() as stack:
        programs = _Programs(folder, env, stack)
        programs.start_display()
        printed = programs.start(["dbus-daemon", "--session", "--nofork", "--print-address=1"], "address")
        programs.env["DBUS_SESSION_BUS_ADDRESS"] = programs.read_first_line(printed)
        received = programs.start(["dunst", "-print", "-conf", os.fspath(config)], "received")
        desktop = Desktop(programs.env, received, wanted)
        wait_until(desktop.has_daemon, "the notification daemon")
        yield desktop
