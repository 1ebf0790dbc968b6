"""The newest sessions that have only transcripts: known once today's costs are counted, without reading all others."""

from pathlib import Path

import pytest

from atm_tui.cost.pricing import load_default_table
from atm_tui.monitor import usage
from atm_tui.monitor.usage import UsageReaders
from tests.bench.transcripts import write_past_sessions

NOW = 1_790_000_000.0


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
