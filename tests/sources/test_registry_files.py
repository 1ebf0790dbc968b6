"""The client's registry: fields that are missing or strange, files that are half written, come, change and go."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from atm_tui.model.facts import RegistryEntry
from atm_tui.sources import registry
from atm_tui.sources.registry import RegistrySource, parse_entry

WHOLE: dict[str, Any] = {
    "pid": 41,
    "procStart": "9876",
    "sessionId": "s-1",
    "cwd": "/home/user/work/shop",
    "startedAt": 1_000_000,
    "version": "2.1.332",
    "kind": "interactive",
    "entrypoint": "cli",
    "tmux": "main:@1.%4",
    "name": "Fish",
    "nameSource": "user",
    "status": "waiting",
    "waitingFor": "permission prompt",
    "updatedAt": 1_005_000,
    "statusUpdatedAt": 1_004_500,
}


def make_entry(**changed: Any) -> RegistryEntry | None:
    return parse_entry(json.dumps({**WHOLE, **changed}).encode(), "/home/user/.claude")


def write_entry(folder: Path, name: str = "41.json", **changed: Any) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    temp = folder / f".{name}.new"
    temp.write_text(json.dumps({**WHOLE, **changed}))
    temp.replace(folder / name)


def test_a_whole_file() -> None:
    assert make_entry() == RegistryEntry(
        pid=41,
        session_id="s-1",
        config_dir="/home/user/.claude",
        proc_start="9876",
        cwd="/home/user/work/shop",
        started_at=1000.0,
        version="2.1.332",
        kind="interactive",
        tmux="main:@1.%4",
        name="Fish",
        name_by_user=True,
        status="waiting",
        waiting_for="permission prompt",
        status_at=1004.5,
        updated_at=1005.0,
    )


def test_pid_and_session_are_all_that_a_file_needs() -> None:
    assert parse_entry(b'{"pid": 41, "sessionId": "s-1"}') == RegistryEntry(pid=41, session_id="s-1")


@pytest.mark.parametrize(
    ("changed", "kind"),
    [
        ({}, "interactive"),
        ({"entrypoint": "sdk-cli"}, "headless"),
        ({"entrypoint": "sdk-py"}, "headless"),
        ({"kind": "bg"}, "background"),
        ({"kind": "background"}, "background"),
        ({"kind": "bg", "entrypoint": "sdk-cli"}, "background"),
        ({"kind": "something new"}, "interactive"),
        ({"kind": None, "entrypoint": None}, "interactive"),
    ],
)
def test_headless_and_background_processes_are_marked(changed: dict[str, Any], kind: str) -> None:
    found = make_entry(**changed)
    assert found
    assert found.kind == kind


@pytest.mark.parametrize("key", sorted(set(WHOLE) - {"pid", "sessionId"}))
@pytest.mark.parametrize("value", [None, [], {}, True, -1, "?"])
def test_an_invalid_value_drops_its_field_but_not_the_session(key: str, value: Any) -> None:
    found = make_entry(**{key: value})
    assert found
    assert (found.pid, found.session_id) == (41, "s-1")


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"null", b"[]", b"7", b"{}", b'{"pid": 41}', b'{"sessionId": "s"}', b'{"pid": true, "sessionId": "s"}',
     b'{"pid": "41", "sessionId": "s"}', b'{"pid": 41, "sessionId": ""}', b"\x00" * 40, b"\xff\xfe", b"[" * 100_000],
)  # fmt: skip
def test_a_file_without_process_and_session_is_ignored(data: bytes) -> None:
    assert parse_entry(data) is None


def test_a_status_without_a_time_gets_the_files_time() -> None:
    found = make_entry(statusUpdatedAt=None)
    assert found
    assert found.status_at == 1005.0


def test_files_are_added_changed_and_removed(tmp_path: Path) -> None:
    source = RegistrySource(tmp_path)
    assert not source.refresh()
    write_entry(tmp_path / "sessions")
    assert source.refresh()
    assert source.entries["41.json"].session_id == "s-1"
    assert not source.refresh()
    write_entry(tmp_path / "sessions", sessionId="s-2")
    assert source.refresh()
    assert source.entries["41.json"].session_id == "s-2"
    (tmp_path / "sessions" / "41.json").unlink()
    assert source.refresh()
    assert source.entries == {}


def test_a_half_written_file_keeps_the_last_good_value_until_complete(tmp_path: Path) -> None:
    source = RegistrySource(tmp_path)
    write_entry(tmp_path / "sessions")
    source.refresh()
    path = tmp_path / "sessions" / "41.json"
    whole = json.dumps({**WHOLE, "status": "busy"})
    path.write_text(whole[:20].ljust(len(whole)))
    stamp = path.stat()
    assert not source.refresh()
    assert source.entries["41.json"].status == "waiting"
    # whole now, but the same to whoever compares inode, time and size
    path.write_text(whole)
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert source.refresh()
    assert source.entries["41.json"].status == "busy"


def test_a_folder_deleted_and_recreated_is_followed(tmp_path: Path) -> None:
    source = RegistrySource(tmp_path)
    write_entry(tmp_path / "sessions")
    source.refresh()
    (tmp_path / "sessions").rename(tmp_path / "old")
    assert source.refresh()
    assert source.entries == {}
    write_entry(tmp_path / "sessions", sessionId="s-3")
    source.refresh()
    assert source.entries["41.json"].session_id == "s-3"


def test_secrets_beside_the_registry_are_never_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []
    read = registry.read_regular

    def noted(path: str, limit: int) -> bytes:
        opened.append(Path(path).name)
        return read(path, limit)

    monkeypatch.setattr(registry, "read_regular", noted)
    write_entry(tmp_path / "sessions")
    (tmp_path / "sessions" / "41.abcdef.key").write_text("secret")
    RegistrySource(tmp_path).refresh()
    assert opened == ["41.json"]
