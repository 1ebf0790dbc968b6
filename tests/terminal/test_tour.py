"""A new user's first minutes, key by key in a real tmux: walk-through, wizard, demo, every view, and a jump to a live pane."""

import json
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from tests.support.jumping import TmuxWorkspace
from tests.support.needs import need_tmux
from tests.support.program import ATM_TUI
from tests.support.session_ids import A
from tests.support.tmux import Pane
from tests.support.waiting import PATIENCE, POLL, act_until, wait_until

SIZE = (120, 36)
SETTINGS = '{\n  "model": "opus"\n}\n'
DOWN, UP = "│┃┬├┤┼╭╮┌┐┏┓", "│┃┴├┤┼╰╯└┘┗┛"
"""Characters of frames with a line to the next row, and with one to the row before."""
OVER = "─━╭╮╰╯"
"""The edge of a dialog: the line of a frame goes on behind it."""
SIGNS = "●◐✓○✗⚠"
"""Of sessions: the branches to their agents begin under them."""


@pytest.fixture
def workspace(terminal_env: dict[str, str]) -> Iterator[TmuxWorkspace]:
    """Servers in a home where atm-tui was never started."""
    shutil.rmtree(terminal_env["ATM_STATE_DIR"])
    made = TmuxWorkspace(need_tmux(), terminal_env)
    yield made
    made.close()


class TourDriver:
    """Keys in, and each screen looked at. Times are seconds."""

    def __init__(self, pane: Pane) -> None:
        self.pane = pane

    def press_key(self, key: str, *shows: str) -> str:
        """Presses a key; the screen once it shows all of this (regular expressions)."""
        self.pane.press_keys(key)
        return self.wait_for(*shows)

    def wait_for(self, *patterns: str) -> str:
        """The screen once it shows all of this and no line of it is broken; the demo goes on meanwhile."""
        deadline = time.monotonic() + PATIENCE
        while True:
            screen = self.pane.read_screen()
            missing = [f"never came: {each}" for each in patterns if not re.search(each, screen, re.MULTILINE)]
            if not (wrong := missing + find_broken_lines(screen, SIZE[0])):
                assert "Traceback" not in screen
                return screen
            assert time.monotonic() < deadline, "\n".join([*wrong, screen])
            time.sleep(POLL)


def find_broken_lines(screen: str, width: int) -> list[str]:
    """What is wrong with a screen above its last line: lines that are too long, frames that do not meet their next row."""
    lines = screen.rstrip().splitlines()
    found = [f"{cell_len(line)} cells: {line}" for line in lines if cell_len(line) > width]
    for number, pair in enumerate(pairwise(lines[:-1]), 1):
        if all(len(line) == cell_len(line) for line in pair):
            cells = zip(*(line.ljust(width) for line in pair), strict=False)
            found += [
                f"line {number}, column {column}: {upper} over {lower}"
                for column, (upper, lower) in enumerate(cells, 1)
                if (upper in DOWN and lower not in UP + OVER) or (lower in UP and upper not in DOWN + OVER + SIGNS)
            ]
    return found


def run_hooks(home: Path, env: dict[str, str], pane: Pane, event: str, **fields: Any) -> None:
    """The client in a pane calls its hooks for an event, as its settings say."""
    known = {"hook_event_name": event, "session_id": A, "cwd": str(home), "permission_mode": "default"}
    tmux = {"TMUX": f"{pane.server.socket},{pane.read_format('#{pid}')},0", "TMUX_PANE": pane.target}
    hooks = json.loads((home / ".claude" / "settings.json").read_text())["hooks"][event]
    for command in [hook["command"] for group in hooks for hook in group["hooks"]]:
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            input=json.dumps({**known, **fields}).encode(),
            env={**env, **tmux, "CLAUDE_PID": str(pane.pid)},
            capture_output=True,
            timeout=PATIENCE,
            check=True,
        )
        assert done.stdout + done.stderr == b""


def find_divider(screen: str) -> int:
    """The column of the line between tree and panes."""
    return next(line.rindex("│") for line in screen.splitlines() if "SESSION" in line)


