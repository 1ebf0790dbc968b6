"""Parsing and printing without argparse gives the same results as argparse."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from atm_tui import __version__
from atm_tui.cli.arguments import FREQUENT, VALUED, make_parser, parse_arguments
from tests.support.tables import HELP_TEXT, make_help


@pytest.mark.parametrize("words", FREQUENT, ids=" ".join)
def test_the_fast_path_for_arguments_agrees_with_the_parser(words: tuple[str, ...]) -> None:
    assert vars(parse_arguments(words)) == vars(make_parser(words[0] if words else None).parse_args(words))


@pytest.mark.parametrize("option", ["--host", "--ho", "--host=", "--watch", "--nats"])
def test_a_value_before_the_command_may_be_named_like_one(option: str) -> None:
    value = (f"{option}status",) if option.endswith("=") else (option, "status")
    assert parse_arguments((*value, "--read-only", "list", "status")).sessions == ["status"]


def test_the_options_with_a_value_before_a_command_are_those_of_the_parser() -> None:
    actions = make_parser()._actions  # argparse has no other way to list them
    assert [each.option_strings[0] for each in actions if each.option_strings and each.nargs is None] == list(VALUED)


def test_the_help_comes_from_the_parser() -> None:
    """By its words: the versions of Python break lines at other places. `python -m tests.support.tables` writes it."""
    assert HELP_TEXT.read_text("ascii").split() == make_help().split()


def run_whole(*words: str, **options: object) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "atm_tui", *words]
    return subprocess.run(command, text=True, capture_output=True, check=False, **options)  # type: ignore[call-overload]


def test_version_and_help_are_printed() -> None:
    done = run_whole("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"atm-tui {__version__}\n", "")
    assert run_whole("--help").stdout == HELP_TEXT.read_text("ascii")


@pytest.mark.parametrize("word", ["--version", "--help"])
def test_a_full_disk_is_reported(word: str) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([sys.executable, "-m", "atm_tui", word], stdout=full, stderr=-1, text=True, check=False)
    assert done.returncode == 1
    assert "the output can't be written" in done.stderr


def test_version_and_help_load_no_command(python_of: Callable, home) -> None:
    code = """
import sys
sys.argv = ["atm-tui", {word!r}]
from atm_tui.__main__ import main
main()
print()
print([name for name in ("argparse", "re", "enum", "msgspec", "atm_tui.cli.main") if name in sys.modules])
"""
    for word in ("--version", "--help"):
        assert python_of(code.format(word=word), home).out.splitlines()[-1] == "[]"


@pytest.mark.parametrize("words", [["status"], ["status", "--json"], ["next", "--print"]])
def test_frequent_commands_load_no_more_than_they_need(home, python_of: Callable, words: list[str]) -> None:
    code = f"""
import sys
from atm_tui.cli.main import main
main({words!r})
print()
heavy = ("argparse", "asyncio", "psutil", "typing_extensions", "json", "rich", "watchfiles", "concurrent.futures")
installer = ("atm_tui.settings.status", "atm_tui.settings.answering", "atm_tui.settings.plan")
print([name for name in (*heavy, *installer) if name in sys.modules])
"""
    assert python_of(code, home).out.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["stauts"], 'atm-tui: error: unknown command "stauts"; did you mean "status"?'),
        (["xyz"], 'unknown command "xyz"; known commands: answer, answers, '),
        (["--plian"], 'atm-tui: error: unknown option "--plian"; did you mean "--plain"?'),
        (["status", "--jsn"], 'atm-tui status: error: unknown option "--jsn"; did you mean "--json"?'),
        (["status", "--colums=id"], 'unknown option "--colums"; did you mean "--columns"?'),
        (["status", "--sort", "newst"], 'argument --sort: unknown value "newst"; did you mean "newest"?'),
        (["status", "--state", "idel"], 'argument --state: unknown value "idel"; did you mean "idle"?'),
        (["wait", "--for", "end"], 'argument --for: unknown value "end"; did you mean "ended"?'),
        (["install", "--scope", "x"], 'argument --scope: unknown value "x"; known values: local, project, user'),
        (["--wach", "/tmp", "status"], 'atm-tui: error: unknown option "--wach"; did you mean "--watch"?'),
        (["--hots=x", "stauts"], 'atm-tui: error: unknown option "--hots"; did you mean "--host"?'),
        (["--wat", "status", "stauts"], 'atm-tui: error: unknown command "stauts"; did you mean "status"?'),
        (["status", "--host", "gpu"], "atm-tui status: error: --host goes before the command: atm-tui --host … status"),
        (
            ["usage", "--read-only"],
            "atm-tui usage: error: --read-only goes before the command: atm-tui --read-only usage",
        ),
        (["doctor", "now"], 'atm-tui doctor: error: unexpected argument "now"'),
    ],
)
def test_an_invalid_argument_is_named_with_the_nearest_valid_one(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parse_arguments(words)
    assert ended.value.code == 2
    assert message in " ".join(capsys.readouterr().err.split())
