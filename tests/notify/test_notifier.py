"""Several processes that notify: one gives each notification, and they share silence and cooldown."""

from pathlib import Path

import pytest

from atm_tui.config import Config
from atm_tui.model.notification import Condition, NotifyReason
from atm_tui.notify.due import Memory
from atm_tui.notify.notifier import Notifier
from atm_tui.notify.surroundings import Surroundings

START = 1000.0
FREE = Surroundings()


def make_condition(name: str, since: float = 1010.0) -> Condition:
    return Condition(key=f"{name} {since}", reason=NotifyReason.FAILED, text=name, since=since, session_id=name)


def make_notifier(folder: Path) -> Notifier:
    return Notifier(Config(notify_cooldown=30.0), folder, Memory(started_at=START, is_first=False))


def give(notifier: Notifier, *holding: Condition, now: float = 1011.0, surroundings: Surroundings = FREE) -> str:
    """Returns the title of the notification that is given; empty for none."""
    notification = notifier.take(notifier.look(holding, now, surroundings), now)
    return notification.title if notification else ""


def test_two_that_look_at_the_same_moment_give_one(tmp_path: Path) -> None:
    one, two = make_notifier(tmp_path), make_notifier(tmp_path)
    both = [each.look([make_condition("a"), make_condition("b")], 1011.0, FREE) for each in (one, two)]
    given = [each.take(due, 1011.0) for each, due in zip((one, two), both, strict=True)]
    assert [each.title if each else "" for each in given] == ["2 notifications", ""]


def test_what_another_one_gave_is_known_and_its_cooldown_holds(tmp_path: Path) -> None:
    assert give(make_notifier(tmp_path), make_condition("a")) == "a"
    other = make_notifier(tmp_path)
    due = other.look([make_condition("a")], 1012.0, FREE)
    assert (due.conditions, due.next_at) == ((), None), "it is not waited for"
    again = make_condition("a", since=1012.0)
    assert other.look([again], 1012.0, FREE).next_at == 1041.0
    assert give(other, again, now=1041.0) == "a"


@pytest.mark.parametrize(
    "silence", [Surroundings(is_in_front=True), Surroundings(muted_until=1020.0), Surroundings(focused=frozenset("a"))]
)
def test_what_began_in_the_silence_of_one_is_given_by_no_other(tmp_path: Path, silence: Surroundings) -> None:
    assert give(make_notifier(tmp_path), make_condition("a"), surroundings=silence) == ""
    assert give(make_notifier(tmp_path), make_condition("a"), now=1030.0) == ""
