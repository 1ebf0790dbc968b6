"""README and docs/ match the code: every command, option, key, setting and field is documented, once."""

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

from atm_hooks import answer_log, answer_wait
from atm_tui import commands
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.table import COMMANDS
from atm_tui.config import MEANINGS, Config
from atm_tui.model.fleet import Fleet
from atm_tui.model.session import Agent, Liveness, Session, State
from atm_tui.model.wait import Wait
from atm_tui.settings.check import Check
from atm_tui.settings.inspection import Fault
from atm_tui.view import usage_json
from atm_tui.view.command import format_keys
from atm_tui.view.status_json import build_status_json
from tests.support.forked import run_command
from tests.support.tables import DOCS, INSTALLER, PAGES, README, ROOT, find_page, list_options, make_tables, read_table

SETTINGS = ROOT / "tui" / "atm_tui" / "settings"


def list_names(page: Path, table: str) -> list[str]:
    """The words in backticks of a table, in its order."""
    return re.findall(r"`([^`]+)`", "\n".join(read_table(page, table)))


def list_fields(given: object) -> set[str]:
    """The names of all fields of a JSON value, at any depth; a list of objects is named with [] behind."""
    if isinstance(given, list):
        return set().union(*map(list_fields, given)) if given else set()
    if not isinstance(given, dict):
        return set()
    objects = {key for key, value in given.items() if isinstance(value, list) and value and isinstance(value[0], dict)}
    return {f"{key}[]" if key in objects else key for key in given}.union(*map(list_fields, given.values()))


def list_names_in_code(module: ModuleType) -> set[str]:
    """The keys of all objects that a module makes."""
    found = set(re.findall(r'"(\w+)": ', Path(str(module.__file__)).read_text("utf-8")))
    assert found
    return found


def test_each_table_is_what_the_code_says() -> None:
    for (page, name), table in make_tables().items():
        assert read_table(page, name) == table, f"{page.name}, {name}: python -m tests.support.tables writes it anew"


def test_readme_is_short() -> None:
    lines = README.read_text("utf-8").splitlines()
    assert len(lines) < 150
    assert [line for line in lines if len(line) > 120] == []


