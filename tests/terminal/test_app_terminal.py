"""The real app in a real tmux: keys in, screen out, at two sizes; resized while events arrive; a clean terminal afterwards."""

import re
import signal
import threading
import time
from pathlib import Path

import pytest

from tests.support.effort import sample
from tests.support.program import ATM_TUI
from tests.support.terminal_events import NARROW, WIDE, replay_recording, send_event
from tests.support.tmux import Pane, Tmux
from tests.support.waiting import act_until, wait_until


def wait_for_cursor_on(pane: Pane, words: str) -> None:
    """Waits until the cursor's row, the one with the bar in front, holds the words."""
    pane.wait_for(rf"(?m)^▌.*{words}")


@pytest.fixture
def fleet(terminal_env: dict[str, str]) -> dict[str, str]:
    """A permission inside a subagent, a question, a failed turn."""
    replay_recording(terminal_env, "02-background-subagents", 5.0)
    replay_recording(terminal_env, "03-ask-user-question", 8.0)
    replay_recording(terminal_env, "05-api-errors", 5.0)
    return terminal_env


def start_app(tmux: Tmux, fleet: dict[str, str], size: tuple[int, int] = WIDE) -> Pane:
    pane = tmux.start([ATM_TUI], size=size, env=fleet, stay=True)
    pane.wait_for("Review the")
    return pane


