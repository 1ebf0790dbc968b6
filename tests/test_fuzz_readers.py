"""Feeds every reader damaged input: recordings with wrong types, torn and fused lines, NULs, bad UTF-8, huge numbers, deep nesting.

Nothing that a reader is given ends it: it returns, or it raises the errors that its docstring names.
ATM_FUZZ_COUNT sets the number of inputs per reader; without it each reader gets as many as fit into ATM_FUZZ_SECONDS (2).
"""

import json
import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from atm_hooks import answer_log, journal, payload, sample
from atm_hooks.journal import UnsafeError
from atm_hooks.verdict import VoidError, parse_object
from atm_tui.config import Config, ConfigError, read_config
from atm_tui.cost.pricing import load_default_table
from atm_tui.jump.transcripts import read_label
from atm_tui.model.flags import SessionFlags
from atm_tui.model.wait import Reason, Wait
from atm_tui.monitor.live import LiveMonitor
from atm_tui.monitor.recording import RecordingError, read_entries
from atm_tui.settings.answering import accepts_answers
from atm_tui.settings.status import hooks_status
from atm_tui.sources.app_file import AppFile
from atm_tui.sources.folder_usage import FolderUsageReader
from atm_tui.sources.project import find_project
from atm_tui.sources.registry import RegistrySource, parse_entry
from atm_tui.sources.state import read_state
from atm_tui.sources.tool_input import find_tool_input
from atm_tui.sources.transcript import TranscriptReader
from atm_tui.sources.transcript_agents import AgentMetaFile
from atm_tui.sources.usage_cache import open_cache
from atm_tui.timeline.builder import TimelineBuilder
from atm_tui.timeline.journals import read_history
from atm_tui.view.explain import explain
from atm_tui.view.status_json import build_status_json
from atm_tui.view.status_table import format_status

DATA = Path(__file__).parent / "data"
SECONDS = float(os.environ.get("ATM_FUZZ_SECONDS", "2"))
COUNT = int(os.environ.get("ATM_FUZZ_COUNT", "0"))
SESSION = "5e55"

_NESTED: Any = 0
for _ in range(80):
    _NESTED = [_NESTED]
ODD: list[Any] = [
    None, True, -1, 0, 2**31, 2**63, 2**64, 10**400, -(10**30), 1e300, -1e300, float("nan"), float("inf"), "", "x" * 300,
    "/" + "y" * 300, "a\0b", "\ud800", "/proc/1/root/x", "²", "9" * 30, [], {}, ["user"], {"type": "user"}, [[{}]], _NESTED,
    {"a": _NESTED},
]  # fmt: skip


def _mutate_value(value: Any, dice: random.Random) -> Any:
    """The same value with one place in it replaced, removed or doubled."""
    if isinstance(value, dict) and value and dice.random() < 0.85:
        key = dice.choice(list(value))
        kind = dice.random()
        if kind < 0.1:
            return {name: each for name, each in value.items() if name != key}
        if kind < 0.15:
            return {**value, dice.choice(["", "type", "²", "at", "pid"]): dice.choice(ODD)}
        return {**value, key: _mutate_value(value[key], dice)}
    if isinstance(value, list) and value and dice.random() < 0.7:
        at = dice.randrange(len(value))
        return [*value[:at], _mutate_value(value[at], dice), *value[at + 1 :]]
    return dice.choice(ODD)


