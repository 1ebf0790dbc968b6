"""In ASCII mode, the app writes nothing but ASCII to a real terminal: borders, gauges, scrollbars and titles too."""

from pathlib import Path

from tests.support.program import ATM_TUI
from tests.support.tmux import Tmux
from tests.support.waiting import wait_until

VIEWS = (
    ("b", "Needs you"),
    ("L", "Timeline"),
    ("H", "the last 14 days"),
    ("u", "by project"),
    ("t", "SESSION"),
    ("/", "any word shown"),
)
DIALOGS = ((" ", "Space close"), ("?", "What you do most"), ("T", "Enter takes"))
"""Keys, and what each leads to."""


def test_every_view_is_written_in_ascii_where_the_terminal_has_nothing_else(tmux: Tmux, tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    raw.touch()
    gate = tmp_path / "gate"
    script = f'while ! [ -e "{gate}" ]; do sleep 0.05; done; exec {ATM_TUI} demo'
    pane = tmux.start(["sh", "-c", script], size=(80, 24), env={"PYTHONIOENCODING": "ascii"}, stay=True)
    tmux.run("pipe-pane", "-t", pane.target, f"cat > '{raw}'")
    gate.touch()
    pane.wait_for("SESSION - started")
    for key, shown in DIALOGS:
        pane.press_keys(key)
        pane.wait_for(shown)
        pane.press_keys("Escape")
        pane.wait_gone(shown)
    for key, shown in VIEWS:
        pane.press_keys(key)
        pane.wait_for(shown)
    pane.press_keys("Escape")
    pane.wait_gone("any word shown")
    pane.press_keys("q")
    assert pane.wait_for_exit() == 0
    wait_until(lambda: b"left with" in raw.read_bytes())
    written = raw.read_bytes()
    assert len(written) > 10_000
    assert written.isascii(), sorted({each for each in written.decode(errors="replace") if not each.isascii()})
