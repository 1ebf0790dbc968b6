"""Which clipboard program is used, and what is said of one that fails."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from atm_tui.jump.clipboard import Copied, copy_text, find_clipboard_program
from atm_tui.jump.values import OwnTerminal
from tests.support.desktop import open_display
from tests.support.needs import need_clipboard

VARIABLES = ("WAYLAND_DISPLAY", "DISPLAY", "SSH_CONNECTION")


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the whole PATH, and no variable that names a display."""
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def add_program(programs: Path, name: str, script: str) -> None:
    (programs / name).write_text(f"#!/bin/sh\n{script}\n")
    (programs / name).chmod(0o755)


@pytest.mark.parametrize(
    ("platform", "variables", "installed", "used"),
    [
        ("linux", ["WAYLAND_DISPLAY", "DISPLAY"], ["wl-copy", "xclip"], "wl-copy"),
        ("linux", ["WAYLAND_DISPLAY", "DISPLAY"], ["xclip", "xsel"], "xclip"),
        ("linux", ["DISPLAY"], ["wl-copy", "xsel"], "xsel"),
        ("linux", [], ["wl-copy", "xclip", "xsel", "pbcopy"], None),
        ("darwin", [], ["pbcopy"], "pbcopy"),
        ("darwin", ["SSH_CONNECTION"], ["pbcopy"], None),
        ("darwin", [], [], None),
    ],
)
def test_the_program_of_the_display(
    programs: Path,
    monkeypatch: pytest.MonkeyPatch,
    platform: str,
    variables: list[str],
    installed: list[str],
    used: str | None,
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    for name in variables:
        monkeypatch.setenv(name, "x")
    for name in installed:
        add_program(programs, name, "")
    assert (find_clipboard_program() or (None,))[0] == used


def test_the_program_gets_the_text_unchanged(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("DISPLAY", ":0")
    add_program(programs, "xclip", f'exec /bin/cat >"{programs}/text"')
    assert copy_text("-n `x` $(y)\n\udcff", OwnTerminal()) == Copied(places=("xclip",))
    assert (programs / "text").read_bytes() == b"-n `x` $(y)\n\xff"
    add_program(programs, "xclip", "exit 1")
    assert copy_text("x", OwnTerminal()) == Copied(problems=("xclip: ended with 1",))


def test_a_real_display_has_the_text_afterwards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need_clipboard()
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    text = '-n `touch owned` $(touch owned) "x"\n\u65e5\u672c\t; \n'
    with open_display(tmp_path, os.environ) as env:
        monkeypatch.setenv("DISPLAY", env["DISPLAY"])
        for each in ("before", text):
            assert copy_text(each, OwnTerminal()) == Copied(places=("xclip",))
            pasted = subprocess.run(["xclip", "-selection", "clipboard", "-out"], capture_output=True, check=True)
            assert pasted.stdout.decode() == each
    assert copy_text("x", OwnTerminal()) == Copied(problems=("xclip: ended with 1",)), "the display is gone"


def test_without_a_clipboard_nothing_is_copied(programs: Path) -> None:
    assert copy_text("x", OwnTerminal()) == Copied()
