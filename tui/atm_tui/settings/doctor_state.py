"""Checks the state folder: its owner, whether hooks can write there, and what they logged."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from atm_hooks.journal import FOLDERS
from atm_hooks.regular_file import read_end
from atm_tui.settings.check import Check, Level
from atm_tui.settings.doctor_disk import check_disk
from atm_tui.sources.state_schema import describe_newer, is_newer
from atm_tui.text import clean, format_count

EXAMINED = 2000
"""Most files of a folder that are examined; more would take long."""
NAMED = 3
"""Most files that one finding names."""
LOG_LINES = 3
"""Number of lines of a log that are shown."""
LOG_AGE = 86400.0
"""Seconds for which a line in the hooks' log causes a warning."""
LOG_BYTES = 64 * 1024


def check_state_dir(state_dir: Path) -> Iterator[Check]:
    """Checks the state folder and its parts: existing, owned by this user, writable, private; and space on its disk."""
    found = _find_folder_problem(state_dir)
    if found is None:
        yield Check("state", Level.OK, str(state_dir), "not there yet; the first hook makes it")
        return
    level, text, advice = found
    if level is not Level.OK:
        yield Check("state", level, str(state_dir), text, advice)
    if level is Level.BROKEN:
        return
    bad = [check for part in FOLDERS for check in _check_part(state_dir / part)]
    bad += check_disk(state_dir)
    if is_newer(state_dir):
        bad.append(Check("state", Level.WARNING, str(state_dir), describe_newer(state_dir), "Update atm-tui."))
    yield from bad
    if level is Level.OK and not bad:
        yield Check("state", Level.OK, str(state_dir), "writable and private")


def check_hook_log(state_dir: Path, now: float) -> Iterator[Check]:
    """Checks the newest lines of the log in which hooks write errors and refusals. `now`: epoch seconds."""
    path = state_dir / "hook.log"
    try:
        lines = read_end(str(path), LOG_BYTES).decode("ascii", "replace").splitlines()
    except FileNotFoundError:
        return
    except OSError as error:
        text = f"the log of the hooks can't be read: {error.strerror}"
        yield Check("log", Level.WARNING, str(path), text, "Move it away; hooks make a new one.")
        return
    recent = [line for line in lines if now - _read_time(line) < LOG_AGE]
    if not recent:
        yield Check("log", Level.OK, str(path), "hooks logged no error in the last 24 hours")
        return
    said = "; ".join(clean(line.partition(" ")[2]) for line in recent[-LOG_LINES:])
    text = f"hooks logged {format_count(len(recent), 'error')} in the last 24 hours, the newest: {said}"
    yield Check("log", Level.WARNING, str(path), text, "Read that file; a report helps: atm-tui report.")


def _read_time(line: str) -> float:
    try:
        return float(line.partition(" ")[0])
    except ValueError:
        return 0.0


def _find_folder_problem(folder: Path) -> tuple[Level, str, str] | None:
    """Returns (level, what is wrong, what to do) of the state folder itself; None when it does not exist."""
    advice = f"Make it yours and private: chown -R $USER {folder}; chmod 700 {folder}"
    try:
        link = folder.lstat()
    except FileNotFoundError:
        return None
    except OSError as error:
        return Level.BROKEN, f"can't be examined: {error.strerror}", advice
    try:
        info = folder.stat()
    except OSError as error:
        return Level.BROKEN, f"a broken link: {error.strerror}", "Remove the link, or make its folder."
    user, mode = os.geteuid(), stat.S_IMODE(info.st_mode)
    if not stat.S_ISDIR(info.st_mode):
        return Level.BROKEN, "is not a folder", "Move it away."
    if stat.S_ISLNK(link.st_mode) and link.st_uid != user:
        return Level.BROKEN, f"a link that belongs to user {link.st_uid}: hooks record nothing behind it", advice
    if info.st_uid != user:
        return Level.BROKEN, f"belongs to user {info.st_uid}: hooks record nothing in it", advice
    if mode & 0o002:
        return Level.BROKEN, f"everybody may write to it (mode {mode:04o}): hooks record nothing in it", advice
    if not os.access(folder, os.W_OK | os.X_OK):
        return Level.BROKEN, "can't be written", f"chmod 700 {folder}"
    if mode & 0o077:
        return Level.WARNING, f"others can read it (mode {mode:04o})", f"chmod 700 {folder}"
    return Level.OK, "", ""


def _check_part(folder: Path) -> Iterator[Check]:
    """Checks one of the folders in it; the next hook creates a missing one."""
    where, user = str(folder), os.geteuid()
    advice = f"chown -R $USER {folder}; chmod -R u+rwX,go= {folder}"
    try:
        info = folder.lstat()
        if stat.S_ISLNK(info.st_mode):
            info = folder.stat()
    except FileNotFoundError:
        return
    except OSError as error:
        yield Check("state", Level.BROKEN, where, f"can't be examined: {error.strerror}", advice)
        return
    if not stat.S_ISDIR(info.st_mode):
        yield Check("state", Level.BROKEN, where, "is not a folder: hooks record nothing", "Move it away.")
        return
    if info.st_uid != user and not os.access(folder, os.W_OK | os.X_OK):
        yield Check("state", Level.BROKEN, where, f"belongs to user {info.st_uid}: hooks can't write to it", advice)
        return
    if info.st_uid != user or info.st_mode & 0o022:
        yield Check("state", Level.WARNING, where, "other users can change what is in it", advice)
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        yield Check("state", Level.BROKEN, where, "can't be read or written", advice)
        return
    yield from _check_files(folder, user, advice)


def _check_files(folder: Path, user: int, advice: str) -> Iterator[Check]:
    """Checks for files that a hook can't open or replace."""
    foreign, odd, closed = [], [], []
    with os.scandir(folder) as entries:
        for number, entry in enumerate(entries):
            if number >= EXAMINED:
                break
            try:
                info = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            if not stat.S_ISREG(info.st_mode):
                odd.append(entry.name)
            elif info.st_uid != user:
                foreign.append(entry.name)
            elif not os.access(entry.path, os.R_OK | os.W_OK):
                closed.append(entry.name)
    for names, what in (
        (foreign, "belong to another user"),
        (odd, "are not regular files"),
        (closed, "can't be read or written"),
    ):
        if names:
            listed = ", ".join(map(clean, sorted(names)[:NAMED])) + (", …" if len(names) > NAMED else "")
            text = f"hooks can't record these sessions, whose files {what}: {listed}"
            yield Check("state", Level.BROKEN, str(folder), text, advice)
