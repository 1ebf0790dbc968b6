"""Who starts a command in a test: a person, a person at a terminal, or a program that stands in for Claude Code.

Run as a program it is atm-tui as a person starts it, whoever runs the tests: the processes above it are hidden.
"""

import os
import sys
from pathlib import Path

from atm_tui.model.caller import VARIABLES, Ancestor
from atm_tui.sources import caller

AS_PERSON = (sys.executable, "-P", __file__)
"""Program and first arguments of an atm-tui that sees no processes above it. The environment still counts."""
AS_LINKED = (*AS_PERSON, "--linked")
"""The same, of an atm-tui that another machine started: it sees the processes up to the server of ssh."""
RUN_AND_WAIT = '"$@"; exit $?'


READ_ALL = caller.read_caller_ancestors


def make_terminal_command(terminal: int, *words: str) -> tuple[str, ...]:
    """Returns a command that runs in a new process session with this terminal (a file descriptor)."""
    # a session leader without a terminal gets the first one that it opens
    return "/bin/sh", "-c", ': <"$0"; exec "$@"', os.ttyname(terminal), *words


class StandIns:
    """Programs that stand in for the client: shells by another name, which run a command and wait for it."""

    def __init__(self, folder: Path) -> None:
        """`folder`: where to make them."""
        self.folder = folder
        folder.mkdir()
        for name in ("claude", "node", "launcher"):
            (folder / name).symlink_to("/bin/sh")
        self._script = folder / "claude-code" / "cli.js"
        self._script.parent.mkdir()
        self._script.write_text(RUN_AND_WAIT)

    def claude(self, *words: str) -> tuple[str, ...]:
        """Returns a command that runs below a stand-in for the native client."""
        return str(self.folder / "claude"), "-c", RUN_AND_WAIT, "x", *words

    def node(self, *words: str) -> tuple[str, ...]:
        """Returns a command that runs below a stand-in for the client's script in node."""
        return str(self.folder / "node"), str(self._script), *words

    def launcher(self, *words: str) -> tuple[str, ...]:
        """Returns a command that runs below another program."""
        return str(self.folder / "launcher"), "-c", RUN_AND_WAIT, "x", *words


def install() -> None:
    """Makes this process look like one that a person started, even if Claude Code runs the tests."""
    for name in VARIABLES:
        os.environ.pop(name, None)
    caller.read_caller_ancestors = lambda: ()


def read_up_to_sshd() -> tuple[Ancestor, ...]:
    """Returns the processes above this one up to a server of ssh."""
    found: list[Ancestor] = []
    for each in READ_ALL():
        found.append(each)
        if each.name.startswith("sshd"):
            return tuple(found)
    return ()


if __name__ == "__main__":
    from atm_tui.cli.main import main

    is_linked = "--linked" in sys.argv[1:2]
    if is_linked:
        del sys.argv[1]
    caller.read_caller_ancestors = read_up_to_sshd if is_linked else lambda: ()
    sys.exit(main())
