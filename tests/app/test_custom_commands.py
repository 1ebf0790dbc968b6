"""Commands of the configuration in the app: their keys, footer, help and palette; what they run, and how they end."""

import json
import os
import sys
from argparse import Namespace
from pathlib import Path

import pytest

from atm_tui.app import AtmApp
from atm_tui.cli import doctor
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.commands import COMMANDS
from atm_tui.config import Config
from atm_tui.model.custom_command import CustomCommand, Enabled, Place
from atm_tui.model.session import Session, State
from atm_tui.screens.controllers import custom
from atm_tui.screens.custom_commands import find_taken_keys
from atm_tui.settings.check import Level
from tests.support.waiting import comes_true

DIFF = CustomCommand(key="F", title="diff", run=("git", "diff", "{cwd}"), help="Show what it changed")
NOTE = CustomCommand(key="#", title="note", run=("write-note", "{id}"), place=Place.BACKGROUND, enabled=Enabled.IDLE)


def make_session(folder: Path, state: State = State.IDLE) -> Session:
    return Session(session_id="a;$(x) `y`", name="shop", cwd=str(folder), state=state, started_at=1.0)


@pytest.fixture
def suspended(monkeypatch: pytest.MonkeyPatch) -> list[tuple[tuple[str, ...], str]]:
    """What would have got the terminal: a headless one can't be handed over."""
    runs: list[tuple[tuple[str, ...], str]] = []
    monkeypatch.setattr(custom, "run_suspended", lambda _, command, directory: runs.append((command, directory)))
    return runs


def list_palette(app: AtmApp) -> list[str]:
    """The entries that the palette lists."""
    return [str(each.prompt) for each in app.screen.query_one("CommandList").options]  # type: ignore[attr-defined]


async def test_custom_commands_are_in_footer_help_and_palette_and_run_by_key(
    drive, tmp_path: Path, suspended: list[object]
) -> None:
    config = Config(commands=(DIFF, NOTE))
    async with drive([make_session(tmp_path, State.WORKING)], size=(160, 50), config=config) as app:
        await app.press("g", "j")
        assert "F diff   # note" in app.lines[-1]
        await app.press("#")
        assert "note: it isn't idle" in app.lines[-1]
        await app.press("F")
        assert suspended == [(("git", "diff", str(tmp_path)), str(tmp_path))]
        await app.press("b", "F")
        assert len(suspended) == 2
        await app.press("question_mark")
        assert app.app.screen.query_one("#help").border_title == "Help"
        written = "\n".join(line.plain for line in app.app.screen._write_lines(70))
        assert "Your own commands" in written
        assert "Show what it changed" in written
        assert "write-note {id}" in written
        await app.press("escape", "ctrl+p", *"diff")
        await app.wait_until(lambda: "Show what it changed" in "".join(list_palette(app.app)[:1]))
        await app.press("enter")
        await app.wait_until(lambda: len(suspended) == 3)


async def test_a_background_command_gets_its_arguments_and_reports_its_exit(
    drive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "write-note"
    program.write_text(f'#!/bin/sh\nprintf "%s|" "$@" >"{tmp_path}/words"\npwd >"{tmp_path}/folder"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    async with drive([make_session(tmp_path)], config=Config(commands=(NOTE,))) as app:
        await app.press("g", "j", "#")
        await app.wait_until(lambda: "note: done" in app.text)
        assert (tmp_path / "words").read_text() == "a;$(x) `y`|"
        assert (tmp_path / "folder").read_text().strip() == str(tmp_path)
        program.write_text("#!/bin/sh\necho 'no \x1b[2J pencil' >&2\nexit 3\n")
        await app.press("#")
        await app.wait_until(lambda: "note: ended with 3: no \ufffd[2J pencil" in app.text)
        program.unlink()
        await app.press("#")
        await app.wait_until(lambda: "note: write-note: No such file or directory" in app.text)


async def test_outside_tmux_no_window_can_be_opened(drive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TMUX", "TMUX_PANE"):
        monkeypatch.delenv(name, raising=False)
    window = CustomCommand(key="F", title="shell", run=(sys.executable,), place=Place.WINDOW)
    async with drive([make_session(tmp_path)], config=Config(commands=(window,))) as app:
        await app.press("g", "j", "F")
        assert await comes_true(lambda: "shell: atm-tui doesn't run in tmux" in app.text), app.text


@pytest.mark.parametrize(
    ("key", "owner"),
    [
        ("d", "deny"),
        ("enter", "jump"),
        ("!", "needs_me"),
        ("D", "notices"),
        ("ctrl+p", "palette"),
        ("j", "cursor_down"),
    ],
)
def test_a_key_that_the_app_uses_is_refused_by_naming_its_command(key: str, owner: str) -> None:
    command = CustomCommand(key=key, title="mine", run=("true",))
    ((number, text),) = find_taken_keys((DIFF, command), COMMANDS).items()
    assert number == 1
    assert text.startswith(f'"{key}" is the key of "{owner}" (')
    free = text.rpartition("free letters: ")[2].split(", ")
    assert "c" in free
    assert "m" not in free
    assert "F" not in free


@pytest.mark.parametrize(
    ("key", "program", "level", "text"),
    [
        ("n", sys.executable, Level.BROKEN, '"n" is the key of "next_waiting"'),
        ("F", "no-such-program", Level.WARNING, "not on the PATH: no-such-program"),
        ("F", sys.executable, Level.OK, "no problems, and 1 command of your own"),
    ],
)
def test_doctor_checks_keys_and_programs(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    key: str,
    program: str,
    level: Level,
    text: str,
) -> None:
    path = tmp_path / "config.toml"
    path.write_text(f'[[commands]]\nkey = "{key}"\ntitle = "mine"\nrun = ["{program}"]\n')
    monkeypatch.setattr(doctor, "run_all_checks", lambda *_: [])
    monkeypatch.setattr(doctor.paths, "find_config_file", lambda: path)
    code = doctor.run_doctor(Namespace(config_dir=[], json=True))
    (check,) = json.loads(capsys.readouterr().out)["checks"]
    assert (check["name"], check["level"], check["where"]) == ("configuration", level, str(path))
    assert text in check["text"]
    assert code == (ExitCode.FAILED if level is Level.BROKEN else ExitCode.DONE)