def test_from_the_first_start_to_a_jump(workspace: TmuxWorkspace, terminal_env: dict[str, str]) -> None:
    home = Path(terminal_env["HOME"])
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(SETTINGS)

    # The first start walks through three steps, and the wizard installs the hooks.
    pane = workspace.inner.start([ATM_TUI], size=SIZE, cwd=home, stay=True)
    walk = TourDriver(pane)
    walk.wait_for("1 of 3", "needs you", "working", "finished", "↵ next", "Esc skips ─╯")
    walk.press_key("Enter", "2 of 3", "not installed yet", "i wizard +↵ later")
    walk.press_key("i", "1 of 4", r"▌\[x\] ~/.claude/settings.json +not installed", "nothing changed$")
    walk.press_key("Enter", "2 of 4", "▌events +full +all 24 events", "PermissionRequest +waits", "← back")
    walk.press_key("Enter", "3 of 4", r'^ \+ +"hooks": {', r"lines added, \d+ changed, 0 removed", "a apply")
    assert settings.read_text() == SETTINGS
    checked = walk.press_key("a", "4 of 4 · applied and checked", r" hook +(runs|takes) +\d+ ms", "z undo")
    assert "others can read it" not in checked
    assert (home / "state").stat().st_mode & 0o777 == 0o700
    assert json.loads(settings.read_text())["model"] == "opus"
    assert settings.read_text().count("atm_hooks/hook.py") == 24
    walk.press_key("Enter", "3 of 3", "peek", "filter")
    walk.press_key("Enter", "No sessions yet", "✓ +i +atm-tui install +done", "d +atm-tui demo")

    # The demo fleet, by the key that the empty screen names.
    walk.press_key("d", "^ atm-tui demo +● [1-9] needs? you", "Order tests", "Search index")
    demo = walk.wait_for(
        "^─ waiting for you ─{100,}$",
        "^ +SESSION · started +BRANCH +STATE +CTX +COST +FOR │",
        "^ +▾ shop-web ",
        "├─ context ─.*─$",
        "├─ timeline ─.*─$",
        "q quit$",
    )
    head = next(line for line in demo.splitlines() if "SESSION" in line)
    panes = [line[find_divider(demo)] for line in demo[demo.index(head) :].splitlines()[:-1]]
    assert set(panes) == {"│", "├"}
    walk.press_key("/", r"^ / ")
    pane.type_text('"ch index"')
    found = walk.wait_for('/ "ch index"', "1 of 1?[0-9]", "^▌.*Search index", "┬─ Search index ─")
    assert "Order tests" not in found
    wait_until(lambda: re.search(r"Sear(\x1b\[[\d;]+m)+ch index\x1b\[", pane.read_screen(colours=True)))  # it is marked
    walk.press_key("Enter", "/ filter", "^▌.*Search index")
    only = walk.press_key("b", '^ / "ch index" +1 of 1?[0-9]', r"Needs you +\d.*Running +\d.*Done +\d", "Search index")
    assert "Image guide" not in only
    walk.press_key("t", '^ / "ch index" +1 of 1?[0-9]', "^▌.*Search index")
    walk.press_key("Escape", "Order tests")
    act_until(lambda: pane.press_keys("n"), lambda: re.search("(?m)^▌.*●", pane.read_screen()), "a session that waits")
    walk.press_key("Space", "╭─ [A-Z].*─╮", r"↵ jump +␣ close ─╯", "prompt +", "tools +")
    pane.press_keys("Space")
    pane.wait_gone(r"\bclose\b")
    before = find_divider(walk.wait_for("SESSION"))
    pane.press_keys("+")
    wait_until(lambda: find_divider(pane.read_screen()) > before)
    pane.press_keys("=")
    wait_until(lambda: find_divider(pane.read_screen()) == before)
    walk.press_key("Tab", "Esc tree", r"\+ larger")
    walk.press_key("Escape", "␣ peek")
    walk.press_key("b", r"Needs you +\d.*Running +\d.*Done +\d", "┏━.*━┓", "Image guide", "shop-web · main")
    walk.press_key("L", "^ Timeline +live", r"^. \d\d:\d\d:\d\d +[A-Z].*▸ prompt", "✓ finished")
    walk.press_key("H", "^ History +the last 14 days", r"Changelog +infra +\$")
    walk.press_key("u", r"today \$[0-9.]+ +yesterday", "─ by project ─.*─ by model ─", "~/work/shop-api", "u close")
    walk.press_key("t", "SESSION", "^▌")
    walk.press_key("C-p", "A command, a session or a theme", "│ +jump +Go to its terminal.* ↵ +│")
    pane.type_text("quit")
    walk.wait_for(r"quit +Quit; sessions keep running")
    walk.press_key("Enter", "No sessions yet")

    # A session starts in another window: it is seen at once, and Enter is there.
    other = workspace.inner.start(["sh", "-c", "echo here I am; exec cat"])
    run_hooks(home, terminal_env, other, "SessionStart", source="startup")
    run_hooks(home, terminal_env, other, "UserPromptSubmit", prompt="Paint the fence")
    walk.wait_for("◐ 1 working", "Paint the fence", "thinking")
    run_hooks(home, terminal_env, other, "PermissionRequest", tool_name="Bash", tool_input={"command": "make all"})
    walk.wait_for("● 1 needs you", "^─ waiting for you ─", "permission Bash make all", "^.*│ prompt +Paint the fence")
    client = workspace.attach_client(pane.target)
    assert workspace.read_shown_pane(client).endswith(pane.target)
    walk.press_key("n", r"^▌.*Paint the")
    pane.press_keys("Enter")
    wait_until(lambda: workspace.read_shown_pane(client).endswith(other.target))
    client.wait_for("^here I am$")
    walk.wait_for("Going to pane")
    seen = home / "state" / "app" / "seen.json"
    wait_until(lambda: seen.exists() and A in json.loads(seen.read_text()), "the session as seen")
    pane.type_text("q")
    assert pane.wait_for_exit() == 0
    pane.assert_clean()