def test_the_first_two_code_blocks_are_one_line_each() -> None:
    blocks = re.findall(r"^```\w*\n(.*?)^```", README.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert [len(block.splitlines()) for block in blocks[:2]] == [1, 1]
    assert blocks[0].strip().endswith("atm-tui demo")
    assert "pytest" in blocks[1]


def test_readme_links_every_page() -> None:
    text = README.read_text("utf-8")
    assert [page.name for page in PAGES if page != README and f"]({page.relative_to(ROOT)})" not in text] == []


def test_each_command_has_one_section() -> None:
    for name in COMMANDS:
        sections = [
            page.name for page in PAGES for line in page.read_text("utf-8").splitlines() if line == f"## {name}"
        ]
        assert sections == [find_page(name).name], name
    [installer] = [page for page in PAGES if page.name == "install.md"]
    assert {find_page(name) for name in INSTALLER} == {installer}


def test_each_option_has_one_row_in_the_section_of_its_command() -> None:
    for name in (None, *COMMANDS):
        table = f"options-{name}" if name else "options"
        words = [word for label in list_names(find_page(name or ""), table) for word in label.split()]
        for option in list_options(name):
            for spelling in option.option_strings:
                assert words.count(spelling) == 1, f"{name}: {spelling}"


def test_each_key_has_one_row() -> None:
    labels = [re.findall(r"`([^`]+)`", row.split(" | ")[0]) for row in read_table(DOCS / "keys.md", "keys")[2:]]
    assert labels == [format_keys(each, ascii_only=True) for each in commands.COMMANDS]
    rows = Counter((each.help, *format_keys(each)) for each in commands.COMMANDS)
    assert max(rows.values()) == 1


def test_each_state_is_described() -> None:
    text = (DOCS / "status.md").read_text("utf-8").split("## States")[1].split("\n## ")[0]
    states = {state.value.replace("_", " ") for state in State} | {Liveness.LOST.value, Liveness.ENDED.value}
    assert {state for state in states if text.count(f"\n| {state} |") != 1} == set()


def test_each_setting_has_a_meaning() -> None:
    assert set(MEANINGS) == set(Config.__struct_fields__)


def test_each_environment_variable_of_our_own_is_described() -> None:
    sources = [*ROOT.glob("tui/atm_tui/**/*.py")]
    read = {name for each in sources for name in re.findall(r'environment\("(\w+)"', each.read_text("utf-8"))}
    read |= {"XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "PAGER", "VISUAL", "EDITOR"}
    text = (DOCS / "configuration.md").read_text("utf-8")
    assert {
        name for name in read - {"TMUX_TMPDIR"} if text.count(f"| `{name}`") + text.count(f", `{name}`") != 1
    } == set()


def test_each_field_of_the_status_is_described() -> None:
    fleet = Fleet()
    fleet.update([Session(session_id="a", waits=(Wait(key="k"),), agents=(Agent(agent_id="b"),))])
    shown = list_fields(build_status_json(fleet, 0.0))
    listed = {name.removesuffix("[]") for name in list_names(DOCS / "status.md", "json")}
    assert {name.removesuffix("[]") for name in shown} - listed == set()


def test_each_field_of_the_usage_is_described() -> None:
    listed = {name.removesuffix("[]") for name in list_names(DOCS / "costs.md", "usage-json")}
    assert {*list_names_in_code(usage_json), "waited_today"} - listed == set()


def test_each_field_of_the_log_of_answers_is_described() -> None:
    source = Path(answer_wait.__file__).read_text("utf-8").split("line = {")[1].split("answer_log.append")[0]
    written = set(re.findall(r'^ +"(\w+)":', source, re.MULTILINE))
    assert len(written) > 10
    written |= answer_log.make_refusal(0.0, "", "arm", "").keys()
    assert written <= set(list_names(DOCS / "answering.md", "answers-json"))


def test_each_check_of_doctor_is_described() -> None:
    files = [*SETTINGS.glob("doctor*.py"), SETTINGS.parent / "cli/doctor.py"]
    sources = [path.read_text("utf-8") for path in files]
    checks = {name for source in sources for name in re.findall(r'\bCheck\(\s*"(\w+)"', source)}
    checks |= {fault.value for fault in Fault} | {"hook", "statusline"}
    rows = [row.split(" | ")[0] for row in read_table(DOCS / "install.md", "checks")[2:]]
    assert Counter(re.findall(r"`(\w+)`", "\n".join(rows))) == Counter(checks)
    text = (DOCS / "install.md").read_text("utf-8")
    assert all(f"`{name}`" in text for name in Check.__annotations__)


def test_help_names_every_command() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "atm_tui", "--help"], capture_output=True, text=True, check=True
    ).stdout
    for name, command in COMMANDS.items():
        assert re.search(rf"^\s+{name}\s", shown, re.MULTILINE), name
        assert command.help.split(" ", 1)[0] in shown


def test_the_readme_names_every_exit_code() -> None:
    section = README.read_text("utf-8").split("## Commands")[1].split("\n## ")[0]
    named = dict(re.findall(r"`(\d+)` ?([a-z ]*)", section))
    assert list(named) == [str(code.value) for code in ExitCode]
    words = {code: code.name.lower().replace("_", " ") for code in ExitCode if code.value < 128}
    assert [code for code, name in words.items() if not named[str(code.value)].startswith(name)] == []


def test_help_lists_every_exit_code_that_a_command_can_end_with() -> None:
    for name in (None, *COMMANDS):
        shown = run_command([*([name] if name else []), "--help"], ROOT, os.environ).out
        listed = re.findall(r"^  (\d+) +(.*)$", shown.split("exit codes:\n")[1], re.MULTILINE)
        expected = COMMANDS[name].exit_codes if name else tuple(ExitCode)
        assert listed == [(str(code.value), code.meaning) for code in sorted(expected)], name


def test_every_exit_code_is_one_of_some_command() -> None:
    assert {code for command in COMMANDS.values() for code in command.exit_codes} == set(ExitCode)
