"""The commands as real processes: races, kill -9, a full disk, no permission, awkward folder names."""

import contextlib
import json
import os
import pty
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from atm_tui.settings.document import Document
from atm_tui.settings.editing import find_our_handlers
from tests.settings.conftest import RUNNER
from tests.support.effort import LONG, sample

ORIGINAL = b"""{
    "model": "opus",
    "hooks": {
        "Stop": [{"hooks": [{"type": "command", "command": "bell"}]}]
    }
}
"""


@pytest.fixture
def file(home: Path) -> Path:
    path = home / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_bytes(ORIGINAL)
    return path


def hook_command(file: Path) -> str:
    return next(find_our_handlers(Document(file.read_bytes()).root.get("hooks"))).item.value.get_string("command")


def test_install_twice_uninstall_and_undo(run, file, home):
    code, out, err = run("install", "--yes")
    assert (code, err) == (0, "")
    assert "24 added" not in out
    assert "25 added" in out
    assert "backup: " in out
    installed = file.read_bytes()
    code, out, _ = run("install", "--yes")
    assert (code, file.read_bytes()) == (0, installed)
    assert "Nothing to do" in out
    link = home / "data/atm-tui/hooks/atm_hooks"
    assert list(link.glob("__pycache__/*.pyc"))
    assert run("uninstall", "--yes")[0] == 0
    assert file.read_bytes() == ORIGINAL
    assert not (home / "data/atm-tui/hooks").exists()
    code, out, _ = run("uninstall", "--list-backups")
    assert out.count(".atm.bak") == 2
    assert run("uninstall", "--restore", "--yes")[0] == 0
    assert file.read_bytes() == installed
    assert list(link.glob("__pycache__/*.pyc"))


def test_dry_run_prints_the_diff_and_changes_nothing(run, file, home):
    code, out, _ = run("install", "--dry-run")
    assert code == 0
    assert '+        "SessionStart": [' in out
    assert " as SessionStart ]" in out, "what repeats is folded, as in the wizard"
    assert file.read_bytes() == ORIGINAL
    assert sorted(each.name for each in home.iterdir()) == [".claude"]
    _, whole, _ = run("install", "--dry-run", "--details")
    assert " as SessionStart" not in whole
    assert whole.count("\n") > 2 * out.count("\n")


def test_without_a_terminal_and_yes_nothing_is_written(run, file):
    code, _, err = run("install")
    assert code == 2
    assert "--yes" in err
    assert file.read_bytes() == ORIGINAL


@pytest.mark.parametrize(
    ("answer", "is_written"),
    sample(
        [(b"y\n", True), (b"yes\n", True), (b"n\n", False), (b"\n", False), (b"\x04", False)],
        *((b"y\n", True), (b"\n", False), (b"\x04", False)),
    ),
)
def test_on_a_terminal_the_diff_is_shown_and_confirmed(run, file, answer, is_written):
    run("install", "--yes")
    installed = file.read_bytes()
    ours, theirs = pty.openpty()
    words = [sys.executable, "-c", RUNNER, "uninstall"]
    child = subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True)
    os.close(theirs)
    seen = b""
    while b"Write this? [y/N]" not in seen:
        seen += os.read(ours, 65536)
    assert b'-        "SessionStart": [' in seen
    assert file.read_bytes() == installed
    os.write(ours, answer)
    with contextlib.suppress(OSError):  # the terminal hangs up at the end
        while os.read(ours, 65536):
            pass
    os.close(ours)
    assert child.wait(timeout=60) == (0 if is_written else 7)
    assert file.read_bytes() == (ORIGINAL if is_written else installed)


@pytest.mark.parametrize("text", [b"{\n  // no\n}", b'{"a": 1,}', b"[]", b'{"hooks": []}', b"\xff"])
def test_a_refusal_exits_with_1_and_changes_nothing(run, file, home, text):
    file.write_bytes(text)
    code, out, err = run("install", "--yes")
    assert (code, out) == (1, "")
    assert "line 1, column " in err or "line 2, column 3" in err
    assert file.read_bytes() == text
    assert sorted(each.name for each in home.iterdir()) == [".claude"]


