"""Many state files: all that may run are shown, of the others the newest; each file is read once, and most at a glance."""

import json
import math
import os
import shutil
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from atm_hooks import journal, payload
from atm_hooks import sample as hook_sample
from atm_hooks.regular_file import read_regular
from atm_tui.cli.complete import _read_sessions
from atm_tui.model.session import Liveness
from atm_tui.monitor import housekeeping, reading
from atm_tui.monitor.read_once import read_sessions
from atm_tui.sources import closed_states, state
from tests.support.effort import LONG, sample
from tests.support.many_sessions import ALIVE, ASKS, DAY, DEAD, HOUR, NOW, Folder
from tests.support.timelines import NAMES, read_recording


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def ask(folder: Folder, session: str, **given: Any) -> None:
    folder.send(session, "PermissionRequest", **{"ago": 9 * DAY, **ASKS, **given})


def ask_from_elsewhere(folder: Folder, session: str) -> None:
    """A pid of another machine can't be looked up: its last word counts."""
    ask(folder, session, ago=7 * HOUR)
    path = folder.locate(session)
    found = json.loads(path.read_text())
    found["processes"][str(DEAD)]["domain"] = "linux:other:pid:[1]"
    path.write_text(json.dumps(found))
    os.utime(path, (NOW, NOW))


def register_ended(folder: Folder, session: str) -> None:
    folder.end(session)
    folder.register(session)


def damage(folder: Folder, session: str) -> None:
    folder.end(session)
    folder.locate(session).write_bytes(b"{")
    os.utime(folder.locate(session), (NOW, NOW))


def name_new_folder(folder: Folder, session: str) -> None:
    """A closed session is resumed with an older client, without hooks, in a config folder that only sessions name."""
    other = folder.config_dir.with_name("other")
    folder.send(session, "SessionStart", ago=DAY, transcript_path=str(other / "projects" / "w" / f"{session}.jsonl"))
    folder.send(session, "SessionEnd", ago=DAY)
    folder.register(session, folder=other)


MAY_RUN: dict[str, Callable[[Folder, str], None]] = {
    "waits for days": lambda folder, session: ask(folder, session, pid=ALIVE),
    "is silent for less than eight hours": lambda folder, session: ask(folder, session, ago=7 * HOUR),
    "of an unknown process": lambda folder, session: ask(folder, session, ago=7 * HOUR, pid=0),
    "on another machine": ask_from_elsewhere,
    "ended, and is in the registry": register_ended,
    "ended, and is in a registry that it names": name_new_folder,
}
OVER: dict[str, Callable[[Folder, str], None]] = {
    "ended a moment ago": lambda folder, session: folder.end(session, ago=2.0),
    "was killed": ask,
    "of an unknown process, for long": lambda folder, session: ask(folder, session, pid=0),
}


@pytest.mark.parametrize("case", [*MAY_RUN, *OVER, "can't be read"])
@pytest.mark.parametrize("portion", sample([None, 1 << 20], 1 << 20))
def test_only_what_is_over_is_left_out(folder: Folder, case: str, portion: int | None) -> None:
    {**MAY_RUN, **OVER, "can't be read": damage}[case](folder, "old")
    folder.fill(3)
    monitor = folder.monitor(portion=portion)
    monitor.refresh()
    assert ("old" in monitor.fleet.sessions) == (case in MAY_RUN), monitor.fleet.sessions.keys()
    assert [Path(each.path).stem for each in monitor.fleet.unreadable] == (["old"] if case == "can't be read" else [])
    assert monitor.fleet.older == 3 - 1 + (case in OVER)
    assert folder.monitor(None).refresh()
    whole = folder.monitor(None)
    whole.refresh()
    assert (whole.fleet.older, len(whole.fleet.sessions)) == (0, 3 + (case != "can't be read"))


