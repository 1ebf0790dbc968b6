"""The timeline, driven by keys: its content, and that it follows until the user moves the cursor."""

import time
from pathlib import Path

import pytest
from rich.cells import cell_len

from atm_hooks import journal
from atm_tui.config import Config
from atm_tui.timeline.builder import TimelineEvent, TimelineKind
from atm_tui.timeline.feed import TimelineFeed
from atm_tui.widgets import timeline_lines
from atm_tui.widgets.timeline_view import TimelineView
from atm_tui.widgets.tree_view import TreeView
from tests.support.effort import sample
from tests.support.fleets import NOW, make_busy_fleet
from tests.support.invented_events import fill_hour, make_event
from tests.support.memory_monitor import MemoryMonitor


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()


def get_view(app) -> TimelineView:
    assert isinstance(app.view, TimelineView), app.text
    return app.view


async def open_timeline(app, events=None) -> TimelineView:
    filled = MemoryMonitor()
    fill_hour(filled)
    app.monitor.events = filled.events if events is None else events
    await app.press("L")
    view = get_view(app)
    await app.wait_until(lambda: view.is_read)
    await app.pilot.pause(0.05)
    return view


async def add_events(app, *events) -> None:
    view = get_view(app)
    before = len(view.lines.events)
    for each in events:
        app.monitor.events.setdefault(each["session_id"], []).append(each)
    app.main._tick()
    await app.wait_until(lambda: len(view.lines.events) >= before + len(events))


def make_prompt(at: float, text: str, session: str = "0b12") -> dict[str, object]:
    return make_event(at, session, "UserPromptSubmit", prompt=text)


async def test_a_line_shows_time_session_event_and_duration(drive) -> None:
    async with drive(make_busy_fleet(), size=(120, 40)) as app:
        await open_timeline(app)
        assert app.line_with("── Wednesday 18 November ──")
        shown = app.line_with("pg_upgrade --check").split()
        assert shown == ["10:26:29", "upgrade-postgres", "Bash", "pg_upgrade", "--check", "1m04s"]
        answered = app.line_with("answered there").split()
        assert answered[:5] == ["11:04:59", "login-bug", "answered", "there", "permission"]
        assert answered[5:] == ["Bash", "npm", "test", "--", "login", "38s"]
        assert app.line_with("✗ error").split()[-5:] == ["ja.json:", "String", "not", "found", "1.0s"]
        assert "Explore ▸ permission Bash npm run migrate" in app.line_with("11:05:28")
        times = [line[2:10] for line in app.lines if line[4:5] == ":"]
        assert times == sorted(times)


async def test_the_timeline_follows_until_the_user_moves_the_cursor(drive) -> None:
    async with drive(make_busy_fleet(), size=(120, 20)) as app:
        view = await open_timeline(app)
        await add_events(app, make_prompt(1, "one"), make_prompt(2, "two"))
        assert "two" in app.lines[-2]
        await app.press("k", "k")
        before = [line[:-1] for line in app.lines[3:-1]]
        assert any(line.startswith("▌") and "one" in line for line in before)
        await add_events(app, *(make_prompt(10 + number, f"later {number}") for number in range(30)))
        assert [line[:-1] for line in app.lines[3:-1]] == before
        assert "30 new" in app.line_with(" Timeline ")
        await app.press("G")
        assert view.lines.is_live
        assert "later 29" in app.lines[-2]
        assert "live" in app.line_with(" Timeline ")


async def test_a_late_event_is_inserted_and_the_cursor_stays(drive) -> None:
    async with drive(make_busy_fleet(), size=(120, 20)) as app:
        view = await open_timeline(app, {"0b12": [make_prompt(number, f"p{number}") for number in range(30)]})
        await app.press("k", "k", "k")
        before = [line[:-1] for line in app.lines[3:-1]]
        await add_events(app, make_prompt(3.5, "late", "0a12"))
        assert [line[:-1] for line in app.lines[3:-1]] == before
        texts = [event.text for event in view.lines.events]
        assert texts.index("late") == texts.index("p3") + 1


@pytest.mark.long
async def test_the_cursor_selects_its_session_in_the_tree_too(drive) -> None:
    async with drive(make_busy_fleet(), size=(120, 30)) as app:
        await open_timeline(app)
        await app.press("k", "k", "k")
        assert get_view(app).selection.session.session_id == "0a12"
        await app.press("b")
        await app.press("L")
        assert get_view(app).selection.session.session_id == "0a12"
        await app.press("t")
        assert isinstance(app.view, TreeView)
        assert app.tree.selected == ("session", "0a12")


