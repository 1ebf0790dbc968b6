"""Refuses every connection to a network, and notes which were tried, by whom, and which programs were started."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

LOG = "ATM_TEST_NETWORK_LOG"
"""Variable that names the file for the notes."""
GUARD = f"""
import os, sys
def refuse(event, args):
    if event == "socket.__new__" and int(args[1]) in (2, 10) or event in ("socket.getaddrinfo", "socket.gethostbyname"):
        note = "network " + event + " " + repr(args[1:])
    elif event == "subprocess.Popen":
        note = "program " + os.path.basename(os.fsdecode(args[0] or args[1][0]))
    else:
        return
    file = os.open(os.environ["{LOG}"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(file, (note + "\\n").encode())
    os.close(file)
    if note.startswith("network"):
        raise OSError("no network here")
sys.addaudithook(refuse)
"""
"""Python that notes each use of a network (AF_INET, AF_INET6, a look-up of a name) and refuses it, in its own process."""
RUN = (
    GUARD
    + """
from atm_tui.__main__ import main
sys.exit(main())
"""
)
COMMANDS = (
    GUARD
    + """
import json
from atm_tui.cli.main import main
for words in json.loads(sys.argv[1]):
    sys.argv = ["atm-tui", *words]
    try:
        code = main(words)
    except SystemExit as left:
        code = left.code
    sys.stdout.flush()
    print("\\n[ended]", json.dumps([words, code]), flush=True)
"""
)
"""Runs several commands, and prints after each with which code it ended."""


@cache
def leave_network() -> tuple[str, ...]:
    """Returns what starts a program in a network namespace of its own, without a connection; nothing where that is forbidden."""
    program = shutil.which("unshare")
    if program is None:
        return ()
    command = (program, "--map-root-user", "--net")
    tried = subprocess.run([*command, "true"], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return command if tried.returncode == 0 else ()


def guard(code: str, *words: str) -> Sequence[str]:
    """Returns the command that runs guarded Python with these arguments, without a network where possible."""
    return [*leave_network(), sys.executable, "-c", code, *words]


def read_notes(log: Path) -> tuple[list[str], set[str]]:
    """Returns the tried connections, and the names of the started programs."""
    lines = log.read_text().splitlines() if os.access(log, os.F_OK) else []
    tried = [line for line in lines if line.startswith("network ")]
    return tried, {line.removeprefix("program ") for line in lines if line.startswith("program ")}
