"""Times by key: over restarts, with two apps at once, and when the file is damaged."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from atm_tui.sources.times_file import AHEAD, TimesFile


def test_seen_times_survive_a_restart(tmp_path: Path) -> None:
    TimesFile(tmp_path).record("s", 100.0)
    later = TimesFile(tmp_path)
    assert later.find("s") == 0.0
    assert later.refresh()
    assert later.find("s") == 100.0
    assert not later.refresh()


def test_a_state_folder_created_for_them_is_private(tmp_path: Path) -> None:
    state = tmp_path / "of all programs" / "atm-tui"
    TimesFile(state).record("s", 100.0)
    assert [path.stat().st_mode & 0o777 for path in (state, state / "app", state / "app" / "seen.json")] == [
        0o700,
        0o700,
        0o600,
    ]


def test_two_apps_share_seen_times(tmp_path: Path) -> None:
    one, two = TimesFile(tmp_path), TimesFile(tmp_path)
    one.record("a", 100.0)
    two.record("b", 101.0)
    one.refresh()
    assert (one.find("a"), one.find("b")) == (100.0, 101.0)
    assert (two.find("a"), two.find("b")) == (100.0, 101.0)


def test_an_older_time_replaces_nothing(tmp_path: Path) -> None:
    seen = TimesFile(tmp_path)
    seen.record("a", 100.0)
    seen.record("a", 99.0)
    assert seen.find("a") == 100.0


def test_a_time_from_before_the_clock_was_set_back_is_replaced(tmp_path: Path) -> None:
    seen = TimesFile(tmp_path)
    seen.record("a", 100.0 + 2 * AHEAD)
    seen.record("a", 100.0)
    assert seen.find("a") == 100.0


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"a": "x"}', b"\x00" * 9])
def test_a_damaged_file_only_loses_its_own_data(tmp_path: Path, content: bytes) -> None:
    TimesFile(tmp_path).record("a", 100.0)
    (tmp_path / "app" / "seen.json").write_bytes(content)
    seen = TimesFile(tmp_path)
    assert not seen.refresh()
    assert seen.find("a") == 0.0
    seen.record("a", 101.0)
    again = TimesFile(tmp_path)
    again.refresh()
    assert again.find("a") == 101.0


def test_an_unwritable_folder_only_loses_the_seen_times(tmp_path: Path) -> None:
    (tmp_path / "app").write_text("in the way")
    seen = TimesFile(tmp_path)
    seen.record("a", 100.0)
    assert seen.find("a") == 100.0


def test_the_file_is_private_and_no_temporary_file_stays(tmp_path: Path) -> None:
    TimesFile(tmp_path).record("a", 100.0)
    assert sorted(path.name for path in (tmp_path / "app").iterdir()) == ["seen.json", "seen.lock"]
    assert (tmp_path / "app" / "seen.json").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "app").stat().st_mode & 0o777 == 0o700


def test_the_oldest_times_are_dropped(tmp_path: Path) -> None:
    seen = TimesFile(tmp_path)
    for number in range(1005):
        seen._times[f"s{number}"] = float(number)
    seen.record("new", 2000.0)
    again = TimesFile(tmp_path)
    again.refresh()
    assert (again.find("s4"), again.find("s1004"), again.find("new")) == (0.0, 1004.0, 2000.0)


def test_of_those_who_claim_a_key_at_the_same_moment_one_gets_it(tmp_path: Path) -> None:
    """The lock is one of open files: to it, threads with files of their own are as processes are."""
    keys = [f"key {number}" for number in range(20)]

    def claim(offset: int) -> list[str]:
        file = TimesFile(tmp_path)
        return [each for key in keys[offset:] + keys[:offset] for each in file.claim([key, "all"], 1.0)]

    with ThreadPoolExecutor(8) as pool:
        counts = Counter(key for got in pool.map(claim, range(8)) for key in got)
    assert counts == dict.fromkeys([*keys, "all"], 1)


def test_what_others_record_at_the_same_moment_is_kept(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: TimesFile(tmp_path).record(f"s{number}", 1.0), range(30)))
    file = TimesFile(tmp_path)
    file.refresh()
    assert all(file.find(f"s{number}") == 1.0 for number in range(30))


def test_without_a_folder_a_key_is_claimed_once_by_each(tmp_path: Path) -> None:
    (tmp_path / "app").write_text("in the way")
    file = TimesFile(tmp_path)
    assert file.claim(["a", "b"], 1.0) == ("a", "b")
    assert file.claim(["b", "c"], 2.0) == ("c",)
