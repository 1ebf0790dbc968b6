"""What the user has looked at: over restarts, with two apps at once, and when the file is spoilt."""

from pathlib import Path

import pytest

from atm_tui.sources.seen import AHEAD, SeenFile


def test_a_look_survives_a_restart(tmp_path: Path) -> None:
    SeenFile(tmp_path).look("s", 100.0)
    later = SeenFile(tmp_path)
    assert later.at("s") == 0.0
    assert later.refresh()
    assert later.at("s") == 100.0
    assert not later.refresh()


def test_the_state_folder_that_it_makes_is_private(tmp_path: Path) -> None:
    state = tmp_path / "of all programs" / "atm-tui"
    SeenFile(state).look("s", 100.0)
    assert [path.stat().st_mode & 0o777 for path in (state, state / "app", state / "app" / "seen.json")] == [
        0o700,
        0o700,
        0o600,
    ]


def test_two_apps_share_their_looks(tmp_path: Path) -> None:
    one, two = SeenFile(tmp_path), SeenFile(tmp_path)
    one.look("a", 100.0)
    two.look("b", 101.0)
    one.refresh()
    assert (one.at("a"), one.at("b")) == (100.0, 101.0)
    assert (two.at("a"), two.at("b")) == (100.0, 101.0)


def test_an_older_look_takes_nothing_back(tmp_path: Path) -> None:
    seen = SeenFile(tmp_path)
    seen.look("a", 100.0)
    seen.look("a", 99.0)
    assert seen.at("a") == 100.0


def test_a_look_from_before_the_clock_was_set_back_gives_way(tmp_path: Path) -> None:
    seen = SeenFile(tmp_path)
    seen.look("a", 100.0 + 2 * AHEAD)
    seen.look("a", 100.0)
    assert seen.at("a") == 100.0


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"a": "x"}', b"\x00" * 9])
def test_a_spoilt_file_costs_the_memory_and_nothing_else(tmp_path: Path, content: bytes) -> None:
    SeenFile(tmp_path).look("a", 100.0)
    (tmp_path / "app" / "seen.json").write_bytes(content)
    seen = SeenFile(tmp_path)
    assert not seen.refresh()
    assert seen.at("a") == 0.0
    seen.look("a", 101.0)
    again = SeenFile(tmp_path)
    again.refresh()
    assert again.at("a") == 101.0


def test_a_folder_that_can_not_be_written_costs_the_memory_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "app").write_text("in the way")
    seen = SeenFile(tmp_path)
    seen.look("a", 100.0)
    assert seen.at("a") == 100.0


def test_it_is_the_users_own_and_leaves_no_rest(tmp_path: Path) -> None:
    SeenFile(tmp_path).look("a", 100.0)
    assert [path.name for path in (tmp_path / "app").iterdir()] == ["seen.json"]
    assert (tmp_path / "app" / "seen.json").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "app").stat().st_mode & 0o777 == 0o700


def test_the_oldest_looks_are_forgotten(tmp_path: Path) -> None:
    seen = SeenFile(tmp_path)
    for number in range(1005):
        seen._times[f"s{number}"] = float(number)
    seen.look("new", 2000.0)
    again = SeenFile(tmp_path)
    again.refresh()
    assert (again.at("s4"), again.at("s1004"), again.at("new")) == (0.0, 1004.0, 2000.0)
