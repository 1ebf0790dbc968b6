"""One bad day of the real app in a real tmux: no file watches, state files that are none, a folder that goes, a long stop."""

import re
import shutil
import signal
import sys
import time
from pathlib import Path

import pytest

from atm_hooks import journal
from atm_tui.view.tree_rows import MOST_CLOSED
from tests.support.effort import LONG
from tests.support.false_clock import FalseClock
from tests.support.silent_mount import mount_silently
from tests.support.terminal_events import WIDE, replay_recording, send_event
from tests.support.tmux import Pane, Tmux
from tests.support.waiting import act_until

STOPPED = 60.0 if LONG else 2.0
"""Seconds for which the app is stopped."""
PROGRAM = [sys.executable, "-m", "atm_tui"]
NOT_UTF_8 = ("LC_ALL=C", "PYTHONCOERCECLOCALE=0", "PYTHONUTF8=0")
"""Variables of a locale that is not UTF-8, and that Python does not take for one."""
WITHOUT_WATCHES = 'echo 0 > /proc/sys/user/max_inotify_instances || exit 99; exec "$@"'
"""Shell text for a user namespace of its own, in which the system gives no file watches."""
ON_A_READ_ONLY_DISK = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" || exit 99; shift; exec "$@"'
ON_A_FULL_DISK = """
mount -t tmpfs -o size=400k small "$1" || exit 99
cp -a "$2/." "$1" && cat /dev/zero > "$1/rest" 2>/dev/null
ATM_STATE_DIR=$1; export ATM_STATE_DIR
shift 2; exec "$@"
"""
BAD_FILES = {
    "zeros": (b"\0" * 4096, "byte 0"),
    "newer": (b'{"schema": 2, "session_id": "newer"}', "schema 2"),
    "huge": (None, "Larger than"),
    "linked": ("/dev/zero", "not a regular file|Not a regular file"),
}
"""By name: the content of a state file (None: 1 GB without any, a text: what it links to), and a pattern of what its row says."""


def start_in_namespace(tmux: Tmux, env: dict[str, str], script: str, *arguments: str) -> Pane:
    """The app in a namespace of its own, which a script prepares; skips where the system gives none."""
    command = ["unshare", "-rm", "sh", "-c", script, "sh", *arguments, *PROGRAM]
    pane = tmux.start(command, size=WIDE, env=env, stay=True)
    screen = pane.wait_for(r"Review the|\[left with")
    if "[left with 99]" in screen or "unshare:" in screen:
        pytest.skip("this system gives nobody a namespace of their own")
    return pane


def make_bad_files(sessions: Path) -> None:
    for name, (content, _) in BAD_FILES.items():
        path = sessions / f"{name}.json"
        if isinstance(content, bytes):
            path.write_bytes(content)
        elif content:
            path.symlink_to(content)
        else:
            with path.open("wb") as file:
                file.truncate(1 << 30)


def test_the_app_goes_on_through_a_bad_day(tmux: Tmux, terminal_env: dict[str, str]) -> None:
    state = Path(terminal_env["ATM_STATE_DIR"])
    replay_recording(terminal_env, "02-background-subagents", 5.0)
    pane = start_in_namespace(tmux, terminal_env, WITHOUT_WATCHES)
    pane.press_keys("D")
    pane.wait_for("can't watch for changes")
    pane.press_keys("Escape")
    pane.wait_gone("can't watch for changes")

    # Bad files are rows that say why, beside the good ones, and stay as they are.
    make_bad_files(state / "sessions")
    for name, (_, words) in BAD_FILES.items():
        pane.wait_for(rf"{name}.*({words})")
    assert "Review the" in pane.read_screen()
    assert b'schema": 2' in (state / "sessions" / "newer.json").read_bytes()
    assert (state / "sessions" / "huge.json").stat().st_blocks == 0

    # A second app on the same folder, without HOME, and with a locale that is not UTF-8: only ASCII is printed.
    folders = {"XDG_CONFIG_HOME": "config", "XDG_CACHE_HOME": "cache", "CLAUDE_CONFIG_DIR": "claude"}
    other = {key: value for key, value in terminal_env.items() if key not in ("HOME", "LANG")}
    other |= {key: str(state.parent / name) for key, name in folders.items()}
    second = tmux.start(["env", "-u", "HOME", *NOT_UTF_8, *PROGRAM], size=WIDE, env=other, stay=True)
    assert second.wait_for("Review the").isascii()

    # The folder goes, and comes back with the next event.
    act_until(lambda: shutil.rmtree(state, ignore_errors=True), lambda: not state.exists(), "a folder without files")
    for each in (pane, second):
        each.wait_gone("Review the")
    send_event(terminal_env, hook_event_name="UserPromptSubmit", prompt="back again")
    for each in (pane, second):
        each.wait_for("back again")

    # Stopped for long, as by a debugger or a laptop that sleeps: what happened meanwhile is there.
    program = pane.find_program()
    program.send_signal(signal.SIGSTOP)
    send_event(terminal_env, hook_event_name="Stop", prompt_id="p1")
    send_event(terminal_env, hook_event_name="UserPromptSubmit", prompt="while it was stopped", prompt_id="p2")
    time.sleep(STOPPED)
    program.send_signal(signal.SIGCONT)
    pane.wait_for("while it was stopped")

    # Each ends by the signal of a terminal that goes, and leaves the terminal clean.
    for each in (pane, second):
        each.find_program().send_signal(signal.SIGHUP)
        assert each.wait_for_exit() == 128 + signal.SIGHUP
        each.assert_clean()


