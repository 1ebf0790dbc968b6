"""What is laid on sessions: over restarts, with two apps at once, and when the file is spoilt."""

import stat
from pathlib import Path

import pytest

from atm_tui.model.flags import Care, Snooze
from atm_tui.sources.flags import CareFile

PINNED = Care(pinned=True, at=5.0)
ASLEEP = Care(snooze=Snooze(at=6.0, seconds=900.0, since=1.0), dismissed=3.0, at=6.0)


def test_it_survives_a_restart_and_is_the_users_alone(tmp_path: Path) -> None:
    CareFile(tmp_path).lay("s", ASLEEP)
    later = CareFile(tmp_path)
    assert later.refresh()
    assert later.all == {"s": ASLEEP}
    assert not later.refresh()
    assert stat.S_IMODE((tmp_path / "app" / "care.json").stat().st_mode) == 0o600


def test_two_apps_share_it(tmp_path: Path) -> None:
    one, two = CareFile(tmp_path), CareFile(tmp_path)
    one.lay("a", PINNED)
    two.lay("b", ASLEEP)
    assert one.refresh()
    assert one.all == two.all == {"b": ASLEEP, "a": PINNED}


def test_what_is_taken_back_leaves_no_entry(tmp_path: Path) -> None:
    file = CareFile(tmp_path)
    file.lay("a", PINNED)
    file.lay("a", Care(at=9.0))
    assert file.all == {}


@pytest.mark.parametrize("text", ["", "{", "[]", '{"a": {"pinned": "yes"}}', "\0"])
def test_a_spoilt_file_costs_the_memory_and_nothing_else(tmp_path: Path, text: str) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "care.json").write_text(text)
    file = CareFile(tmp_path)
    assert not file.refresh()
    file.lay("a", PINNED)
    again = CareFile(tmp_path)
    again.refresh()
    assert again.all == {"a": PINNED}


def test_a_folder_that_cant_be_written_is_survived(tmp_path: Path) -> None:
    (tmp_path / "app").write_text("a file")
    file = CareFile(tmp_path)
    file.lay("a", PINNED)
    assert file.all == {"a": PINNED}
