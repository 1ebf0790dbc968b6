"""Stand-ins for the programs of terminals: they record how they were called, and print what a test sets."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from atm_tui.jump.values import OwnTerminal
from atm_tui.model.session import Session, Terminal

_STAND_IN = """#!{python}
import json, os, sys
folder = os.path.dirname(os.path.abspath(__file__))
name = os.path.basename(__file__)
with open(os.path.join(folder, "calls.jsonl"), "a") as calls:
    calls.write(json.dumps([name, sys.argv[1:], os.environ.get("WEZTERM_UNIX_SOCKET")]) + "\\n")
with open(os.path.join(folder, name + ".answers")) as answers:
    for words, text, status in json.load(answers):
        if all(word in sys.argv for word in words):
            print(text)
            sys.exit(status)
"""


class Programs:
    """A folder that is the whole PATH."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # for programs that are run through it
        (folder / "env").symlink_to("/usr/bin/env")

    def add(self, name: str, *answers: tuple[list[str], str, int]) -> None:
        """A program; the first answer (words, output, status) counts whose words are all among its arguments."""
        program = self.folder / name
        program.write_text(_STAND_IN.format(python=sys.executable))
        program.chmod(0o755)
        program.with_name(f"{name}.answers").write_text(json.dumps(answers))

    @property
    def calls(self) -> list[list[str]]:
        """Every call: the program's name, then its arguments."""
        try:
            lines = (self.folder / "calls.jsonl").read_text().splitlines()
        except FileNotFoundError:
            return []
        return [[name, *arguments] for name, arguments, _ in map(json.loads, lines)]

    @property
    def sockets(self) -> list[str | None]:
        """The WEZTERM_UNIX_SOCKET that each call got."""
        return [json.loads(line)[2] for line in (self.folder / "calls.jsonl").read_text().splitlines()]


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Programs:
    """Only the programs that a test adds."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return Programs(folder)


@pytest.fixture
def live() -> Callable[..., Session]:
    """A session that runs as this very process, in a terminal of the given kind."""

    def make(kind: str, **terminal: object) -> Session:
        return Session(
            session_id="0a1b2c3d-0000-4000-8000-000000000000",
            cwd="/home/user/my work",
            pid=os.getpid(),
            terminal=Terminal(kind=kind, **terminal),  # type: ignore[arg-type]
        )

    return make


@pytest.fixture
def own() -> OwnTerminal:
    """Outside every terminal that takes commands."""
    return OwnTerminal()
