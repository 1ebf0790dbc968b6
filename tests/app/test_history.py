"""The history: sessions from hooks and from transcripts, searched, selected and resumed."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from threading import Event

import msgspec
import pytest
from rich.cells import cell_len

from atm_tui.config import Config
from atm_tui.cost.pricing import load_default_table
from atm_tui.cost.report import Progress
from atm_tui.jump.values import Outcome
from atm_tui.model.filter import parse_filter
from atm_tui.model.session import Liveness, Project, Session, State
from atm_tui.monitor.past import list_past_sessions, list_transcript_sessions
from atm_tui.screens.offer import OfferScreen
from atm_tui.sources.transcript_paths import find_transcripts
from atm_tui.sources.usage import UsageReader
from atm_tui.widgets.history_view import HistoryView
from atm_tui.widgets.tree_view import TreeView
from tests.support.effort import sample
from tests.support.fleets import NOW, make_busy_fleet

DAY = 24 * 3600.0


def make_ended(name: str, at: float, **values: object) -> Session:
    over = {"liveness": Liveness.ENDED, "ended_at": at, "since": at, "project": Project(root="/src/shop", name="shop")}
    return Session(session_id=name, name=name, **{**over, **values})


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes a transcript: a prompt and an answer in a directory that exists."""

    def writing(session: str, prompt: str, at: float, folder: str = "shop") -> Path:
        cwd = tmp_path / folder
        cwd.mkdir(exist_ok=True)
        named = "".join(each if each.isalnum() else "-" for each in str(cwd))
        path = tmp_path / "claude" / "projects" / named / f"{session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        when = datetime.fromtimestamp(at, UTC).isoformat().replace("+00:00", "Z")
        usage = {"input_tokens": 1000, "output_tokens": 500}
        lines = (
            {"type": "user", "uuid": "u", "message": {"role": "user", "content": prompt}},
            {
                "type": "assistant",
                "requestId": f"r-{session}",
                "message": {"id": f"m-{session}", "model": "claude-opus-4-8", "content": [], "usage": usage},
            },
        )
        common = {"timestamp": when, "sessionId": session, "cwd": str(cwd)}
        path.write_text("".join(json.dumps(line | common) + "\n" for line in lines))
        return path

    return writing


def test_a_session_without_hooks_ended_with_its_last_request(
    write: Callable[..., Path], spending: UsageReader, tmp_path: Path
) -> None:
    """Usage is counted by quarters of an hour, the end of which may lie ahead."""
    path = write("s1", "fix it", NOW - 130)
    for _ in spending.read():
        pass
    found = list_past_sessions((), list_transcript_sessions(spending.result, spending.table, {"s1": str(path)}), 0.0)
    assert [entry.at for entry in found] == [NOW - 130]


@pytest.fixture
def spending(tmp_path: Path) -> UsageReader:
    return UsageReader([tmp_path / "claude"], None, load_default_table())


def get_view(app) -> HistoryView:
    assert isinstance(app.view, HistoryView), app.text
    return app.view


async def open_history(app) -> HistoryView:
    await app.press("H")
    view = get_view(app)
    await app.wait_until(lambda: not view.progress)
    return view


def test_the_history_has_only_ended_sessions_of_the_last_days(write, spending) -> None:
    path = write("t1", "Fix the sitemap", NOW - DAY)
    write("t2", "Long ago", NOW - 30 * DAY)
    write("live", "Now", NOW - 60)
    write("told", "Hooks know more", NOW - 60)
    list(spending.read())
    paths = {key: each.path for key, each in find_transcripts(spending.folders).items()}
    sessions = [
        Session(session_id="live", state=State.WORKING),
        make_ended("told", NOW - 5),
        make_ended("old", NOW - 20 * DAY),
    ]
    found = list_past_sessions(
        sessions, list_transcript_sessions(spending.result, spending.table, paths), NOW - 14 * DAY
    )
    assert [each.session.session_id for each in found] == ["told", "t1"]
    assert found[0].from_hooks
    left = found[1]
    assert (left.title, left.from_hooks, left.session.transcript_path) == ("Fix the sitemap", False, str(path))
    assert left.session.config_dir == str(path.parent.parent.parent)
    assert left.session.cost.usd is not None
    assert left.session.cost.usd > 0
    assert NOW - DAY - 900 <= left.at <= NOW - DAY + 900


