"""Every command that takes an ID finds the same session by it, with the same messages for none and for several."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest

from atm_tui.cli import messages
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.table import COMMANDS, FINDS
from atm_tui.jump.find import Candidate
from tests.support.answers_on_disk import AnswerHarness, make_armed, run_client
from tests.support.command_home import Home
from tests.support.forked import CommandResult

WITH_ID = tuple(name for name, command in COMMANDS.items() if set(FINDS) <= set(command.exits))
OPTIONS = {"watch": ("--timeout", "0"), "wait": ("--for", "needs_you"), "statusline": ("--preview",)}
"""What a command needs besides the ID."""
PRINTS = dict.fromkeys(("jump", "answer", "resume"), ("--print",))
"""So that a command only says what it would do."""
Run = Callable[[str, str], CommandResult]
UNKNOWN, AMBIGUOUS, CLEAR = ("no-such-one", "shop/nothing", ""), ("FEED", "shop/"), ("beef-3333", "blog/")
ONE, TWO, OTHER = "feed1111-0000-4000-8000-1", "feed2222-0000-4000-8000-2", "beef3333-0000-4000-8000-3"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """Runs a command with an ID, beside three live sessions each of which waits for an answer; in one process with all IDs."""
    folder: Path = tmp_path_factory.mktemp("home")
    with run_client() as process, ExitStack() as hooks:
        harness = AnswerHarness(folder, process.pid)
        app = make_armed(harness)
        for key, project in ((ONE, "shop"), (TWO, "shop"), (OTHER, "blog")):
            (folder / project).mkdir(exist_ok=True)
            hooks.enter_context(
                harness.open_request("Bash", {"command": "ls"}, session_id=key, cwd=str(folder / project))
            )
        home = Home(folder)
        home.environ["CLAUDE_CONFIG_DIR"] = str(harness.config_dir)

        @cache
        def run_all(command: str) -> dict[str, CommandResult]:
            app.note_alive()
            texts = (*UNKNOWN, *AMBIGUOUS, *CLEAR)
            given = [(command, text, *OPTIONS.get(command, ()), *PRINTS.get(command, ())) for text in texts]
            return dict(zip(texts, home.run_each(*given), strict=True))

        def run(command: str, text: str) -> CommandResult:
            return run_all(command)[text]

        yield run


def test_these_commands_take_an_id() -> None:
    assert WITH_ID == (
        "status",
        "list",
        "watch",
        "wait",
        "statusline",
        "jump",
        "answer",
        "resume",
        "explain",
        "replay",
        "report",
    )


@pytest.mark.parametrize("command", WITH_ID)
@pytest.mark.parametrize("text", UNKNOWN)
def test_no_session_matches(run: Run, command: str, text: str) -> None:
    done = run(command, text)
    assert (done.code, done.out) == (ExitCode.NOT_FOUND, "")
    first, second, *nearest, last = done.err.splitlines()
    assert first == (
        f"atm-tui: no session matches “{text.strip()}”: no id, tmux pane, name or project/name does. The nearest are:"
    )
    assert {line.split()[0] for line in (second, *nearest)} == {ONE, TWO, OTHER}
    assert last == "  `atm-tui status` lists all."


@pytest.mark.parametrize("command", WITH_ID)
@pytest.mark.parametrize("text", AMBIGUOUS)
def test_several_sessions_match(run: Run, command: str, text: str) -> None:
    done = run(command, text)
    assert (done.code, done.out) == (ExitCode.SEVERAL, "")
    first, *listed = done.err.splitlines()
    assert first == f"atm-tui: “{text}” matches 2 sessions. Name one by its id:"
    assert [line.split()[0] for line in listed] == [ONE, TWO]


@pytest.mark.parametrize("command", WITH_ID)
@pytest.mark.parametrize("text", CLEAR)
def test_one_session_matches(run: Run, command: str, text: str) -> None:
    done = run(command, text)
    assert done.code not in (ExitCode.NOT_FOUND, ExitCode.SEVERAL), done.err
    assert "no session matches" not in done.err
    assert "matches 2" not in done.err
    if command in ("explain", "report", "answer", "wait", "list"):
        assert OTHER[:8] in done.out


def test_a_long_list_is_cut_with_a_note() -> None:
    many = [Candidate(session_id=f"{number:08}", names=("a",)) for number in range(30)]
    lines = messages.describe_several_sessions("a", many).splitlines()
    assert len(lines) == 22
    assert lines[-1] == "  and 10 more"
    assert lines[1] == "  00000000  a  (ended)"


def test_without_sessions_it_says_so() -> None:
    assert messages.describe_no_session("x", ()).endswith("There are no sessions.")


def test_control_characters_are_removed_from_messages() -> None:
    hostile = Candidate(session_id="a\x1b[2J", names=("n\x9b1m\n",), directory="/d\u202e")
    for text in (
        messages.describe_no_session("\x1b]0;x\x07", [hostile]),
        messages.describe_several_sessions("\x1b", [hostile, hostile]),
    ):
        assert not {"\x1b", "\x9b", "\u202e", "\x07"} & set(text)
        assert len(text.splitlines()) == 3


@pytest.mark.parametrize("words", [("next",), ("jump", "shop"), ("explain", "shop"), ("report", "shop")])
def test_an_unlistable_state_folder_is_not_called_empty(home: Home, words: tuple[str, ...]) -> None:
    home.state.mkdir(mode=0o700)
    (home.state / "sessions").symlink_to("sessions")  # a link to itself can't be listed, by root either
    done = home.run(*words)
    assert done.code == ExitCode.NOT_FOUND
    assert f"Sessions are missing: {home.state}/sessions: Too many levels" in done.err
    assert "see `atm-tui doctor`" in done.err