def test_disks_that_take_nothing(tmux: Tmux, terminal_env: dict[str, str], tmp_path: Path) -> None:
    state, disk = Path(terminal_env["ATM_STATE_DIR"]), tmp_path / "disk"
    replay_recording(terminal_env, "02-background-subagents", 5.0)
    disk.mkdir(mode=0o700)
    before = {path: path.read_bytes() for path in state.rglob("*") if path.is_file()}
    panes = {
        r"is full|full\. Make room": start_in_namespace(tmux, terminal_env, ON_A_FULL_DISK, str(disk), str(state)),
        r"read-only\. Mount it": start_in_namespace(tmux, terminal_env, ON_A_READ_ONLY_DISK, str(state)),
    }
    for words, pane in panes.items():
        pane.wait_for("Events are lost: the disk of ")
        pane.press_keys("D")
        pane.wait_for(words)
        pane.press_keys("Escape")
        pane.wait_gone(words)
        pane.press_keys("b")
        pane.wait_for("Needs you")
        pane.press_keys("q")
        assert pane.wait_for_exit() == 0
        pane.assert_clean()
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.long
def test_a_night_on_a_file_system_that_tells_nothing(tmux: Tmux, terminal_env: dict[str, str], tmp_path: Path) -> None:
    """The machine sleeps for eight hours, then its clock is set back; the state folder is a mount beneath which files change."""
    clock, place = FalseClock(tmp_path), tmp_path / "mount"
    state = Path(terminal_env["ATM_STATE_DIR"])
    replay_recording(terminal_env, "02-background-subagents", 5.0)
    with mount_silently(state, place) as is_mounted:
        env = {**terminal_env, **clock.env}
        if is_mounted:
            pane = tmux.start(PROGRAM, size=WIDE, env={**env, "ATM_STATE_DIR": str(place)}, stay=True)
            assert "can't watch" not in pane.wait_for("Review the")
        else:  # as far as the app is concerned, the same: nothing tells of changes
            pane = start_in_namespace(tmux, env, WITHOUT_WATCHES)
        send_event(env, hook_event_name="UserPromptSubmit", prompt="at dusk")
        pane.wait_for("at dusk")

        clock.move("+8h")
        screen = pane.wait_for(r"Review the(?s:.*)\b8h0\d")
        assert not re.search("lost|interrupted", screen), screen
        send_event(env, hook_event_name="UserPromptSubmit", prompt="at dawn", session_id="live-2")
        pane.wait_for("at dawn")

        clock.move("-3h")
        screen = pane.wait_gone(r"\b8h0\d")
        assert "Review the" in screen
        send_event(env, hook_event_name="UserPromptSubmit", prompt="set back", session_id="live-3")
        screen = pane.wait_for("set back")
        assert "Review the" in screen
        assert not re.search(r"-\d+[smhd]|lost|interrupted", screen), screen
        pane.press_keys("q")
        assert pane.wait_for_exit() == 0


@pytest.mark.long  # tests/app/test_many_sessions.py has this with fewer files in every run
@pytest.mark.timeout(1500)
@pytest.mark.parametrize("count", [700, 2_500, 100_000])
def test_a_folder_of_many_files(tmux: Tmux, terminal_env: dict[str, str], count: int) -> None:
    """Of sessions that are over, beside one that waits, which is shown first; keys work while the others are read."""
    state = Path(terminal_env["ATM_STATE_DIR"])
    send_event(terminal_env, session_id="00000000", hook_event_name="SessionStart", source="startup")
    send_event(terminal_env, session_id="00000000", hook_event_name="SessionEnd", reason="other")
    known = (state / "sessions" / "00000000.json").read_text()
    for number in range(1, count):
        (state / "sessions" / f"{number:08}.json").write_text(known.replace("00000000", f"{number:08}"))
    replay_recording(terminal_env, "02-background-subagents", 5.0)
    pane = tmux.start(PROGRAM, size=WIDE, env=terminal_env, stay=True)
    screen = pane.wait_for("Review the")
    assert count < 100_000 or "still to read" in screen
    pane.press_keys("b")
    pane.wait_for("Needs you")
    pane.press_keys("Escape")
    pane.wait_gone("still to read", timeout=900)
    pane.wait_for("recently closed")  # ten seconds after they ended
    pane.press_keys("End")
    pane.wait_for(rf"\+{count - MOST_CLOSED:,} older")
    journal.remove_session(str(state), "00000007")
    pane.wait_for(rf"\+{count - MOST_CLOSED - 1:,} older", timeout=60)
    send_event(terminal_env, hook_event_name="UserPromptSubmit", prompt="one of many")
    pane.wait_for("1 working")
    pane.press_keys("Home")  # its project is above the first row
    pane.wait_for("one of many")
    pane.press_keys("q")
    assert pane.wait_for_exit(60) == 0
