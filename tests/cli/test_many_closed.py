"""Beyond the newest sessions those that are over are only counted, and yet an ID finds each of them, as if all were read."""

import os
from argparse import Namespace
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from atm_tui.cli.answer import _find_request
from atm_tui.cli.arguments import parse_arguments
from atm_tui.cli.command_error import CommandError
from atm_tui.cli.main import _choose_most_whole, _choose_only
from atm_tui.cli.resumable import find_resumable, list_newest, list_resumable
from atm_tui.cli.session_argument import find_session, read_named
from atm_tui.model.session import Session
from atm_tui.monitor.live import LiveMonitor
from atm_tui.monitor.reading import MOST_WHOLE
from tests.support.command_home import Home
from tests.support.effort import sample
from tests.support.forked import CommandResult
from tests.support.many_sessions import ALIVE, ASKS, DAY, Folder

LIVE, OLD, OTHER = "feed1111-0000-4000-8000-1", "feed1111-9999-4000-8000-2", "beef3333-0000-4000-8000-3"
NAMED = ("facade", "shop feature", "shop feature two")


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """Two sessions that are over, one of which has a name that looks like an id; then one that runs, and three newer ones."""
    folder = Folder(tmp_path)
    for key, name in ((OLD, NAMED[1]), (OTHER, NAMED[0])):
        folder.send(key, "SessionStart", ago=3 * DAY, source="startup")
        folder.send(key, "UserPromptSubmit", ago=3 * DAY - 1, prompt=name, prompt_id="p")
        folder.send(key, "SessionEnd", ago=3 * DAY - 2, reason="other")
    folder.send(LIVE, "SessionStart", ago=60, pid=ALIVE, source="startup")
    folder.send(LIVE, "UserPromptSubmit", ago=50, pid=ALIVE, prompt=NAMED[2], prompt_id="p")
    folder.send(LIVE, "PermissionRequest", ago=40, pid=ALIVE, **ASKS)
    folder.fill(3)
    return folder


def find_by(find: Callable[[LiveMonitor], object], monitor: LiveMonitor) -> object:
    monitor.refresh()
    try:
        return find(monitor)
    except CommandError as error:
        return str(error), error.code


CERTAIN = {
    "feed1111-0000-4000-8000-1": 0,
    "feed1111-0": 0,
    "FEED11119999": 1,
    OLD: 1,
    "beef3333": 1,
    "shop feature two": 0,
    "w/shop feature two": 0,
}
"""What names one session and no other, and how many of those that are over have to be read for it."""
DOUBTFUL = ("feed1111", "feed", "beef", "facade", "fac", "shop", "shop feature", "w/", "n0", "n", "nothing", "", "%5")


@pytest.mark.parametrize("text", [*CERTAIN, *DOUBTFUL])
def test_an_id_names_the_same_session_as_if_all_were_read(folder: Folder, text: str) -> None:
    few, whole = folder.monitor(1), folder.monitor(None)
    found = find_by(lambda monitor: find_session(text, monitor), few)
    assert found == find_by(lambda monitor: find_session(text, monitor), whole)
    if text in CERTAIN:
        assert isinstance(found, Session)
        assert len(few.fleet.sessions) == 2 + CERTAIN[text]
        assert few.fleet.older == 4 - CERTAIN[text]


@pytest.mark.parametrize("text", [LIVE, "feed1111-9", "facade", "shop", "nothing"])
def test_what_is_sought_in_the_wrong_file_is_found(folder: Folder, text: str) -> None:
    one, whole = folder.monitor(only={LIVE}), folder.monitor(None)
    one.refresh()
    assert list(one.fleet.sessions) == [LIVE]
    find = partial(find_session, text)
    assert find_by(find, one) == find_by(find, whole)
    assert len(one.fleet.sessions) == (1 if text == LIVE else 6)


@pytest.mark.parametrize(
    ("words", "only"),
    [
        ("jump feed11119", {OLD}),
        (f"resume {OLD.upper()}", {OLD}),
        ("jump beef-3333", {OTHER}),
        ("explain beef-3333", None),
        ("resume n0", {"n0"}),
        ("resume", None),
        ("jump feed1111", None),
        ("jump beef", None),
        ("jump facade", None),
        ("wait --for idle beef3333", None),
    ],
)
def test_an_id_that_one_file_has_is_looked_for_in_no_other(
    folder: Folder, monkeypatch: pytest.MonkeyPatch, words: str, only: set[str] | None
) -> None:
    monkeypatch.setenv("ATM_STATE_DIR", str(folder.state_dir))
    assert _choose_only(parse_arguments(words.split())) == only