def _mutate_bytes(data: bytes, dice: random.Random) -> bytes:
    at, end = sorted((dice.randrange(len(data) + 1), dice.randrange(len(data) + 1)))
    kind = dice.randrange(7)
    if kind == 0:
        return data[:at]
    if kind == 1:
        return data[:at] + b"\0" * dice.choice([1, 40, 5000]) + data[at:]
    if kind == 2:
        return data[:at] + dice.choice([b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf"]) + data[at:]
    if kind == 3:
        return data.replace(b"\n", b"", dice.choice([1, -1]))
    if kind == 4:
        return data[:at] + data[end:]
    if kind == 5:
        return data[:at] + b"[" * dice.choice([10, 1100, 30_000]) + data[at:]
    return data[at:] + data[:at]


def damage(values: list[Any], dice: random.Random) -> bytes:
    """The values as lines, a few of them damaged."""
    lines = []
    for value in values:
        changed = value
        for _ in range(dice.choice([0, 1, 1, 3])):
            changed = _mutate_value(changed, dice)
        lines.append(json.dumps(changed).encode())
    data = b"\n".join(lines) + b"\n"
    return _mutate_bytes(data, dice) if dice.random() < 0.4 else data


def _load_lines(pattern: str, most: int = 400) -> list[Any]:
    found: list[Any] = []
    for path in sorted(DATA.rglob(pattern)):
        for line in path.read_bytes().splitlines()[:60]:
            try:
                found.append(json.loads(line))
            except ValueError:
                continue
    return random.Random(1).sample(found, min(most, len(found)))


RECORDED = _load_lines("recordings/*.jsonl", 2000)
HOOKS = [each["data"] for each in RECORDED if isinstance(each, dict) and each.get("kind") == "hook"]
SAMPLES = [each["data"] for each in RECORDED if isinstance(each, dict) and each.get("kind") == "statusline"]
ENTRIES = [
    each["data"] for each in RECORDED if isinstance(each, dict) and each.get("kind") == "registry" and each["data"]
]
TRANSCRIPT = [each for each in _load_lines("transcripts/**/*.jsonl") if isinstance(each, dict)]
AT = 1_795_000_000.0


def _make_events() -> list[Any]:
    found = []
    for number, hook in enumerate(HOOKS[:200]):
        event = payload.parse_event(json.dumps({**hook, "session_id": SESSION}).encode(), AT + number, {})
        if event:
            found.append({"at": event["at"], **event})
    return found


EVENTS = _make_events()


class Lab:
    """A state folder and a config folder with one session in them; files are replaced by damaged ones."""

    def __init__(self, folder: Path) -> None:
        self.state, self.config = folder / "state", folder / "claude"
        self.folder = folder
        journal.prepare_folders(str(self.state))
        for event in EVENTS[:60]:
            journal.record_event(str(self.state), event)
        self.session = json.loads((self.state / "sessions" / f"{SESSION}.json").read_bytes())
        self.transcript = self.config / "projects/-w" / f"{SESSION}.jsonl"
        (self.transcript.with_suffix("") / "subagents").mkdir(parents=True)
        (self.config / "sessions").mkdir()
        self.session["transcript_path"] = str(self.transcript)
        self.table = load_default_table()

    def write(self, path: Path, data: bytes) -> Path:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod(0o600)
        return path


def _pick(values: list[Any], dice: random.Random, most: int = 12) -> list[Any]:
    return [dice.choice(values) for _ in range(dice.randint(1, most))]


def feed_state(lab: Lab, dice: random.Random) -> None:
    path = lab.write(lab.folder / f"{SESSION}.json", damage([lab.session], dice))
    try:
        read_state(path)
    except (OSError, ValueError):
        return


def feed_monitor(lab: Lab, dice: random.Random) -> None:
    """The whole way: state, journal, registry and transcript, to what status and explain print."""
    lab.write(lab.state / "sessions" / f"{SESSION}.json", damage([lab.session], dice))
    lab.write(lab.state / "journal" / f"{SESSION}.jsonl", damage(_pick(EVENTS, dice), dice))
    lab.write(lab.config / "sessions/4711.json", damage([{**dice.choice(ENTRIES), "sessionId": SESSION}], dice))
    lab.write(lab.transcript, damage(_pick(TRANSCRIPT, dice), dice))
    monitor = LiveMonitor(lab.state, [lab.config], Config(), table=lab.table)
    monitor.refresh()
    fleet, now = monitor.fleet, monitor.now()
    format_status(fleet, now)
    msgspec.json.encode(build_status_json(fleet, now))
    for session in fleet.sessions.values():
        explain(monitor.reader.facts[session.session_id], session, monitor.read_events(session.session_id), now)


def feed_journal(lab: Lab, dice: random.Random) -> None:
    lab.write(lab.state / "journal/j.jsonl", damage(_pick(EVENTS, dice, 30), dice))
    TimelineBuilder("j").build(read_history(lab.state, "j"))


def feed_hook(lab: Lab, dice: random.Random) -> None:
    """A damaged journal and state under a hook that records on."""
    lab.write(lab.state / "journal" / f"{SESSION}.jsonl", damage(_pick(EVENTS, dice), dice))
    lab.write(lab.state / "sessions" / f"{SESSION}.json", damage([lab.session], dice))
    journal.record_event(str(lab.state), dice.choice(EVENTS))


def feed_payload(lab: Lab, dice: random.Random) -> None:
    parse, values = dice.choice([(payload.parse_event, HOOKS), (sample.parse_sample, SAMPLES)])
    try:
        parse(damage([dice.choice(values)], dice), AT, {})
    except payload.RefusedError:
        return


def feed_registry(lab: Lab, dice: random.Random) -> None:
    data = damage([dice.choice(ENTRIES)], dice)
    parse_entry(data)
    lab.write(lab.config / "sessions/1.json", data)
    RegistrySource(lab.config).refresh()


def feed_transcript(lab: Lab, dice: random.Random) -> None:
    path = lab.write(lab.transcript, damage(_pick(TRANSCRIPT, dice, 30), dice))
    reader = TranscriptReader(str(path), lab.table)
    reader.read()
    read_label(str(path))


def feed_tool_input(lab: Lab, dice: random.Random) -> None:
    path = lab.write(lab.transcript, damage(_pick(TRANSCRIPT, dice, 30), dice))
    find_tool_input(str(path), Wait(key="|Bash|0", tool="Bash", reason=Reason.QUESTION))


def feed_usage(lab: Lab, dice: random.Random) -> None:
    lab.write(lab.transcript, damage(_pick(TRANSCRIPT, dice, 30), dice))
    for _ in FolderUsageReader(lab.config, None, lab.table).read():
        pass


def feed_meta(lab: Lab, dice: random.Random) -> None:
    meta = {"agentType": "Explore", "name": "a", "description": "b", "toolUseId": "t", "finished": False}
    path = lab.write(lab.folder / "agent-1.meta.json", damage([meta], dice))
    AgentMetaFile(str(path.with_name("agent-1.jsonl"))).read()


def feed_settings(lab: Lab, dice: random.Random) -> None:
    command = {"type": "command", "command": "true", "timeout": 5}
    settings = {
        "hooks": {"Stop": [{"matcher": "", "hooks": [command]}]},
        "statusLine": command,
        "enabledPlugins": {"a": True},
    }
    lab.write(lab.config / "settings.json", damage([settings], dice))
    hooks_status(lab.config, lab.state)
    accepts_answers(lab.config)


def feed_config(lab: Lab, dice: random.Random) -> None:
    text = b'closed_after = 10.0\ndangers = ["!outside", "x"]\ncontext_thresholds = [60, 80, 90]\n[pricing.models.a]\ninput = 1.0\n'
    path = lab.write(lab.folder / "config.toml", _mutate_bytes(text, dice))
    try:
        read_config(path).prices(str(path))
    except ConfigError:
        return


def feed_app_files(lab: Lab, dice: random.Random) -> None:
    lab.write(
        lab.state / "app/care.json", damage([{"a": {"pinned": True, "snooze": {"at": 1.0, "seconds": 2.0}}}], dice)
    )
    lab.write(lab.state / "app/seen.json", damage([{"a": 1.0, "b": 2.0}], dice))
    AppFile(lab.state, "care.json", dict[str, SessionFlags]).read()
    AppFile(lab.state, "seen.json", dict[str, float]).read()


def feed_usage_cache(lab: Lab, dice: random.Random) -> None:
    cache = open_cache(lab.folder / "cache", lab.config)
    cache.save(lab.config, {})
    (file,) = (lab.folder / "cache").rglob("*.msgpack")
    file.write_bytes(_mutate_bytes(file.read_bytes(), dice))
    cache.load(lab.config)


def feed_answers(lab: Lab, dice: random.Random) -> None:
    folder = lab.state / "answers"
    folder.mkdir(mode=0o700, exist_ok=True)
    line = {"at": 1.0, "nonce": "ab" * 16, "outcome": "given", "by": "app", "decision": {"kind": "allow"}}
    data = damage([line, line], dice)
    lab.write(folder / "log.jsonl", data)
    try:
        answer_log.read_lines(str(lab.state))
        parse_object(data)
    except (VoidError, UnsafeError):
        return


def feed_recording(lab: Lab, dice: random.Random) -> None:
    path = lab.write(lab.folder / "r.jsonl", damage(_pick(RECORDED, dice, 30), dice))
    try:
        read_entries(path)
    except RecordingError:
        return


def feed_project(lab: Lab, dice: random.Random) -> None:
    git = lab.folder / "repo" / ".git"
    lab.write(git, _mutate_bytes(b"gitdir: ../claude\n", dice))
    find_project(str(git.parent))
    odd = dice.choice(["a\0b", "/" + "x" * 300, "\ud800", "/proc/self/fd/0/x", ".", "/dev/null/x", "/" + "y/" * 3000])
    find_project(odd)


READERS: dict[str, Callable[[Lab, random.Random], None]] = {
    name.removeprefix("feed_"): each for name, each in list(globals().items()) if name.startswith("feed_")
}


@pytest.mark.filterwarnings("ignore:Possible (nested )?set:FutureWarning")
@pytest.mark.timeout(0 if COUNT else 240)
@pytest.mark.parametrize("name", READERS)
def test_no_input_ends_a_reader(name: str, tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    until = time.monotonic() + SECONDS
    number = 0
    while number < COUNT if COUNT else time.monotonic() < until or not number:
        number += 1
        try:
            READERS[name](lab, random.Random(number))
        except Exception as error:
            error.add_note(f"reader {name}, input {number}")
            raise
    print(f"{name}: {number} inputs")
