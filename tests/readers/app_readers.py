"""Feeds of what the app keeps for itself: its small files, its configuration, what was counted of transcripts."""

import json
import os
import random
import shutil
import time
import zlib
from contextlib import suppress
from pathlib import Path

import msgspec

from atm_tui.config import Config, ConfigError
from atm_tui.demo.scenario import FOLDER, ScenarioError, read_track
from atm_tui.model.flags import choose_next_snooze, is_dismissed, is_snoozed
from atm_tui.model.session import Session
from atm_tui.monitor.live import LiveMonitor
from atm_tui.settings.config_write import ConfigWriteError, change_config
from atm_tui.sources.checkpoints import CheckpointStore, read_transcript_path
from atm_tui.sources.config_file import examine_config, read_config
from atm_tui.sources.flags import FlagsFile
from atm_tui.sources.kept_parts import KeptParts, Part, SharedSources
from atm_tui.sources.kept_result import KeptResult, Sources
from atm_tui.sources.kept_usage import KEPT, KeptUsage
from atm_tui.sources.layout import LayoutFile
from atm_tui.sources.state_schema import SCHEMA, is_newer, read_schema
from atm_tui.sources.theme import ThemeFile
from atm_tui.sources.times_file import TimesFile
from atm_tui.sources.transcript import TranscriptReader
from atm_tui.sources.usage import UsageReader
from atm_tui.timeline.time_waited import WaitTimes
from tests.readers.recorded import TRANSCRIPT, pick
from tests.readers.rendering import render_fleet
from tests.readers.table import ReaderSandbox, feeds
from tests.support.damage import damage_bytes, damage_lines, damage_text
from tests.support.full_home import SESSION, write

APP_FILE = "atm_tui.sources.app_file:read"


def _damage_place(sandbox: ReaderSandbox, place: str, dice: random.Random) -> None:
    write(sandbox.places[place], damage_lines([json.loads(sandbox.good[place])], dice))


def _refresh(sandbox: ReaderSandbox) -> None:
    """A monitor reads its files again, and all is made of them that is shown."""
    sandbox.monitor.refresh()
    render_fleet(sandbox.monitor.fleet, sandbox.monitor.now(), 80)


@feeds("atm_tui.sources.state_schema:read_schema", fed="the version of the state folder")
def feed_schema(sandbox: ReaderSandbox, dice: random.Random) -> str:
    folder = sandbox.folder / "versioned"
    write(folder / "schema", damage_text(f"{dice.choice([SCHEMA, SCHEMA + 1])}\n", dice))
    assert is_newer(folder) == (read_schema(folder) > SCHEMA)
    return "newer" if is_newer(folder) else "ours"


@feeds(APP_FILE, fed="app/care.json: pinned, snoozed and dismissed sessions")
def feed_flags(sandbox: ReaderSandbox, dice: random.Random) -> str:
    _damage_place(sandbox, "flags", dice)
    file, session = FlagsFile(sandbox.state), Session(session_id=SESSION, name="a")
    changed = file.refresh()
    for flags in file.all.values():
        is_snoozed(session, flags, sandbox.now)
        is_dismissed(session, flags)
        choose_next_snooze(session, flags, sandbox.now)
    _refresh(sandbox)
    for flags in list(file.all.values())[:1]:
        file.set_flags(SESSION, flags)
        assert FlagsFile(sandbox.state).refresh()
    return "flags" if changed else "no flags"


@feeds(APP_FILE, fed="app/seen.json: when each session was looked at")
def feed_seen(sandbox: ReaderSandbox, dice: random.Random) -> str:
    _damage_place(sandbox, "seen", dice)
    file = TimesFile(sandbox.state)
    changed = file.refresh()
    file.record(SESSION, sandbox.now)
    _refresh(sandbox)
    return "times" if changed else "no times"


@feeds(APP_FILE, fed="app/told.json: alerts that were given")
def feed_alerts(sandbox: ReaderSandbox, dice: random.Random) -> str:
    _damage_place(sandbox, "alerts", dice)
    monitor = LiveMonitor(sandbox.state, [], Config(), table=sandbox.table)
    first = monitor.is_first_time("greeted")
    assert not monitor.is_first_time("greeted")
    return "given anew" if first else "given before"


