"""Changes of a folder: new, changed and gone files, and names that a directory leaves out while it changes."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from atm_tui.sources import listing as listing_module
from atm_tui.sources.listing import Listing
from atm_tui.sources.registry import RegistrySource


def listing(folder: Path) -> Listing:
    return Listing(folder, lambda name: name.endswith(".json"))


def leave_out(monkeypatch: pytest.MonkeyPatch, left_out: str) -> None:
    """Makes directories read as while this name is being renamed: without it."""
    scandir = os.scandir

    @contextmanager
    def scan(path: Any) -> Iterator[list[os.DirEntry[str]]]:
        with scandir(path) as entries:
            yield [entry for entry in entries if entry.name != left_out]

    monkeypatch.setattr(os, "scandir", scan)


def test_new_changed_and_removed_files_are_reported_once(tmp_path: Path) -> None:
    found = listing(tmp_path)
    assert found.scan() == ([], [])
    (tmp_path / "a.json").write_text("1")
    (tmp_path / "b.json").write_text("1")
    (tmp_path / "other").write_text("1")
    assert found.scan() == (["a.json", "b.json"], [])
    assert found.scan() == ([], [])
    (tmp_path / "a.json").write_text("12")
    assert found.scan([str(tmp_path / "b.json"), str(tmp_path / "x" / "a.json")]) == ([], [])
    (tmp_path / "b.json").unlink()
    assert found.scan() == (["a.json"], ["b.json"])
    assert found.scan() == ([], [])


def test_a_file_missing_during_a_rename_is_not_reported_as_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = listing(tmp_path)
    (tmp_path / "a.json").write_text("1")
    found.scan()
    (tmp_path / "new").write_text("12")
    (tmp_path / "new").replace(tmp_path / "a.json")
    leave_out(monkeypatch, "a.json")
    assert found.scan() == (["a.json"], [])
    assert found.scan() == ([], [])
    (tmp_path / "a.json").unlink()
    assert found.scan() == ([], ["a.json"])


def test_a_file_that_briefly_cannot_be_checked_counts_as_unchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> os.stat_result:
        raise OSError(errno.EIO, "Input/output error")

    found = listing(tmp_path)
    (tmp_path / "a.json").write_text("1")
    found.scan()
    with monkeypatch.context() as patch:
        patch.setattr(os, "stat", fail)
        assert found.scan() == ([], [])
    assert found.scan() == ([], [])


def test_files_of_a_removed_folder_are_reported_as_removed(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    folder.mkdir()
    (folder / "a.json").write_text("1")
    found = listing(folder)
    found.scan()
    (folder / "a.json").unlink()
    folder.rmdir()
    assert found.scan() == ([], ["a.json"])
    assert found.error is None


def test_a_retried_file_is_reported_again_as_changed_or_removed(tmp_path: Path) -> None:
    found = listing(tmp_path)
    (tmp_path / "a.json").write_text("1")
    found.scan()
    found.retry("a.json")
    assert found.scan() == (["a.json"], [])
    found.retry("a.json")
    (tmp_path / "a.json").unlink()
    assert found.scan() == ([], ["a.json"])


def test_a_registry_entry_is_removed_with_its_file_even_if_half_written(tmp_path: Path) -> None:
    path = tmp_path / "sessions" / "41.json"
    path.parent.mkdir()
    path.write_text('{"pid": 41, "sessionId": "s"}')
    registry = RegistrySource(tmp_path)
    registry.refresh()
    path.write_text('{"pid": 4')
    registry.refresh()
    assert list(registry.entries) == ["41.json"]
    path.unlink()
    registry.refresh()
    assert registry.entries == {}


def test_a_large_folder_notices_every_change_though_it_does_not_look_at_every_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("_LARGE", 20), ("_LAST", 3), ("_IN_TURN", 5)):
        monkeypatch.setattr(listing_module, name, value)
    looks: list[str] = []
    found = listing(tmp_path)
    for number in range(30):
        (tmp_path / f"{number:02}.json").write_text("1")
    assert len(found.scan()[0]) == 30
    stat = os.stat
    monkeypatch.setattr(os, "stat", lambda path, **given: (looks.append(str(path)), stat(path, **given))[1])
    assert found.scan() == ([], [])
    assert len(looks) <= 1 + 3 + 5
    (tmp_path / "new").write_text("1")  # as journals are: replaced, with the size and the time from before
    os.utime(tmp_path / "new", ns=(0, (tmp_path / "07.json").stat().st_mtime_ns))
    (tmp_path / "new").replace(tmp_path / "07.json")
    (tmp_path / "20.json").unlink()
    (tmp_path / "new.json").write_text("1")
    assert found.scan() == (["07.json", "new.json"], ["20.json"])
    (tmp_path / "29.json").write_text("12")  # changed in place: its turn comes
    assert "29.json" in {name for _ in range(7) for name in found.scan()[0]}
    found.retry("11.json")
    assert found.scan() == (["11.json"], [])
