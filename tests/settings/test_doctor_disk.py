"""A full disk is found, although its folder is writable; on a real one, and where writing fails by injection."""

import errno
import subprocess
import sys
from pathlib import Path

import pytest

from atm_hooks.journal import FOLDERS
from atm_tui.settings import doctor_disk
from atm_tui.settings.check import Level
from atm_tui.settings.doctor_state import check_state_dir
from tests.support.faults import inject


@pytest.fixture
def state(tmp_path: Path) -> Path:
    folder = tmp_path / "state"
    for part in FOLDERS:
        (folder / part).mkdir(parents=True)
    folder.chmod(0o700)
    return folder


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ENOSPC", "the disk is full: events are lost"),
        ("EDQUOT", "your share of the disk is used up"),
        ("EROFS", "the disk is read-only"),
        ("EIO", "a file can't be written: Input/output error"),
    ],
)
def test_a_folder_on_a_full_disk_is_not_reported_as_writable(state: Path, name: str, words: str) -> None:
    with inject(str(state), getattr(errno, name), lambda kind, _: kind == "write"):
        (check,) = check_state_dir(state)
    assert (check.name, check.level) == ("state", Level.BROKEN)
    assert words in check.text
    assert f"df -h {state}" in check.advice
    assert list((state / "tmp").iterdir()) == []
    (check,) = check_state_dir(state)
    assert check.text == "writable and private"


def test_little_free_space_is_a_warning(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_disk, "measure_free_room", lambda _: 3 << 20)
    (check,) = check_state_dir(state)
    assert (check.level, check.text) == (Level.WARNING, "the disk is almost full (3,072 kB left): events will be lost")


ON_A_SMALL_DISK = """
mount -t tmpfs -o size=512k small "$1" || exit 99
mkdir -m 700 "$1/state" && mkdir "$1/state/sessions" "$1/state/tmp"
"$2" -m atm_tui doctor
cat /dev/zero > "$1/state/rest" 2>/dev/null
"$2" -m atm_tui doctor
"""


def test_doctor_finds_a_full_disk(tmp_path: Path, home: Path) -> None:
    """In a mount namespace of its own, with a disk of half a megabyte."""
    disk = tmp_path / "disk"
    disk.mkdir()
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", ON_A_SMALL_DISK, "sh", str(disk), sys.executable],
        env={"PATH": "/usr/bin:/bin", "HOME": str(home), "ATM_STATE_DIR": str(disk / "state")},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 99 or "unshare" in done.stderr:
        pytest.skip("this system lets nobody mount a disk of their own")
    before, _, after = done.stdout.partition("warning client")
    assert "the disk is almost full" in before
    assert "BROKEN  state: the disk is full: events are lost" in after
