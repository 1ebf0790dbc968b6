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


@contextmanager
def open_desktop(folder: Path, env: Mapping[str, str]) -> Iterator[Desktop]:
    """Starts bus, screen and daemon with files in a folder, and ends them."""
    files = {name: folder / name for name in ("display", "address", "received", "dunstrc", "choose", "wanted")}
    files["dunstrc"].write_text(CONFIG.format(choose=files["choose"]))
    files["choose"].write_text(CHOOSE.format(wanted=files["wanted"]))
    files["choose"].chmod(0o755)
    with ExitStack() as stack:

        def start(words: Sequence[str], output: Path, env: Mapping[str, str]) -> None:
            stream = stack.enter_context(output.open("wb"))
            null = subprocess.DEVNULL
            process = subprocess.Popen(words, env=dict(env), stdin=null, stdout=stream, stderr=null)
            stack.callback(process.wait, PATIENCE)
            stack.callback(process.terminate)

        def read_line(name: str) -> str:
            wait_until(lambda: files[name].read_text().endswith("\n"), f"the {name}")
            return files[name].read_text().strip()

        start(["Xvfb", "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"], files["display"], env)
        start(["dbus-daemon", "--session", "--nofork", "--print-address=1"], files["address"], env)
        env = {**env, "DISPLAY": f":{read_line('display')}", "DBUS_SESSION_BUS_ADDRESS": read_line("address")}
        start(["dunst", "-print", "-conf", os.fspath(files["dunstrc"])], files["received"], env)
        desktop = Desktop(env, files["received"], files["wanted"])
        wait_until(desktop.has_daemon, "the notification daemon")
        yield desktop
