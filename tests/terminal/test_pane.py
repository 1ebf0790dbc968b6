"""The pane that terminal tests look through shows what a terminal would, and notices one that is left untidy."""

import re
import sys

import pytest

from tests.support.tmux import Tmux

FULL_SCREEN = r"""
import os, sys, signal, termios, tty
untidy = sys.argv[1:]
before = termios.tcgetattr(0)
def show(*_):
    size = os.get_terminal_size()
    print(f"\x1b[H\x1b[2J\x1b[31m{size.columns}x{size.lines}\x1b[0m", end="\r\n", flush=True)
signal.signal(signal.SIGWINCH, show)
tty.setraw(0)
print("\x1b[?1049h\x1b[?25l\x1b[?1000h\x1b[?1006h", end="")
show()
while (key := os.read(0, 8)) != b"q":
    print(repr(key), end="\r\n", flush=True)
for name, codes in {"screen": "\x1b[?1049l", "cursor": "\x1b[?25h", "mouse": "\x1b[?1000l\x1b[?1006l"}.items():
    if name not in untidy:
        print(codes, end="", flush=True)
if "line mode" not in untidy:
    termios.tcsetattr(0, termios.TCSADRAIN, before)
sys.exit(7)
"""
"""A full-screen program that shows its size and keys, and at `q` leaves untidy what its arguments say."""


def test_keys_are_sent_and_the_screen_is_read(tmux: Tmux) -> None:
    pane = tmux.start([sys.executable, "-c", FULL_SCREEN], size=(120, 40), stay=True)
    pane.wait_for(r"^120x40$")
    assert "\x1b[31m120x40" in pane.read_screen(colours=True)
    pane.press_keys("Up")
    pane.type_text("ä")
    pane.wait_for(re.escape(r"\x1b[A"))
    pane.wait_for(re.escape(r"\xc3\xa4'"))
    pane.resize(60, 24)
    pane.wait_for(r"^60x24$")
    pane.type_text("q")
    assert pane.wait_for_exit() == 7
    pane.assert_clean()


@pytest.mark.parametrize("untidy", ["screen", "cursor", "mouse", "line mode"])
def test_an_untidy_terminal_is_noticed(tmux: Tmux, untidy: str) -> None:
    pane = tmux.start([sys.executable, "-c", FULL_SCREEN, untidy], stay=True)
    pane.wait_for(r"^120x40$")
    pane.type_text("q")
    assert pane.wait_for_exit() == 7
    with pytest.raises(AssertionError):
        pane.assert_clean()


def test_a_killed_program_says_by_which_signal(tmux: Tmux) -> None:
    pane = tmux.start(["sleep", "60"], stay=True)
    pane.find_program().terminate()
    assert pane.wait_for_exit() == 128 + 15
    pane.assert_clean()


def test_a_text_that_never_appears_fails_with_the_screen(tmux: Tmux) -> None:
    pane = tmux.start(["echo", "hello"], stay=True)
    pane.wait_for_exit()
    with pytest.raises(AssertionError, match=r"(?s)'absent' never came.*hello"):
        pane.wait_for("absent", timeout=0.2)
