"""Every key, command and setting is documented once: the README's tables are made from the code, and must not differ from it.

`python -m tests.test_readme` writes the tables anew.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from atm_tui import commands
from atm_tui.cli.exit_codes import ExitCode, exit_code_rows
from atm_tui.cli.table import COMMANDS
from atm_tui.config import Config, config_rows
from atm_tui.model.fleet import Fleet
from atm_tui.model.session import Agent, Session
from atm_tui.model.wait import Wait
from atm_tui.risk.rules import DANGERS
from atm_tui.view.command import command_row
from atm_tui.view.status_json import build_status_json

README = Path(__file__).parent.parent / "README.md"


def tables() -> dict[str, list[str]]:
    """The generated rows by the name of their place."""
    return {
        "keys": ["| key | what it does |", "|---|---|", *map(command_row, commands.COMMANDS)],
        "commands": [f"| `atm-tui {name}` | {command.help} |" for name, command in COMMANDS.items()],
        "exits": ["| code | meaning |", "|---|---|", *exit_code_rows()],
        "dangers": [
            "| name | asks twice what … |",
            "|---|---|",
            *(f"| `{key}` | {words} |" for key, words in DANGERS.items()),
        ],
        "config": ["| key | default | meaning |", "|---|---|---|", *config_rows()],
    }


def place(name: str) -> re.Pattern[str]:
    return re.compile(rf"(<!-- {name}\b[^\n]*-->\n)(.*?)(<!-- /{name} -->)", re.DOTALL)


@pytest.mark.parametrize("name", ["keys", "commands", "exits", "config", "dangers"])
def test_the_table_is_what_the_code_says(name: str) -> None:
    found = place(name).search(README.read_text("utf-8"))
    assert found
    assert found[2].splitlines() == tables()[name]


def test_every_field_of_the_json_is_documented() -> None:
    found = place("json").search(README.read_text("utf-8"))
    assert found
    fleet = Fleet()
    fleet.update([Session(session_id="a", waits=(Wait(key="k"),), agents=(Agent(agent_id="b"),))])
    shown = build_status_json(fleet, 0.0)
    names = (
        set(shown)
        | set(shown["sessions"][0])
        | set(shown["sessions"][0]["waits"][0])
        | set(shown["sessions"][0]["agents"][0])
    )
    for part in ("background", "files", "context", "cost", "evidence"):
        names |= set(shown["sessions"][0][part])
    assert {name for name in names if f"`{name}`" not in found[2] and f"`{name}[]`" not in found[2]} == set()


def test_help_names_every_command() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "atm_tui", "--help"], capture_output=True, text=True, check=True
    ).stdout
    for name, command in COMMANDS.items():
        assert re.search(rf"^\s+{name}\s", shown, re.MULTILINE), name
        assert command.help.split(" ", 1)[0] in shown


def test_help_lists_every_exit_code_that_a_command_can_end_with() -> None:
    for name in (None, *COMMANDS):
        words = [sys.executable, "-m", "atm_tui", *([name] if name else []), "--help"]
        shown = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        listed = re.findall(r"^  (\d+) +(.*)$", shown.split("exit codes:\n")[1], re.MULTILINE)
        expected = COMMANDS[name].exit_codes if name else tuple(ExitCode)
        assert listed == [(str(code.value), code.meaning) for code in sorted(expected)], name


def test_every_exit_code_is_one_of_some_command() -> None:
    assert {code for command in COMMANDS.values() for code in command.exit_codes} == set(ExitCode)


def test_the_first_two_blocks_are_one_line_each() -> None:
    blocks = re.findall(r"^```\w*\n(.*?)^```", README.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert [len(block.splitlines()) for block in blocks[:2]] == [1, 1]
    assert blocks[0].strip().endswith("atm-tui demo")
    assert "pytest" in blocks[1]


def test_every_key_of_the_configuration_has_a_row() -> None:
    assert len(config_rows()) == len(Config.__struct_fields__)


if __name__ == "__main__":
    text = README.read_text("utf-8")
    for name, rows in tables().items():
        text = place(name).sub(lambda found, rows=rows: found[1] + "\n".join(rows) + "\n" + found[3], text)
    README.write_text(text, "utf-8")
