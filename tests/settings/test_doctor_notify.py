"""doctor looks for the programs by which notifications are given."""

from pathlib import Path

import pytest

from atm_tui.settings.check import Level
from atm_tui.settings.doctor_notify import check_notifications


@pytest.mark.parametrize(
    ("config", "found"),
    [
        ("", [(Level.OK, "bell", "all that gives notifications is there")]),
        ("notify_by = []", [(Level.OK, "none", "switched off")]),
        (
            'notify_by = ["bell", "notify-send", "command"]\nnotify_command = ["/nowhere/x", "-y"]',
            [(Level.WARNING, "bell, notify-send, command", "not on the PATH: notify-send, /nowhere/x")],
        ),
        (
            'notify_by = ["command"]\nnotify_command = ["/bin/sh"]',
            [(Level.OK, "command", "all that gives notifications is there")],
        ),
        ("notify_by = 3", []),
    ],
)
def test_programs_that_are_missing_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, config: str, found: list[tuple[Level, str, str]]
) -> None:
    (tmp_path / "config.toml").write_text(config)
    monkeypatch.setenv("ATM_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert [(each.level, each.where, each.text) for each in check_notifications()] == found