@pytest.mark.long  # each of these has tests of its own in every run; this one goes through all of them as a person does
def test_settings_own_keys_command_line_marks_conversation_and_zoom(
    workspace: TmuxWorkspace, terminal_env: dict[str, str]
) -> None:
    file = Path(terminal_env["HOME"]) / "config" / "config.toml"
    pane = workspace.inner.start(
        [ATM_TUI, "demo"], size=SIZE, cwd=terminal_env["HOME"], env={"ATM_CONFIG": str(file)}, stay=True
    )
    walk = TourDriver(pane)
    walk.wait_for("^ atm-tui demo +● [1-9]", "Sort by price", r"\? help +q quit$")

    # The settings: one is chosen from a list, one is refused, one is typed.
    walk.press_key(",", "^ Settings of the demo ", "^▌  closed_after +10 +default$", "^ ↵ change +d default")
    for _ in range(9):
        pane.press_keys("j")
    walk.wait_for('^▌  theme +"atm-dark" +default$', "^ values   atm-dark, atm-light")
    walk.press_key("Enter", "╭─ theme ─", "▌✓ atm-dark ", "Enter takes, Esc goes back ─╯")
    pane.press_keys("j", "j", "j")
    walk.wait_for("▌  atm-safe ")
    walk.press_key("Enter", '^▌  theme +"atm-safe" +config.toml:1$', "^ theme is written$")
    for _ in range(4):
        pane.press_keys("k")
    walk.wait_for("^▌  budget_day +0 ")
    walk.press_key("Enter", "^ 0$", "^ Enter write +Esc leave it as it is$")
    pane.type_text("x")
    walk.wait_for("^ 0x$")
    walk.press_key("Enter", "^ budget_day: ", "^ 0x$")
    pane.press_keys("BSpace")
    walk.wait_for("^ 0$")
    pane.type_text(".5")
    walk.wait_for("^ 0.5$")
    walk.press_key("Enter", r"^▌  budget_day +0\.5 +config.toml:\d$")
    walk.press_key("Escape", "SESSION", r"today \$[\d.]+ of \$0.50|today \$[\d.]+")

    # Keys of one's own, from a hand-written line; the footer follows.
    assert not file.exists()  # what is changed in the demo ends with it
    file.parent.mkdir()
    file.write_text('[keys]\nboard = ["B"]\n')
    walk.wait_for(" B board ")
    walk.press_key("B", r"Needs you +\d.*Running +\d.*Done")
    file.write_text("")
    walk.wait_for(" b board ")
    walk.press_key("t", "SESSION")

    # The command line completes, runs, and remembers. It covers the line between tree and panes.
    pane.press_keys(":")
    pane.wait_for(r"^ \+\d+ more +Enter run +Tab complete +Up earlier ones +Esc close$")
    pane.type_text("theme gru")
    pane.wait_for("^  theme gruvbox$")
    pane.press_keys("Tab")
    pane.wait_for("^ :theme gruvbox$")
    pane.press_keys("Enter")
    walk.wait_for(r"q quit$")
    pane.press_keys(":", "Up")
    pane.wait_for("^ :theme gruvbox$")
    pane.press_keys("Escape")
    walk.wait_for(r"q quit$")

    # Marks on two sessions; one key for both.
    pane.press_keys("Home", "Down", "v", "n", "v")
    walk.wait_for(" ✚ .*\n(.*\n)*.* ✚ ", "^ 2 marked +p pin +z snooze +x dismiss +Esc unmark +v mark")
    walk.press_key("p", " ✚⚑ .*\n(.*\n)*.* ✚⚑ ", "^ 2 sessions: pinned$")
    pane.press_keys("Escape")
    pane.wait_gone("✚")
    walk.wait_for(r"q quit$")

    # The conversation of the one that waits: searched, and left again.
    pane.press_keys("n")
    walk.press_key("o", "follows the end", "^ ▌ [A-Z]", "^ ↵ unfold +/ search +O raw +Esc close$")
    pane.press_keys("/")
    walk.wait_for("^ / ")
    pane.type_text("e")
    pane.press_keys("Enter")
    walk.wait_for(r"^ / e +\d+ of \d+ matches$", "n next match", "Esc close$")
    pane.press_keys("Escape")
    pane.wait_gone("^ / e")
    walk.press_key("Escape", "SESSION")

    # A pane on the whole screen, and back.
    walk.press_key("Tab", "▌1 ", "Esc tree", "f zoom")
    pane.press_keys("f")
    pane.wait_gone("SESSION")
    walk.wait_for("^─▌1 .*─{40,}$", "f zoom")
    walk.press_key("f", "SESSION", "▌1 ")
    walk.press_key("Escape", "␣ peek")  # a key sent at once after Esc would be one with Alt
    pane.type_text("q")
    assert pane.wait_for_exit() == 0
    pane.assert_clean()


def test_a_broken_screen_is_noticed() -> None:
    whole = ["╭──╮", "│ab│", "╰──╯", "", "keys"]
    assert find_broken_lines("\n".join(whole), 4) == []
    for number, line in ((0, "╭──"), (1, "│a│"), (1, "│abc│"), (2, "╰─╯"), (4, "wide, the keys")):
        assert find_broken_lines("\n".join([*whole[:number], line, *whole[number + 1 :]]), 4), line