@pytest.mark.parametrize("name", sample(NAMES, "02-background-subagents", "06-clear-rename-model"))
def test_all_that_live_are_the_same_with_and_without_the_others(folder: Folder, name: str) -> None:
    """A recording stops at any event, long ago or just now, and its process goes on or is gone."""
    lines = [line for line in read_recording(name) if line["kind"] in ("hook", "statusline")]
    step = max(1, len(lines) // (40 if LONG else 5))
    for number, count in enumerate(range(1, len(lines) + 1, step)):
        pid, ago = (ALIVE, DEAD)[number % 2], (2.0, 30 * DAY)[number // 2 % 2]
        for line in lines[:count]:
            data = {**line["data"], "session_id": f"{line['data']['session_id'][:8]}-{number}"}
            parse = payload.parse_event if line["kind"] == "hook" else hook_sample.parse_sample
            at = NOW - ago + line["t"] - lines[count - 1]["t"]
            if (event := parse(json.dumps(data).encode(), at, {"CLAUDE_PID": str(pid)})) is not None:
                journal.record_event(str(folder.state_dir), event)
    folder.fill(2)
    few, whole = folder.monitor(), folder.monitor(None)
    few.refresh()
    whole.refresh()
    live = {key: each for key, each in whole.fleet.sessions.items() if each.liveness is Liveness.LIVE}
    assert live
    assert {key: few.fleet.sessions.get(key) for key in live} == live
    assert few.fleet.list_attention() == whole.fleet.list_attention()
    assert few.fleet.older == len(whole.fleet.sessions) - len(few.fleet.sessions) > 0


@pytest.mark.parametrize("count", sample((60, 20_000), 60))
@pytest.mark.parametrize("portion", [None, 1 << 20])
def test_each_file_is_read_once_and_most_at_a_glance(
    folder: Folder, monkeypatch: pytest.MonkeyPatch, count: int, portion: int | None
) -> None:
    first, more, most = count // 10, count // 5, count // 12
    monkeypatch.setattr(reading, "FIRST_STATES", first)
    monkeypatch.setattr(reading, "MORE_STATES", more)
    ask(folder, "waiting", pid=ALIVE)
    ask(folder, "killed")
    folder.fill(count - 2)
    read, decoded = Counter[str](), Counter[str]()

    def note(where: Counter[str], what: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*given: Any) -> Any:
            where[what or given[0]] += 1
            return call(*given)

        return noted

    monkeypatch.setattr(state, "read_regular", note(read, "", read_regular))
    monkeypatch.setattr(state, "_decode", note(decoded, "whole", state._decode))
    monkeypatch.setattr(closed_states, "_decode", note(decoded, "glance", closed_states._decode))
    monkeypatch.setattr(closed_states, "list_running_pids", note(decoded, "processes", closed_states.list_running_pids))
    monitor, passes = folder.monitor(most, portion=portion), 1
    monitor.refresh()
    while monitor.fleet.unread:
        monitor.refresh()
        passes += 1
    assert passes == (1 if portion is None else 1 + math.ceil((count - first) / more))
    assert (len(read), set(read.values())) == (count, {1})
    assert decoded == {"glance": count - most, "whole": most + 1, "processes": 1}
    assert (len(monitor.fleet.sessions), monitor.fleet.older) == (most + 1, count - most - 1)
    assert [each.session_id for each in monitor.fleet.list_attention()] == ["waiting"]
    assert monitor.reader.processes.pids == {ALIVE}, "processes of others are not looked up"
    monitor.refresh()
    assert sum(read.values()) == count


def test_sessions_come_back_and_leave(folder: Folder) -> None:
    for each in ("resumed", "registered", "removed", "ends"):
        folder.end(each)
    folder.fill(3)
    monitor = folder.monitor(2)
    monitor.refresh()
    assert (sorted(monitor.fleet.sessions), monitor.fleet.older) == (["n1", "n2"], 5)
    folder.send("resumed", "UserPromptSubmit", pid=ALIVE, prompt="on we go", prompt_id="p2")
    folder.register("registered")
    journal.remove_session(str(folder.state_dir), "removed")
    folder.locate("ends").write_bytes(b"{")
    assert monitor.refresh()
    assert sorted(monitor.fleet.sessions) == ["n1", "n2", "registered", "resumed"]
    assert (monitor.fleet.older, len(monitor.fleet.unreadable)) == (1, 1)
    folder.send("resumed", "SessionEnd", reason="other")
    monitor.refresh()
    assert monitor.fleet.sessions["resumed"].liveness is Liveness.ENDED, "what just ended is still listed"


def test_what_is_kept_stays_bounded_while_sessions_come_and_end(folder: Folder) -> None:
    folder.fill(9)
    ask(folder, "waiting", pid=ALIVE)
    monitor = folder.monitor(4)
    sizes = []
    for number in range(30):
        folder.end(f"later{number}", ago=1.0)
        monitor.refresh()
        sizes.append(len(monitor.fleet.sessions))
        assert f"later{number}" in monitor.fleet.sessions
        assert sizes[-1] + monitor.fleet.older == 9 + 1 + number + 1
    assert max(sizes) <= 2 * (4 + 1)
    assert [each.session_id for each in monitor.fleet.list_attention()] == ["waiting"]


def test_a_clock_that_is_set_back_makes_silence_shorter(folder: Folder) -> None:
    ask_from_elsewhere(folder, "far")
    folder.end("ended")
    folder.fill(2)
    folder.now = NOW + 2 * HOUR
    monitor = folder.monitor()
    monitor.refresh()
    assert "far" not in monitor.fleet.sessions
    folder.now = NOW
    monitor.refresh()
    assert monitor.fleet.sessions["far"].liveness is Liveness.LIVE
    assert monitor.fleet.older == 2


def test_old_ones_are_removed_in_parts_without_being_shown(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(housekeeping, "MOST_REMOVED", 3)
    folder.end("young", ago=HOUR)
    ask(folder, "waiting", pid=ALIVE)
    for number in range(5):
        folder.end(f"old{number}")
    folder.end("newest", ago=HOUR)
    monitor = folder.monitor(forget_after=24.0)
    left = []
    for _ in range(3):
        monitor.refresh()
        left.append(sorted(path.stem for path in (folder.state_dir / "sessions").iterdir()))
    assert [len(each) for each in left] == [5, 3, 3]
    assert left[-1] == ["newest", "waiting", "young"]
    assert monitor.fleet.older == 1


def test_what_reads_once_without_the_configuration_removes_nothing(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `doctor`, the notices and completions do: how long files are kept is for the user to say."""
    folder.send("old", "SessionStart", ago=9 * DAY + NOW - time.time(), source="startup")
    folder.send("old", "SessionEnd", ago=8 * DAY + NOW - time.time())
    monkeypatch.setenv("ATM_STATE_DIR", str(folder.state_dir))
    assert [each.session_id for each in read_sessions(folder.state_dir, [folder.config_dir])] == ["old"]
    assert [each.session_id for each in _read_sessions(Namespace(watch=[folder.config_dir]))] == ["old"]
    assert folder.locate("old").exists()


def test_a_folder_that_goes_and_comes_back(folder: Folder) -> None:
    folder.fill(5)
    monitor = folder.monitor(2)
    monitor.refresh()
    shutil.rmtree(folder.state_dir)
    monitor.refresh()
    assert (len(monitor.fleet.sessions), monitor.fleet.older) == (0, 0)
    journal.prepare_folders(str(folder.state_dir))
    ask(folder, "waiting", pid=ALIVE)
    folder.fill(5)
    monitor.refresh()
    assert "waiting" in monitor.fleet.sessions
    assert len(monitor.fleet.sessions) + monitor.fleet.older == 6
