"""Lock, append, fold, replace: what a journal goes through, step by step."""

import errno
import json
import os
import posix
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from atm_hooks import journal
from atm_hooks.fold import fold_all
from tests.support.timelines import read_raw_events

Make = Callable[..., dict[str, Any]]


@pytest.fixture
def root(tmp_path: Path) -> str:
    folder = str(tmp_path / "state")
    journal.prepare_folders(folder)
    return folder


def make_tool_event(make: Make, number: int) -> dict[str, Any]:
    return make("PostToolUse", tool="Bash", tool_use_id=f"t{number}", summary="x" * 50)


def read_state(root: str) -> dict[str, Any]:
    state = journal.load_state(root, "s1")
    assert state is not None
    return state


def fold_journal(root: str) -> dict[str, Any]:
    """The journal folded in its order, as the state file must hold it."""
    state = fold_all(None, read_raw_events(root, "s1"))
    assert state is not None
    return json.loads(json.dumps(state)) | {"journal": read_state(root)["journal"]}


def test_lines_start_with_their_time_and_the_state_records_the_folded_offset(root: str, make: Make) -> None:
    assert journal.record_event(root, make_tool_event(make, 1)) is True
    lines = Path(journal.locate_journal(root, "s1")).read_bytes().split(b"\n")
    assert lines[0] == b'{"journal":1,"generation":1}'
    assert lines[1].startswith(b'{"at":1001.0,')
    assert read_state(root)["journal"] == {"generation": 1, "offset": len(lines[0]) + len(lines[1]) + 2}
    assert read_state(root) == fold_journal(root)


def test_an_event_appended_without_folding_is_folded_with_the_next(root: str, make: Make) -> None:
    journal.record_event(root, make_tool_event(make, 1))
    held = journal.take_lock(f"{root}/locks/s1.lock", 0)
    assert held is not None
    assert journal.record_event(root, make_tool_event(make, 2), patience=0.05) is False
    assert read_state(root)["tools_used"] == {"Bash": 1}
    os.close(held)
    assert journal.record_event(root, make_tool_event(make, 3)) is True
    assert read_state(root)["tools_used"] == {"Bash": 3}
    assert read_state(root) == fold_journal(root)


def test_the_very_first_event_may_be_written_without_the_lock(root: str, make: Make) -> None:
    held = journal.take_lock(f"{root}/locks/s1.lock", 0)
    assert held is not None
    assert journal.record_event(root, make_tool_event(make, 1), patience=0) is False
    assert journal.load_state(root, "s1") is None
    os.close(held)
    journal.record_event(root, make_tool_event(make, 2))
    assert read_state(root)["tools_used"] == {"Bash": 2}


@pytest.mark.parametrize(
    "cut", [b'{"at":1002.0,"session_id":"s1","ev', b"\xff\x00", b"x", b'{"at":1', b"\n\n", b'{"journal":1,"gen']
)
def test_a_line_cut_off_by_a_killed_process(root: str, make: Make, cut: bytes) -> None:
    journal.record_event(root, make_tool_event(make, 1))
    with Path(journal.locate_journal(root, "s1")).open("ab") as file:
        file.write(cut)
    journal.record_event(root, make_tool_event(make, 2))
    assert read_state(root)["tools_used"] == {"Bash": 2}
    assert read_state(root) == fold_journal(root)


@pytest.mark.parametrize(
    "broken",
    [b"", b"{", b"[]", b"null", b'{"schema":1}',
     b'{"schema":0,"journal":{"generation":1,"offset":5}}',
     b'{"schema":1,"journal":7}', b"\xff\xfe"],
)  # fmt: skip
def test_a_damaged_state_file_is_rebuilt_from_the_journal(root: str, make: Make, broken: bytes) -> None:
    for number in range(5):
        journal.record_event(root, make_tool_event(make, number))
    Path(journal.locate_state(root, "s1")).write_bytes(broken)
    journal.record_event(root, make_tool_event(make, 5))
    assert read_state(root)["tools_used"] == {"Bash": 6}
    assert read_state(root) == fold_journal(root)


