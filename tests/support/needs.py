"""Finds programs that some tests need, and skips the tests without them."""

import importlib.util
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

CLIENT_VERSION = (Path(__file__).parents[2] / ".ci" / "client-version").read_text().strip()
"""Version of Claude Code that the tests are written against; `.ci/run` installs it."""


@cache
def find_tmux() -> str | None:
    """Returns the path of tmux, or None."""
    return shutil.which("tmux")


@cache
def find_fzf() -> str | None:
    """Returns the path of fzf, or None."""
    return shutil.which("fzf")


@cache
def find_client() -> str | None:
    """Returns the path of Claude Code: from ATM_TEST_CLIENT, else `claude` on the PATH if it has the pinned version.

    Raises pytest.UsageError when ATM_TEST_CLIENT names no file.
    """
    named = os.environ.get("ATM_TEST_CLIENT")
    if named:
        if not Path(named).is_file():
            raise pytest.UsageError(f"ATM_TEST_CLIENT: there is no program at {named}")
        return str(Path(named).resolve())
    found = shutil.which("claude")
    return found if found and read_client_version(found) == CLIENT_VERSION else None


def read_client_version(program: str) -> str:
    """Returns the first word of the client's --version, or "" if it can't be run."""
    try:
        asked = subprocess.run(
            [program, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return asked.stdout.split(" ")[0].strip()


def need_tmux() -> str:
    """Returns the path of tmux; skips the test without it."""
    return find_tmux() or pytest.skip("tmux is not installed")


def need_fzf() -> str:
    """Returns the path of fzf; skips the test without it."""
    return find_fzf() or pytest.skip("fzf is not installed")


def need_program(name: str) -> str:
    """Returns the path of a program; skips the test without it."""
    return shutil.which(name) or pytest.skip(f"{name} is not installed")


def need_sshd() -> str:
    """Returns the path of OpenSSH's server; skips the test without it, or without its client."""
    found = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    return (shutil.which("ssh") and found) or pytest.skip("sshd and ssh are not installed")


def need_notification_daemon() -> None:
    """Skips the test without notify-send, and the programs of tests.support.desktop."""
    programs = ("notify-send", "dunst", "Xvfb", "dbus-daemon", "dbus-send")
    if missing := [program for program in programs if shutil.which(program) is None]:
        pytest.skip(f"{missing[0]} is not installed")


def need_clipboard() -> None:
    """Skips the test without xclip and a screen for it."""
    if missing := [program for program in ("xclip", "Xvfb") if shutil.which(program) is None]:
        pytest.skip(f"{missing[0]} is not installed")


def need_web() -> None:
    """Skips the test without the extra `web`."""
    if importlib.util.find_spec("textual_serve") is None:
        pytest.skip("the extra [web] is not installed")


def need_chromium() -> str:
    """Returns the path of Chromium; skips the test without it."""
    return shutil.which("chromium") or pytest.skip("chromium is not installed")


def need_client() -> str:
    """Returns the path of Claude Code; skips the test without it."""
    return find_client() or pytest.skip(
        f"Claude Code {CLIENT_VERSION} is not here: name its program in ATM_TEST_CLIENT, or put it on the PATH"
    )


def walk_seed() -> int:
    """Returns the seed of the random walk with the real client: ATM_TEST_SEED, else a constant.

    Raises pytest.UsageError if it is not a number.
    """
    given = os.environ.get("ATM_TEST_SEED", "9")
    if not given.isdecimal():
        raise pytest.UsageError(f"ATM_TEST_SEED: {given!r} is no whole number")
    return int(given)
