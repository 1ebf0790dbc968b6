"""The notice that hooks can't record: without write permission, and with a full disk."""

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from atm_hooks.journal import FOLDERS
from atm_tui.monitor.state_access import INTERVAL, StateAccess
from tests.support.privileges import without_privileges

ROOM = {"f_flag": 0, "f_blocks": 100, "f_bavail": 9, "f_bfree": 9, "f_files": 100, "f_favail": 9, "f_ffree": 9}


@pytest.fixture
def state(tmp_path: Path) -> Path:
    for part in FOLDERS:
        (tmp_path / part).mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("disk", "is_full"),
    [
        ({}, False),
        ({"f_bavail": 0, "f_bfree": 0}, True),
        ({"f_favail": 0, "f_ffree": 0}, True),
        ({"f_files": 0, "f_favail": 0, "f_ffree": 0}, False),  # this file system counts no files
        ({"f_blocks": 0, "f_bavail": 0, "f_bfree": 0}, False),  # nor does this one count room
    ],
)
def test_a_full_disk_is_reported_until_there_is_room(
    state: Path, monkeypatch: pytest.MonkeyPatch, disk: dict[str, int], is_full: bool
) -> None:
    access = StateAccess(state)
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(**{**ROOM, **disk}))
    access.refresh([], 0.0)
    assert access.problem == (f"Events are lost: the disk of {state} is full. Make room there." if is_full else None)
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(**ROOM))
    access.refresh([], INTERVAL + 1.0)
    assert access.problem is None


def test_a_read_only_disk_is_reported(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    access = StateAccess(state)
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(**{**ROOM, "f_flag": os.ST_RDONLY}))
    access.refresh([], 0.0)
    assert access.problem == f"Events are lost: the disk of {state} is read-only. Mount it writable."


@pytest.mark.parametrize("mode", [0o000, 0o500])
def test_a_folder_that_cannot_be_written_is_named(state: Path, mode: int) -> None:
    (state / "tmp").chmod(mode)
    with without_privileges():
        access = StateAccess(state)
        access.refresh([], 0.0)
    assert access.problem == f"{state}/tmp: no permission, so hooks can't record there. See `atm-tui doctor`."


def test_a_disk_of_unknown_space_is_not_called_full(tmp_path: Path) -> None:
    access = StateAccess(tmp_path / "gone")
    access.refresh([], 0.0)
    assert access.problem is None


def test_closed_folders_are_named(state: Path) -> None:
    (state / "journal").chmod(0)
    with without_privileges():
        access = StateAccess(state)
        access.refresh([], 0.0)
    assert access.problem == f"{state}/journal: no permission, so hooks can't record there. See `atm-tui doctor`."
