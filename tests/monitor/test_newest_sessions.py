"""The newest sessions that have only transcripts: known once today's costs are counted, without reading all others."""

import json
import os
import tracemalloc
from pathlib import Path

import pytest

from atm_tui.cost.pricing import load_default_table
from atm_tui.monitor import usage
from atm_tui.monitor.usage import UsageReaders
from tests.bench.transcripts import format_stamp, write_past_sessions

NOW = 1_790_000_000.0
SLOTS = 50
"""Requests of a session, each in a quarter of an hour of its own."""
SESSIONS = 40


@pytest.fixture
def readers(tmp_path: Path) -> UsageReaders:
    return UsageReaders(load_default_table(), tmp_path / "cache")


def count_readings(readers: UsageReaders, *folders: Path) -> list[str]:
    list(readers.count_today(folders, NOW))
    return [each.session.session_id for each in readers.newest]


def test_there_are_none_before_the_first_count(readers: UsageReaders) -> None:
    assert readers.newest == ()


def test_only_the_newest_are_kept(tmp_path: Path, readers: UsageReaders, monkeypatch: pytest.MonkeyPatch) -> None:
    write_past_sessions(tmp_path, 5, NOW)
    monkeypatch.setattr(usage, "NEWEST", 2)
    assert count_readings(readers, tmp_path) == ["past-00004", "past-00003"]
    assert [each.title for each in readers.newest] == ["past work 00004", "past work 00003"]
    assert all(each.session.cost.usd for each in readers.newest)


def test_the_newest_sessions_come_from_all_folders_and_the_last_count(tmp_path: Path, readers: UsageReaders) -> None:
    write_past_sessions(tmp_path / "a", 2, NOW)
    assert count_readings(readers, tmp_path / "a", tmp_path / "b") == ["past-00001", "past-00000"]
    for path in tmp_path.rglob("past-00001.jsonl"):
        path.unlink()
    assert count_readings(readers, tmp_path / "a", tmp_path / "b") == ["past-00000"]


def write_sessions(folder: Path, changed: float) -> None:
    """Writes sessions with sums of many times, whose transcripts changed then (epoch seconds)."""
    for number in range(SESSIONS):
        path = folder / "projects" / "-home-work" / f"s{number}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w") as out:
            for slot in range(SLOTS):
                usage = {"input_tokens": 900 + slot, "output_tokens": 300, "cache_read_input_tokens": 40_000}
                message = {"id": f"m{number}-{slot}", "role": "assistant", "model": "claude-opus-5-5", "usage": usage}
                line = {"type": "assistant", "sessionId": f"s{number}", "cwd": "/home/work", "message": message}
                stamp = format_stamp(NOW - 86400 + slot * 900)
                out.write(json.dumps({**line, "requestId": f"r{number}-{slot}", "timestamp": stamp}) + "\n")
        os.utime(path, (changed, changed))


@pytest.mark.parametrize(("changed", "most"), [(NOW - 2 * 86400, 200), (NOW, 800)])
def test_counting_holds_little_of_each_request_and_keeps_nothing(
    tmp_path: Path, readers: UsageReaders, changed: float, most: int
) -> None:
    """`most`: bytes for each request. Those of today are held by time; held so, all others would take 500 as well."""
    write_sessions(tmp_path, changed)
    assert len(count_readings(readers, tmp_path)) == SESSIONS  # from now on there are checkpoints
    tracemalloc.start()
    try:
        count_readings(readers, tmp_path)
        kept = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        count_readings(readers, tmp_path)
        held = tracemalloc.get_traced_memory()[1] - kept
    finally:
        tracemalloc.stop()
    assert held < most * SESSIONS * SLOTS
    assert kept < 100 * SESSIONS * SLOTS