@feeds(APP_FILE, fed="app/theme.json: the chosen theme")
def feed_theme(sandbox: ReaderSandbox, dice: random.Random) -> str:
    _damage_place(sandbox, "theme", dice)
    found = ThemeFile(sandbox.state).find_theme("atm-dark")
    return "the default" if found == "atm-dark" else "a theme"


@feeds(APP_FILE, fed="app/layout.json: sizes of the panes")
def feed_layout(sandbox: ReaderSandbox, dice: random.Random) -> str:
    _damage_place(sandbox, "layout", dice)
    layout = LayoutFile(sandbox.state).read()
    sides = [layout.wide.side, layout.middle.side, *layout.wide.shares.values(), *layout.middle.shares.values()]
    assert all(0 <= each <= 10_000 for each in sides)
    return "sizes" if any(sides) else "the default"


@feeds(APP_FILE, fed="app/waits.json: waits of today")
def feed_waits(sandbox: ReaderSandbox, dice: random.Random) -> str:
    _damage_place(sandbox, "waits", dice)
    _refresh(sandbox)
    times = WaitTimes(sandbox.state)
    times.writes = True
    assert times.update({}, {}, (), sandbox.now) == set()
    assert times.sessions == {}
    return "waits" if times.gone else "no waits"


CONFIG = """
closed_after = 10.0
forget_after = 24
hide_headless = true
context_thresholds = [60, 80, 90]
budget_day = 5.5
theme = "atm-light"
dangers = ["!outside", "cu.l"]
[pricing]
web_search = 0.01
[pricing.models.a]
aliases = ["b"]
context_window = 200000
[[pricing.models.a.prices]]
input = 1.0
output = 2.0
cache_write_5m = 1.0
cache_write_1h = 1.0
cache_read = 1.0
from = 2026-01-01
"""


@feeds(
    "atm_tui.settings.config_write:_read",
    "atm_tui.sources.config_file:examine_config",
    fed="config.toml, with prices",
)
def feed_config(sandbox: ReaderSandbox, dice: random.Random) -> str:
    path = write(sandbox.places["config"], damage_text(CONFIG, dice) if dice.random() < 0.9 else CONFIG)
    examine_config(path).config.build_prices()
    with suppress(ConfigWriteError):
        change_config(path, ["ascii"], "true")
    try:
        read_config(path).build_prices()
    except ConfigError as error:
        return "refused, with its file" if str(path) in str(error) else "refused without its file"
    return "a configuration"


@feeds(
    "atm_tui.sources.checkpoints:load",
    "atm_tui.sources.checkpoints:load_fold",
    "atm_tui.sources.checkpoints:read_transcript_path",
    fed="what was kept of a transcript, also with the right checksums",
)
def feed_checkpoint(sandbox: ReaderSandbox, dice: random.Random) -> str:

    transcript = write(sandbox.transcript, damage_lines(pick(TRANSCRIPT, dice, 10), random.Random(1)))
    store = CheckpointStore(sandbox.folder / "checkpoints", sandbox.table)
    first = TranscriptReader(str(transcript), sandbox.table, store)
    first.read()
    first.save()
    if not (kept := list((sandbox.folder / "checkpoints").rglob("*.checkpoint"))):
        return "none kept, for a number that is too large"
    (file,) = kept
    data = file.read_bytes()
    if dice.random() < 0.3:
        file.write_bytes(damage_bytes(data, dice))
    else:  # damaged before its checksums were made
        path = int.from_bytes(data[:4], "little")
        begin, end = 20 + path, 20 + path + int.from_bytes(data[4:8], "little")
        parts = [data[begin:end], data[end:]]
        which = dice.randrange(2)
        parts[which] = damage_bytes(parts[which], dice)
        head = [each.to_bytes(4, "little") for part in parts for each in (len(part), zlib.crc32(part))]
        file.write_bytes(b"".join([data[:4], *head, data[20:begin], *parts]))
    found = store.load(str(transcript))
    read_transcript_path(str(file))
    with transcript.open("ab") as out:
        out.write(b'{"type": "user", "message": {"content": "Go on"}}\n')
    again = TranscriptReader(str(transcript), sandbox.table, store)
    again.read()
    again.set_inherited(frozenset({1}))
    again.read()
    again.save()
    store.clean_up(sandbox.now)
    for each in file.parent.glob("*.checkpoint"):
        each.unlink()
    assert again.facts.exists
    return "used" if found else "ignored"