def test_the_state_file_of_a_newer_version_is_left_alone(root: str, make: Make) -> None:
    """Its events are only appended: the newer hook folds them when it runs again."""
    for number in range(3):
        journal.record_event(root, make_tool_event(make, number))
    path = Path(journal.locate_state(root, "s1"))
    newer = json.dumps({**json.loads(path.read_text()), "schema": 2, "tools_used": ["of another shape"]})
    path.write_text(newer)
    assert not journal.record_event(root, make_tool_event(make, 3))
    assert path.read_text() == newer
    assert len(journal.decode_events(Path(journal.locate_journal(root, "s1")).read_bytes())) == 4


@pytest.mark.parametrize(
    "place", [{"generation": 1, "offset": -5}, {"generation": 1, "offset": 10**9}, {"generation": 7, "offset": 0}, {}]
)
def test_an_impossible_offset_folds_the_journal_again(root: str, make: Make, place: dict[str, int]) -> None:
    journal.record_event(root, make_tool_event(make, 1))
    state = read_state(root)
    Path(journal.locate_state(root, "s1")).write_text(json.dumps(state | {"journal": place}))
    journal.record_event(root, make_tool_event(make, 2))
    assert read_state(root)["tools_used"] == {"Bash": 2}


def test_a_valid_state_that_cannot_be_continued_is_rebuilt(root: str, make: Make) -> None:
    for number in range(5):
        journal.record_event(root, make_tool_event(make, number))
    path = Path(journal.locate_state(root, "s1"))
    path.write_text(json.dumps({"schema": 1, "session_id": "s1", "journal": read_state(root)["journal"]}))
    journal.record_event(root, make_tool_event(make, 5))
    assert read_state(root) == fold_journal(root)
    assert "made anew: KeyError" in Path(root, "hook.log").read_text()


@pytest.mark.parametrize(
    "line", ['{"at":1,"event":"Stop"}', '{"at":1,"event":"PreToolUse","session_id":"s1","tool":7}']
)
def test_journal_lines_that_cannot_be_folded_are_skipped(root: str, make: Make, line: str) -> None:
    Path(root, "journal", "s1.jsonl").write_text(f"{line}\n")
    for number in range(2):
        journal.record_event(root, make_tool_event(make, number))
    assert read_state(root)["tools_used"]["Bash"] == 2


def test_an_unreadable_state_path_loses_no_event(root: str, make: Make) -> None:
    journal.record_event(root, make_tool_event(make, 1))
    path = Path(journal.locate_state(root, "s1"))
    path.unlink()
    path.mkdir()
    with pytest.raises(OSError, match="directory"):
        journal.record_event(root, make_tool_event(make, 2))
    path.rmdir()
    journal.record_event(root, make_tool_event(make, 3))
    assert read_state(root)["tools_used"] == {"Bash": 3}


@pytest.mark.parametrize("parts", [*[[part] for part in journal.FOLDERS], journal.FOLDERS])
def test_removed_parts_are_rebuilt(root: str, make: Make, parts: list[str]) -> None:
    journal.record_event(root, make_tool_event(make, 1))
    for part in parts:
        for path in Path(root, part).iterdir():
            path.unlink()
        Path(root, part).rmdir()
    journal.prepare_folders(root)
    journal.record_event(root, make_tool_event(make, 2))
    assert read_state(root)["last_event"] == "PostToolUse"
    assert {stat.S_IMODE(Path(root, folder).stat().st_mode) for folder in journal.FOLDERS} == {0o700}


def test_after_the_clock_was_set_back_events_still_count(root: str, make: Make) -> None:
    journal.record_event(root, make("UserPromptSubmit", at=10_000, prompt_kind="human", prompt="go"))
    journal.record_event(root, make("Stop", at=20))
    journal.record_event(root, make("UserPromptSubmit", at=30, prompt_kind="human", prompt="more"))
    state = read_state(root)
    assert (state["activity"]["kind"], state["turns"], state["activity"]["since"]) == ("thinking", 2, 11000.002)
    assert [event.get("clock") for event in read_raw_events(root, "s1")] == [None, 1020.0, 1030.0]
    assert state == fold_journal(root)


