"""Values as text: figures, ages, gauges, cutting by cells, and the one sanitiser."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from rich.cells import cell_len

from atm_tui.model.activity import Activity, ActivityKind
from atm_tui.model.pid_domain import Place
from atm_tui.model.session import Agent, AgentState, Context, Liveness, ServingProcess, Session, State
from atm_tui.model.wait import Reason, Wait
from atm_tui.text import clean, cut_width, fit_width, format_age, format_money, format_percent, format_tokens, wrap_text
from atm_tui.view import present
from atm_tui.view.present import ASCII, UNICODE


def join_words(parts: object) -> str:
    return "".join(text for text, _ in parts)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("seconds", "fine_until", "text"),
    [
        (0, 60, "0s"),
        (14.9, 60, "14s"),
        (-3, 60, "0s"),
        (72, 600, "1m12s"),
        (72, 60, "1m"),
        (599, 600, "9m59s"),
        (600, 600, "10m"),
        (3599, 60, "59m"),
        (7800, 60, "2h10"),
        (86399, 60, "23h59"),
        (3 * 86400, 60, "3d"),
        (-3600, 60, "–"),
    ],
)
def test_ages(seconds: float, fine_until: float, text: str) -> None:
    assert format_age(seconds, fine_until) == text


@pytest.mark.parametrize(
    ("usd", "text"),
    [(None, "–"), (0, "$0.00"), (0.001, "<$0.01"), (0.42, "$0.42"), (12.4, "$12.40"), (999.99, "$999.99"),
     (999.996, "$1,000"), (1204.4, "$1,204"), (99_999, "$99,999")],
)  # fmt: skip
def test_money(usd: float | None, text: str) -> None:
    assert format_money(usd) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(None, "–"), (0, "0"), (812, "812"), (999, "999"), (1000, "1.0K"), (9949, "9.9K"), (9951, "10K"), (24_100, "24K"),
     (999_400, "999K"), (999_600, "1.0M"), (1_234_000, "1.2M"), (24_000_000, "24M"), (3_000_000_000, "3.0B")],
)  # fmt: skip
def test_tokens(count: int | None, text: str) -> None:
    assert format_tokens(count) == text


@given(st.integers(0, 10**12))
def test_tokens_never_take_more_than_five_cells(count: int) -> None:
    assert len(format_tokens(count)) <= 5


@given(st.floats(0, 99_999))
def test_money_fits_its_column(usd: float) -> None:
    assert len(format_money(usd)) <= 7


def test_percent_is_not_clamped() -> None:
    assert format_percent(340.2) == "340%"
    assert format_percent(None) == "–"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "────"),
        (1, "╸───"),
        (12.5, "╸───"),
        (25, "━───"),
        (61, "━━╸─"),
        (100, "━━━━"),
        (340, "━━━━"),
        (None, "────"),
    ],
)
def test_gauge(value: float | None, text: str) -> None:
    assert "".join(UNICODE.draw_gauge(value, 4)) == text


@pytest.mark.parametrize(("value", "text"), [(0, "[----]"), (50, "[##--]"), (100, "[####]"), (None, "[----]")])
def test_gauge_in_ascii(value: float | None, text: str) -> None:
    assert "".join(ASCII.draw_gauge(value, 6)) == text


def test_the_gauge_changes_colour_at_the_thresholds() -> None:
    def tone(percent: float) -> str:
        return present.write_gauge(Context(percent=percent), 4, UNICODE, (60, 80, 90))[0][1]

    assert [tone(59.9), tone(60), tone(80)] == ["gauge", "gauge-warm", "gauge-hot"]


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("plain text", "plain text"),
        ("[/] and [red]x[/red]", "[/] and [red]x[/red]"),
        ("x\x1b]52;c;ZXZpbA==\x07y", "x\ufffd]52;c;ZXZpbA==\ufffdy"),
        ("a\x9b31mb\x7f", "a\ufffd31mb\ufffd"),
        ("one\r\ntwo\tthree\u2028four", "one two three four"),
        ("abc\u202edef\u2066", "abc\ufffddef\ufffd"),
        ("lone \ud800 surrogate", "lone \ufffd surrogate"),
        ("\U0001f469\u200d\U0001f4bb fix", "\U0001f469\U0001f4bb fix"),
        ("\u26a0\ufe0f warn", "\u26a0 warn"),
        ("e\u0301", "\u00e9"),
        ("a\u200bb", "ab"),
        ("  wide   gap  ", "wide gap"),
    ],
)
def test_text_is_cleaned(raw: str, text: str) -> None:
    assert clean(raw) == text


@given(st.text(st.characters(codec=None)))
def test_cleaned_text_is_encodable_and_has_no_control_characters(raw: str) -> None:
    text = clean(raw)
    assert text.encode("utf-8").decode("utf-8") == text
    assert not any(ord(each) < 0x20 or 0x7F <= ord(each) < 0xA0 for each in text)
    assert not set(text) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\u200d\ufe0f")
    assert clean(text) == text


def test_cut_never_halves_a_wide_character() -> None:
    assert cut_width("日本語", 6) == "日本語"
    assert cut_width("日本語", 5) == "日本…"
    assert cut_width("日本語", 4) == "日…"
    assert cut_width("abc", 0) == ""


@given(st.text(), st.integers(1, 30), st.booleans())
def test_fit_fills_exactly_its_width(raw: str, width: int, right: bool) -> None:
    assert cell_len(fit_width(clean(raw), width, right=right)) == width


@given(st.lists(st.tuples(st.text(), st.sampled_from(["plain", "muted"])), max_size=5), st.integers(1, 40))
def test_parts_fill_exactly_their_width(raw: list[tuple[str, str]], width: int) -> None:
    parts = [(clean(text), role) for text, role in raw]
    assert cell_len(join_words(present.fit_parts(parts, width))) == width


def test_parts_that_are_cut_are_marked() -> None:
    assert (
        join_words(present.fit_parts([("permission", "needs"), (" Bash npm test", "plain")], 16)) == "permission Bash…"
    )
    assert join_words(present.fit_parts([("permission", "needs"), (" Bash", "plain")], 10)) == "permissio…"
    assert join_words(present.fit_parts([("0000 0", "plain"), ("0", "plain")], 6)) == "0000… "


def test_keys_are_written_whole_or_not_at_all_and_the_way_out_stays() -> None:
    keys = [("Enter", "run"), ("Tab", "complete"), ("Esc", "close")]
    assert join_words(present.fit_keys(keys, 40)).rstrip() == "Enter run   Tab complete   Esc close"
    assert join_words(present.fit_keys(keys, 34)) == "Enter run  Tab complete  Esc close"
    assert join_words(present.fit_keys(keys, 33)).rstrip() == "Enter run   Esc close"
    assert join_words(present.fit_keys(keys, 10)) == "Esc close "
    for width in range(1, 50):
        assert cell_len(join_words(present.fit_keys(keys, width))) == width


@given(st.text(string.ascii_letters + " 日本é"), st.integers(1, 20), st.integers(1, 5))
def test_wrapped_lines_fit(raw: str, width: int, lines: int) -> None:
    wrapped = wrap_text(clean(raw), width, lines)
    assert len(wrapped) <= lines
    assert all(cell_len(line) <= width for line in wrapped)


def test_a_character_wider_than_the_line_becomes_a_mark() -> None:
    assert wrap_text("日", 1, 2) == ["…"]


def test_wrapping_breaks_at_spaces_and_marks_cuts() -> None:
    assert wrap_text("add the migration for orders", 14, 3) == ["add the", "migration for", "orders"]
    assert wrap_text("add the migration for orders", 14, 2) == ["add the", "migration for…"]


@given(st.text(string.ascii_letters + " ", max_size=60), st.integers(2, 20))
def test_wrapping_loses_no_word(raw: str, width: int) -> None:
    text = clean(raw)
    assert "".join(wrap_text(text, width, 99)).replace(" ", "") == text.replace(" ", "")


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("claude-opus-4-5-20251101", "opus 4.5"),
        ("claude-sonnet-4-20250514", "sonnet 4"),
        ("claude-opus-4-1", "opus 4.1"),
        ("claude-sonnet-4-5-20250929[1m]", "sonnet 4.5"),
        ("us.anthropic.claude-haiku-4-5-20251001", "haiku 4.5"),
        ("claude-3-5-haiku-20241022", "haiku 3.5"),
        ("gpt-x[/]", "gpt-x[/]"),
        (None, "–"),
    ],
)
def test_model_names(raw: str | None, text: str) -> None:
    assert present.shorten_model(raw) == text


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("/home/user", "~"),
        ("/home/user/src", "~/src"),
        ("/home/user2/src", "/home/user2/src"),
        ("/srv", "/srv"),
        ("", ""),
    ],
)
def test_paths(raw: str, text: str) -> None:
    assert present.shorten_path(raw, "/home/user") == text


OVERLOADED = Activity(kind=ActivityKind.FAILED, what="overloaded")
READING = Activity(kind=ActivityKind.TOOL, tool="Read", what="model.py")
PERMISSION = Wait(key="k", reason=Reason.PERMISSION, tool="Bash", summary="npm test")
ASKED = Wait(key="q", reason=Reason.QUESTION, summary="Which colour?")
OF_AGENT = Wait(key="a", agent_id="a1", reason=Reason.PERMISSION, tool="Bash", summary="ls")


@pytest.mark.parametrize(
    ("given", "glyph", "text"),
    [
        ({"state": State.NEEDS_YOU, "waits": (PERMISSION,)}, "●", "permission Bash npm test"),
        ({"state": State.NEEDS_YOU, "waits": (ASKED, PERMISSION)}, "●", "question +1 Which colour?"),
        ({"state": State.NEEDS_YOU, "waits": (OF_AGENT,), "agents": (Agent(agent_id="a1", type="Explore"),)}, "●",
         "permission · Explore"),
        ({"state": State.NEEDS_YOU, "activity": Activity(kind=ActivityKind.PLAN)}, "●", "plan"),
        ({"state": State.NEEDS_YOU, "activity": OVERLOADED}, "✗", "failed: overloaded"),
        ({"state": State.WORKING, "activity": READING}, "◐", "Read model.py"),
        ({"state": State.IDLE, "activity": Activity(kind=ActivityKind.FINISHED), "unseen": True}, "✓", "finished"),
        ({"state": State.IDLE, "activity": Activity(kind=ActivityKind.SLEEPING, what="09:00")}, "○", "sleeping until 09:00"),
        ({"liveness": Liveness.LOST, "state": State.WORKING}, "◌", "lost"),
        ({"liveness": Liveness.ENDED}, "·", "ended"),
        ({"problem": "cut at byte 3", "state": State.WORKING}, "◐", "⚠ unreadable cut at byte 3"),
    ],
)  # fmt: skip
def test_session_glyphs_and_words(given: dict[str, object], glyph: str, text: str) -> None:
    session = Session(session_id="s", **given)  # type: ignore[arg-type]
    assert present.choose_session_glyph(session, UNICODE)[0] == glyph
    assert join_words(present.write_session_status(session, UNICODE)) == text


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"state": AgentState.NEEDS_YOU}, "permission Bash ls"),
        ({"state": AgentState.WORKING, "activity": Activity(kind=ActivityKind.TOOL, tool="Grep", what="x")}, "Grep x"),
        ({"state": AgentState.DONE, "activity": Activity(kind=ActivityKind.FINISHED)}, "done"),
        (
            {"state": AgentState.FAILED, "activity": OVERLOADED},
            "failed overloaded",
        ),
        ({"state": AgentState.STOPPED}, "stopped"),
    ],
)
def test_agent_words(given: dict[str, object], text: str) -> None:
    agent = Agent(agent_id="a1", **given)  # type: ignore[arg-type]
    assert join_words(present.write_agent_status(agent, (PERMISSION, OF_AGENT))) == text


def test_each_state_has_a_sign_of_its_own_in_both_sets() -> None:
    for glyphs in (UNICODE, ASCII):
        signs = [glyphs.needs, glyphs.working, glyphs.finished, glyphs.idle, glyphs.failed, glyphs.lost, glyphs.ended]
        assert len(set(signs)) == len(signs)
        assert all(cell_len(sign) == 1 for sign in signs)
    assert all(str(getattr(ASCII, name)).isascii() for name in ASCII.__struct_fields__)


def test_a_row_starts_with_the_number_of_queued_prompts() -> None:
    doing = Activity(kind=ActivityKind.TOOL, tool="Bash", what="make")
    session = Session(session_id="s", state=State.WORKING, activity=doing, queued=2)
    assert join_words(present.write_session_status(session, UNICODE)) == "+2 queued · Bash make"


def test_a_row_starts_with_open_twice_or_runs_elsewhere() -> None:
    twice = (ServingProcess(pid=7), ServingProcess(pid=8))
    doing = Activity(kind=ActivityKind.TOOL, tool="Bash", what="make")
    session = Session(session_id="s", state=State.WORKING, activity=doing, processes=twice)
    assert join_words(present.write_session_status(session, UNICODE)) == "×2 · Bash make"
    assert join_words(present.write_session_status(session, ASCII)) == "x2 · Bash make"
    session = Session(session_id="s", state=State.WORKING, activity=doing, place=Place.CONTAINER)
    assert join_words(present.write_session_status(session, UNICODE)) == "in a container · Bash make"


def test_a_resumed_session_is_not_called_new() -> None:
    new = Session(session_id="s", activity=Activity(kind=ActivityKind.NEW))
    assert join_words(present.write_session_status(new, UNICODE)) == "new"
    assert join_words(present.write_session_status(replace(new, turns=3), UNICODE)) == "resumed"
