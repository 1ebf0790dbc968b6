"""A command loads what it needs: Textual only where a screen is opened, other commands never."""

import ast
import json
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

import atm_tui
from atm_tui.cli.table import COMMANDS, SCREEN
from tests.support.command_home import Home

WITHOUT_SCREEN = tuple(name for name, command in COMMANDS.items() if not set(SCREEN) <= set(command.exits))
WORDS = {
    **{command: ["x"] for command in ("jump", "explain", "report", "resume", "answer")},
    "uninstall": ["--dry-run"],
    "serve": ["--listen", "0.0.0.0"],
    "completion": ["zsh"],
    "man": [],
    "publish": ["--nats", "nats://name", "--print-unit"],
    "watch": ["--timeout", "0.01"],
    "stream": ["--timeout", "0.01"],
    "wait": ["--for", "needs_you", "--timeout", "0.01"],
}
"""What a command needs to run to an end."""

RUN = """
import json, sys
from atm_tui.cli.main import main
try:
    code = main({words!r})
except SystemExit as left:
    code = left.code
print()
print(json.dumps([code, sorted(sys.modules)]))
"""


def list_loaded(python_of: Callable, home: Home, *words: str) -> set[str]:
    (home.folder / ".claude").mkdir(exist_ok=True)
    done = python_of(RUN.format(words=words), home)
    code, modules = json.loads(done.out.splitlines()[-1])
    assert code != 2, done.err
    assert "atm_tui.cli.main" in modules
    return set(modules)


def test_which_commands_open_a_screen() -> None:
    assert set(COMMANDS) - set(WITHOUT_SCREEN) == {"replay", "demo", "install"}


RUN_ALL = """
import json, sys
from atm_tui.cli.main import main
found = {{}}
for words in {words!r}:
    try:
        code = main(words)
    except SystemExit as left:
        code = left.code
    found[words[0]] = [code, "textual" in sys.modules]
print()
print(json.dumps(found))
"""


def test_textual_is_not_loaded(home, python_of: Callable) -> None:
    (home.folder / ".claude").mkdir()
    done = python_of(RUN_ALL.format(words=[[name, *WORDS.get(name, [])] for name in WITHOUT_SCREEN]), home)
    found = json.loads(done.out.splitlines()[-1])
    assert tuple(found) == WITHOUT_SCREEN
    assert [name for name, (code, loaded) in found.items() if code == 2 or loaded] == [], done.err


@pytest.mark.parametrize(
    "words",
    [["--version"], ["--help"], ["install", "--dry-run"]],
)
def test_printing_commands_do_not_load_textual(home, python_of: Callable, words: list[str]) -> None:
    assert "textual" not in list_loaded(python_of, home, *words)


def test_the_version_loads_no_command(home, python_of: Callable) -> None:
    modules = list_loaded(python_of, home, "--version")
    assert not {f"atm_tui.cli.{name}" for name in COMMANDS} & modules
    assert "atm_tui.monitor.live" not in modules


QUICK = """
import sys
sys.argv = ["atm-tui", "status", "--no-headings"]
from atm_tui.__main__ import main
main()
loaded = sorted(sys.modules)
from atm_tui.cli.quick_imports import LateModule
late = sorted(name for name, module in sys.modules.items() if isinstance(module, LateModule))
import _blake2, datetime, fcntl, fnmatch, json, ntpath, re, typing, warnings
from re import _parser
from atm_hooks import fold
works = [
    re.sub("a+", "b", "caat"), type(re.compile("a")) is re.Pattern, type(re.match("a", "a")) is re.Match,
    typing.Pattern[str].__origin__ is re.Pattern, re.IGNORECASE.name, fnmatch.fnmatch("a.py", "*.py"),
    ntpath.join("a", "b"), callable(warnings.warn), fcntl.LOCK_EX > 0, _blake2.blake2b(b"").digest_size,
    datetime.datetime.fromtimestamp(0, datetime.UTC).isoformat(), isinstance(datetime.__all__, tuple | list),
    fold.fold_all(None, []), _parser.__name__,
]
import decimal, uuid
from pathlib import Path
import msgspec.inspect
uris = [Path("/a b").as_uri(), str(uuid.UUID(int=1).int), str(decimal.Decimal("0.1"))]
print()
print(json.dumps([loaded, late, works, uris, msgspec.inspect.type_info(int).__class__.__name__]))
"""


