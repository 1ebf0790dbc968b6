"""The sums of all sessions that `usage` keeps in one file: always the same result as without, and read instead of checkpoints."""

import os
import random
import shutil
import threading
from pathlib import Path

import pytest

from atm_tui.cost.pricing import PriceTable, load_default_table
from atm_tui.cost.report import UsageHistory
from atm_tui.sources import kept_usage
from atm_tui.sources.usage import UsageReader
from tests.sources.test_folder_usage import make_answer

TABLE = load_default_table()


@pytest.fixture
def config(tmp_path: Path) -> Path:
    for project in ("-home-user-work-web", "-home-user-work-api"):
        folder = tmp_path / "claude" / "projects" / project
        (folder / f"{project}-2" / "subagents").mkdir(parents=True)
        for number in (1, 2):
            line = make_answer(f"{project}{number}", 10 * number, cwd=f"/home/user/work/{project[-3:]}")
            (folder / f"{project}-{number}.jsonl").write_text(line)
        (folder / f"{project}-2" / "subagents" / "agent-a.jsonl").write_text(make_answer(f"{project}a", 7))
    return tmp_path / "claude"


def read(config: Path, since: float | None = None, table: PriceTable = TABLE) -> UsageHistory:
    reader = UsageReader([config], config.parent / "cache", table, keeps_sums=True)
    progress = list(reader.read(since))
    assert progress[-1].done_bytes == progress[-1].total_bytes
    assert progress[-1].done_files == progress[-1].total_files
    return reader.result


def read_anew(config: Path, since: float | None = None, table: PriceTable = TABLE) -> UsageHistory:
    reader = UsageReader([config], None, table)
    list(reader.read(since))
    return reader.result


def find_kept(config: Path) -> Path:
    (found,) = (config.parent / "cache").glob(f"{kept_usage.KEPT}*")
    return found


def test_a_second_call_needs_neither_transcripts_nor_checkpoints(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = read(config)
    assert first == read_anew(config)
    assert first.buckets
    shutil.rmtree(config.parent / "cache" / "transcripts")
    monkeypatch.setattr("atm_tui.sources.transcript.TranscriptReader.read", None)
    assert read(config) == first


def test_a_forked_request_counts_once_with_kept_sums_too(config: Path) -> None:
    read(config)
    folder = config / "projects" / "-home-user-work-web"
    own = folder / "-home-user-work-web-1.jsonl"
    (folder / "fork.jsonl").write_text(own.read_text() + make_answer("m9", 3))
    for _ in range(2):
        assert read(config) == read_anew(config)
    own.unlink()
    for _ in range(2):
        assert read(config) == read_anew(config)


def test_a_call_for_some_days_keeps_what_is_known_of_the_others(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = config / "projects" / "-home-user-work-web" / "-home-user-work-web-1.jsonl"
    os.utime(old, (1_000.0, 1_000.0))
    whole = read(config)
    new = old.with_name("new.jsonl")
    new.write_text(make_answer("m9", 3))
    assert read(config, 2_000.0) == read_anew(config, 2_000.0)
    new.unlink()
    monkeypatch.setattr("atm_tui.sources.transcript.TranscriptReader.read", None)
    assert read(config) == whole


def test_whatever_changes_the_result_is_that_without_kept_sums(config: Path) -> None:
    chance = random.Random(4)
    for step in range(60):
        files = sorted((config / "projects").rglob("*.jsonl"))
        path = chance.choice(files)
        match chance.randrange(5):
            case 0:
                path.write_text(path.read_text() + make_answer(f"m{step}", step))
            case 1 if len(files) > 3:
                path.unlink()
            case 2:  # written anew, with the same size at another time
                path.write_text(path.read_text().replace('"output_tokens": 1', '"output_tokens": 2'))
                os.utime(path, ns=(0, 10**18 + step))
            case 3:
                (path.parent / f"new-{step}.jsonl").write_text(chance.choice(files).read_text())
            case _:
                path.with_name(f"moved-{step}.jsonl").write_text(path.read_text())
        assert read(config) == read_anew(config), step


@pytest.mark.parametrize("damage", [b"", b"\0", b"\0" * 100, None])
def test_a_damaged_file_is_ignored(config: Path, damage: bytes | None) -> None:
    first, kept = read(config), find_kept(config)
    kept.write_bytes(kept.read_bytes()[:-9] if damage is None else damage)
    assert read(config) == first
    assert kept.stat().st_size > 100, "it is written again"


def test_other_versions_and_prices_are_ignored(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = read(config)
    cheap = PriceTable(models={})
    assert read(config, table=cheap) == read_anew(config, table=cheap)
    assert read(config) == first
    monkeypatch.setattr(kept_usage, "VERSION", 99)
    assert read(config) == first


def test_a_file_that_would_be_too_large_is_not_written(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_usage, "LARGEST", 50)
    assert read(config) == read_anew(config)
    assert not list((config.parent / "cache").glob(f"{kept_usage.KEPT}*"))


def test_two_readers_at_once_never_harm_it(config: Path) -> None:
    wanted, found = read(config), []

    def read_often() -> None:
        for step in range(10):
            path = config / "projects" / "-home-user-work-api" / "-home-user-work-api-1.jsonl"
            os.utime(path, ns=(0, 10**18 + step))  # so that both write
            found.append(read(config).buckets)

    threads = [threading.Thread(target=read_often) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(found) == 20
    assert all(each == wanted.buckets for each in found)
    assert read(config) == wanted


def test_of_many_config_folders_only_the_last_are_kept(config: Path) -> None:
    for number in range(kept_usage.MOST_KEPT + 3):
        moved = config.with_name(f"claude-{number}")
        shutil.copytree(config, moved)
        read(moved)
    assert len(list((config.parent / "cache").glob(f"{kept_usage.KEPT}*"))) == kept_usage.MOST_KEPT