def test_a_search_must_match_all_words() -> None:
    found = list_past_sessions(
        [make_ended("Login bug", NOW - 1, last_prompt="Fix Safari"), make_ended("docs", NOW - 2)], (), 0
    )

    def search(text: str) -> list[str]:
        return [each.title for each in found if parse_filter(text).matches(each.session)]

    assert search("SAFARI login") == ["Login bug"]
    assert search("shop") == ["Login bug", "docs"]
    assert search("safari docs") == []
    assert search("  ") == ["Login bug", "docs"]


def test_transcripts_are_found_by_id_and_the_newer_of_two_counts(tmp_path: Path, write) -> None:
    import os

    old, new = write("t1", "a", NOW, "one"), write("t1", "a", NOW, "two")
    os.utime(old, (NOW - 9, NOW - 9))
    os.utime(new, (NOW, NOW))
    agents = new.parent / "t1" / "subagents"
    agents.mkdir(parents=True)
    (agents / "agent-1.jsonl").write_text("{}")
    root = str(tmp_path / "claude" / "projects")
    found = find_transcripts([root, str(tmp_path / "none")], 0.0)
    assert {key: each.path for key, each in found.items()} == {"t1": str(new)}
    assert find_transcripts([root], NOW + 1) == {}


def test_transcripts_of_subagents_are_not_listed_as_sessions(tmp_path: Path, write, spending) -> None:
    """Older clients put them there; what they cost counts all the same."""
    write("agent-a1b2c3d4", "Warmup", NOW - 60)
    write("s", "Fix it", NOW - 120)
    for _ in spending.read():
        pass
    transcripts = {key: each.path for key, each in find_transcripts([str(tmp_path / "claude" / "projects")]).items()}
    found = list_past_sessions([], list_transcript_sessions(spending.result, spending.table, transcripts), 0.0)
    assert [each.session.session_id for each in found] == ["s"]
    assert sum(each.tokens.total for each in spending.result.buckets) == 3_000


async def test_both_kinds_are_listed_newest_first(drive, write, spending) -> None:
    write("t1", "Fix the sitemap of the shop", NOW - DAY)
    async with drive(make_busy_fleet(), size=(120, 30)) as app:
        app.monitor.usage = spending
        await open_history(app)
        listed = [line[4:].split()[0] for line in app.lines if line[2:3] in ("◌", "·")]
        assert listed == ["css-cleanup", "spike-graphql", "Fix"]
        assert app.line_with("Fix the sitemap").split()[-3:] == ["shop", "$0.02", "1d"]


async def test_the_newest_transcripts_are_listed_before_all_are_read_and_stay_in_place(drive, write, spending) -> None:
    paths = {name: str(write(name, f"Work of {name}", NOW - age)) for name, age in (("new", 60), ("old", DAY))}
    list(spending.read())

    class BlockedReader:
        """Reads the transcripts only once it may."""

        folders, table, result = spending.folders, spending.table, spending.result

        def __init__(self) -> None:
            self.go_on = Event()

        def read(self, since: float | None = None) -> Iterator[Progress]:
            while not self.go_on.wait(0.05):
                yield Progress()

    async with drive([], size=(120, 30)) as app:
        app.monitor.usage = held = BlockedReader()
        app.monitor.newest = list_transcript_sessions(spending.result, spending.table, {"new": paths["new"]})
        await app.press("H")
        await app.wait_until(lambda: "reading transcripts" in app.text)
        assert "Work of new" in app.text
        assert "Work of old" not in app.text
        held.go_on.set()
        await app.wait_until(lambda: "Work of old" in app.text)
        assert get_view(app).selection.session.session_id == "new"


async def test_the_history_is_listed_again_only_when_a_session_ended(drive) -> None:
    over, live = make_ended("over", NOW - 60), Session(session_id="live", name="live", state=State.WORKING)
    async with drive([over, live], size=(120, 30)) as app:
        view = await open_history(app)
        before = view.list.entries
        await app.put(over, msgspec.structs.replace(live, state=State.IDLE))
        assert app.monitor.fleet.sessions["live"].state is State.IDLE
        assert view.list.entries is before
        await app.put(over, make_ended("live", NOW - 1))
        assert [each.session.session_id for each in view.list.entries] == ["live", "over"]