def test_an_event_that_is_a_little_late_keeps_its_time(root: str, make: Make) -> None:
    journal.record_event(root, make("Stop", at=100))
    journal.record_event(root, make("UserPromptSubmit", at=90, prompt_kind="human", prompt="go"))
    assert read_state(root)["activity"] == {"kind": "finished", "since": 1100.0}


# --- rotation


def test_a_full_journal_is_rotated_and_one_old_one_is_kept(
    root: str, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "ROTATE_SIZE", 3000)
    for number in range(150):
        journal.record_event(root, make_tool_event(make, number))
    path = Path(journal.locate_journal(root, "s1"))
    assert sorted(each.name for each in path.parent.iterdir()) == ["s1.jsonl", "s1.jsonl.1"]
    assert all(each.stat().st_size < 3300 for each in path.parent.iterdir())
    assert read_state(root)["tools_used"] == {"Bash": 150}
    assert read_state(root)["journal"]["generation"] > 3


def test_after_rotation_a_lost_state_is_rebuilt_from_the_rest(
    root: str, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "ROTATE_SIZE", 3000)
    for number in range(40):
        journal.record_event(root, make_tool_event(make, number))
    there = len(read_raw_events(root, "s1"))
    Path(journal.locate_state(root, "s1")).unlink()
    journal.record_event(root, make_tool_event(make, 99))
    assert read_state(root)["tools_used"] == {"Bash": there + 1}


