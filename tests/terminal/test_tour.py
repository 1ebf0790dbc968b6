"""A new user's first minutes, key by key in a real tmux: walk-through, wizard, demo, every view, and a jump to a live pane."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.needs import need_tmux
from tests.terminal.jumping import CAT, Desk, wait_until
from tests.terminal.test_app_keys import ATM_TUI, A, Scene
from tests.tmux import Pane

SIZE = (120, 36)
SETTINGS = '{\n  "model": "opus"\n}\n'
PATIENCE = 20.0
"""Seconds for what starts a program."""


@pytest.fixture
def desk(terminal_env: dict[str, str]) -> Iterator[Desk]:
    """Servers in a home where atm-tui was never started."""
    (Path(terminal_env["HOME"]) / "state" / "app" / "told.json").unlink()
    made = Desk(need_tmux(), terminal_env)
    yield made
    made.close()


class Walk:
    """Keys in, and each screen looked at. Times are seconds."""

    def __init__(self, pane: Pane) -> None:
        self.pane = pane

    def step(self, key: str, *shows: str, within: float = 5.0) -> str:
        """Presses a key; the screen once it shows all of this (regular expressions)."""
        self.pane.keys(key)
        return self.shows(*shows, within=within)

    def shows(self, *patterns: str, within: float = 5.0) -> str:
        """The screen once it shows all of this; no line is wider than the terminal, and boxes are whole."""
        for pattern in patterns:
            self.pane.wait_for(pattern, within)
        screen = self.pane.screen()
        assert screen.count("╭") == screen.count("╮"), screen
        assert screen.count("╰") == screen.count("╯"), screen
        assert "Traceback" not in screen
        return screen


def divider(screen: str) -> int:
    """The column of the line between tree and panes."""
    return next(line.rindex("│") for line in screen.splitlines() if "SESSION" in line)


def test_from_the_first_start_to_a_jump(desk: Desk, terminal_env: dict[str, str]) -> None:
    home = Path(terminal_env["HOME"])
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(SETTINGS)

    # The first start walks through three steps, and the wizard installs the hooks.
    pane = desk.inner.start([ATM_TUI], size=SIZE, cwd=home, stay=True)
    walk = Walk(pane)
    walk.shows("1 of 3", "needs you", "working", "finished", within=PATIENCE)
    walk.step("Enter", "2 of 3", "not installed yet")
    walk.step("i", "1 of 4", within=PATIENCE)
    walk.step("Enter", "2 of 4")
    walk.step("Enter", "3 of 4", r"lines added, \d+ changed, 0 removed")
    assert settings.read_text() == SETTINGS
    walk.step("a", "4 of 4 · applied and checked", within=30)
    assert json.loads(settings.read_text())["model"] == "opus"
    assert settings.read_text().count("atm_hooks/hook.py") == 24
    walk.step("Enter", "3 of 3", "peek", "filter")
    walk.step("Enter", "No sessions yet", "watch a demo|atm-tui demo")

    # The demo fleet, by the key that the empty screen names.
    walk.step("d", "atm-tui demo", "need you", "Order tests", "Search index", within=PATIENCE)
    walk.step("/", r"(?m)^ / ")
    pane.text("index")
    found = walk.shows(r"/ index", "1 of 1?[0-9]", "Search index")
    assert "Order tests" not in found
    walk.step("Enter", r"(?m)^▌.*Search index")
    walk.step("Escape", "Order tests")
    walk.step("n", r"(?m)^▌.*●")
    walk.step("Space", "╭─", r"\bclose\b", "prompt")
    pane.keys("Space")
    pane.wait_gone(r"\bclose\b")
    before = divider(walk.shows("SESSION"))
    pane.keys("+")
    wait_until(lambda: divider(pane.screen()) > before)
    pane.keys("=")
    wait_until(lambda: divider(pane.screen()) == before)
    walk.step("b", r"Needs you +\d", r"Running +\d", r"Done +\d", "┏━")
    walk.step("L", "Timeline +follows", r"\d\d:\d\d:\d\d")
    walk.step("H", "History")
    walk.step("u", "Usage|usage|nothing|Spent")
    walk.step("t", "SESSION")
    walk.step("C-p", "A command, a session or a theme")
    pane.text("quit")
    walk.shows(r"quit +Leave; sessions go on")
    walk.step("Enter", "No sessions yet", within=PATIENCE)

    # A session starts in another window: it is seen at once, and Enter is there.
    scene = Scene(desk)
    other = desk.inner.start(CAT)
    scene.session(A, other)
    scene.ask(A, other, "make all")
    walk.shows("1 needs you", "make all", within=PATIENCE)
    client = desk.attach(pane.target)
    assert desk.shows(client).endswith(pane.target)
    walk.step("n", r"(?m)^▌.*do aaaa")
    pane.keys("Enter")
    wait_until(lambda: desk.shows(client).endswith(other.target))
    pane.text("q")
    assert pane.left() == 0
    pane.assert_clean()
