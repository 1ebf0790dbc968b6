"""The conversation of a session in the app: read from real transcripts, by keys."""

import os
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from rich.cells import cell_len

from atm_tui.screens.conversation import ConversationScreen
from atm_tui.sources.thread_index import ThreadIndex
from tests.support.app_files import AppDriver, HomeOnDisk
from tests.support.conversations import Transcript, write_long, write_work
from tests.support.effort import mark_long
from tests.support.session_ids import A
from tests.support.waiting import PATIENCE


@pytest.fixture
def path(disk: HomeOnDisk) -> Path:
    return disk.config_dir / "projects" / "-work" / f"{A}.jsonl"


@asynccontextmanager
async def read(disk: HomeOnDisk, path: Path, size: tuple[int, int] = (100, 50)) -> AsyncIterator[AppDriver]:
    """Runs the app with the conversation of a live session open."""
    disk.start(A, transcript_path=str(path))
    async with disk.run_app(size) as app:
        await app.wait_until(lambda: app.selected == ("session", A))
        await app.press("o")
        await app.wait_until(lambda: isinstance(app.app.screen, ConversationScreen))
        yield app


def find_row(app: AppDriver, text: str) -> int:
    return next(row for row, line in enumerate(app.lines) if text in line)


async def put_cursor(app: AppDriver, text: str) -> None:
    await app.pilot.click("#conversation", offset=(60, find_row(app, text) - find_row(app, "G goes") - 1))
    await app.pilot.pause()


async def test_a_conversation_is_read_from_its_end_and_unfolded(disk: HomeOnDisk, path: Path) -> None:
    write_work(path)
    async with read(disk, path) as app:
        await app.wait_for_text("All tests pass now.")
        assert "follows the end" in app.text
        # Markdown: a heading, a numbered list with bullets inside, code, a table, a link
        for text in (
            "What I found",
            "1. auth/session.py",
            "   • only after",
            "│ def lifetime(user):",
            "web/login.py     140",
        ):
            assert text in app.text, app.text
        assert not any(sign in app.text for sign in ("##", "**", "```", "|---"))
        assert "the docs (https://example.org/tokens)" in app.text
        assert "compacted: 181K to 2.9K tokens" in app.text
        # tools are folded; each has its result
        assert "2 lines" in app.line_with("▸ Bash  grep -rn lifetime src")
        assert "✗ failed" in app.line_with("▸ Bash  npm test")
        assert "src/web/login.py:140" not in app.text
        await app.press("g")
        assert "G goes to the end" in app.text
        for _ in range(find_row(app, "▸ Bash  grep") - find_row(app, "▌ Fix the login")):
            await app.press("j")
        await app.press("enter")
        assert "command     grep -rn lifetime src" in app.text
        assert "│ src/web/login.py:140: lifetime(guest)" in app.text
        await app.press("enter")
        assert "src/web/login.py:140" not in app.text
        # subagents, one inside the other
        await app.press("j", "j", "enter")
        await app.wait_for_text("│ ▌ List the routes")
        assert "│ Found two routes." in app.line_with("Found two")
        assert "exactly two" not in app.text
        row = find_row(app, "subagent general-purpose")
        await app.pilot.click("#conversation", offset=(5, row - find_row(app, "G goes") - 1))
        await app.wait_for_text("│ │ There are exactly two routes.")
        await app.press("h")
        assert "exactly two" not in app.text
        await app.press("h")
        assert "List the routes" not in app.text
        assert "▸ subagent Explore  Explore the API" in app.text
        await app.press("escape")
        assert app.app.screen is app.app.fleet_screen


async def test_new_lines_are_followed_until_scrolled_up(disk: HomeOnDisk, path: Path) -> None:
    told = Transcript(path)
    for number in range(30):
        told.reply(f"Reply {number}")
    told.reply("All tests pass now.")
    async with read(disk, path, (80, 24)) as app:
        await app.wait_for_text("All tests pass now.")
        told.reply("One more thing.")
        await app.wait_for_text("One more thing.")
        await app.press("k", "k", "pageup")
        assert "not following" in app.text
        before = app.lines[3:-1]
        told.reply("And another one.")
        told.append(b'{"type": "assistant", "message": {"content": [{"type": "text", "text": "half')
        await app.wait_for_text("1 new below")
        assert app.lines[3:-1] == before
        await app.press("G")
        assert "follows the end" in app.text
        assert "And another one." in app.text
        assert "half" not in app.text
        told.append(b' written"}]}}\n')
        await app.wait_for_text("half written")
        # another file in its place, one that is cut, and none at all
        other = Transcript(path.with_name("other"))
        other.prompt("A new beginning")
        other.path.replace(path)
        await app.wait_for_text("A new beginning")
        assert "half written" not in app.text
        os.truncate(path, 0)
        await app.wait_for_text("nothing has been said yet")
        os.remove(path)  # noqa: PTH107
        await app.wait_for_text("No such file")
        Transcript(path).prompt("Back again")
        await app.wait_for_text("Back again")