def _damage_kept(file: Path, dice: random.Random) -> None:
    """Damages what a file of the cache holds, and gives it the checksum of that."""
    head, _, body = file.read_bytes().split(b"\0", 2)
    body = damage_bytes(body, dice)
    file.write_bytes(b"\0".join((head, b"%08x" % zlib.crc32(body), body)))


@feeds("atm_tui.sources.kept_result:load", fed="a result that was kept, also with the right checksum")
def feed_kept_result(sandbox: ReaderSandbox, dice: random.Random) -> str:
    kept = KeptResult(sandbox.folder, "kept", ["key"])
    kept.save(["text"], Sources([str(sandbox.folder / "missing")], {1: "", os.getpid(): "5"}, None), time.time() + 60)
    file = sandbox.folder / "kept"
    _damage_kept(file, dice)
    found = kept.load(time.time() + 60)
    file.unlink()
    return "ignored" if found is None else "used"


@feeds("atm_tui.sources.kept_parts:load", fed="parts that were kept, also with the right checksum")
def feed_kept_parts(sandbox: ReaderSandbox, dice: random.Random) -> str:
    kept = KeptParts(sandbox.folder, "parts", ["key"])
    sources = Sources([str(sandbox.folder / "missing")], {1: "", os.getpid(): "5"}, None)
    part = Part(["text"], [str(sandbox.folder / "none" / "file")], ["identity"], sources)
    kept.save(
        {"a": part, "b": part},
        SharedSources(Sources([], {}, None), {str(sandbox.folder / "none"): []}),
        time.time() + 60,
    )
    file = sandbox.folder / "parts"
    _damage_kept(file, dice)
    is_used = kept.load(time.time() + 60)
    kept.list_files()
    file.unlink()
    return "used" if is_used else "ignored"


@feeds("atm_tui.sources.kept_usage:load", fed="the kept sums of a folder, also with the right checksum")
def feed_kept_usage(sandbox: ReaderSandbox, dice: random.Random) -> str:
    write(sandbox.transcript, damage_lines(pick(TRANSCRIPT, dice, 30), dice))
    for _ in UsageReader([sandbox.claude], sandbox.folder / "sums", sandbox.table, keeps_sums=True).read():
        pass
    (file,) = (sandbox.folder / "sums").glob(f"{KEPT}*")
    data = damage_bytes(file.read_bytes()[4:], dice)
    file.write_bytes(zlib.crc32(data).to_bytes(4, "little") + data)
    prices = CheckpointStore(sandbox.folder, sandbox.table).prices
    kept = KeptUsage(sandbox.folder / "sums", str(sandbox.claude / "projects"), prices)
    kept.load()
    shutil.rmtree(sandbox.folder / "sums")
    return "used" if kept.sessions else "ignored"


@feeds("atm_tui.sources.transcript_tail:read_lines", fed="transcripts whose usage is counted")
def feed_usage(sandbox: ReaderSandbox, dice: random.Random) -> str:
    write(sandbox.transcript, damage_lines(pick(TRANSCRIPT, dice, 30), dice))
    reader = UsageReader([sandbox.claude], None, sandbox.table)
    for _ in reader.read():
        pass
    return "counted, lines skipped" if reader.result.skipped_lines else "counted"


@feeds("atm_tui.demo.scenario:read_track", fed="a recorded session of the demo")
def feed_scenario(sandbox: ReaderSandbox, dice: random.Random) -> str:
    lines = min(FOLDER.glob("*.jsonl")).read_bytes().splitlines()[:40]
    values = [msgspec.json.decode(line) for line in lines]
    at = dice.randrange(len(lines))
    whole, damaged = b"\n".join(lines[:at]), damage_lines(values[at : at + 1], dice)  # more damage is refused at once
    path = write(sandbox.folder / "track.jsonl", whole + b"\n" + damaged if at else damaged)
    try:
        read_track(path)
    except ScenarioError:
        return "refused, with file and line"
    return "a track"
