"""Commands print only through cli/output.py: no other module writes to stdout or stderr, nor lets a program do so."""

import argparse
import ast
import re
from collections.abc import Iterator

import pytest

from atm_tui.cli.arguments import make_parser
from atm_tui.cli.parser import Parser
from atm_tui.cli.table import COMMANDS
from tests.support.source_search import ROOT, find_calls

STREAMS = frozenset({"stdout", "stderr", "__stdout__", "__stderr__", "displayhook", "excepthook"})
MODULES = frozenset({"logging", "pprint", "getpass", "fileinput", "curses"})
PRINTERS = frozenset({"print", "input", "breakpoint", "help", "Console", "rich.print", "os.system", "os.popen"})
BEGINS = ("traceback.print", "os.exec", "os.spawn", "os.posix_spawn", "asyncio.create_subprocess")
ENDS = ("ArgumentParser", "driver.write", "warnings.warn", "console.print")
HINT = re.compile(
    r"\b(std(out|err)__|std(out|err)|\w+hook|print|input|breakpoint|help|Console|ArgumentParser|exec\w*|spawn\w*|system|popen|write"
    r"|writev|warn|fdopen|open|subprocess|traceback|create_subprocess\w*|logging|pprint|getpass|fileinput|curses)\b"
)
"""Where none of these words is, nothing prints."""
TERMINALS = (1, 2, "/dev/tty", "/dev/stdout", "/dev/stderr")
ALLOWED = {
    "tui/atm_tui/cli/clean_stream.py:clean_streams": "the one way",
    "tui/atm_tui/cli/config.py:_edit": "the user's own terminal: an editor gets it for a while",
    "tui/atm_tui/cli/clean_stream.py:get_stdout": "the one way",
    "tui/atm_tui/cli/clean_stream.py:get_stderr": "the one way",
    "tui/atm_tui/__main__.py:_leave": "flushes what was written the one way",
    "tui/atm_tui/cli/fixed_texts.py:print_fixed_text": "texts of our own, without loading the one way",
    "tui/atm_tui/cli/parser.py:_print_message": "asks which of both argparse means",
    "tui/atm_tui/cli/terminal.py:can_ask": "asks whether it is a terminal",
    "tui/atm_tui/cli/terminal.py:can_show_screen": "asks whether it is a terminal",
    "tui/atm_tui/cli/terminal.py:replace_process": "the user's own terminal: Claude Code or tmux goes on in it",
    "tui/atm_tui/notify/action.py:main": "a process of ours, whose output leads nowhere",
    "tui/atm_tui/paths.py:is_utf8": "asks for its encoding",
    "tui/atm_tui/risk/shell_process.py:serve": "a process of ours, whose output is a pipe to us",
    "tui/atm_tui/screens/suspend.py:run_suspended": "the user's own terminal: Claude Code, tmux or an editor gets it for a while",
    "tui/atm_tui/view/line_filters.py:make_error_console": "a traceback of an app, on stderr as cleaned by cli/",
    "tui/atm_tui/app.py:_write": "the terminal's title, which view/terminal_title.py cleans",
}
"""Functions that name a stream, or start a program that inherits it, and why."""


def _writes(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yields the name of the enclosing function and the line of each place that could print."""
    return find_calls(tree, _can_print)


def _can_print(node: ast.AST) -> bool:
    if isinstance(node, ast.ImportFrom):
        names = {alias.name for alias in node.names}
        return (node.module == "sys" and bool(names & STREAMS)) or (node.module == "rich" and "print" in names)
    if isinstance(node, ast.Import):
        return any(alias.name in MODULES for alias in node.names)
    if isinstance(node, ast.Attribute):
        return node.attr in STREAMS and _name(node.value) in ("sys", "_sys")
    return isinstance(node, ast.Call) and _call_can_print(node, _name(node.func))


def _call_can_print(call: ast.Call, name: str) -> bool:
    if name in ("os.write", "posix.write", "os.writev", "os.fdopen", "open"):
        return isinstance(call.args[0], ast.Constant) and call.args[0].value in TERMINALS
    if name.startswith("subprocess."):
        given = {keyword.arg for keyword in call.keywords}
        is_run = name.rpartition(".")[2] in ("run", "Popen", "call", "check_call", "check_output")
        return is_run and not ("capture_output" in given or {"stdout", "stderr"} <= given)
    return name in PRINTERS or name.endswith(ENDS) or name.startswith(BEGINS)


def _name(node: ast.AST) -> str:
    """The dotted name that an expression is; what is not a name in it is left out."""
    if isinstance(node, ast.Attribute):
        return f"{_name(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def test_no_other_module_prints() -> None:
    found = {}
    for file in sorted(ROOT.glob("tui/**/*.py")):
        text = file.read_text("utf-8")
        for function, line in _writes(ast.parse(text)) if HINT.search(text) else ():
            found[f"{file.relative_to(ROOT)}:{function}"] = line
    assert {name: line for name, line in found.items() if name not in ALLOWED} == {}
    assert set(ALLOWED) - set(found) == set(), "no longer there"


@pytest.mark.parametrize(
    "code",
    [
        "print(1)",
        "sys.stdout.write('')",
        "sys.stderr.buffer.write(b'')",
        "write = sys.__stdout__",
        "from sys import stderr",
        "traceback.print_exc()",
        "import logging",
        "os.write(2, b'')",
        "open('/dev/tty', 'w')",
        "subprocess.run(['ls'])",
        "subprocess.Popen(['ls'], stdout=pipe)",
        "argparse.ArgumentParser()",
        "console.print('')",
        "self._driver.write('')",
        "os.execvp('ls', [])",
    ],
)
def test_the_search_knows_each_way_to_print(code: str) -> None:
    assert HINT.search(code)
    assert [name for name, _ in _writes(ast.parse(f"def f():\n    {code}"))][:1] == ["f"]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_parser_prints_through_our_output_module(command: str) -> None:
    top = make_parser(command)
    (subparsers,) = (each for each in top._actions if isinstance(each, argparse._SubParsersAction))
    assert isinstance(top, Parser)
    assert all(isinstance(each, Parser) for each in subparsers.choices.values())
