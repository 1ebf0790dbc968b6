"""Does what the README tells a new user, in a terminal, word for word: follow_readme.py README.

Each block of commands of the chapters "Try it" and "Install" is typed into a shell; the keys below are what a person presses in
the screens that they open.
"""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from pathlib import Path

LIMIT = 180.0
"""Seconds that a block may take."""
DIALOGUE = {
    "atm-tui demo": [("SESSION", "q")],
    "pipx install": [
        ("1 of 4", "\r"),
        ("2 of 4", "\r"),
        ("3 of 4", "a"),
        ("applied and checked", "\r"),
        (r"\bEsc\b", "q"),
        ("No sessions yet", "q"),
    ],
}
"""By what a block contains: what is waited for on the screen, and the key that is then pressed."""


def read_blocks(text: str) -> list[str]:
    """Returns the blocks of commands of the two chapters, but for the one that runs the tests."""
    chapters = text.split("\n## Try it\n")[1].split("\n## Tour\n", maxsplit=1)[0]
    return [block for block in re.findall(r"```sh\n(.*?)```", chapters, re.DOTALL) if "pytest" not in block]


def run_block(block: str, dialogue: list[tuple[str, str]]) -> None:
    """Runs a block in a terminal of 100x30; exits with what was on the screen if it does not go as expected."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "xterm-256color"
        os.execvp("sh", ["sh", "-e", "-c", block])  # noqa: S606
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    seen, waiting, deadline = "", list(dialogue), time.monotonic() + LIMIT
    while True:
        if time.monotonic() > deadline:
            os.kill(pid, signal.SIGKILL)
            sys.exit(f"{block!r} waits for {waiting[:1]}; the terminal got: {seen[-3000:]!r}")
        if select.select([terminal], [], [], 0.5)[0]:
            try:
                data = os.read(terminal, 65536)
            except OSError:  # it has ended
                break
            if not data:
                break
            seen += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", data.decode("utf-8", "replace"))
        if waiting and re.search(waiting[0][0], seen):
            os.write(terminal, waiting.pop(0)[1].encode())
            seen = ""
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code or waiting:
        sys.exit(f"{block!r} ended with {code}, waiting for {waiting}; the terminal got: {seen[-3000:]!r}")


def main(readme: str) -> None:
    """Follows the README; ends with a message and status 1 at the first thing that does not go as it says."""
    blocks = read_blocks(Path(readme).read_text("utf-8"))
    unused = dict(DIALOGUE)
    for block in blocks:
        key = next((each for each in unused if each in block), None)
        if key is None:
            sys.exit(f"no dialogue is known for {block!r}")
        sys.stdout.write(f"$ {block.strip()}\n")
        sys.stdout.flush()
        run_block(block, unused.pop(key))
    if unused:
        sys.exit(f"the README no longer has: {', '.join(unused)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