def fill_journal(root: str, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """A journal that the next event rotates."""
    journal.record_event(root, make_tool_event(make, 1))
    monkeypatch.setattr(journal, "ROTATE_SIZE", 10)


def test_an_append_without_the_lock_just_before_the_rotation(
    root: str, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill_journal(root, make, monkeypatch)
    really = posix.replace

    def replace_late(source: str, target: str) -> None:
        if target.endswith(".1"):
            journal._append_without_lock(source, journal.encode(make_tool_event(make, 2)).encode() + b"\n")
        really(source, target)

    monkeypatch.setattr(journal.posix, "replace", replace_late)
    journal.record_event(root, make_tool_event(make, 3))
    assert read_state(root)["tools_used"] == {"Bash": 3}


def test_an_append_without_the_lock_into_a_just_rotated_journal(
    root: str, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill_journal(root, make, monkeypatch)
    really, calls = journal._write_all, []

    def write_late(file: int, data: bytes) -> None:
        calls.append(data)
        if len(calls) == 1:
            journal.record_event(root, make_tool_event(make, 3))
        really(file, data)

    monkeypatch.setattr(journal, "_write_all", write_late)
    journal._append_without_lock(
        journal.locate_journal(root, "s1"), journal.encode(make_tool_event(make, 2)).encode() + b"\n"
    )
    monkeypatch.setattr(journal, "ROTATE_SIZE", 10**6)
    journal.record_event(root, make_tool_event(make, 4))
    assert read_state(root)["tools_used"] == {"Bash": 4}


def test_a_crash_between_rotation_and_append(root: str, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    journal.record_event(root, make_tool_event(make, 1))
    path = journal.locate_journal(root, "s1")
    posix.replace(path, path + ".1")
    journal.record_event(root, make_tool_event(make, 2))
    assert read_state(root)["tools_used"] == {"Bash": 2}
    assert read_state(root)["journal"]["generation"] == 2


def test_a_state_of_the_previous_generation_folds_the_new_one_from_the_start(root: str, make: Make) -> None:
    for number in range(3):
        journal.record_event(root, make_tool_event(make, number))
    path, old = journal.locate_journal(root, "s1"), Path(journal.locate_state(root, "s1")).read_bytes()
    posix.replace(path, path + ".1")
    for number in range(3, 9):
        journal.record_event(root, make_tool_event(make, number))
    Path(journal.locate_state(root, "s1")).write_bytes(old)
    journal.record_event(root, make_tool_event(make, 9))
    assert read_state(root)["tools_used"] == {"Bash": 10}


# --- a disk that does not take it


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
@pytest.mark.parametrize("failing", [1, 2])
def test_a_full_disk_is_reported_and_loses_no_existing_data(
    root: str, make: Make, monkeypatch: pytest.MonkeyPatch, code: int, failing: int
) -> None:
    journal.record_event(root, make_tool_event(make, 1))
    before = Path(journal.locate_state(root, "s1")).read_bytes()
    really, calls = posix.write, []

    def fail_as_full(file: int, data: bytes) -> int:
        calls.append(data)
        if len(calls) >= failing:
            if len(data) > 20:
                really(file, data[:20])
            raise OSError(code, os.strerror(code))
        return really(file, data)

    monkeypatch.setattr(journal.posix, "write", fail_as_full)
    with pytest.raises(OSError, match=os.strerror(code)):
        journal.record_event(root, make_tool_event(make, 2))
    monkeypatch.undo()
    assert Path(journal.locate_state(root, "s1")).read_bytes() == before
    assert list(Path(root, "tmp").iterdir()) == []
    journal.record_event(root, make_tool_event(make, 3))
    assert read_state(root)["tools_used"] == {"Bash": failing + 1}


# --- whose folder


def test_the_folder_is_created_with_its_parents(tmp_path: Path) -> None:
    journal.prepare_folders(str(tmp_path / "a" / "b" / "c"))
    assert {stat.S_IMODE((tmp_path / part).stat().st_mode) for part in ("a", "a/b", "a/b/c")} == {0o700}


def test_another_users_folder_is_refused(root: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = tmp_path / "link"
    link.symlink_to(root)
    monkeypatch.setattr(journal.posix, "geteuid", lambda: os.geteuid() + 1)
    for folder in (root, str(link)):
        with pytest.raises(journal.UnsafeError, match="belongs to another user"):
            journal.prepare_folders(folder)


def test_a_world_writable_folder_is_refused(root: str) -> None:
    Path(root).chmod(0o1777)
    with pytest.raises(journal.UnsafeError, match="chmod 700"):
        journal.prepare_folders(root)


def test_a_users_own_link_is_followed(root: str, tmp_path: Path, make: Make) -> None:
    link = tmp_path / "link"
    link.symlink_to(root)
    journal.prepare_folders(str(link))
    journal.record_event(str(link), make_tool_event(make, 1))
    assert read_state(root)["tools_used"] == {"Bash": 1}


@pytest.mark.parametrize("name", ["locks/s1.lock", "tmp/s1"])
def test_links_in_place_of_our_files_are_not_followed(root: str, tmp_path: Path, make: Make, name: str) -> None:
    journal.record_event(root, make_tool_event(make, 1))
    victim = tmp_path / "victim"
    victim.write_text("mine")
    path = Path(root, name)
    path.unlink(missing_ok=True)
    path.symlink_to(victim)
    with pytest.raises(OSError, match=r"[Ss]ymbolic|Operation"):
        journal.record_event(root, make_tool_event(make, 2))
    assert victim.read_text() == "mine"


# --- the end of it


def test_forgetting_a_session_removes_all_its_files(root: str, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "ROTATE_SIZE", 500)
    for number in range(20):
        journal.record_event(root, make_tool_event(make, number))
    journal.record_event(root, make("Stop") | {"session_id": "s2"})
    journal.remove_session(root, "s1")
    left = sorted(str(path.relative_to(root)) for path in Path(root).rglob("*") if path.is_file())
    assert left == ["journal/s2.jsonl", "locks/s2.lock", "sessions/s2.json"]
    journal.remove_session(root, "s1")


def test_waiting_for_a_removed_lock_takes_the_new_one(root: str, make: Make) -> None:
    journal.record_event(root, make_tool_event(make, 1))
    held = journal.take_lock(f"{root}/locks/s1.lock", 0)
    assert held is not None
    Path(root, "locks", "s1.lock").unlink()
    other = journal.take_lock(f"{root}/locks/s1.lock", 0)
    assert other is not None
    os.close(held)
    os.close(other)