async def test_a_search_counts_and_goes_to_matches_wherever_they_are(disk: HomeOnDisk, path: Path) -> None:
    write_work(path)
    async with read(disk, path) as app:
        await app.wait_for_text("All tests pass now.")
        await app.press("n")
        assert "nothing is searched" in app.said
        await app.press("slash", *"LIFETIME")
        # a command, its description, two lines of its result, and text and code of a reply
        await app.wait_until(lambda: "6 matches" in app.lines[-2])
        await app.press("enter")
        await app.wait_until(lambda: "1 of 6 matches" in app.lines[-2])
        assert "command     grep -rn lifetime src" in app.text
        await app.press("N")
        assert "6 of 6 matches" in app.lines[-2]
        # a slash is text here
        await app.press("slash", *"auth", "slash", *"session", "enter")
        await app.wait_until(lambda: "of 4 matches" in app.lines[-2])
        # inside a folded subagent in a folded subagent
        await app.press("escape", "slash", *"exactly  two", "enter")
        await app.wait_for_text("1 of 1 match")
        assert "│ │ There are exactly two routes." in app.text
        await app.press("slash", *"zq", "enter")
        await app.wait_until(lambda: "0 matches" in app.lines[-2] or "no match" in app.said)
        await app.press("escape")
        assert "/ search" in app.said
        await app.press("q")
        assert app.app.screen is app.app.fleet_screen


async def test_enter_goes_to_a_match_that_is_found_only_then(disk: HomeOnDisk, path: Path) -> None:
    write_work(path)
    async with read(disk, path) as app:
        await app.wait_for_text("All tests pass now.")
        await app.press("slash")
        for key in (*"exactly", "enter"):  # as typed at once, or pasted
            app.app.simulate_key(key)
        await app.wait_until(lambda: "1 of 1 match" in app.lines[-2])
        assert "no match" not in app.text


