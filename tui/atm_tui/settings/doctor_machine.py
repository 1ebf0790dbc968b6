"""Checks the machine: limits of file watches, tmux, the client's version."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from atm_tui.settings.check import Check, Level
from atm_tui.settings.known_clients import describe_version, is_newer_than_all, read_version
from atm_tui.sources.exists import list_folder

PROC = Path("/proc")
LEAST_WATCHES = 64
"""Watches that the app needs for several config folders."""

LIMIT = 10
"""Seconds for a program to print its version."""

OLDEST = (2, 1, 69)
"""Older clients don't identify subagents in the payloads of hooks."""


def check_inotify(proc: Path = PROC) -> Iterator[Check]:
    """Checks how many inotify instances and watches this user has left; without them the app only polls every 2 s."""
    limits = proc / "sys/fs/inotify"
    try:
        most_instances = int((limits / "max_user_instances").read_text())
        most_watches = int((limits / "max_user_watches").read_text())
    except (OSError, ValueError):
        return
    instances, watches = _list_in_use(proc)
    text = f"{instances} of {most_instances} instances and {watches} of {most_watches} watches in use"
    if most_instances - instances < 1 or most_watches - watches < LEAST_WATCHES:
        advice = "Raise fs.inotify.max_user_instances and max_user_watches (sysctl); until then changes show after 2 s."
        yield Check("inotify", Level.WARNING, str(limits), text, advice)
    else:
        yield Check("inotify", Level.OK, str(limits), text)


def check_tmux() -> Iterator[Check]:
    """Checks tmux, which is needed to jump to sessions that run in it."""
    version = _read_first_line("tmux", "-V")
    if version is None:
        yield Check("tmux", Level.OK, "tmux", "not installed; only needed for sessions that run in it")
    else:
        yield Check("tmux", Level.OK, shutil.which("tmux") or "tmux", version)


def check_client() -> Iterator[Check]:
    """Checks the version of the client on the PATH."""
    line = _read_first_line("claude", "--version")
    if line is None:
        yield Check("client", Level.WARNING, "claude", "not found on the PATH", "Install Claude Code, or ignore this.")
        return
    where = shutil.which("claude") or "claude"
    version = read_version(line)
    if version is None:
        yield Check(
            "client", Level.WARNING, where, f"says {line!r}, which is not a version number", "Check whether it runs."
        )
        return
    text = f"{line}: {describe_version(version)}"
    if version < OLDEST:
        text = f"{line}: subagents are not told apart"
        yield Check("client", Level.WARNING, where, text, "Update Claude Code.")
    elif is_newer_than_all(version):
        advice = "Update atm-tui. Until then a status can be wrong where Claude Code changed: `atm-tui explain` gives its evidence."
        yield Check("client", Level.WARNING, where, text, advice)
    else:
        yield Check("client", Level.OK, where, text)


def _read_first_line(*command: str) -> str | None:
    program = shutil.which(command[0])
    if program is None:
        return None
    try:
        result = subprocess.run([program, *command[1:]], capture_output=True, timeout=LIMIT, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return result.stdout.decode("utf-8", "replace").strip().split("\n")[0]


def _list_in_use(proc: Path) -> tuple[int, int]:
    """Returns (instances, watches) of this user's processes, as far as they are readable."""
    instances = watches = 0
    if sys.platform != "linux":
        return 0, 0
    for process in list_folder(proc, "[0-9]*"):
        try:
            if process.stat().st_uid != os.getuid():
                continue
            descriptors = list_folder(process / "fd")
        except OSError:
            continue
        for descriptor in descriptors:
            try:
                if "inotify" in str(descriptor.readlink()):
                    instances += 1
                    watches += (process / "fdinfo" / descriptor.name).read_text().count("inotify wd:")
            except OSError:
                continue
    return instances, watches
