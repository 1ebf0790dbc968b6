"""`status --tmux` prints the same with its cache as without, whatever happens between two calls."""

import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from atm_tui.config import Config
from atm_tui.monitor.figures import Counted
from atm_tui.monitor.live import LiveMonitor
from atm_tui.sources.kept_result import KeptResult
from atm_tui.view.status_tmux import summarize_for_tmux
from tests.bench.busy_fleet import BusyFleet, name
from tests.support.command_home import Home
from tests.support.effort import LONG
from tests.support.waiting import wait_for_tick

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no line is kept")
SESSIONS = 4
STEPS = 400 if LONG else 40
SETTLED = 60.0
"""Seconds that the clock of the readers is ahead, so that no change counts as one that came just before."""


class StatusLineHarness:
    """A fleet, and the two ways to its line: made anew, and as it was kept."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.fleet = BusyFleet(folder / "home", SESSIONS, agents=1)
        self.fleet.folder.mkdir()
        self.fleet.fill()
        self.fleet.settle(waiting=2, working=1)
        self.late = SETTLED
        """Seconds by which the clock of the readers is ahead."""
        self.hits = 0

    def read(self, now: float, cache: Path | None) -> tuple[list[str], LiveMonitor]:
        monitor = LiveMonitor(
            self.fleet.state, [self.fleet.config], Config(), now=lambda: now, cache_dir=cache, counted=Counted.NOTHING
        )
        monitor.refresh()
        facts = summarize_for_tmux(monitor.fleet)
        return [str(facts.waiting), str(facts.working), facts.name, repr(facts.since)], monitor

    def compare(self) -> None:
        """Reads the line in both ways, and keeps the new one."""
        now = time.time() + self.late
        kept = KeptResult(self.folder / "cache", "line", [])
        fresh, monitor = self.read(now, None)
        found = kept.load(now)
        if found is not None:
            assert found == fresh
            self.hits += 1
            return
        assert self.read(now, self.folder / "cache")[0] == fresh, "with checkpoints"
        if (sources := monitor.list_sources()) is not None:
            kept.save(fresh, sources, now)

    # --- what can happen

    def send(self, dice: random.Random) -> None:
        number = dice.randrange(SESSIONS)
        command = {"tool_name": "Bash", "tool_input": {"command": "make"}}
        kind, given = dice.choice(
            [
                ("UserPromptSubmit", {"prompt": "Go on"}),
                ("PreToolUse", command | {"tool_use_id": "t"}),
                ("PermissionRequest", command),
                ("PostToolUse", command | {"tool_use_id": "t", "tool_response": {}}),
                ("Stop", {}),
                ("SessionEnd", {"reason": "other"}),
                ("SubagentStop", {"agent_id": f"a{number}x0", "agent_type": "w"}),
            ]
        )
        self.fleet.send_hook(number, kind, time.time() + self.late, given)

    def register(self, dice: random.Random) -> None:
        status = dice.choice(["busy", "idle", "waiting"])
        self.fleet.register(dice.randrange(SESSIONS), status, time.time() + self.late)

    def say(self, dice: random.Random) -> None:
        number = dice.randrange(SESSIONS)
        agents = self.fleet.transcript(number).with_suffix("") / "subagents"
        agent = agents / f"agent-a{dice.randrange(99)}.jsonl"
        self.fleet.say(number, time.time() + self.late, dice.choice([None, agent]))

    def rename(self, dice: random.Random) -> None:
        with self.fleet.transcript(dice.randrange(SESSIONS)).open("a") as out:
            out.write(f'{{"type": "custom-title", "customTitle": "name {dice.random()}"}}\n')

    def cut(self, dice: random.Random) -> None:
        path = self.fleet.transcript(dice.randrange(SESSIONS))
        path.write_bytes(path.read_bytes()[: dice.randrange(400)])

    def remove(self, dice: random.Random) -> None:
        places = [self.fleet.state / "sessions", self.fleet.config / "sessions"]
        files = sorted(each for place in places for each in place.glob("*.json"))
        if len(files) > SESSIONS:
            dice.choice(files).unlink()

    def damage(self, dice: random.Random) -> None:
        (self.fleet.state / "sessions" / f"{name(dice.randrange(SESSIONS))}.json").write_text("{")

    def snooze(self, dice: random.Random) -> None:
        at = time.time() + self.late
        text = f'{{"{name(dice.randrange(2))}": {{"snooze": {{"at": {at}, "seconds": 2.0}}, "at": {at}}}}}'
        (self.fleet.state / "app" / "care.json").write_text(text)

    def end(self, dice: random.Random) -> None:
        running = [each for each in self.fleet.clients if each.poll() is None]
        if len(running) > 1:
            client = dice.choice(running)
            client.kill()
            os.waitid(os.P_PID, client.pid, os.WEXITED | os.WNOWAIT)

    def wait(self, dice: random.Random) -> None:
        self.late += dice.choice([0.1, 1.5, 3.0, 20.0, 1000.0])


CHANGES: tuple[Callable[[StatusLineHarness, random.Random], None], ...] = (
    *(
        StatusLineHarness.send,
        StatusLineHarness.send,
        StatusLineHarness.send,
        StatusLineHarness.register,
        StatusLineHarness.register,
        StatusLineHarness.say,
        StatusLineHarness.rename,
        StatusLineHarness.cut,
    ),
    *(
        StatusLineHarness.remove,
        StatusLineHarness.damage,
        StatusLineHarness.snooze,
        StatusLineHarness.end,
        StatusLineHarness.wait,
        StatusLineHarness.wait,
    ),
)


def test_the_cached_line_equals_a_freshly_built_one(tmp_path: Path) -> None:
    dice = random.Random(11)
    lines = StatusLineHarness(tmp_path)
    try:
        lines.compare()
        for _ in range(STEPS):
            if dice.random() < 0.6:
                wait_for_tick(tmp_path)
                dice.choice(CHANGES)(lines, dice)
            lines.compare()
    finally:
        lines.fleet.close()
    assert lines.hits > 3, lines.hits


@contextmanager
def note_paths(patch: pytest.MonkeyPatch) -> Iterator[set[str]]:
    """Notes all paths that Python code looks at."""
    found: set[str] = set()

    def watch(module: Any, function: str) -> None:
        real = getattr(module, function)

        def note(path: Any, *args: Any, **kwargs: Any) -> Any:
            found.add(os.fsdecode(path) if isinstance(path, str | bytes | os.PathLike) else "")
            return real(path, *args, **kwargs)

        patch.setattr(module, function, note)

    with patch.context() as patch:  # noqa: PLR1704
        import posix

        for function in ("stat", "scandir", "listdir", "open", "access"):
            watch(os, function)
        watch(posix, "open")
        watch(os.path, "exists")
        watch(os.path, "isdir")
        yield found


IRRELEVANT = ("work/", "state/tmp")
"""Projects, and what killed hooks left."""


def test_every_file_that_is_checked_is_a_source_of_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = StatusLineHarness(tmp_path)
    try:
        with note_paths(monkeypatch) as looked_at:
            _, monitor = lines.read(time.time(), None)
        sources = monitor.list_sources()
        assert sources is not None
        assert set(sources.processes) == set(lines.fleet.pids.values())
        root = f"{lines.fleet.folder}/"
        inside = {path.removeprefix(root) for path in looked_at if path.startswith(root)}
        listed = {path.removeprefix(root) for path in sources.paths}
        assert len(inside) > 7 * SESSIONS
        mark = "state/app/leftovers."  # when old files were looked for
        missed = {path for path in inside - listed if not path.startswith((*IRRELEVANT, mark))}
        cleaned = {"state", *(f"state/{part}" for part in ("app", "journal", "locks", "panes"))}
        assert missed <= {"state/schema", *cleaned}, "in which old files are looked for"
    finally:
        lines.fleet.close()


def test_nothing_is_cached_while_a_file_cannot_be_read(tmp_path: Path) -> None:
    lines = StatusLineHarness(tmp_path)
    try:
        lines.damage(random.Random(1))
        assert lines.read(time.time(), None)[1].list_sources() is None
    finally:
        lines.fleet.close()


def test_the_second_call_reads_no_session(home: Home, python_of: Callable) -> None:
    """The files of the home are as old as they look: the clock of the command is ahead."""
    home.replay("02-background-subagents", until=5.0)
    (home.folder / ".cache").mkdir()  # a folder that appears is a change
    run = (
        "import sys, time; real = time.time; time.time = lambda: real() + 60\n"
        "from atm_tui.cli.main import main\n"
        "main(['status', '--tmux']); print('msgspec' in sys.modules)"
    )
    first, second = (python_of(run, home).out.splitlines() for _ in range(2))
    assert first[0] == second[0]
    assert first[0].startswith("1 ●")
    assert (first[1], second[1]) == ("True", "False")
    home.record("other", "PermissionRequest", tool_name="Bash", tool_input={"command": "make"})
    assert python_of(run, home).out.splitlines()[0].startswith("2 ●")
