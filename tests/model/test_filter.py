"""Which sessions a filter line finds; any line is valid."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atm_tui.model.activity import Activity, ActivityKind
from atm_tui.model.filter import Filter, parse_filter
from atm_tui.model.session import Agent, Context, Cost, Liveness, Project, Session, State

SHOP = Project(root="/src/shop-api", name="shop-api", branch="main")
FLEET = {
    "asks": Session(
        session_id="asks",
        name="Migrate Tables",
        project=SHOP,
        state=State.NEEDS_YOU,
        activity=Activity(kind=ActivityKind.PERMISSION),
        model="claude-opus-4-5",
        context=Context(percent=81.0),
        cost=Cost(usd=5.5),
        agents=(Agent(agent_id="a", name="Explore", description="find the column"),),
    ),
    "works": Session(
        session_id="works",
        name="docs",
        project=Project(root="/src/web", name="web", branch="fix/login", worktree="side"),
        state=State.WORKING,
        last_prompt="Please migrate the pages",
        model="claude-sonnet-4-5",
        context=Context(percent=12.0),
        cost=Cost(usd=0.4),
    ),
    "done": Session(session_id="done", name="STRASSE", project=SHOP, unseen=True),
    "over": Session(session_id="over", name="old", project=SHOP, liveness=Liveness.ENDED, state=State.WORKING),
}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "asks works done over"),
        ("migrate", "asks works"),
        ("MIGRATE tables", "asks"),
        ('"migrate the"', "works"),
        ('"migrate the', "works"),
        ("straße", "done"),
        ("fix/login", "works"),
        ("side", "works"),
        ("opus", "asks"),
        ("state:needs", "asks"),
        ("state:needs-you", "asks"),
        ("state:perm", "asks"),
        ("state:working", "works"),
        ("state:idle", "done"),
        ("state:finished", "done"),
        ("state:ended", "over"),
        ("state:nonsense", ""),
        ("project:shop", "asks done over"),
        ("project:shop state:idle", "done"),
        ("branch:fix", "works"),
        ("model:sonnet", "works"),
        ("agent:explore", "asks"),
        ("agent:column", "asks"),
        (">80%", "asks"),
        ("<80%", "works"),
        (">$5", "asks"),
        ("<$1", "works"),
        (">$5.5", ""),
        (">=$5.5", "asks"),
        ("cost:>5", "asks"),
        ("cost:>=$5.5", "asks"),
        ("cost:<1", "works"),
        ("ctx:>80", "asks"),
        ("ctx:<=12%", "works"),
        ("waiting", "asks"),
        ("nowhere", ""),
        ("http://x", ""),
    ],
)
def test_a_filter_finds_sessions(text: str, found: str) -> None:
    line = parse_filter(text)
    assert [key for key, session in FLEET.items() if line.matches(session)] == found.split()


@pytest.mark.parametrize(
    "text", ["state:", "project:", '"', ">", ">$", ">8", "<", ">=", "  ", '""', "cost:", "ctx:>", "ctx:>="]
)
def test_an_incomplete_term_hides_nothing(text: str) -> None:
    assert not parse_filter(text)
    assert all(parse_filter(text).matches(each) for each in FLEET.values())


def test_words_are_marked_and_figures_are_not() -> None:
    assert parse_filter('Mig "two words" state:needs project:sh model:opus >80%').marks == ("Mig", "two words", "sh")


@given(st.text() | st.from_regex(r'(state|project|[a-z]*):["<>$%\w. ]*', fullmatch=True))
def test_any_text_is_a_filter(text: str) -> None:
    line = parse_filter(text)
    assert isinstance(line, Filter)
    assert line.text == text
    assert {line.matches(each) for each in FLEET.values()} <= {True, False}


@given(st.text(alphabet=st.characters(exclude_characters='<>:"', exclude_categories=("Z", "C")), min_size=1))
def test_a_word_finds_the_session_of_that_name(word: str) -> None:
    assert parse_filter(word).matches(Session(session_id="s", name=f"before {word} after"))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("", ()),
        ("tables", ()),
        ("Npm", ("npm",)),
        ("npm tables test", ("npm", "test")),
        ('"npm test" project:shop', ("npm test",)),
        ("npm project:web", None),
        ("npm >90%", None),
        ("state:idle", None),
    ],
)
def test_words_missing_in_a_session_are_searched_in_the_entry(text: str, left: tuple[str, ...] | None) -> None:
    assert parse_filter(text).list_missing_words(FLEET["asks"]) == left