@pytest.mark.parametrize("text", [OLD, "beef3333", "shop feature", "n0"])
def test_what_an_id_names_stays(folder: Folder, text: str) -> None:
    monitor = folder.monitor(1)
    monitor.refresh()
    found = find_session(text, monitor)
    folder.fill(4)
    monitor.refresh()
    monitor.refresh()
    assert monitor.fleet.sessions[found.session_id] == found


def test_a_session_that_is_over_is_resumed_by_its_id_and_from_the_list(folder: Folder) -> None:
    few, whole = folder.monitor(1), folder.monitor(None)
    for text in ("FEED11119999", "beef", "facade"):
        found = []
        for monitor in (few, whole):
            monitor.refresh()
            read_named(text, monitor)
            found.append(find_resumable(text, list_resumable(monitor)).session)
        assert found[0] == found[1]
        few = folder.monitor(1)
    few.refresh()
    listed = [list_newest(list_resumable(each), each, 3) for each in (few, whole)]
    assert [each.session for each in listed[0]] == [each.session for each in listed[1]]
    assert few.fleet.older == 2, "only what is listed is read"


def test_a_request_is_sought_among_all_sessions(folder: Folder) -> None:
    for text in (None, LIVE, OLD, "facade", "nothing"):
        find = partial(_find_request, Namespace(request=text))
        few, whole = (find_by(find, folder.monitor(most)) for most in (1, None))
        assert few == whole


@pytest.mark.parametrize(
    ("words", "is_few"),
    [
        ("status", True),
        ("status --all", False),
        ("status --project shop", False),
        ("status --state ended", False),
        ("status --state idle --state lost", False),
        ("status --state working --project shop", True),
        ("status feed", True),
        ("list", False),
        ("list --state needs_you", True),
        ("list feed", True),
        ("wait --for idle --all", True),
        ("wait --for idle --all feed", True),
        ("watch feed", False),
        ("stream", False),
        ("jump feed", True),
        ("resume", True),
        ("explain feed", True),
        ("report feed", True),
        ("purge", True),
        ("purge --project shop", False),
        ("notify", True),
    ],
)
def test_only_commands_that_list_what_is_over_read_all_of_it(words: str, is_few: bool) -> None:
    assert (_choose_most_whole(parse_arguments(words.split())) == MOST_WHOLE) is is_few


CHECKS: dict[tuple[str, ...], Callable[[CommandResult], bool]] = {
    ("explain", "the oldest one"): lambda done: done.out.startswith("the oldest one  feedface-1"),
    ("list", "--state", "needs_you"): lambda done: [line.split("\t")[0] for line in done.out.splitlines()] == ["asks"],
    ("explain", "feedface"): lambda done: done.out.startswith("the oldest one  feedface-1"),
    ("status", "--state", "needs_you", "--no-headings"): lambda done: "older" not in done.out,
    ("status", "feedface-1", "--format", "{name}"): lambda done: done.out == "the oldest one\n",
    ("jump", "feedface", "--print"): lambda done: "--resume feedface-1" in done.out,
    ("report", "feedface"): lambda done: bool(done.out),
}


def test_commands_find_the_oldest_of_many(home: Home) -> None:
    home.record("feedface-1", "SessionStart", source="startup")
    home.record("feedface-1", "UserPromptSubmit", prompt="the oldest one", prompt_id="p")
    home.record("feedface-1", "SessionEnd", reason="other")
    home.record("asks", "PermissionRequest", **ASKS)
    folder = home.state / "sessions"
    oldest = folder / "feedface-1.json"
    text = oldest.read_text()
    for number in range(MOST_WHOLE + 1):
        (folder / f"n{number}.json").write_text(text.replace("feedface-1", f"n{number}").replace("oldest", "other"))
    os.utime(oldest, (1e9, 1e9))
    chosen = sample(CHECKS, *list(CHECKS)[:2])
    for words, done in zip(chosen, home.run_each(*chosen), strict=True):
        assert CHECKS[words](done), (words, done)