async def test_a_search_is_not_over_while_a_subagent_is_being_read(
    disk: HomeOnDisk, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread that reads has begun with its transcript, and knows none of its lines yet."""
    write_work(path)
    begun, goes_on = threading.Event(), threading.Event()
    open_really = ThreadIndex._open

    def open_late(index: ThreadIndex) -> None:
        if index.thread == "a2":  # the last one
            begun.set()
            assert goes_on.wait(PATIENCE)
        open_really(index)

    async with read(disk, path) as app:
        await app.wait_for_text("All tests pass now.")
        screen = app.app.screen
        assert isinstance(screen, ConversationScreen)
        monkeypatch.setattr(ThreadIndex, "_open", open_late)
        try:
            await app.press("slash", *"exactl")
            await app.wait_until(begun.is_set)
            for key in ("y", "enter"):
                app.app.simulate_key(key)
            await app.wait_until(lambda: screen._search and screen._search.text == "exactly")
            await app.wait_until(lambda: not screen._is_searching)
            assert "0 matches …" in app.lines[-2]
            assert "no match" not in app.said
        finally:
            goes_on.set()
        await app.wait_until(lambda: "1 of 1 match" in app.lines[-2])


async def test_a_search_includes_subagents_that_start_later(disk: HomeOnDisk, path: Path) -> None:
    told = Transcript(path)
    told.prompt("How many routes are there?")
    async with read(disk, path) as app:
        await app.wait_for_text("How many routes")
        await app.press("slash", *"exactly")
        await app.wait_until(lambda: "0 matches" in app.lines[-2] and "…" not in app.lines[-2])
        told.call("t2", "Agent", description="Count them", prompt="Count the routes", subagent_type="Explore")
        told.add_agent("a1", "t2", agentType="Explore", description="Count them").reply("There are exactly two routes.")
        await app.wait_until(lambda: "1 match" in app.lines[-2])


async def test_keys_after_enter_are_no_text_of_the_search(disk: HomeOnDisk, path: Path) -> None:
    write_work(path)
    async with read(disk, path) as app:
        await app.wait_for_text("All tests pass now.")
        await app.press("slash", *"LIFETIME")
        await app.wait_until(lambda: "6 matches" in app.lines[-2])
        await app.press("escape")
        for key in ("slash", *"lifetime", "enter", "n"):  # in one write
            app.app.simulate_key(key)
        await app.wait_until(lambda: "2 of 6 matches" in app.lines[-2])
        assert "lifetimen" not in app.lines[-2]


async def test_damaged_huge_and_hostile_lines_are_shown_as_what_they_are(disk: HomeOnDisk, path: Path) -> None:
    told = Transcript(path)
    evil = (
        "[/] [red]x \x1b]52;c;ZXZpbA==\x07\x9b31m \u202etxt \u200d 日本語 &#27;[31m " + "y" * 300 + "\n\tnext\r\nline"
    )
    told.prompt(evil)
    told.reply(f"# {evil}\n\n- {evil}\n\n```\n{evil}\n```\n\n|{evil}|b|\n|---|---|\n|c|[{evil}]({evil})|")
    told.append(b'{"type": "user", "message": {"content": "cut off\n')
    told.append(b"\0" * 300 + b"\n\n[]\nnull\n")
    told.append(b'{"type":"user","message":{"content":"\\ud800 lone"}}\n')
    told.append(b'{"type":"user","message":{"content":[{"type":"text","text":3},7,{"type":9},{"type":"image"}]}}\n')
    told.call("t1", evil, command=evil, other=[evil, {evil: None}])
    told.result("t1", [{"type": "text", "text": evil}, {"type": "image"}])
    told.append(b'{"type":"assistant","message":{"content":[{"type":"text","text":"' + b"z" * (17 << 20) + b'"}]}}\n')
    told.reply("The end.")
    async with read(disk, path, (60, 20)) as app:
        await app.wait_for_text("The end.")
        assert "too long to show, 18 MB" in app.text
        await app.press("k", "k", "enter", "g")
        seen = ""
        while "follows the end" not in app.text:
            assert not any(bad in app.text for bad in "\x1b\x9b\x07\r\u202e\u200d")
            assert all(cell_len(line) <= 60 for line in app.lines)
            seen += app.text
            await app.press("pagedown")
        seen += app.text
        assert seen.count("a damaged line") >= 4
        assert "lone" in seen
        assert "[image]" in seen


async def test_the_raw_file_and_past_sessions(
    disk: HomeOnDisk, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = tmp_path / "opened"
    pager = tmp_path / "pager"
    pager.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >> {opened}\n')
    pager.chmod(0o755)
    monkeypatch.setenv("PAGER", str(pager))
    write_work(path, time.time() - 3600)
    async with disk.run_app((100, 30)) as app:
        await app.press("H")
        await app.wait_for_text("Fix the login test")
        await app.press("o")
        await app.wait_for_text("All tests pass now.")
        assert isinstance(app.app.screen, ConversationScreen)
        await app.press("O")
        await app.wait_until(lambda: "handed over" in app.said or opened.exists())
        await app.press("o")
        await app.wait_until(lambda: app.app.screen is app.app.fleet_screen)


@pytest.mark.parametrize("size", mark_long(["1 MB", "100 MB"], short=["1 MB"]))
async def test_a_long_conversation_shows_any_part_of_itself(disk: HomeOnDisk, path: Path, size: str) -> None:
    """Its end is there while all before it is unread; then its beginning, and matches anywhere."""
    megabytes = int(size.split(maxsplit=1)[0])
    assert write_long(path, megabytes) >= megabytes * 950_000
    async with read(disk, path, (80, 30)) as app:
        await app.wait_for_text("The very last reply")
        await app.press("g")
        await app.wait_until(lambda: "reading" not in app.lines[2])
        await app.press("g")
        assert "The very first prompt" in app.text
        await app.press("slash", *f"part {megabytes // 2}.", "enter")
        await app.wait_for_text("1 of 1 match")
        assert f"That was part {megabytes // 2}." in app.text
        await app.press("slash", *"no such words", "enter")
        await app.wait_until(lambda: "0 matches" in app.lines[-2] and "…" not in app.lines[-2])
