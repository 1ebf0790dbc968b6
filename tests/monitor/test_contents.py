"""What sessions contain is read when it is asked for, from files that may be gone or closed to us."""

from pathlib import Path

from atm_hooks import journal
from atm_tui.model.fleet import Fleet
from atm_tui.monitor.contents import LiveContents
from tests.support.followed_machine import Machine


def test_the_events_of_a_journal_are_read_and_none_where_it_cannot_be(machine: Machine) -> None:
    machine.send_hook(1, "SessionStart", source="startup")
    contents = LiveContents(machine.state_dir, Fleet(), lambda: None)
    assert [each.event for each in contents.read_events("s")] == ["SessionStart"]
    assert list(contents.read_events("other")) == []
    path = Path(journal.locate_journal(str(machine.state_dir), "s"))
    path.unlink()
    path.mkdir()
    assert list(contents.read_events("s")) == []


def test_a_session_of_this_machine_is_not_asked_for_elsewhere(machine: Machine) -> None:
    assert LiveContents(machine.state_dir, Fleet(), lambda: None).follow_elsewhere("s") is None