def test_several_config_folders_and_scopes(run, home, monkeypatch):
    assert run("install", "--yes", "--config-dir", "one", "--config-dir", "two")[0] == 0
    assert all((home / name / "settings.json").is_file() for name in ("one", "two"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "three"))
    assert run("install", "--yes")[0] == 0
    assert (home / "three/settings.json").is_file()
    out = run("install", "--yes", "--scope", "project")[1]
    assert "shared with others" in out
    assert "statusLine" not in json.loads((home / ".claude/settings.json").read_text())
    assert run("install", "--yes", "--scope", "local")[0] == 0
    assert "statusLine" in json.loads((home / ".claude/settings.local.json").read_text())
    out = run("uninstall", "--yes", "--config-dir", "one")[1]
    assert out.count("Still installed in ") == 4
    assert (home / "data/atm-tui/hooks/atm_hooks/hook.py").is_file()
    for words in (["--config-dir", "two"], [], ["--scope", "project"], ["--scope", "local"]):
        out = run("uninstall", "--yes", *words)[1]
    assert "hook files are removed" in out
    assert not list(home.rglob("settings*.json"))
    assert not list(home.rglob("hook.py"))


def test_plugin_route_writes_hooks_json_and_keeps_them_out_of_the_settings(run, file, home):
    code, out, _ = run("install", "--yes", "--route", "plugin")
    assert code == 0
    assert "/plugin install atm-tui@atm-tui" in out
    hooks = json.loads((home / "data/atm-tui/marketplace/plugin/hooks/hooks.json").read_text())["hooks"]
    assert len(hooks) == 24
    settings = json.loads(file.read_text())
    assert list(settings["hooks"]) == ["Stop"]
    assert "statusline.py" in settings["statusLine"]["command"]
    file.write_text(file.read_text().replace('"model"', '"enabledPlugins": {"atm-tui@atm-tui": true},\n    "model"'))
    assert "every event would arrive twice" in run("install", "--dry-run")[1]