async def test_rendered_lines_of_sessions_that_are_gone_are_dropped(drive) -> None:
    def make(prefix: str) -> list[Session]:
        return [make_ended(f"{prefix}{number}", NOW - number) for number in range(40)]

    async with drive(make("a"), size=(120, 60)) as app:
        view = await open_history(app)
        assert len(view.list._strips) == 40
        await app.put(*make("b"))
        await app.put(*make("c"))
        assert {key[0] for key in view.list._strips} == {"c"}


async def test_typing_filters_and_highlights_and_escape_shows_all(drive) -> None:
    fleet = [make_ended("login bug", NOW - 60, last_prompt="Fix it on Safari"), make_ended("docs", NOW - 90)]
    async with drive(fleet, size=(120, 30)) as app:
        view = await open_history(app)
        await app.press("slash", *"saf")
        assert "1 of 2" in app.text
        assert "docs" not in app.text
        strips = app.app.screen._compositor.render_strips()
        marked = [s.text for strip in strips for s in strip if s.style and s.style.underline and s.text.strip()]
        assert marked == ["Saf"]
        await app.press("x", "y")
        assert "0 of 2" in app.text
        assert "nothing matches" in app.text
        await app.press("backspace", "backspace", "enter")
        assert view.list.has_focus
        await app.press("slash", "escape")
        assert "docs" in app.text
        assert not app.main.has_class("-filtering")
        await app.press("escape")
        assert isinstance(app.view, TreeView)


async def test_the_cursor_stays_on_its_session_when_another_ends(drive) -> None:
    fleet = [make_ended("a", NOW - 60), make_ended("b", NOW - 90), make_ended("c", NOW - 120)]
    async with drive(fleet, size=(120, 30)) as app:
        view = await open_history(app)
        await app.press("j")
        assert view.selection.session.session_id == "b"
        await app.put(*fleet, make_ended("new", NOW - 1))
        assert view.selection.session.session_id == "b"
        assert app.line_with("▌").split()[2] == "b"
        await app.press("G")
        assert view.selection.session.session_id == "c"
        await app.press("g")
        assert view.selection.session.session_id == "new"


async def test_enter_offers_to_resume_a_session_that_has_only_a_transcript(
    drive, write, spending, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TMUX", raising=False)
    monkeypatch.setenv("ATM_CLAUDE", "cat")  # a program that is on every PATH
    write("t1", "Fix the sitemap", NOW - DAY)
    async with drive([], size=(120, 30)) as app:
        app.monitor.usage = spending
        await open_history(app)
        await app.press("enter")
        await app.wait_until(lambda: isinstance(app.app.screen, OfferScreen))
        plan = app.app.screen._plan
        assert plan.outcome is Outcome.RESUME
        assert plan.directory == str(tmp_path / "shop")
        assert plan.takeover[-2:] == ("--resume", "t1")
        assert f"CLAUDE_CONFIG_DIR={tmp_path / 'claude'}" in plan.takeover
        await app.press("escape")
        await app.press("space")
        assert "only its transcript is left" in app.lines[-1]


async def test_next_waiting_returns_to_the_tree(drive) -> None:
    async with drive(make_busy_fleet(), size=(120, 30)) as app:
        await open_history(app)
        await app.press("n")
        await app.wait_until(lambda: isinstance(app.view, TreeView))
        assert app.tree.selected in {("session", key) for key in ("0a11", "0b11", "0c11")}


async def test_an_empty_history_says_so(drive) -> None:
    async with drive([]) as app:
        await open_history(app)
        assert "no session has ended" in app.text


async def test_lines_are_not_cut_at_any_size(drive) -> None:
    hostile = make_ended("日本語[/]\x1b[2J " * 9, NOW - 5, last_prompt="x\u202e👩\u200d💻" * 90)
    async with drive([*make_busy_fleet(), hostile], size=(40, 10)) as app:
        await open_history(app)
        for size in sample(((40, 10), (60, 20), (80, 24), (140, 45), (300, 100)), (40, 10), (140, 45)):
            await app.resize(size)
            assert all(cell_len(line) == size[0] for line in app.lines), size
            assert "\x1b" not in app.text, size
            assert "…" in app.text, size


async def test_ascii_mode_uses_only_ascii(drive) -> None:
    async with drive([make_ended("a", NOW - 60)], size=(100, 30), config=Config(ascii=True)) as app:
        await open_history(app)
        assert app.text.isascii()
