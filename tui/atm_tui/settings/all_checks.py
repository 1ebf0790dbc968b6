"""Runs all checks of `atm-tui doctor` and the install wizard, in the order in which they are shown."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from atm_tui.model.session import Session
from atm_tui.settings.check import Check
from atm_tui.settings.doctor import (
    check_answers,
    check_policy,
    check_project,
    check_sessions,
    check_settings,
    read_clock,
)
from atm_tui.settings.doctor_jumps import check_jumps
from atm_tui.settings.doctor_machine import check_client, check_inotify, check_tmux
from atm_tui.settings.doctor_notify import check_notifications
from atm_tui.settings.doctor_state import check_hook_log, check_state_dir
from atm_tui.settings.doctor_transcripts import check_transcripts
from atm_tui.settings.locations import list_config_dirs, locate_managed_dir, locate_receipts_dir
from atm_tui.settings.receipt import Receipts
from atm_tui.sources.exists import is_folder

ReadSessions = Callable[[Path, Iterable[Path]], Iterable[Session]]
"""Reads the sessions of a state folder and of config folders, once."""


def run_all_checks(
    config_dirs: list[Path], state_dir: Path, project: Path, read_sessions: ReadSessions
) -> Iterator[Check]:
    """Yields each check as soon as it has run. `project`: the folder whose project settings also apply."""
    for folder in config_dirs:
        yield from check_settings(folder, state_dir)
        yield from check_sessions(folder, state_dir, read_clock())
        yield from check_transcripts(folder)
    yield from check_project(project, config_dirs[0], state_dir)
    yield from check_policy(locate_managed_dir())
    yield from check_state_dir(state_dir)
    yield from check_hook_log(state_dir, read_clock())
    yield from check_answers(state_dir)
    yield from check_notifications()
    yield from check_inotify()
    yield from check_tmux()
    yield from check_client()
    yield from check_jumps(read_sessions(state_dir, config_dirs))


def find_config_dirs(given: list[str]) -> list[Path]:
    """Returns the given config folders or, without any, the shell's own and all others with our hooks that still exist."""
    named = list_config_dirs(given)
    if given:
        return named
    written = [path.parent for path in Receipts(locate_receipts_dir()).list_targets() if path.name == "settings.json"]
    return list(dict.fromkeys([*named, *(folder for folder in written if is_folder(folder))]))
