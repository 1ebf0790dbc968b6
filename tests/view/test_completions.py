"""What a shell offers for a session: a name where it is one's own and safe to type, else the start of the id."""

from atm_tui.model.session import Project, Session, State
from atm_tui.view.completions import list_project_completions, list_session_completions

SHOP = Project(name="src/shop", root="/src/shop")


def make_sessions(*names: str) -> list[Session]:
    return [
        Session(session_id=f"{number}bcd1234-0000", name=name, project=SHOP, state=State.IDLE)
        for number, name in enumerate(names)
    ]


def test_a_session_is_offered_by_its_name() -> None:
    assert list_session_completions(make_sessions("fix login"), "fi") == {"fix login": "idle · src/shop · 0bcd1234"}


def test_names_of_several_and_long_or_odd_ones_are_offered_by_id() -> None:
    names = ("docs", "Docs", "x" * 41, "a\x1b]52;c;eA==\x07", "two\nlines", "--allow", "", "e\u202evil")
    found = list_session_completions(make_sessions(*names), "")
    assert list(found) == [f"{number}bcd1234" for number in range(len(names))]
    assert all(text.isprintable() for text in found.values())


def test_what_was_typed_says_how_a_session_is_named() -> None:
    sessions = make_sessions("docs", "login")
    assert list(list_session_completions(sessions, "1bc")) == ["docs", "1bcd1234"]
    assert list(list_session_completions(sessions, "shop/")) == ["shop/docs", "shop/login"]


def test_those_that_need_you_come_first() -> None:
    first, second = make_sessions("one", "two")
    waits = Session(session_id="9", name="three", state=State.NEEDS_YOU, since=5.0)
    assert next(iter(list_session_completions([first, second, waits], ""))) == "three"


def test_projects_are_offered_with_their_folders() -> None:
    assert list_project_completions(make_sessions("a", "b")) == {"src/shop": "/src/shop"}
