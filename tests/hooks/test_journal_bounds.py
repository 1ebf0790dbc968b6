"""A journal stays within its bound whatever keeps it from being folded, and no event is written without its place."""

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from atm_hooks import journal
from tests.support.hook_sandbox import HookSandbox

Make = Callable[..., dict[str, Any]]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    folder = str(tmp_path / "state")
    journal.prepare_folders(folder)
    monkeypatch.setattr(journal, "ROTATE_SIZE", 3000)
    monkeypatch.setattr(journal, "MOST_UNFOLDED", 1000)
    return folder


def record(root: str, make: Make, number: int, patience: float = journal.LOCK_SECONDS) -> bool:
    event = make("PostToolUse", tool="Bash", tool_use_id=f"t{number}", summary="x" * 50)
    return journal.record_event(root, event, patience)


def list_tools(root: str) -> list[str]:
    """The ids of the calls in both files of the journal, in their order."""
    path = Path(journal.locate_journal(root, "s1"))
    files = [each.read_bytes() for each in (Path(f"{path}.1"), path)]
    return [event["tool_use_id"] for data in files for event in journal.decode_events(data)]


def measure(root: str) -> int:
    """The bytes of the larger file."""
    return max(each.stat().st_size for each in Path(root, "journal").iterdir())


def test_events_of_a_newer_version_make_room_for_the_next(root: str, make: Make) -> None:
    """Its state file stays as it is, and takes no event of another journal for one that it has folded."""
    for number in range(3):
        record(root, make, number)
    path = Path(journal.locate_state(root, "s1"))
    place = {"generation": 7, "offset": 400}
    newer = json.dumps({**json.loads(path.read_text()), "schema": 2, "journal": place})
    path.write_text(newer)
    for number in range(3, 150):
        assert not record(root, make, number)
        assert measure(root) < 4300
    assert path.read_text() == newer
    kept = list_tools(root)
    assert len(kept) > 30
    assert kept == [f"t{number}" for number in range(150)][-len(kept) :]
    with Path(journal.locate_journal(root, "s1")).open("rb") as file:
        assert journal._read_generation(file.read(64)) > place["generation"]


def test_events_of_a_state_that_cannot_be_written_make_room_for_the_next(root: str, make: Make) -> None:
    path = Path(journal.locate_state(root, "s1"))
    path.mkdir()
    for number in range(150):
        with pytest.raises(OSError, match="directory"):
            record(root, make, number)
        assert measure(root) < 4300
    path.rmdir()
    record(root, make, 150)
    state = journal.load_state(root, "s1")
    assert state is not None
    assert state["tools_used"] == {"Bash": len(list_tools(root))}


def test_a_state_that_fell_far_behind_is_made_anew(root: str, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    record(root, make, 0)

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as full:
        full.setattr(journal, "_replace_state", refuse)
        for number in range(1, 100):
            with pytest.raises(OSError, match="No space"):
                record(root, make, number)
    record(root, make, 100)
    state = journal.load_state(root, "s1")
    assert state is not None
    assert state["last_event"] == "PostToolUse"
    assert measure(root) < 4300


def test_events_that_are_never_folded_for_want_of_the_lock_make_room_for_the_next(root: str, make: Make) -> None:
    held = journal.take_lock(journal.locate_lock(root, "s1"), 0)
    assert held is not None
    for number in range(150):
        assert not record(root, make, number, patience=0)
        assert measure(root) < 5300
    os.close(held)
    kept = list_tools(root)
    assert kept == [f"t{number}" for number in range(150)][-len(kept) :]
    record(root, make, 150)
    state = journal.load_state(root, "s1")
    assert state is not None
    assert state["tools_used"]["Bash"] > 30


def test_a_folder_below_a_link_to_nothing_is_refused(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "nothing")
    with pytest.raises(FileNotFoundError, match="link/state"):
        journal.prepare_folders(str(link / "state"))
    with pytest.raises(FileNotFoundError):
        journal.make_folder("")


def test_a_hook_that_leaves_an_event_to_a_newer_version_blames_no_lock(sandbox: HookSandbox) -> None:
    stop = {"session_id": "s1", "hook_event_name": "Stop"}
    sandbox.send_hook(stop)
    path = Path(journal.locate_state(str(sandbox.root), "s1"))
    path.write_text(json.dumps({"schema": 2}))
    sandbox.send_hook(stop)
    assert path.read_text() == '{"schema": 2}'
    assert sandbox.list_files().count("hook.log") == 0