def test_the_installed_command_runs_the_real_hook(run, file, home):
    run("install", "--yes")
    payload = {
        "session_id": "s1",
        "hook_event_name": "SessionStart",
        "cwd": "/",
        "transcript_path": "/t",
        "source": "startup",
    }
    result = subprocess.run(
        ["/bin/sh", "-c", hook_command(file)], input=json.dumps(payload), capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert (home / "state/atm-tui/sessions/s1.json").is_file()


@pytest.mark.parametrize("size", sample([10, 200_000], 200_000))
def test_the_users_statusline_passes_through_the_real_command(run, file, home, size):
    own = "printf '\\033[31mone\\033[0m\\ntwo: '; wc -c; sleep 0.1; echo oops >&2; exit 3"
    file.write_text(json.dumps({"statusLine": {"type": "command", "command": own}}))
    run("install", "--yes")
    payload = json.dumps({"session_id": "s1", "cwd": "/", "transcript_path": "/t", "pad": "x" * size})
    ends = []
    for command in (own, json.loads(file.read_text())["statusLine"]["command"]):
        words = ["/bin/sh", "-c", command]
        result = subprocess.run(words, input=payload, capture_output=True, text=True, check=False)
        ends.append((result.returncode, result.stdout, result.stderr))
    assert ends[0] == ends[1]
    assert ends[0][0] == 3
    assert (home / "state/atm-tui/sessions/s1.json").is_file()


def test_a_home_with_an_awkward_name(run, home, monkeypatch):
    awkward = home / "my home/ü$x'\";"
    awkward.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(awkward))
    monkeypatch.setenv("XDG_DATA_HOME", str(awkward / "data"))
    monkeypatch.setenv("XDG_STATE_HOME", str(awkward / "state"))
    assert run("install", "--yes")[0] == 0
    payload = '{"session_id": "s1", "hook_event_name": "Stop", "cwd": "/"}'
    command = hook_command(awkward / ".claude/settings.json")
    result = subprocess.run(["/bin/sh", "-c", command], input=payload, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert (awkward / "state/atm-tui/sessions/s1.json").is_file()
    assert run("uninstall", "--yes")[0] == 0
    assert not (awkward / ".claude/settings.json").exists()


@pytest.mark.parametrize("locale", sample(["C", "POSIX"], "C"))
def test_the_file_is_utf_8_whatever_the_locale(run, file, locale, monkeypatch):
    monkeypatch.setenv("LC_ALL", locale)
    monkeypatch.setenv("PYTHONUTF8", "0")
    monkeypatch.setenv("PYTHONCOERCECLOCALE", "0")
    text = '{"note": "日本 café 🙂"}\n'.encode()
    file.write_bytes(text)
    code, _, err = run("install", "--yes")
    assert (code, err) == (0, "")
    assert file.read_bytes().startswith(text[:-2])
    assert run("uninstall", "--yes")[0] == 0
    assert file.read_bytes() == text


def test_concurrent_processes_leave_a_complete_file(process, run, file):
    words = [("install", "--yes"), ("uninstall", "--yes"), ("install", "--yes", "--events", "lean")]
    children = [process(*words[number % 3]) for number in range(6)]
    ends = [(child.communicate(timeout=60), child.returncode) for child in children]
    assert [code for _, code in ends] == [0] * 6, ends
    assert run("install", "--yes")[0] == 0
    hooks = Document(file.read_bytes()).root.get("hooks")
    assert sorted(each.event.name for each in find_our_handlers(hooks)) == sorted({each.name for each in hooks.items})
    assert run("uninstall", "--yes")[0] == 0
    assert file.read_bytes() == ORIGINAL
    assert not [each for each in file.parent.iterdir() if each.name.endswith(".tmp")]


def test_an_unfinished_write_of_another_program_is_awaited(process, file):
    file.write_bytes(b'{"a": ')
    child = process("install", "--yes")
    time.sleep(0.3)
    file.write_bytes(b'{"a": 1,')
    time.sleep(0.05)
    file.write_bytes(b'{"a": 1, "b": 2}\n')
    code = child.wait(timeout=60)
    child.communicate()
    after = file.read_bytes()
    assert after == b'{"a": 1, "b": 2}\n' if code else after.startswith(b'{"a": 1, "b": 2, "hooks"')


def test_kill_9_at_any_moment_leaves_the_old_or_the_new_file(process, run, file):
    run("install", "--yes")
    new, seen = file.read_bytes(), set()
    chance = random.Random(7)
    for _ in range(20 if LONG else 8):
        file.write_bytes(ORIGINAL)
        child = process("install", "--yes")
        time.sleep(0.15 + 0.3 * chance.random())
        child.send_signal(signal.SIGKILL)
        child.communicate()
        assert file.read_bytes() in {ORIGINAL, new}
        seen.add(file.read_bytes())
    assert run("install", "--yes")[0] == 0
    assert run("uninstall", "--yes")[0] == 0
    assert file.read_bytes() == ORIGINAL


@pytest.mark.parametrize("limit", sample([0, 100, 4000], 0, 4000))
def test_a_full_disk_is_reported_and_no_file_is_truncated(run, file, home, limit):
    """A limit on the size of files stands in for the disk: the real write call fails in the middle."""
    run("install", "--yes", "--config-dir", "other")  # the hook's files and receipts are there
    code = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, resource.RLIM_INFINITY))\n" + RUNNER
    result = subprocess.run(
        [sys.executable, "-c", code, "install", "--yes"],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert result.returncode == 1
    assert "may not grow so large" in result.stderr or "File too large" in result.stderr
    assert file.read_bytes() == ORIGINAL
    assert [each.name for each in file.parent.iterdir()] == ["settings.json"]
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != limit
