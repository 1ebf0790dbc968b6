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
from collections.abc import Mapping, Sequence
from functools import cache
from multiprocessing import forkserver, spawn
from pathlib import Path
from typing import Any, NamedTuple

import atm_tui
from atm_tui.cli.main import main
from atm_tui.cost.pricing import load_default_table
from atm_tui.sources import caller
from tests.support.waiting import PATIENCE

ROOMS = ("cli", "view", "monitor", "timeline", "model", "cost", "risk", "sources", "settings", "jump", "demo")
for module in pkgutil.walk_packages(atm_tui.__path__, "atm_tui."):
    if module.name.split(".")[1] in ROOMS:
        importlib.import_module(module.name)
load_default_table()  # it is kept, and nearly every command reads it

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload([__name__])


@cache
def _start_server() -> None:
    """Starts the process that is forked. Python 3.11 finds what it is to load from the current folder, and nowhere else, and
    starts it without that where it finds nothing: then each command would load it all.
    """
    before = Path.cwd()
    os.chdir(Path(__file__).parents[2])
    try:
        forkserver.ensure_running()
    finally:
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
    _start_server()
    with tempfile.TemporaryDirectory() as scratch:
        streams = [Path(scratch, name) for name in ("in", "out", "err")]
        streams[0].write_text(stdin, "utf-8")
        process = _context.Process(target=_run, args=(list(words), str(folder), dict(environ), streams))
        process.start()
        process.join(2 * PATIENCE)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise AssertionError(f"atm-tui {' '.join(words)} has not ended within {2 * PATIENCE} s")
        out, err = (path.read_bytes().decode("utf-8", "backslashreplace") for path in streams[1:])
        return CommandResult(process.exitcode, out, err)


def _run(words: list[str], folder: str, environ: dict[str, str], streams: list[Path]) -> None:
    gc.freeze()  # nothing of what was loaded before is looked through
    caller.read_caller_ancestors = lambda: ()  # who runs the tests is no matter
    os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environ)
    time.tzset()
    for target, (path, mode) in enumerate(zip(streams, ("r", "w", "w"), strict=True)):
        with path.open(mode) as file:
            os.dup2(file.fileno(), target)
    sys.stdin = os.fdopen(0, "r", encoding="utf-8")
    sys.stdout = os.fdopen(1, "w", encoding="utf-8")
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1)
    sys.argv = ["atm-tui", *words]
    sys.exit(main(words))