def test_modules_that_stand_ins_replaced_are_whole_for_whoever_loads_them_later(home, python_of: Callable) -> None:
    done = python_of(QUICK, home)
    loaded, late, works, values, described = json.loads(done.out.splitlines()[-1])
    assert not {"urllib.parse", "ipaddress", "uuid", "decimal", "textwrap", "msgspec.inspect"} & set(loaded), done.err
    assert {"pathlib", "msgspec"} <= set(loaded)
    assert {"fnmatch", "ntpath", "fcntl", "_blake2", "atm_hooks.fold"} <= set(late)
    assert works == [
        *("cbt", True, True, True, "IGNORECASE", True, "a\\b", True, True, 64),
        *("1970-01-01T00:00:00+00:00", True, None, "re._parser"),
    ]
    assert values == ["file:///a%20b", "1", "0.1"]
    assert described == "IntType"


TEXTUAL = """
import json, sys
from atm_tui.cli.quick_imports import LateModule, load_asyncio, load_msgspec, load_pathlib, without_palette
load_pathlib()
load_msgspec()
load_asyncio()
with without_palette():
    import atm_tui.app
loaded = sorted(sys.modules)
late = sorted(name for name, module in sys.modules.items() if isinstance(module, LateModule))
from textual.app import App
from textual.notifications import Notification
ids = {Notification("a").identity for _ in range(2)}
import mimetypes, platformdirs, uuid, textual.app
from atm_tui.screens.palette import PaletteScreen
from textual.command import CommandPalette
works = [
    len(ids), mimetypes.guess_type("a.txt")[0], platformdirs.user_config_dir() != "", uuid.UUID(int=1).int,
    str(textual.app.user_downloads_path()) != "", issubclass(PaletteScreen, CommandPalette), App.ENABLE_COMMAND_PALETTE,
    atm_tui.app.AtmApp.ENABLE_COMMAND_PALETTE,
]
print(json.dumps([loaded, late, works]))
"""


def test_the_app_loads_the_command_palette_late_and_whole(home, python_of: Callable) -> None:
    done = python_of(TEXTUAL, home)
    loaded, late, works = json.loads(done.out.splitlines()[-1])
    needless = {"textual.command", "textual.types", "textual.widgets._input", "urllib.parse", "tempfile", "platform"}
    assert sorted(needless & set(loaded)) == [], done.err
    assert {"mimetypes", "platformdirs", "uuid"} <= set(late)
    assert works == [2, "text/plain", True, 1, True, True, True, False]


def test_a_status_loads_nothing_that_answers_requests(home, python_of: Callable) -> None:
    home.record("s1", "PermissionRequest", tool_name="Bash", tool_input={"command": "make"})
    loaded = list_loaded(python_of, home, "status")
    answering = {"atm_hooks.answers", "atm_tui.sources.answers", "atm_tui.monitor.caller", "atm_tui.risk.rules"}
    assert all(map(find_spec, answering)), "a name of none is never loaded"
    assert not answering & loaded
    assert "threading" not in loaded


INSTALLED = """
import json, sys, time
real = time.time
time.time = lambda: real() + 60
from atm_tui.cli.main import main
main(["status"])
print(json.dumps(sorted(sys.modules)))
"""


