"""Feeds every reader damaged input. Nothing that a reader is given ends it: what comes out is a value, or a refusal.

ATM_FUZZ_COUNT sets the number of inputs per reader; without it all readers together take ATM_FUZZ_SECONDS (1, in a long run 10).
With `-s` each reader prints what came out, and how often.
"""

import ast
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest

from tests.readers import app_readers, hook_readers, program_readers, session_readers, settings_readers
from tests.readers.table import READERS, ReaderSandbox
from tests.support.effort import LONG
from tests.support.source_search import find_calls

ROOT = Path(__file__).parents[2]
MODULES = (app_readers, hook_readers, program_readers, session_readers, settings_readers)
COUNT = int(os.environ.get("ATM_FUZZ_COUNT", "0"))
SECONDS = float(os.environ.get("ATM_FUZZ_SECONDS", "10" if LONG else "1")) / len(READERS)
WATCHED = 60
"""Inputs after which a feed has reached all functions that it names; most have after one."""

OPENERS = frozenset(
    {
        *("read_regular", "open_regular", "read_start", "read_end", "read_stdin", "read_bytes", "read_settings"),
        *(
            "read_private",
            "open_file",
            "open_fifo",
            "read_open",
            "run_command",
            "read_json_output",
            "run",
            "check_output",
            "Popen",
        ),
    }
)
"""The functions by which files are opened to be read, by which stdin is read, and by which other programs are asked."""
RUNNERS = frozenset({"run", "check_output", "Popen"})
NOT_FED = {
    "atm_tui.cli.man:run_man": "our own page, which is printed",
    "atm_tui.demo.own_config:read": "only copied: FollowedConfig reads the copy",
    "atm_tui.monitor.link:_start": "a stream, read by StreamReader: tests/sources/test_stream_reader.py damages it",
    "atm_hooks.proc:read_pid_domain": "the system's own file, whose text is only compared",
    "atm_hooks.regular_file:read_regular": "an opener itself",
    "atm_hooks.regular_file:read_start": "an opener itself",
    "atm_hooks.regular_file:read_end": "an opener itself",
    "atm_hooks.private:read_private": "an opener itself",
    "atm_hooks.answer_wait:open": "the hook's own FIFO: bytes in it only wake it up",
    "atm_tui.settings.read:read_bytes": "an opener itself",
    "atm_tui.settings.apply:read_settings": "an opener itself",
    "atm_tui.jump.run:run_command": "an opener itself",
    "atm_tui.jump.run:read_json_output": "an opener itself",
    "atm_tui.jump.run:run_plan": "what the program prints is dropped",
    "atm_tui.jump.run:feed_program": "only its exit code counts",
    "atm_tui.screens.controllers.custom:open_window": "what the program prints is dropped",
    "atm_tui.screens.controllers.custom:_run_in_background": "any text: its first line is shown, cleaned",
    "atm_tui.screens.controllers.notifying:go_to_own_pane": "what the program prints is dropped",
    "atm_tui.notify.action:main": "only whether it printed the name of the action counts",
    "atm_tui.sources.notify_locks:read_mark": "only compared with what it was before",
    "atm_tui.cli.config:_edit": "what an editor prints goes to the terminal",
    "atm_tui.screens.suspend:run_suspended": "what the program prints goes to the terminal",
    "atm_tui.settings.hook_speed:measure_empty_program": "only how long it takes counts",
    "atm_tui.settings.trial:try_command": "only whether it printed anything counts",
    "atm_tui.settings.hookfiles:copy_hooks": "files of the package",
    "atm_tui.cost.pricing:load_default_table": "a file of the package",
    "atm_tui.cli.fixed_texts:print_fixed_text": "a file of the package",
    "atm_tui.web.server:__init__": "a file of the package",
    "atm_tui.sources.process_start:find_boot_time": "/proc/stat",
    "atm_tui.settings.hookfiles:_compile": "only its exit code counts",
    "atm_tui.settings.attributes:_keep_attributes_on_macos": "the file that was just written; macOS only",
    "atm_tui.demo.clients:start": "a stand-in for a client, which prints nothing",
    "atm_tui.risk.shell_process:_ask": "a process of our own; tests/risk has its tests",
}
"""Functions that call an opener and need no feed, and why."""


def _opens(node: ast.AST) -> bool:
    """Whether it is a call of an opener, or one that runs another program."""
    if not isinstance(node, ast.Call):
        return False
    function = node.func
    called = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
    is_of_subprocess = isinstance(function, ast.Attribute) and ast.unparse(function.value) == "subprocess"
    return called in OPENERS and (called not in RUNNERS or is_of_subprocess)


def find_callers(name: str, text: str) -> set[str]:
    """The functions of a module that call an opener, as `module:function`."""
    return {f"{name}:{function}" for function, _ in find_calls(ast.parse(text), _opens)}


def test_every_reader_has_a_feed() -> None:
    found: set[str] = set()
    for source in ("tui", "hooks"):
        for file in sorted((ROOT / source).glob("**/*.py")):
            name = ".".join(file.relative_to(ROOT / source).with_suffix("").parts)
            text = file.read_text("utf-8")
            if any(opener in text for opener in OPENERS):
                found |= find_callers(name, text)
    named = {function for reader in READERS.values() for function in reader.functions} | NOT_FED.keys()
    assert found - named == set(), "without a feed"
    assert named - found == set(), "no longer there"


@contextmanager
def _watch_calls() -> Iterator[set[str]]:
    """Notes all functions that are called, as `module:function`."""
    called: set[str] = set()

    def note(frame: FrameType, kind: str, _: object) -> None:
        if kind == "call":
            called.add(f"{frame.f_globals.get('__name__')}:{frame.f_code.co_name}")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield called
    finally:
        sys.setprofile(before)


@pytest.mark.filterwarnings("ignore:Possible (nested )?set:FutureWarning")
@pytest.mark.timeout(0 if COUNT else 240)
@pytest.mark.parametrize("name", READERS)
def test_no_input_crashes_a_reader(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox = ReaderSandbox(tmp_path)
    for key, value in sandbox.environ.items():
        monkeypatch.setenv(key, value)
    monkeypatch.chdir(tmp_path)
    reader = READERS[name]
    outcomes: Counter[str] = Counter()
    number = 0

    def feed() -> None:
        nonlocal number
        number += 1
        try:
            outcomes[reader.feed(sandbox, random.Random(f"{name} {number}"))] += 1
        except Exception as error:
            error.add_note(f"reader {name}, input {number}")
            raise

    try:
        with _watch_calls() as called:
            while not set(reader.functions) <= called and number < WATCHED:
                feed()
        assert set(reader.functions) - called == set(), "not reached by the feed that names them"
        until = time.monotonic() + SECONDS
        while number < COUNT if COUNT else time.monotonic() < until:
            feed()
    finally:
        sandbox.close()
    found = ", ".join(f"{outcome} {times:,}" for outcome, times in outcomes.most_common())
    print(f"\n| {name} | {reader.fed} | {found} | {number:,} |")