@pytest.mark.parametrize("size", sample([WIDE, NARROW], WIDE), ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_fleet_is_shown_and_changes_only_with_events(
    tmux: Tmux, fleet: dict[str, str], size: tuple[int, int]
) -> None:
    """The steps share one app, for each start costs a second; it is left by `q`, and the narrow one by a signal."""
    app = start_app(tmux, fleet, size)
    check_columns(app)
    check_keys(app)
    check_new_wait(app, fleet)
    if size == WIDE:
        check_resizes(app, fleet)
        app.press_keys("q")
        assert app.wait_for_exit() == 0
    else:
        app.find_program().send_signal(signal.SIGTERM)
        assert app.wait_for_exit() == 128 + signal.SIGTERM
    app.assert_clean()


def check_columns(app: Pane) -> None:
    """All sessions are there, and what stands in a column begins where its head does."""
    app.wait_for(r"3 need")
    app.wait_for(r"waiting for you")  # the queue comes last: nothing is laid out anew after it
    app.wait_for(r"● Explore +.*permission")
    screen = app.wait_for(r"SESSION .*FOR")
    assert re.search(r"● Review the.*permission", screen)
    assert re.search(r"✗ Trigger err.*failed: unknown", screen)
    assert re.search(r"● Pick a.*question", screen)
    lines = screen.splitlines()
    head = next(line for line in lines if "SESSION" in line)
    rows = [line for line in lines if re.match(r".{2,9}[●✗◐] \w", line)]
    assert len(rows) >= 4
    for row in rows:
        assert row[head.index("STATE") - 1] == " "
        assert re.match(r"permission|question|failed|thinking|Read", row[head.index("STATE") :]), row
        assert re.search(r"\d+[smhd]$", row[: head.index("FOR") + 3]), row


def check_keys(app: Pane) -> None:
    """Keys move the cursor, fold a row, and open and close the help."""
    app.press_keys("G")
    wait_for_cursor_on(app, "Pick a")
    app.press_keys("g")
    wait_for_cursor_on(app, "api")
    app.press_keys("j")
    wait_for_cursor_on(app, "Review the")
    app.press_keys("Down")
    wait_for_cursor_on(app, "Explore")
    app.press_keys("k")
    wait_for_cursor_on(app, "Review the")
    app.press_keys("h")
    app.wait_gone(r"(?m)^.{2,9}● Explore")
    wait_for_cursor_on(app, "Review the")
    app.press_keys("Right")
    app.wait_for(r"(?m)^.{2,9}● Explore")
    app.press_keys("?")
    app.wait_for(r"What you do most")
    app.press_keys("Escape")
    app.wait_gone(r"What you do most")


def check_new_wait(app: Pane, fleet: dict[str, str]) -> None:
    """A new session that waits moves neither the cursor nor a row."""
    app.press_keys("G")
    wait_for_cursor_on(app, "Pick a")

    def rows() -> list[str]:
        lines = [line[:20].rstrip() for line in app.read_screen().splitlines() if re.match(r".{2,9}[●✗◐] \w", line)]
        return [row for row in lines if "Stress" not in row]

    before = rows()
    send_event(fleet, hook_event_name="SessionStart", source="startup")
    send_event(fleet, hook_event_name="UserPromptSubmit", prompt="Stress the screen")
    send_event(fleet, hook_event_name="PermissionRequest", tool_name="Bash", tool_input={"command": "rm x"})
    app.wait_for("4 need")
    app.wait_for("Stress the")
    wait_for_cursor_on(app, "Pick a")
    wait_until(lambda: rows() == before, "the same rows in the same order")


def check_resizes(app: Pane, fleet: dict[str, str]) -> None:
    """Resized while events arrive, the screen is whole at the end."""
    done = threading.Event()

    def events() -> None:
        send_event(fleet, session_id="live-2", hook_event_name="SessionStart", source="startup")
        send_event(fleet, session_id="live-2", hook_event_name="UserPromptSubmit", prompt="Resize the screen")
        for number in range(20):
            send_event(
                fleet,
                session_id="live-2",
                hook_event_name="PreToolUse",
                tool_name="Bash",
                tool_input={"command": f"step {number}"},
                tool_use_id=f"t{number}",
            )
        done.set()

    thread = threading.Thread(target=events)
    thread.start()
    sizes = [(40, 10), (140, 45), (80, 24), (59, 20), (101, 30)]
    for number in range(200):
        app.resize(*sizes[number % len(sizes)])
        time.sleep(0.05)
        if done.is_set():
            break
    thread.join()
    app.resize(*WIDE)
    app.wait_for("Resize the")
    screen = app.wait_for("step 19")
    assert all(len(line) <= WIDE[0] for line in screen.splitlines())


def test_a_running_app_ends_only_by_a_signal(tmux: Tmux, fleet: dict[str, str]) -> None:
    (Path(fleet["ATM_STATE_DIR"]) / "sessions" / "3f9a.json").write_text('{"schema": 1, "session')
    pane = start_app(tmux, fleet)

    # An unreadable state file is a row that says why.
    pane.wait_for(r"3f9a")
    pane.wait_for(r"truncated|unexpected|unreadable")

    # A signal to continue changes nothing.
    threads = pane.find_program().num_threads()
    for _ in range(20):
        pane.find_program().send_signal(signal.SIGCONT)
        time.sleep(0.03)
    pane.press_keys("b")
    pane.wait_for("Needs you")
    assert pane.find_program().num_threads() < threads + 12  # those that read files come and go

    # After some terminals reattach, the mouse falls back to bytes that are no UTF-8.
    tmux.run("send-keys", "-t", pane.target, "-H", "1b", "5b", "4d", "20", "a0", "a0")

    # The UTF-8 among them counts as keys, and may open a peek; what is typed in the same moment may be lost with the rest.
    def leave_peek_and_board() -> None:
        pane.press_keys("Escape")
        time.sleep(0.3)  # both at once would be one key with Alt
        pane.press_keys("t")

    act_until(leave_peek_and_board, lambda: "SESSION" in pane.read_screen(), "the tree")

    # The signal of a terminal that goes leaves it clean.
    pane.find_program().send_signal(signal.SIGHUP)
    assert pane.wait_for_exit() == 128 + signal.SIGHUP
    pane.assert_clean()


def test_a_suspended_app_releases_the_terminal_and_is_redrawn_by_fg(tmux: Tmux, fleet: dict[str, str]) -> None:
    pane = tmux.start(["bash", "--norc", "-i"], size=WIDE, env={**fleet, "PS1": "shell> "})
    pane.wait_for("shell>")
    pane.type_text(f"{ATM_TUI}")
    pane.press_keys("Enter")
    pane.wait_for("Review the")
    pane.wait_for("q quit")
    ways = ("signal", "key", "key in a dialog")
    for number, how in enumerate(sample(ways, "signal", "key in a dialog"), 1):
        if how == "key in a dialog":
            pane.press_keys("?")
            pane.wait_for("Next row")
            time.sleep(1.0)  # until the frame of the dialog is whole
        before = set(re.findall(r"[a-z]{4,}", pane.read_screen()))
        if how == "signal":
            pane.find_program().send_signal(signal.SIGTSTP)
        else:
            pane.press_keys("C-z")
        pane.wait_for("Stopped")
        assert pane.read_format("#{alternate_on} #{cursor_flag} #{mouse_any_flag}") == "0 1 0", how
        pane.type_text(f"clear; echo shell number $(({number} + 10))")  # cleared, so that the next stop is seen
        pane.press_keys("Enter")
        pane.wait_for(f"^shell number {number + 10}$")
        pane.type_text("fg")
        pane.press_keys("Enter")

        def is_whole(before: set[str] = before) -> bool:
            """Whether the words are there again; a few change with the time."""
            return len(before - set(re.findall(r"[a-z]{4,}", pane.read_screen()))) <= len(before) // 10

        wait_until(is_whole, f"the whole screen after a {how}", 20.0)
    pane.press_keys("Escape")
    pane.wait_gone("Esc closes")
    pane.press_keys("q")
    pane.wait_for(r"^shell>$")


@pytest.mark.long  # tests/app/test_welcome.py has these steps in every run, and the tour a first start
def test_the_first_start_walks_through_three_steps_and_never_again(tmux: Tmux, terminal_env: dict[str, str]) -> None:
    (Path(terminal_env["ATM_STATE_DIR"]) / "app" / "told.json").unlink()
    settings = Path(terminal_env["HOME"]) / ".claude" / "settings.json"
    pane = tmux.start([ATM_TUI], size=(80, 24), env=terminal_env, stay=True)
    pane.wait_for("1 of 3")
    pane.press_keys("Enter")
    pane.wait_for("2 of 3")
    pane.wait_for("not installed yet")
    pane.press_keys("i")
    pane.wait_for("1 of 4")
    pane.press_keys("Escape")
    pane.wait_for("3 of 3")
    pane.press_keys("Enter")
    screen = pane.wait_for("No sessions yet")
    for words in ("atm-tui install", "claude", "atm-tui demo"):
        assert words in screen
    assert not settings.exists()
    pane.press_keys("q")
    assert pane.wait_for_exit() == 0
    again = tmux.start([ATM_TUI], size=(80, 24), env=terminal_env, stay=True)
    again.wait_for("No sessions yet")
    time.sleep(1)
    assert "of 3" not in again.read_screen()
    close_terminal(again)


@pytest.mark.long
def test_a_closed_terminal_ends_the_app_every_time(tmux: Tmux, fleet: dict[str, str]) -> None:
    tmux.start(["sleep", "600"], size=WIDE, env=fleet)
    for _ in range(3):
        close_terminal(start_app(tmux, fleet))


def close_terminal(pane: Pane) -> None:
    """Closes a terminal, and waits for the app in it to end: the system sends SIGHUP, and SIGCONT with it."""
    program = pane.find_program()
    pane.close()
    program.wait(timeout=60)


@pytest.mark.long  # tests/app/ has each of these in every run
def test_a_chord_a_typed_command_a_menu_and_ctrl_c(tmux: Tmux, fleet: dict[str, str]) -> None:
    config = Path(fleet["HOME"]) / "mine.toml"
    config.write_text('[keys]\npreset = "vim"\nboard = ["B", "g b"]\n')
    pane = tmux.start([ATM_TUI], size=(120, 30), env={**fleet, "ATM_CONFIG": str(config)}, stay=True)
    pane.wait_for("B board")
    pane.press_keys("g")
    pane.wait_for(r"g …   g first")
    pane.press_keys("b")
    pane.wait_for("Needs you")
    pane.type_text(":tree")
    pane.press_keys("Enter")
    pane.wait_for("SESSION")
    pane.type_text(":bord")
    pane.press_keys("Enter")
    pane.wait_for('no command "bord"; did you mean board')
    pane.press_keys("Escape")
    pane.wait_gone("did you mean")
    lines = pane.read_screen().splitlines()
    y = next(y for y, line in enumerate(lines) if re.search(r"[●◐✓○] Review the", line))
    for end in "Mm":
        pane.type_text(f"\x1b[<2;20;{y + 1}{end}")
    pane.wait_for("╭─ ")
    pane.press_keys("v")
    pane.wait_for("1 marked")
    pane.press_keys("C-c")
    pane.wait_for("press Ctrl.C again within 2 seconds to quit")
    pane.press_keys("C-c")
    assert pane.wait_for_exit() == 0
    pane.assert_clean()
