"""Flags of sessions: over restarts, with two apps at once, and when the file is damaged."""

import stat
from pathlib import Path

import pytest

from atm_tui.model.flags import SessionFlags, Snooze
from atm_tui.sources.flags import FlagsFile

PINNED = SessionFlags(pinned=True, at=5.0)
ASLEEP = SessionFlags(snooze=Snooze(at=6.0, seconds=900.0, since=1.0), dismissed=3.0, at=6.0)


def test_flags_survive_a_restart_in_a_private_file(tmp_path: Path) -> None:
    FlagsFile(tmp_path).set_flags("s", ASLEEP)
    later = FlagsFile(tmp_path)
    assert later.refresh()
    assert later.all == {"s": ASLEEP}
    assert not later.refresh()
    assert stat.S_IMODE((tmp_path / "app" / "care.json").stat().st_mode) == 0o600


def test_two_apps_share_the_flags(tmp_path: Path) -> None:
    one, two = FlagsFile(tmp_path), FlagsFile(tmp_path)
    one.set_flags("a", PINNED)
    two.set_flags("b", ASLEEP)
    assert one.refresh()
    assert one.all == two.all == {"b": ASLEEP, "a": PINNED}


def test_an_undone_flag_leaves_no_entry(tmp_path: Path) -> None:
    file = FlagsFile(tmp_path)
    file.set_flags("a", PINNED)
    file.set_flags("a", SessionFlags(at=9.0))
    assert file.all == {}


@pytest.mark.parametrize("text", ["", "{", "[]", '{"a": {"pinned": "yes"}}', "\0"])
def test_a_damaged_file_only_loses_its_own_data(tmp_path: Path, text: str) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "care.json").write_text(text)
    file = FlagsFile(tmp_path)
    assert not file.refresh()
    file.set_flags("a", PINNED)
    again = FlagsFile(tmp_path)
    again.refresh()
    assert again.all == {"a": PINNED}


def test_an_unwritable_folder_is_tolerated(tmp_path: Path) -> None:
    (tmp_path / "app").write_text("a file")
    file = FlagsFile(tmp_path)
    file.set_flags("a", PINNED)
    assert file.all == {"a": PINNED}
