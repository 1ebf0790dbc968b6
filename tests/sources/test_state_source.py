"""State files: read as they change; what can't be read is a row that says why, and the last good value stays."""

import json
import os
from pathlib import Path

import pytest

from atm_hooks import journal
from atm_tui.sources.state import StateSource, read_state


def record(root: Path, session: str = "s1", kind: str = "SessionStart", at: float = 1000.0) -> None:
    journal.prepare_folders(str(root))
    journal.record_event(str(root), {"at": at, "session_id": session, "event": kind, "source": "startup", "cwd": "/w"})


def test_states_written_by_the_hook_are_read(tmp_path: Path) -> None:
    record(tmp_path)
    source = StateSource(tmp_path)
    assert source.refresh() == {"s1"}
    assert source.states["s1"].cwd == "/w"
    assert source.states["s1"].activity.kind == "new"
    assert source.refresh() == set()


def test_changes_new_files_and_removals_are_noticed(tmp_path: Path) -> None:
    record(tmp_path)
    source = StateSource(tmp_path)
    source.refresh()
    record(tmp_path, at=1001.0, kind="UserPromptSubmit")
    record(tmp_path, "s2")
    assert source.refresh() == {"s1", "s2"}
    journal.remove_session(str(tmp_path), "s1")
    assert source.refresh() == {"s1"}
    assert set(source.states) == {"s2"}


def test_a_missing_folder_has_no_sessions_and_may_appear_later(tmp_path: Path) -> None:
    source = StateSource(tmp_path / "later")
    assert source.refresh() == set()
    record(tmp_path / "later")
    assert source.refresh() == {"s1"}


def test_a_folder_deleted_and_recreated_is_read_again(tmp_path: Path) -> None:
    record(tmp_path)
    source = StateSource(tmp_path)
    source.refresh()
    for part in ("sessions", "journal", "locks"):
        for path in (tmp_path / part).iterdir():
            path.unlink()
        (tmp_path / part).rmdir()
    assert source.refresh() == {"s1"}
    record(tmp_path, "s3")
    assert source.refresh() == {"s3"}


def set_time(root: Path, session: str, at: float) -> None:
    os.utime(root / "sessions" / f"{session}.json", (at, at))


def test_many_files_are_read_in_slices_chosen_sessions_and_the_newest_first(tmp_path: Path) -> None:
    for number in range(6):
        record(tmp_path, f"s{number}")
        set_time(tmp_path, f"s{number}", 1000.0 + number)
    source = StateSource(tmp_path)
    assert source.refresh(None, 2, {"s1"}) == {"s1", "s5"}
    assert source.unread == 4
    record(tmp_path, "s0", "UserPromptSubmit", 1001.0)  # what happens meanwhile comes first
    journal.remove_session(str(tmp_path), "s4")
    assert source.refresh(None, 2, {"s1"}) == {"s0", "s3", "s4"}
    assert source.refresh([], 2) == {"s2"}
    assert source.unread == 0
    record(tmp_path, "s2", "UserPromptSubmit", 1001.0)
    assert source.refresh(None, 2) == {"s2"}
    assert set(source.states) == {"s0", "s1", "s2", "s3", "s5"}


BROKEN = [
    (b"", "byte 0"),
    (b'{"schema": 1, "session_id": "s1", "cwd": "/w', "truncated"),
    (b"[]", "Expected `object`"),
    (b'{"schema": 1, "session_id": "s1", "turns": "many"}', "$.turns"),
    (b'{"schema": 0, "session_id": "s1"}', "schema 0"),
    (b'{"schema": 1, "session_id": "other"}', "not its name"),
    (b"\x00" * 64, "byte 0"),
    (b'{"schema": 1, "session_id": "s1", "title": "\xff"}', ""),
]


@pytest.mark.parametrize(("data", "words"), BROKEN)
def test_an_unreadable_file_keeps_the_last_good_value_with_a_reason(tmp_path: Path, data: bytes, words: str) -> None:
    record(tmp_path)
    source = StateSource(tmp_path)
    source.refresh()
    (tmp_path / "sessions" / "s1.json").write_bytes(data)
    assert source.refresh() == {"s1"}
    assert words in source.unreadable["s1"].problem
    assert source.unreadable["s1"].path.endswith("s1.json")
    assert source.states["s1"].cwd == "/w"
    record(tmp_path, at=1001.0, kind="UserPromptSubmit")
    source.refresh()
    assert source.unreadable == {}


def test_a_file_that_was_never_readable_is_reported_too(tmp_path: Path) -> None:
    (tmp_path / "sessions").mkdir()
    (tmp_path / "sessions" / "s9.json").write_text("nonsense")
    source = StateSource(tmp_path)
    source.refresh()
    assert source.states == {}
    assert "s9" in source.unreadable


def test_other_files_are_ignored(tmp_path: Path) -> None:
    record(tmp_path)
    for name in (".s1.json", "s1.json.tmp", "notes.txt"):
        (tmp_path / "sessions" / name).write_text("x")
    source = StateSource(tmp_path)
    assert source.refresh() == {"s1"}
    assert source.unreadable == {}


def test_a_link_or_folder_in_the_place_of_a_file_is_an_error_not_a_crash(tmp_path: Path) -> None:
    (tmp_path / "sessions" / "s1.json").mkdir(parents=True)
    (tmp_path / "sessions" / "s2.json").symlink_to(tmp_path / "nowhere")
    source = StateSource(tmp_path)
    source.refresh()
    assert "directory" in source.unreadable["s1"].problem
    assert "s2" not in source.states


def test_fields_of_a_later_version_are_ignored(tmp_path: Path) -> None:
    record(tmp_path)
    path = tmp_path / "sessions" / "s1.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "brand_new": {"x": [1]}}))
    assert read_state(str(path)).session_id == "s1"
