"""The raw bytes of the app, and of commands that ask, on a home where everything is hostile: only sequences that we wrote."""

import re
from collections.abc import Iterator

import pytest

from atm_tui.cli.exit_codes import ExitCode
from tests.support.callers import AS_PERSON
from tests.support.hostile_home import ASKS, LIVE, PLANS, HostileHome, open_hostile_home
from tests.support.raw_terminal import SEQUENCE, RawTerminal
from tests.support.safe_text import HOSTILE, is_safe
from tests.support.tmux import mark_as_started

SEEN = "OWNED"
ESCAPE = "\x1b[27u"
"""The key Esc as terminals send it that tell it from the start of a sequence."""
WALK = (
    (" ", "␣ close"),
    (ESCAPE, "␣ peek"),
    ("b", "Needs you"),
    ("L", "Timeline"),
    ("H", "the last 14 days"),
    ("u", "by project"),
    ("t", "SESSION"),
    ("\x10", "A command, a session or a theme"),
    (ESCAPE, "␣ peek"),
    ("?", "Esc closes"),
    (ESCAPE, "␣ peek"),
    ("i", "u uninstall"),
    ("\r", "← back"),
    ("\r", "whole lines"),
    (ESCAPE, "␣ peek"),
)
"""Keys, and what each leads to and was not on the screen: only what differs is written.

A screen that closes takes keys until it is gone, so each is waited for.
"""
FINALS = frozenset("mHhlut")
"""The last characters of the CSI sequences that Textual writes: colours, places, modes, the keyboard, and the saved title."""
QUERIES = re.compile(r"\x1b\[\?\d+\$p|\x1b\[>\d*u|\x1b\[<u")
OSC = re.compile(r"0;((\d+ needs? you . )?atm-tui)?|22;[a-z]+")
"""The title, and the shape of the mouse pointer."""


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostileHome]:
    with open_hostile_home(tmp_path_factory.mktemp("raw")) as home:
        mark_as_started(home.harness.sandbox.root)
        home.home.environ |= {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
        yield home


@pytest.fixture
def start(hostile: HostileHome) -> Iterator[object]:
    running = []

    def run(*words: str) -> RawTerminal:
        running.append(RawTerminal([*AS_PERSON, *words], hostile.home.environ, hostile.folder))
        return running[-1]

    yield run
    for each in running:
        each.close()


def check_output(terminal: RawTerminal, allowed: str = "") -> None:
    """Fails when a sequence is none of ours, or a character between them steers or hides."""
    text = terminal.raw.decode()
    strange = []
    for found in SEQUENCE.finditer(text):
        is_csi = found["final"] in FINALS or QUERIES.fullmatch(found[0])
        is_osc = found["osc"] is not None and OSC.fullmatch(found["osc"])
        if found[0] in HOSTILE or not (is_csi or is_osc):
            strange.append(found[0])
    assert strange == []
    assert {each for each in SEQUENCE.sub("", text) if not is_safe(each)} <= {"\r", "\n", *allowed}


@pytest.mark.parametrize(
    ("words", "question"),
    [
        (["resume"], "Enter cancels"),
        (["answer", ASKS], "Enter cancels"),
        pytest.param(["answer", PLANS], "Enter cancels", marks=pytest.mark.long),
        (["report", LIVE], "Write this to"),
        (["uninstall"], "Write this?"),
    ],
)
def test_interactive_commands_write_only_their_own_sequences(start, words: list[str], question: str) -> None:
    terminal = start(*words)
    terminal.wait_for(question)
    terminal.type("\x04")
    assert terminal.end() in set(ExitCode)
    check_output(terminal, "\t" if words == ["uninstall"] else "")
    assert SEEN in terminal.text


def test_the_app_writes_only_its_own_sequences(start) -> None:
    terminal = start()
    terminal.wait_for("waiting for you")
    for keys, words in WALK:
        terminal.press(keys, words)
    terminal.press("A", "what sessions ask from now on can be answered here")
    terminal.press("d", "↵ deny")
    terminal.process.terminate()
    assert terminal.end() == ExitCode.TERMINATED
    check_output(terminal)
    assert terminal.text.count(SEEN) > 100
