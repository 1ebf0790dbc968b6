"""The man page says what the tables say, and man formats it without a complaint."""

import subprocess

from atm_tui import __version__
from atm_tui.cli.table import COMMANDS
from tests.support.needs import need_program
from tests.support.tables import MAN_PAGE, make_man_page


def test_the_man_page_is_what_the_code_says() -> None:
    """`python -m tests.support.tables` writes it."""
    assert MAN_PAGE.read_text("utf-8") == make_man_page()


def test_man_shows_every_command_and_finds_no_fault() -> None:
    man = need_program("man")
    environ = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "MANWIDTH": "80", "MANROFFSEQ": ""}
    done = subprocess.run([man, "--warnings", "-l", MAN_PAGE], capture_output=True, text=True, env=environ, check=True)
    assert done.stderr == ""
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert [name for name in COMMANDS if f"atm-tui {name}" not in lines] == []
    assert f"atm-tui {__version__}" in lines[-1]
    keys, configuration = lines.index("KEYS"), lines.index("CONFIGURATION")
    assert "Name: board." in lines[keys:configuration]  # and not as a default, which those of the configuration have
    assert not any(line.startswith("Default") for line in lines[keys:configuration])
    assert "Default: false." in lines[configuration:]
    assert "\\" not in done.stdout
