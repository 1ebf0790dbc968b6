"""`status --tmux` prints the same with its cache as without, whatever happens between two calls."""

import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from atm_tui.cli.status_tmux import read_facts
from atm_tui.monitor.figures import Counted
from atm_tui.monitor.live import LiveMonitor
from atm_tui.sources.config_file import read_config
from atm_tui.sources.kept_parts import KeptParts
from atm_tui.view.status_tmux import describe_for_tmux
from atm_tui.view.tmux_line import count_for_tmux
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
    """A fleet, and the two ways to its line: made anew, and with what was kept."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.fleet = BusyFleet(folder / "home", SESSIONS, agents=1)
        self.fleet.folder.mkdir()
        self.fleet.fill()
        self.fleet.settle(waiting=2, working=1)
        self.config_file = folder / "config" / "config.toml"
        self.config_file.parent.mkdir()
        self.late = SETTLED
        """Seconds by which the clock of the readers is ahead."""
        self.kinds: Counter[str] = Counter()
        """How often the line was made of what was kept, with some sessions read again, and of all of them."""

    def make_monitor(self, now: float, files: Collection[str] | None = None, cache: Path | None = None) -> LiveMonitor:
        config = read_config(self.config_file)
        return LiveMonitor(
            self.fleet.state,
            [self.fleet.config],
            config,
            now=lambda: now,
            cache_dir=cache,
            counted=Counted.NOTHING,
            files=files,
        )

    def read(self, now: float) -> tuple[dict[str, Any], LiveMonitor]:
        monitor = self.make_monitor(now)
        monitor.refresh()
        return vars(count_for_tmux(describe_for_tmux(monitor.fleet))), monitor

    def compare(self) -> None:
        """Reads the line in both ways."""
        now, used = time.time() + self.late, []

        def make_monitor(files: Collection[str] | None) -> LiveMonitor:
            used.append("some" if files is not None else "all")
            return self.make_monitor(now, files, self.folder / "cache")

        kept = KeptParts(self.folder / "cache", "line", [])
        found, ascii_only = read_facts(kept, str(self.config_file), make_monitor, now)
        self.kinds[" then ".join(used) or "none"] += 1
        fresh, monitor = self.read(now)
        assert (vars(found), ascii_only) == (fresh, monitor.config.ascii), used

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
        number = dice.randrange(SESSIONS)
        self.fleet.register(number, status, time.time() + self.late)
        if dice.random() < 0.2:
            file = self.fleet.config / "sessions" / f"{self.fleet.pids[number]}.json"
            file.write_text(file.read_text().replace('"cli"', '"sdk-ts"'))

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

    def restart(self, dice: random.Random) -> None:
        """A process serves another session from now on, or a session has another process, as after /clear and a resume."""
        one, other = dice.sample(range(SESSIONS), 2)
        before, self.fleet.pids[one] = self.fleet.pids[one], self.fleet.pids[other]
        kind, source = dice.choice([("SessionStart", "resume"), ("SessionEnd", "clear"), ("UserPromptSubmit", "")])
        self.fleet.send_hook(
            one, kind, time.time() + self.late, {"source": source, "reason": source, "prompt": "Go on"}
        )
        if dice.random() < 0.5:
            self.fleet.register(one, "busy", time.time() + self.late)
        self.fleet.pids[one] = before

    def move(self, dice: random.Random) -> None:
        """A session is said to be of another config folder, in which it may have an entry of its own."""
        path = self.fleet.state / "sessions" / f"{name(dice.randrange(SESSIONS))}.json"
        other = self.fleet.folder / "other"
        (other / "sessions").mkdir(parents=True, exist_ok=True)
        if path.exists() and dice.random() < 0.7:
            path.write_text(path.read_text().replace(str(self.fleet.config), str(other)))
        for file in sorted((self.fleet.config / "sessions").glob("*.json"))[:1]:
            (other / "sessions" / file.name).write_text(file.read_text().replace('"busy"', '"idle"'))

    def configure(self, dice: random.Random) -> None:
        texts = (f"{key} = {dice.choice(['true', 'false'])}\n" for key in ("ascii", "hide_headless"))
        self.config_file.write_text("".join(texts))

    def end(self, dice: random.Random) -> None:
        running = [each for each in self.fleet.clients if each.poll() is None]
        if len(running) > 1:
            client = dice.choice(running)
            client.kill()
            os.waitid(os.P_PID, client.pid, os.WEXITED | os.WNOWAIT)

    def wait(self, dice: random.Random) -> None:
        self.late += dice.choice([0.1, 1.5, 3.0, 20.0, 1000.0])


CHANGES: tuple[Callable[[StatusLineHarness, random.Random], None], ...] = (
    *([StatusLineHarness.send] * 12),
    *([StatusLineHarness.register, StatusLineHarness.say, StatusLineHarness.wait] * 3),
    StatusLineHarness.rename,
    StatusLineHarness.cut,
    StatusLineHarness.remove,
    StatusLineHarness.damage,
    StatusLineHarness.snooze,
    StatusLineHarness.restart,
    StatusLineHarness.move,
    StatusLineHarness.configure,
    StatusLineHarness.end,
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
    assert lines.kinds["none"] > 3, lines.kinds
    assert lines.kinds["some"] > 3, lines.kinds


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
            _, monitor = lines.read(time.time())
        found = monitor.list_parts({})
        assert found is not None
        parts, shared = found
        assert {key: set(part.sources.processes) for key, part in parts.items()} == {
            name(number): {pid} for number, pid in lines.fleet.pids.items()
        }
        root = f"{lines.fleet.folder}/"
        inside = {path.removeprefix(root) for path in looked_at if path.startswith(root)}
        own = {path for part in parts.values() for path in (*part.files, *part.sources.paths)}
        listed = {path.removeprefix(root) for path in (*own, *shared.sources.paths, *shared.names)}
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
        assert lines.read(time.time())[1].list_parts({}) is None
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


def test_only_the_session_that_changed_is_read_again(tmp_path: Path) -> None:
    lines = StatusLineHarness(tmp_path)
    try:
        lines.compare()
        for _ in range(2):
            wait_for_tick(tmp_path)
            lines.fleet.work()
            lines.compare()
            lines.compare()
        assert lines.kinds == {"all": 1, "some": 2, "none": 2}
        files = [str(lines.fleet.state / "sessions" / f"{name(1)}.json")]
        monitor = lines.make_monitor(time.time(), files)
        monitor.refresh()
        assert list(monitor.fleet.sessions) == [name(1)]
    finally:
        lines.fleet.close()
