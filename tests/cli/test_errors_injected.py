"""Every error of the system, at every call by which files are looked at, listed, opened or read: nothing ends the monitor."""

import errno
import os
import posix
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from atm_tui.cli.main import main
from atm_tui.config import Config
from atm_tui.monitor.live import LiveMonitor
from tests.cli.conftest import Home

NUMBERS = ("EACCES", "EIO", "ENOTCONN", "ENAMETOOLONG", "ELOOP", "ESTALE", "ENOSPC", "EPERM", "EMFILE")
CALLS: dict[str, tuple[Any, str]] = {
    "os.stat": (os, "stat"),
    "os.scandir": (os, "scandir"),
    "posix.open": (posix, "open"),
    "posix.pread": (posix, "pread"),
    "os.pread": (os, "pread"),
}


def _refuse(real: Callable[..., Any], number: int, within: str) -> Callable[..., Any]:
    def call(path: Any, *rest: Any, **named: Any) -> Any:
        if isinstance(path, int) or str(path).startswith(within):
            raise OSError(number, os.strerror(number), None if isinstance(path, int) else str(path))
        return real(path, *rest, **named)

    return call


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("call", CALLS)
def test_no_error_of_the_system_ends_a_refresh(
    home: Home, call: str, number: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.replay("01-permission-allowed")
    (home.folder / ".claude/sessions").mkdir(parents=True)
    (home.folder / ".claude/sessions/1.json").write_text('{"pid": 1, "sessionId": "a"}')
    monkeypatch.setenv("HOME", str(home.folder))
    monitor = LiveMonitor(home.state, [home.folder / ".claude"], Config())
    module, name = CALLS[call]
    with monkeypatch.context() as patch:
        patch.setattr(module, name, _refuse(getattr(module, name), getattr(errno, number), str(home.folder)))
        monitor.refresh()
        monitor.refresh()
    monitor.refresh()


@pytest.mark.parametrize("number", NUMBERS)
def test_a_command_ends_with_one_line_when_the_system_refuses(
    number: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: object) -> bool:
        raise OSError(getattr(errno, number), os.strerror(getattr(errno, number)), str(tmp_path / "x"))

    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(LiveMonitor, "refresh", refuse)
    assert main(["status"]) == 1
    shown = capsys.readouterr().err
    assert str(tmp_path / "x") in shown
    assert len(shown.strip().splitlines()) == 1
