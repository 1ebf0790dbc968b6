"""Runs the command line in a process that is forked from one which has it loaded: a tenth of the time of a fresh one.

Each run has a process, an environment, a folder and streams of its own. What only a fresh interpreter shows (what it
loads, how it treats a terminal) is tested by starting one.
"""

import gc
import importlib
import multiprocessing
import os
import pkgutil
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from multiprocessing import forkserver, spawn
from pathlib import Path
from typing import Any, NamedTuple

import atm_tui
from atm_tui.cli.arguments import make_parser
from atm_tui.cli.main import main
from atm_tui.cost.pricing import load_default_table
from atm_tui.risk import shell
from atm_tui.risk.shell import ShellCommand
from atm_tui.risk.shell_process import ShellProcess
from atm_tui.sources import caller
from atm_tui.text import clean
from tests.support import compiled_hooks, translations
from tests.support.effort import LONG
from tests.support.waiting import PATIENCE

ROOMS = ("cli", "view", "monitor", "timeline", "model", "cost", "risk", "sources", "settings", "jump", "demo")
for module in pkgutil.walk_packages(atm_tui.__path__, "atm_tui."):
    if module.name.split(".")[1] in ROOMS:
        importlib.import_module(module.name)


def _fill_caches() -> None:
    """Computes what a process keeps, whatever its environment, and what nearly every command needs."""
    load_default_table()
    for lines in (False, True):
        clean("\a", lines=lines)
    translations.install()
    make_parser("status")
    shell.read_commands("ls")
    if SERVER in os.environ and not LONG:
        compiled_hooks.compile_hooks_once()


SERVER = "ATM_TEST_FORK_SERVER"
"""Set in the process that is forked."""
_fill_caches()

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload([__name__])


@cache
def _start_server() -> None:
    """Starts the process that is forked. Python 3.11 finds what it is to load from the current folder, and nowhere else, and
    starts it without that where it finds nothing: then each command would load it all.
    """
    before = Path.cwd()
    os.chdir(Path(__file__).parents[2])
    os.environ[SERVER] = "1"
    try:
        forkserver.ensure_running()
    finally:
        del os.environ[SERVER]
        os.chdir(before)


_prepare = spawn.get_preparation_data


def _prepare_without_main(name: str) -> dict[str, Any]:
    """What a new process is told, but not to import pytest again, which takes ten times as long as a command."""
    return {key: value for key, value in _prepare(name).items() if not key.startswith("init_main_")}


spawn.get_preparation_data = _prepare_without_main


class CommandResult(NamedTuple):
    """A command that has run: its exit code, and all that it wrote."""

    code: int
    out: str
    err: str


def run_command(words: Sequence[str], folder: Path, environ: Mapping[str, str], stdin: str = "") -> CommandResult:
    """Runs `atm-tui` with these arguments, as a person starts it but without a terminal.

    Raises AssertionError when it doesn't end.
    """
    with tempfile.TemporaryDirectory() as scratch:
        streams = _Streams(Path(scratch), stdin)
        code = _run_process(_run, [words], (list(words), str(folder), dict(environ), streams))
        return CommandResult(code, *streams.read())


def run_commands(each: Sequence[Sequence[str]], folder: Path, environ: Mapping[str, str]) -> list[CommandResult]:
    """Runs `atm-tui` with each of these arguments, one after the other in one process: for commands that only print.

    Raises AssertionError when one of them doesn't end, or ends the process.
    """
    with tempfile.TemporaryDirectory() as scratch:
        streams = [_Streams(Path(scratch), number=number) for number in range(len(each))]
        _run_process(_run_each, each, ([list(words) for words in each], str(folder), dict(environ), streams))
        left = [words for words, each_streams in zip(each, streams, strict=True) if not each_streams.code.exists()]
        assert not left, f"atm-tui {' '.join(left[0])} has ended the process: {streams[len(each) - len(left)].read()}"
        return [CommandResult(int(each.code.read_text()), *each.read()) for each in streams]


class _Streams:
    """The files that stand for the standard streams of a command, and the one for its exit code."""

    def __init__(self, folder: Path, stdin: str = "", number: int = 0) -> None:
        self.files = [folder / f"{number}.{name}" for name in ("in", "out", "err")]
        self.code = folder / f"{number}.code"
        self.files[0].write_text(stdin, "utf-8")

    def read(self) -> tuple[str, str]:
        """What was written to stdout and stderr."""
        out, err = (path.read_bytes().decode("utf-8", "backslashreplace") for path in self.files[1:])
        return out, err

    def install(self) -> None:
        """Makes them the standard streams of this process."""
        for target, (path, mode) in enumerate(zip(self.files, ("r", "w", "w"), strict=True)):
            with path.open(mode) as file:
                os.dup2(file.fileno(), target)
        sys.stdin = os.fdopen(0, "r", encoding="utf-8", closefd=False)
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)


def _run_process(run: Callable[..., None], each: Sequence[Sequence[str]], given: tuple[Any, ...]) -> int:
    """Runs a function in a forked process, and returns its exit code."""
    _start_server()
    process = _context.Process(target=run, args=given)
    process.start()
    process.join(2 * PATIENCE)
    if process.exitcode is None:
        process.kill()
        process.join()
        words = " or ".join(" ".join(words) for words in each)
        raise AssertionError(f"atm-tui {words} has not ended within {2 * PATIENCE} s")
    return process.exitcode


def _read_shell_here(_: ShellProcess, text: str) -> list[ShellCommand]:
    """Reads a shell command without the process that guards against the parser's crashes, which takes as long as all else."""
    return shell.read_commands(text)


def _enter(folder: str, environ: dict[str, str]) -> None:
    if not LONG:
        compiled_hooks.use_compiled_hooks()
    gc.freeze()  # nothing of what was loaded before is looked through
    caller.read_caller_ancestors = lambda: ()  # who runs the tests is no matter
    ShellProcess.read_commands = _read_shell_here  # type: ignore[method-assign]
    os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environ)
    time.tzset()


def _run(words: list[str], folder: str, environ: dict[str, str], streams: _Streams) -> None:
    _enter(folder, environ)
    streams.install()
    sys.argv = ["atm-tui", *words]
    sys.exit(main(words))


def _run_each(each: list[list[str]], folder: str, environ: dict[str, str], streams: list[_Streams]) -> None:
    _enter(folder, environ)
    for words, own in zip(each, streams, strict=True):
        own.install()
        sys.argv = ["atm-tui", *words]
        try:
            code = main(words)
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else 1
        sys.stdout.flush()
        sys.stderr.flush()
        own.code.write_text(f"{int(code)}")