async def test_left_and_right_move_within_the_session(drive) -> None:
    async with drive(make_busy_fleet(), size=(120, 40)) as app:
        view = await open_timeline(app)
        await app.press("k", "h", "h")
        at = view.lines.selected
        assert isinstance(at, TimelineEvent)
        assert (at.session_id, at.kind) == ("0b11", TimelineKind.WENT_ON)
        await app.press("l")
        at = view.lines.selected
        assert isinstance(at, TimelineEvent)
        assert at.session_id == "0b11"


async def test_the_number_of_kept_entries_is_bounded(drive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeline_lines, "KEEP", 50)
    async with drive(make_busy_fleet(), size=(120, 20)) as app:
        view = await open_timeline(app, {"0b12": [make_prompt(number, f"p{number}") for number in range(40)]})
        await app.press("g")
        assert view.lines.selected.text == "p0"
        await app.pilot.pause()
        for number in range(40, 100):
            app.monitor.events["0b12"].append(make_prompt(number, f"p{number}"))
        app.main._tick()
        await app.wait_until(lambda: view.lines.events[-1].text == "p99")
        assert len(view.lines.events) == 50
        assert view.lines.selected.text == "p50"


async def test_when_the_filter_hides_all_events_the_term_that_does_is_named(drive) -> None:
    async with drive(make_busy_fleet(), size=(120, 40)) as app:
        await open_timeline(app)
        await app.main.filtering.filter_by("webhooks.md zzz")
        await app.wait_until(lambda: " hides all " in app.text)
        assert app.line_with(" hides all ").strip().startswith("zzz hides all ")
        await app.main.filtering.filter_by("webhooks.md order_id")  # each has events, none has both
        await app.wait_until(lambda: "; without webhooks.md" in app.text)
        assert "webhooks.md order_id hides all" in app.text
        assert "; without order_id 1" in app.text


async def test_without_events_it_says_so(drive) -> None:
    async with drive(make_busy_fleet(), size=(80, 24)) as app:
        await open_timeline(app, {})
        assert "nothing yet" in app.lines[2]


async def test_lines_are_not_cut_at_any_size_and_hostile_text_is_literal(drive) -> None:
    hostile = make_prompt(5, "[/]\x1b]52;c;x\x07 \u202e[red] 日本語 👩\u200d💻" * 9)
    async with drive(make_busy_fleet(), size=(40, 10)) as app:
        await open_timeline(app, {"0b12": [hostile, make_event(6, "0b12", "StopFailure", error="rate_limit")]})
        for size in sample(((40, 10), (60, 20), (80, 24), (140, 45), (300, 100)), (40, 10), (140, 45)):
            await app.resize(size)
            assert all(cell_len(line) == size[0] for line in app.lines), size
            assert "\x1b" not in app.text, size
            assert "…" in app.text, size


async def test_ascii_mode_uses_only_ascii(drive) -> None:
    async with drive(make_busy_fleet()[:1], size=(100, 30), config=Config(ascii=True)) as app:
        await open_timeline(
            app, {"0a11": [make_prompt(1, "plain", "0a11"), make_event(2, "0a11", "Stop", reply="done")]}
        )
        assert app.text.isascii()


def test_the_timeline_follows_journals_on_disk(tmp_path: Path) -> None:
    state = tmp_path / "state"
    journal.prepare_folders(str(state))
    feed = TimelineFeed(state, MemoryMonitor().read_events)
    journal.record_event(str(state), make_event(1, "s1", "UserPromptSubmit", prompt="a"))
    journal.record_event(str(state), make_event(0, "s2", "UserPromptSubmit", prompt="b"))
    assert [event.text for event in feed.read(["s1", "s2"]).events] == ["b", "a"]
    assert feed.read(["s1", "s2"]).events == []
    journal.record_event(str(state), make_event(3, "s1", "Stop", reply="c"))
    (event,) = feed.read(["s1", "s2"]).events
    assert (event.kind, event.seconds) == (TimelineKind.FINISHED, 2.0)


def test_a_step_back_in_a_recording_resets_the_timeline() -> None:
    monitor = MemoryMonitor()
    monitor.events = {"s": [make_event(1, "s", "UserPromptSubmit", prompt="a"), make_event(2, "s", "Stop", reply="b")]}
    feed = TimelineFeed(None, monitor.read_events)
    assert len(feed.read(["s"]).events) == 2
    monitor.events["s"].pop()
    events, again = feed.read(["s"])
    assert again
    assert [event.text for event in events] == ["a"]
    assert events[0].at == NOW + 1
