"""The app's keys in a real tmux: to the right pane, and through other programs and back to the same screen."""

import json
import re
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from atm_hooks import journal, payload
from tests.support.effort import LONG
from tests.support.jumping import CAT, TmuxWorkspace
from tests.support.program import ATM_TUI
from tests.support.session_ids import A, B, C
from tests.support.tmux import Pane
from tests.support.waiting import POLL, act_until, wait_until

BESIDE = """#!/bin/sh
printf 'beside: %s in %s\\n' "$*" "$PWD"
read line
printf '\\033[H\\033[2J'
"""
"""A program that says how it was called, and waits for a line. It leaves an empty screen: no later wait finds its words."""


class AppHarness:
    """A tmux workspace, sessions in its panes as the hook records them, and the app in its own pane."""

    def __init__(self, workspace: TmuxWorkspace) -> None:
        self.workspace = workspace
        self.home = Path(workspace.env["HOME"])
        self.state = workspace.env["ATM_STATE_DIR"]
        self.work = self.home / "work"
        self.work.mkdir()
        self.beside = self.home / "beside"
        self.beside.write_text(BESIDE)
        self.beside.chmod(0o755)
        journal.prepare_folders(self.state)

    def record_event(self, event: str, session: str, pane: Pane | None = None, **fields: Any) -> None:
        """An event of the client that runs in a pane; without one, of a process that is gone."""
        data = {"hook_event_name": event, "session_id": session, "cwd": str(self.work), **fields}
        environ = {"CLAUDE_PID": "999999999", "CLAUDE_PROJECT_DIR": str(self.work)}
        if pane:
            tmux = f"{pane.server.socket},{pane.read_format('#{pid}')},0"
            environ |= {"CLAUDE_PID": str(pane.pid), "TMUX": tmux, "TMUX_PANE": pane.target}
        journal.record_event(self.state, payload.parse_event(json.dumps(data).encode(), time.time(), environ))

    def start_session(self, session: str, pane: Pane | None = None, **fields: Any) -> None:
        self.record_event("SessionStart", session, pane, source="startup", **fields)
        self.record_event("UserPromptSubmit", session, pane, prompt=f"do {session[:4]}", prompt_id=session)

    def ask_permission(self, session: str, pane: Pane, command: str) -> None:
        self.record_event("PermissionRequest", session, pane, tool_name="Bash", tool_input={"command": command})

    def start_app(self, *words: str, **env: str) -> Pane:
        """The app in a pane, which stays after it has ended."""
        return self.workspace.inner.start([ATM_TUI, *words], size=(120, 40), cwd=self.home, env=env, stay=True)


@pytest.fixture
def harness(workspace: TmuxWorkspace) -> AppHarness:
    return AppHarness(workspace)


def read_still_screen(pane: Pane) -> list[str]:
    """The screen with its colours once it no longer changes, without what time alone changes: ages."""
    sgr_or_age = r"(\x1b\[[\d;]*m)| *(?<![\d;])\d+(?:s|m\d\ds|m)\b"

    def take() -> list[str]:
        lines = pane.read_screen(colours=True).splitlines()
        return [re.sub(sgr_or_age, lambda found: found[1] or " AGE", line) for line in lines]

    pane.wait_gone(r"│ reading")
    last, since = take(), time.monotonic()
    while time.monotonic() - since < 0.4:
        time.sleep(POLL)
        if (now := take()) != last:
            last, since = now, time.monotonic()
    return last


@pytest.mark.long  # the tour, `next` from a key of tmux, and the plans of jumps have each of its facts in every run
def test_n_and_enter_land_in_the_right_pane_and_nobody_else_moves(harness: AppHarness) -> None:
    workspace = harness.workspace
    panes = [workspace.inner.start(CAT) for _ in range(3)]
    other = workspace.attach_client(panes[2].target)
    for session, pane in zip((A, B, C), panes, strict=True):
        harness.start_session(session, pane)
    harness.ask_permission(B, panes[1], "make old")
    harness.ask_permission(A, panes[0], "make new")
    app = harness.start_app()
    mine = workspace.attach_client(app.target)
    mine.wait_for("2 need you")
    before = workspace.read_view(other)
    mine.press_keys("g", "n", "Enter")
    wait_until(lambda: workspace.read_shown_pane(mine).endswith(panes[1].target))
    wait_until(lambda: workspace.read_view(other) == before, "the view of the other")
    workspace.inner.run("switch-client", "-c", mine.read_format("#{pane_tty}"), "-t", app.target)
    mine.wait_for("Going to pane")
    mine.press_keys("n", "Enter")
    wait_until(lambda: workspace.read_shown_pane(mine).endswith(panes[0].target))
    wait_until(lambda: workspace.read_view(other) == before, "the view of the other")
    seen = Path(harness.state) / "app" / "seen.json"
    wait_until(lambda: {A, B} <= set(json.loads(seen.read_text())), "both in the file of what was seen")


