"""Every command of the command line in this process, on the files of a full home: for what may go wrong with each."""

import io
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import NamedTuple
from unittest.mock import patch

from atm_tui.app import AtmApp
from atm_tui.cli import demo, monitor, replay
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.main import main
from atm_tui.cli.table import COMMANDS
from atm_tui.demo import player
from atm_tui.demo.scenario import read_scenario
from atm_tui.monitor.live import LiveMonitor
from atm_tui.notify import due
from atm_tui.sources import answers
from tests.support.full_home import ENDED, SESSION, FullHome

_TRACK = min(read_scenario(), key=lambda track: len(track.lines))
"""One session of the demo is enough."""

WORDS: dict[str, list[tuple[str, ...]]] = {
    "": [(), ("--plain",)],
    "status": [("status",), ("status", "--json")],
    "list": [("list",)],
    "watch": [("watch", "--heartbeat", "60")],
    "stream": [("stream",)],
    "hosts": [("hosts",)],
    "publish": [("publish", "--nats", "nats://name", "--print-unit")],
    "wait": [("wait", "--for", "ended", SESSION)],
    "statusline": [("statusline",), ("statusline", "--preview")],
    "jump": [("jump", "--print", SESSION), ("jump", SESSION)],
    "next": [("next",)],
    "answer": [("answer", "--print"), ("answer", SESSION, "--deny", "no", "--yes")],
    "answers": [("answers",), ("answers", "--json")],
    "resume": [("resume", "--print", "--yes", ENDED), ("resume", "--print", "the tests")],
    "explain": [("explain", SESSION)],
    "replay": [("replay", SESSION)],
    "report": [("report", SESSION, "--yes", "--output", "report.json")],
    "notify": [("notify",)],
    "mute": [("mute",), ("mute", "30m")],
    "serve": [("serve", "--listen", "0.0.0.0")],
    "demo": [("demo",)],
    "install": [("install", "--dry-run"), ("install", "--yes"), ("install", "--yes", "--route", "plugin")],
    "uninstall": [("uninstall", "--list-backups"), ("uninstall", "--yes")],
    "purge": [("purge", "--dry-run"), ("purge", "--project", "api", "--yes"), ("purge", "--all", "--dry-run")],
    "tmux-conf": [("tmux-conf",), ("tmux-conf", "--install"), ("tmux-conf", "--uninstall", "--dry-run")],
    "doctor": [("doctor",)],
    "completion": [("completion", "fish")],
    "man": [("man",), ("man", "--path")],
    "config": [("config",), ("config", "--check"), ("config", "theme"), ("config", "ascii", "true")],
    "usage": [("usage",), ("usage", "--all", "--json")],
}
"""What is run of each command; "" is none of them: the monitor."""


class CommandResult(NamedTuple):
    """A command that has ended."""

    words: tuple[str, ...]
    code: int
    out: str
    err: str

    @property
    def is_documented(self) -> bool:
        """Whether it ended with a code that its help names, and not by a fault of ours."""
        command = COMMANDS.get(self.words[0]) if self.words else None
        codes = command.exit_codes if command else tuple(ExitCode)
        return self.code in codes and "fault in atm-tui" not in self.err and "Traceback" not in self.err


@contextmanager
def without_screens(home: FullHome) -> Iterator[None]:
    """Commands go as far as a terminal would let them, but show no screen; nothing of this process's own is touched."""

    async def look_twice(self: LiveMonitor, _: object) -> AsyncIterator[None]:
        self.approvals.sweeps = True
        self._resolved.keep_waits()
        self._housekeeper.prepare()
        for _ in range(2):
            yield

    scratch = home.folder / "tmp"
    scratch.mkdir(exist_ok=True)
    with ExitStack() as stack:
        for module in (demo, monitor, replay):
            stack.enter_context(patch.object(module, "can_show_screen", lambda: True))
        stack.enter_context(patch.object(player, "read_scenario", lambda: (_TRACK,)))
        stack.enter_context(patch.object(AtmApp, "run", lambda _: None))
        stack.enter_context(patch.object(LiveMonitor, "watch", look_twice))
        stack.enter_context(patch.object(tempfile, "tempdir", str(scratch)))
        stack.enter_context(patch.object(answers, "_ANSWER_TIMEOUT", 0.0))
        stack.enter_context(patch.object(answers.time, "sleep", lambda _: None))
        stack.enter_context(patch.object(due, "SETTLE", 0.0))  # without a sleep, waiting would be looking all the time
        stack.enter_context(patch.object(sys, "stdin", io.StringIO()))
        yield


def run_here(words: Sequence[str]) -> CommandResult:
    """Runs a command in this process, within `without_screens`."""
    out, err = io.StringIO(), io.StringIO()
    with patch.object(sys, "stdout", out), patch.object(sys, "stderr", err):
        try:
            code = main(list(words))
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else 1
    return CommandResult(tuple(words), code, out.getvalue(), err.getvalue())