def test_a_status_loads_nothing_of_the_installer_once_it_is_known_that_hooks_are_installed(
    home, python_of: Callable
) -> None:
    assert home.run("install", "--yes").code == 0
    home.record("s1", "UserPromptSubmit", prompt="Go on")
    outputs = [python_of(INSTALLED, home).out.splitlines() for _ in range(2)]
    first, second = (set(json.loads(each[-1])) for each in outputs)
    assert "atm_tui.settings.status" in first
    assert {each for each in second if each.startswith("atm_tui.settings.")} == {
        "atm_tui.settings.hook_report",
        "atm_tui.settings.kept_reports",
        "atm_tui.settings.locations",
    }
    assert outputs[0][1].split()[0] == outputs[1][1].split()[0] == "s1"


def test_the_app_starts_without_what_its_first_frame_does_not_need(home, python_of: Callable) -> None:
    code = "import json, sys, atm_tui.cli.monitor, atm_tui.app; print(json.dumps(sorted(sys.modules)))"
    modules = set(json.loads(python_of(code, home).out))
    screens = {f"atm_tui.screens.{name}" for name in ("palette", "welcome", "request", "wizard")}
    late = screens | {"watchfiles", "psutil", "tree_sitter", "html", "shlex", "tomllib", "atm_tui.jump.values"}
    assert all(map(find_spec, late)), "a name of none is never loaded"
    assert not late & modules
    assert not [name for name in modules if name.startswith(tuple(f"{screen}_" for screen in screens))]


@pytest.mark.parametrize("words", [["status", "--tmux"], ["next"]])
def test_msgspec_is_loaded_without_what_nobody_needs(home, python_of: Callable, words: list[str]) -> None:
    loaded = list_loaded(python_of, home, *words)
    assert "msgspec" in loaded
    assert not {"typing_extensions", "msgspec.inspect", "uuid", "decimal"} & loaded


@pytest.mark.parametrize("words", [["status", "--tmux"], ["status"], ["status", "--json"]])
def test_no_pattern_is_compiled_for_a_fleet_that_needs_none(home, python_of: Callable, words: list[str]) -> None:
    home.record("s1", "PermissionRequest", tool_name="Bash", tool_input={"command": "ls"})
    code = f"import sys; from atm_tui.__main__ import main; sys.argv[1:] = {words!r}; sys.exit = print; main()"
    run = f"import os, sys; os._exit = lambda _: print('loaded', 're._parser' in sys.modules, flush=True)\n{code}"
    has_patterns = python_of(run, home).out.splitlines()[-1]
    assert has_patterns == "loaded False" or sys.version_info >= (3, 12)  # whose pathlib compiles some of its own


def test_no_module_is_loaded_by_a_name_that_import_linter_cannot_see() -> None:
    root = Path(atm_tui.__file__).parent
    by_name = {"import_module", "__import__", "runpy"}
    found = []
    for path in root.rglob("*.py"):
        text = path.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if any(name in text for name in by_name) else ():
            names = {getattr(node, "id", None), getattr(node, "attr", None)}
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = {alias.name for alias in node.names} | {getattr(node, "module", None)}
            if names & by_name:
                found.append(f"{path.relative_to(root)}:{node.lineno}")
    assert found == []


THREADS = """
import sys, threading
from atm_tui.cli.quick_imports import LateModule
sys.setswitchinterval(1e-6)
late = [LateModule(name, lambda name=name: __import__(name), {}) for name in ("fnmatch", "re")]
sys.modules.update({each.__name__: each for each in late})
start, found = threading.Barrier(8), []
def use():
    start.wait()
    found.append((late[0].fnmatch, late[1].RegexFlag, late[1].compile("a").search("ba").start()))
threads = [threading.Thread(target=use) for _ in range(8)]
[each.start() for each in threads], [each.join() for each in threads]
import fnmatch, re
print(len(found), len(set(found)), found[0] == (fnmatch.fnmatch, re.RegexFlag, 1))
"""


def test_threads_that_use_a_late_module_at_once_get_the_same_one(home, python_of: Callable) -> None:
    assert python_of(THREADS, home).out.split() == ["8", "1", "True"]
