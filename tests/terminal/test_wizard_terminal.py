"""`atm-tui install` in a real terminal of 60 by 24: keys through all steps, the files as shown, the terminal left clean."""

import re
from pathlib import Path

import pytest

from atm_tui.cli.exit_codes import ExitCode
from tests.support.effort import sample
from tests.support.program import ATM_TUI
from tests.support.tmux import Pane, Tmux
from tests.support.waiting import wait_until

SETTINGS = (
    b'{\n\t"model": "opus",\n\t"hooks": {\n\t\t"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]\n\t}\n}\n'
)


@pytest.fixture
def file(terminal_env: dict[str, str]) -> Path:
    path = Path(terminal_env["HOME"]) / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_bytes(SETTINGS)
    return path


def install(tmux: Tmux, file: Path, *words: str) -> Pane:
    pane = tmux.start([ATM_TUI, "install", *words], size=(60, 24), cwd=file.parent.parent, stay=True)
    pane.wait_for(r"1 of 4")
    return pane


def test_the_wizard_completes_all_steps(tmux: Tmux, file: Path) -> None:
    pane = install(tmux, file)
    pane.wait_for(r"not installed")
    pane.wait_for(r"1 hook of other tools")
    pane.press_keys("Enter")
    pane.wait_for(r"2 of 4 · how")
    pane.press_keys("Enter")
    pane.wait_for(r"3 of 4 · what will change")
    pane.wait_for(r"lines added, \d+ changed, 0 removed")
    pane.press_keys("Enter", "Enter", "Enter")
    pane.wait_for(r"Enter writes nothing here")
    assert file.read_bytes() == SETTINGS
    pane.press_keys("a")
    pane.wait_for(r"4 of 4 · applied and checked")
    pane.wait_for(r"hook +(runs|takes) +\d+ ms")
    written = file.read_bytes()
    assert written.count(b"atm_hooks/hook.py") == 24
    pane.press_keys("z")
    pane.wait_for(r"4 of 4 · undone")
    assert file.read_bytes() == SETTINGS
    pane.press_keys("Left")
    pane.wait_for(r"1 of 4")
    for key, step in (("Enter", "2 of 4"), ("Enter", "3 of 4"), ("a", "applied and checked")):
        pane.press_keys(key)
        pane.wait_for(step)
    pane.press_keys("Enter")
    assert pane.wait_for_exit() == 0
    pane.assert_clean()
    # The line is broken wherever the scratch folder's name has it end.
    pane.wait_for(r"\s*".join(re.escape(each) for each in "settings.json:writtenandchecked"))
    assert file.read_bytes() == written


@pytest.mark.parametrize("last", sample([1, 2, 3], 3))
def test_escape_changes_nothing_and_leaves_a_clean_terminal(tmux: Tmux, file: Path, last: int) -> None:
    pane = install(tmux, file, "--events", "lean")
    for step in range(2, last + 1):
        pane.press_keys("Enter")
        pane.wait_for(f"{step} of 4")
    pane.press_keys("Escape")
    assert pane.wait_for_exit() == ExitCode.DECLINED
    pane.assert_clean()
    pane.wait_for(r"Nothing was changed")
    assert file.read_bytes() == SETTINGS
    assert [each.name for each in file.parent.iterdir()] == ["settings.json"]


def test_ctrl_z_suspends_the_wizard_and_fg_redraws_it(tmux: Tmux, file: Path) -> None:
    pane = tmux.start(["bash", "--norc", "-i"], size=(80, 24), cwd=file.parent.parent, env={"PS1": "shell> "})
    pane.wait_for("shell>")
    pane.type_text(f"{ATM_TUI} install")
    pane.press_keys("Enter")
    pane.wait_for(r"1 hook of other tools")
    before = set(re.findall(r"[a-z]{4,}", pane.read_screen()))
    pane.press_keys("C-z")
    pane.wait_for("Stopped")
    assert pane.read_format("#{alternate_on} #{cursor_flag} #{mouse_any_flag}") == "0 1 0"
    pane.type_text("clear; fg")
    pane.press_keys("Enter")
    wait_until(lambda: before <= set(re.findall(r"[a-z]{4,}", pane.read_screen())), "the whole screen")
    pane.press_keys("Escape")
    pane.wait_for("Nothing was changed")
    assert file.read_bytes() == SETTINGS
