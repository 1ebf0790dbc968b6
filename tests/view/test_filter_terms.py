"""Completion of the filter's last term, why nothing matches, and what is remembered of filters."""

import pytest

from atm_tui.model import filter_book
from atm_tui.model.filter import parse_filter, try_sessions
from atm_tui.model.filter_book import MOST_RECENT, FilterBook
from atm_tui.model.session import Agent, Project, Session, State
from atm_tui.view.filter_terms import TERMS, complete_filter, complete_line, explain_no_match
from atm_tui.view.present import describe_row

SHOP = Project(root="/src/shop-api", name="shop-api", branch="fix/login")
MINE = Project(root="/src/my shop", name="my shop", worktree="side")
FLEET = (
    Session(session_id="a", name="a", project=SHOP, model="claude-opus-4-5", state=State.WORKING),
    Session(session_id="b", name="b", project=SHOP, agents=(Agent(agent_id="1", name="Explore"),)),
    Session(session_id="c", name="c", project=MINE, state=State.NEEDS_YOU),
)


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("", []),
        ("st", ["state:"]),
        ("docs Sta", ["state:"]),
        ("state:n", ["state:needs_you"]),
        ("state:i", ["state:idle", "state:interrupted"]),
        ("state:idle", []),
        ("state:idle p", ["project:"]),
        ("project:", ["project:shop-api", 'project:"my shop"']),
        ('project:"m', ['project:"my shop"']),
        ("branch:", ["branch:fix/login", "branch:side"]),
        ("model:", ["model:opus"]),
        ("agent:ex", ["agent:Explore"]),
        ("c", ["ctx:>80", "cost:>5"]),
        ("cost:>", ["cost:>5", "cost:>1"]),
        ("wai", ["waiting"]),
        ("@", ["@bad", "@mine"]),
        ("state:working @m", ["@mine"]),
        ("nowhere:", []),
        ('"two w', []),
    ],
)
def test_the_last_term_is_completed(typed: str, offered: list[str]) -> None:
    assert complete_filter(typed, FLEET, ("mine", "bad")) == offered


def test_a_completion_keeps_what_was_typed() -> None:
    assert complete_line("docs Sta", "state:") == "docs State:"
    assert complete_line("ab project:", 'project:"my shop"') == 'ab project:"my shop"'


def test_every_completion_and_every_term_of_the_help_is_a_term_of_the_filter() -> None:
    words = [term for term, _ in TERMS if not term.startswith("@")]
    for text in [*words, *complete_filter("project:", FLEET), *complete_filter("model:", FLEET)]:
        assert len(parse_filter(text).terms) == 1, text
    found = [
        [each.session_id for each in FLEET if parse_filter(text).matches(each)]
        for text in ("model:opus", 'project:"my shop"')
    ]
    assert found == [["a"], ["c"]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("zzz", "zzz hides all 3 sessions"),
        ("a zzz", "zzz hides all 3 sessions"),
        (
            "state:working project:my",
            "state:working project:my hides all 3 sessions; without state:working 1; without project:my 1",
        ),
    ],
)
def test_an_empty_result_says_which_term_hides_everything(text: str, said: str) -> None:
    parts = explain_no_match(parse_filter(text, describe_row), try_sessions(FLEET), len(FLEET), "session")
    assert "".join(each for each, _ in parts) == said


def test_a_saved_filter_stands_for_its_terms_and_other_names_are_words() -> None:
    saved = {"mine": 'project:"my shop" state:needs'}
    for text, found in (("@mine", "c"), ("@MINE c", "c"), ("@mine zzz", ""), ("@other", "")):
        assert (
            "".join(each.session_id for each in FLEET if parse_filter(text, describe_row, saved).matches(each)) == found
        )
    assert parse_filter("@loop", describe_row, {"loop": "@loop"}).terms[0].word == "@loop"


def test_the_book_of_filters_is_bounded_and_has_no_doubles() -> None:
    book = FilterBook()
    for number in range(MOST_RECENT + 10):
        book = filter_book.add_recent(book, f"word{number} ")
    book = filter_book.add_recent(filter_book.add_recent(filter_book.add_recent(book, "word59"), "word30"), "x" * 9999)
    assert (book.recent[:2], len(book.recent)) == (("word30", "word59"), MOST_RECENT)
    book = filter_book.save_filter(book, "Mine", " state:idle ")
    assert book.saved == {"mine": "state:idle"}
    assert filter_book.explain_bad_name(book, "mine") is None
    assert filter_book.explain_bad_name(book, "two words")
    assert filter_book.remove_filter(book, "MINE").saved == {}