def test_in_a_popup_the_app_closes_after_the_jump(harness: AppHarness) -> None:
    workspace = harness.workspace
    ours, wanted = workspace.inner.start(CAT), workspace.inner.start(CAT)
    harness.start_session(A, wanted)
    harness.ask_permission(A, wanted, "make")
    mine = workspace.attach_client(ours.target)
    workspace.inner.run("bind-key", "-n", "F5", "display-popup", "-E", "-w", "90%", "-h", "90%", ATM_TUI)
    mine.press_keys("F5")
    mine.wait_for("1 needs you")
    mine.press_keys("Enter")
    wait_until(lambda: workspace.read_shown_pane(mine).endswith(wanted.target))
    mine.wait_gone("needs you")


def test_in_a_popup_it_stays_when_the_configuration_says_so(harness: AppHarness) -> None:
    workspace = harness.workspace
    ours, wanted = workspace.inner.start(CAT), workspace.inner.start(CAT)
    harness.start_session(A, wanted)
    config = harness.home / "config.toml"
    config.write_text("popup_closes = false\n")
    mine = workspace.attach_client(ours.target)
    workspace.inner.run(
        "bind-key", "-n", "F5", "display-popup", "-E", "-w", "90%", "-h", "90%", "-e", f"ATM_CONFIG={config}", ATM_TUI
    )
    mine.press_keys("F5")
    mine.wait_for("1 working")
    mine.press_keys("Enter")
    wait_until(lambda: workspace.read_shown_pane(mine).endswith(wanted.target))
    mine.wait_for("Going to pane")
    mine.press_keys("q")
    mine.wait_gone("1 working")


def test_programs_opened_by_keys_close_and_the_screen_is_restored(harness: AppHarness) -> None:
    """The steps share one app, for each start costs a second."""
    transcript = harness.home / "talk here.jsonl"
    transcript.write_text("{}\n")
    near = harness.workspace.inner.start(CAT)
    harness.start_session(A, near, transcript_path=str(transcript))
    far = harness.workspace.start_server()
    harness.start_session(B, far.start(["sh", "-c", "echo far away; cat"]))
    far.run("set-option", "-g", "status", "on")
    beside = f"{harness.beside} -x"
    app = harness.start_app(PAGER=beside, EDITOR=beside)
    app.wait_for("2 working")
    app.press_keys("g", "j")
    app.wait_for("^▌.*do aaaa")
    check_copy(harness, app)
    check_program_beside(app, "O", transcript)
    check_resize_beside(app, "e")
    if LONG:
        check_program_beside(app, "e", harness.work)
        check_resize_beside(app, "O")
    harness.ask_permission(A, near, "make all")
    check_peek(app)
    app.press_keys("G")
    app.wait_for("^▌.*do bbbb")
    check_attach(app)
    app.type_text("q")
    assert app.wait_for_exit() == 0
    app.assert_clean()


def check_copy(harness: AppHarness, app: Pane) -> None:
    """The copy menu fills the buffer of tmux."""
    app.press_keys("y")
    app.wait_for("Copy of do aaaa")
    app.press_keys("y")
    app.wait_for(r"copied the id \(OSC 52, tmux's buffer\)")
    wait_until(lambda: harness.workspace.inner.run("show-buffer").strip() == A, "the buffer")
    app.wait_gone("copied")


def check_program_beside(app: Pane, key: str, what: Path) -> None:
    """The pager and the editor get the terminal and give it back."""
    before = read_still_screen(app)
    app.press_keys(key)
    wait_until(lambda: f"-x {what} in " in join_lines(app), "the program with its argument")
    assert "2 working" not in app.read_screen()
    # ^C at the terminal reaches the app as well, and is none of its affair
    app.find_program().send_signal(signal.SIGINT)
    time.sleep(0.2)
    app.press_keys("Enter")
    app.wait_for("2 working")
    app.resize(120, 40)
    wait_until(lambda: read_still_screen(app) == before, "the screen as before")


def check_resize_beside(app: Pane, key: str) -> None:
    """They give it back also when it got another size meanwhile."""
    before = read_still_screen(app)
    app.press_keys(key)
    app.wait_for(r"^beside: ")
    app.resize(100, 30)
    app.press_keys("Enter")
    app.wait_for("2 working")
    app.resize(120, 40)
    app.wait_for(r"^.{100,}(total|today) ")
    wait_until(lambda: read_still_screen(app) == before, "the screen as before")


def join_lines(pane: Pane) -> str:
    """The screen as one line, so that a long path is found whole."""
    return pane.read_screen().replace("\n", "")


def check_peek(app: Pane) -> None:
    """A peek shows what the session asks, and goes."""
    app.wait_for("1 needs you")
    app.wait_for("on you today")
    before = read_still_screen(app)
    app.press_keys("Space")
    app.wait_for(r"\bclose\b")
    assert re.search(r"permission Bash", app.read_screen())
    app.press_keys("Space")
    app.wait_gone(r"\bclose\b")
    wait_until(lambda: read_still_screen(app) == before, "the screen as before")


def check_attach(app: Pane) -> None:
    """A session that nobody looks at is attached, and left again."""
    before = read_still_screen(app)
    app.press_keys("Enter")
    app.wait_for("show it here")
    act_until(
        lambda: app.press_keys("Enter"), lambda: "far away" in app.read_screen(), "the other terminal"
    )  # a key at once is ignored
    app.press_keys("C-b", "d")
    app.wait_for("1 working")
    wait_until(lambda: read_still_screen(app) == before, "the screen as before")


def check_own_command(harness: AppHarness, app: Pane, mine: Pane) -> None:
    """A command of the configuration gets its words in a window of its own: none of them is a command of tmux."""
    mine.press_keys("F")
    wait_until(
        lambda: join_lines(mine).startswith(f"beside: {A}; kill-server in {harness.work}"), "the command in a window"
    )
    assert not harness.workspace.read_shown_pane(mine).endswith(app.target)
    harness.workspace.inner.run("select-window", "-t", app.target)
    mine.wait_for("show: opened a tmux window")


def test_a_lost_session_is_resumed_in_a_new_window_after_confirmation(harness: AppHarness) -> None:
    workspace = harness.workspace
    harness.start_session(A)
    config = harness.home / "config.toml"
    run = f'run = ["{harness.beside}", "{{id}};", "kill-server"]'
    config.write_text(f'[[commands]]\nkey = "F"\ntitle = "show"\n{run}\nplace = "window"\nenabled = "ended"\n')
    app = harness.start_app(ATM_CLAUDE=str(harness.beside), ATM_CONFIG=str(config))
    mine = workspace.attach_client(app.target)
    mine.wait_for("lost")
    check_own_command(harness, app, mine)
    mine.press_keys("Enter")
    mine.wait_for("resume it in a new tmux window")
    assert workspace.read_shown_pane(mine).endswith(app.target)
    act_until(lambda: mine.press_keys("Enter"), lambda: "beside: --resume" in mine.read_screen(), pause=1.5)
    wait_until(lambda: join_lines(mine).startswith(f"beside: --resume {A} in {harness.work}"), "the client resumed")
    assert not workspace.read_shown_pane(mine).endswith(app.target)


@pytest.mark.long  # every run has the plan of this jump, and the programs that the app starts in its own terminal
def test_outside_tmux_a_lost_session_is_resumed_in_the_apps_own_terminal(harness: AppHarness) -> None:
    harness.start_session(A)
    app = harness.workspace.inner.start(
        ["env", "-u", "TMUX", "-u", "TMUX_PANE", ATM_TUI],
        cwd=harness.home,
        env={"ATM_CLAUDE": str(harness.beside)},
        stay=True,
    )
    app.wait_for("lost")
    before = read_still_screen(app)
    app.press_keys("Enter")
    app.wait_for("resume it here")
    act_until(lambda: app.press_keys("Enter"), lambda: "beside: --resume" in app.read_screen(), pause=1.5)
    wait_until(lambda: f"beside: --resume {A} in {harness.work}" in join_lines(app), "the client resumed")
    app.press_keys("Enter")
    app.wait_for("recently closed")
    wait_until(lambda: read_still_screen(app) == before, "the screen as before")
    app.type_text("q")
    assert app.wait_for_exit() == 0
    app.assert_clean()


@pytest.mark.long  # tests/app/test_replay_screen.py has these keys in every run
def test_replay_plays_steps_and_leaves_a_clean_terminal(harness: AppHarness) -> None:
    recording = Path(__file__).parent.parent / "data" / "recordings" / "01-permission-allowed.jsonl"
    app = harness.start_app("replay", "--paused", str(recording))
    app.wait_for("paused")
    for _ in range(6):
        app.press_keys(".")
    app.wait_for(r" 7 of \d+")
    app.press_keys("<")
    app.wait_for(r" 6 of \d+")
    app.press_keys("}")
    app.press_keys("]", "p")
    app.wait_for("2x")
    app.wait_for("at the end")
    app.type_text("q")
    assert app.wait_for_exit() == 0
    app.assert_clean()


@pytest.mark.long
def test_sigterm_during_a_replay_restores_the_terminal(harness: AppHarness) -> None:
    harness.start_session(A)
    app = harness.start_app("replay", "aaaa")
    app.wait_for("SessionStart|UserPromptSubmit")
    app.find_program().terminate()
    assert app.wait_for_exit() == 128 + 15
    app.assert_clean()


@pytest.mark.long  # the tour goes through the demo as well
def test_the_demo_runs_in_the_apps_terminal_and_closes(harness: AppHarness) -> None:
    app = harness.start_app()
    app.wait_for("No sessions yet")
    app.press_keys("d")
    app.wait_gone("No sessions yet")
    app.wait_for("recently closed|working")
    app.type_text("q")
    app.wait_for("No sessions yet")
    app.type_text("q")
    assert app.wait_for_exit() == 0
    app.assert_clean()
