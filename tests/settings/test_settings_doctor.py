"""`atm-tui doctor`: each fault is found, named and comes with advice; what is fine is said too."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time

import pytest

from atm_hooks.journal import FOLDERS
from atm_tui import paths
from atm_tui.cli.doctor import add_doctor_arguments, run_doctor
from atm_tui.settings.check import Level
from atm_tui.settings.doctor import (
    check_policy,
    check_project,
    check_sessions,
    check_settings,
)
from atm_tui.settings.doctor_machine import check_client, check_inotify, check_tmux
from atm_tui.settings.doctor_state import check_hook_log, check_state_dir
from atm_tui.settings.trial import try_command

RECORDS = """
import os, sys
os.makedirs(sys.argv[1] + "/sessions")
open(sys.argv[1] + "/sessions/atm-tui-doctor.json", "w").close()
"""


pytestmark = pytest.mark.usefixtures("nothing_is_slow")


def run_checks(*words: str) -> int:
    parser = argparse.ArgumentParser()
    add_doctor_arguments(parser)
    return run_doctor(parser.parse_args(words))


def get_levels(checks) -> dict[str, Level]:
    found = list(checks)
    for check in found:
        assert check.text
        assert bool(check.advice) == (check.level is not Level.OK), check
    return {check.name: check.level for check in found}


def test_a_correct_install_passes_all_checks_and_leaves_no_sample(config_dir, capsys):
    assert run_checks() == 0
    output = capsys.readouterr().out
    assert "ok      hooks: installed and current, 24 events" in output
    assert "ok      hook: runs, " in output
    assert "ok      statusline: runs, " in output
    assert "BROKEN" not in output
    assert not paths.find_state_dir().exists()


def test_json(config_dir, capsys):
    (config_dir / "settings.json").write_text("{,}")
    assert run_checks("--json") == 1
    report = json.loads(capsys.readouterr().out)
    assert report["ok"] is False
    assert report["checks"][0] == {
        "name": "settings",
        "level": "broken",
        "where": str(config_dir / "settings.json"),
        "text": "line 1, column 2: a key in double quotes expected, found ','; "
        "Claude Code itself ignores this file until it is fixed",
        "advice": "Correct that place in an editor.",
        "ms": None,
    }


def test_nothing_installed_is_a_warning(home, capsys):
    assert run_checks() == 0
    assert "Run `atm-tui install`" in capsys.readouterr().out


def test_every_known_folder_is_checked(config_dir, home, run, capsys, monkeypatch):
    monkeypatch.chdir("/")
    run("install", "--yes", "--config-dir", str(home / "work"))
    assert run_checks() == 0
    assert capsys.readouterr().out.count("installed and current") == 2
    assert run_checks("--config-dir", str(home / "work")) == 0
    assert str(home / ".claude") not in capsys.readouterr().out


def test_faults_of_ours_and_of_others_are_found_together(config_dir, home):
    path = config_dir / "settings.json"
    content = json.loads(path.read_text())
    content["hooks"]["Stop"] *= 2
    del content["hooks"]["SessionEnd"]
    content["hooks"]["PermissionRequest"].append({"matcher": None, "hooks": []})
    content["hooks"]["Setup"].append({"type": "command", "command": "flat"})
    content["disableAllHooks"] = True
    content["enabledPlugins"] = {"atm-tui@atm-tui": True}
    path.write_text(json.dumps(content))
    shutil.rmtree(home / "data/atm-tui/hooks")
    found = list(check_settings(config_dir, paths.find_state_dir()))
    seen = {check.name: check.level for check in found if check.level is not Level.OK}
    assert seen == {
        "settings": Level.BROKEN,
        "disabled": Level.BROKEN,
        "routes": Level.WARNING,
        "missing": Level.BROKEN,
        "doubled": Level.BROKEN,
        "dangling": Level.BROKEN,
        "hook": Level.BROKEN,
        "statusline": Level.BROKEN,
        "plugin": Level.BROKEN,
    }
    texts = " ".join(check.text for check in found)
    assert "hooks.PermissionRequest[1].matcher is null, not string; Claude Code itself ignores the whole file" in texts
    assert "hooks.Setup[1] has no list of hooks" in texts


def test_the_users_own_line_runs_within_ours(config_dir, run):
    path = config_dir / "settings.json"
    run("uninstall", "--yes")
    path.write_text('{"statusLine": {"type": "command", "command": "cat >/dev/null; echo mine"}}')
    run("install", "--yes")
    assert get_levels(check_settings(config_dir, paths.find_state_dir()))["statusline"] is Level.OK
    path.write_text(path.read_text().replace("echo mine", "true"))
    (line,) = [each for each in check_settings(config_dir, paths.find_state_dir()) if each.name == "statusline"]
    assert "your own line printed nothing" in line.text


@pytest.mark.parametrize(("times", "level"), [(1, Level.OK), (2, Level.WARNING)])
def test_only_a_hook_that_is_slow_twice_is_reported(config_dir, home, run, times, level, monkeypatch):
    monkeypatch.setattr("atm_tui.settings.hook_speed.SLOW_MS", 2_000.0)
    path, slow = config_dir / "settings.json", home / "slow"
    run("uninstall", "--yes")
    own = f"test $(wc -c < {slow}) -ge {times} || {{ printf x >> {slow}; sleep 2; }}; echo mine"
    slow.touch()
    path.write_text(json.dumps({"statusLine": {"type": "command", "command": own}}))
    run("install", "--yes")
    slow.write_text("")
    assert get_levels(check_settings(config_dir, paths.find_state_dir()))["statusline"] is level


@pytest.mark.parametrize(
    ("hook", "problem"),
    [
        ("print('noise')", "recorded nothing"),
        ("import time; time.sleep(60)", "did not end within"),
        (RECORDS + "print('noise')", "should be silent"),
        (RECORDS + "sys.exit(2)", ""),
    ],
)
def test_a_hook_that_misbehaves(config_dir, home, hook, problem, monkeypatch):
    monkeypatch.setattr("atm_tui.settings.trial.LIMIT", 1 if "sleep" in hook else 50)
    script = home / "data/atm-tui/hooks/atm_hooks/hook.py"
    script.write_text(hook)
    command = json.loads((config_dir / "settings.json").read_text())["hooks"]["Stop"][0]["hooks"][0]["command"]
    found = try_command(command, is_line=False).problem
    assert problem in found
    assert bool(problem) == bool(found)


def test_state_folder(tmp_path):
    folder = tmp_path / "state"
    assert get_levels(check_state_dir(folder)) == {"state": Level.OK}
    folder.mkdir(mode=0o700)
    assert get_levels(check_state_dir(folder)) == {"state": Level.OK}
    folder.chmod(0o755)
    assert get_levels(check_state_dir(folder)) == {"state": Level.WARNING}
    folder.rmdir()
    folder.write_text("")
    assert get_levels(check_state_dir(folder)) == {"state": Level.BROKEN}


def test_the_installed_hook_is_tried_in_the_real_state_folder(config_dir):
    state = paths.find_state_dir()
    assert get_levels(check_settings(config_dir, state))["recording"] is Level.OK
    assert not state.exists()
    state.mkdir(parents=True, mode=0o700)
    assert get_levels(check_settings(config_dir, state))["recording"] is Level.OK
    assert [each for each in state.rglob("*") if each.is_file()] == []
    for broken in FOLDERS:
        for each in FOLDERS:
            (state / each).rmdir()
        (state / broken).write_text("no folder")
        found = {check.name: check for check in check_settings(config_dir, state)}
        assert found["recording"].level is Level.BROKEN, broken
        assert found["recording"].where == str(state)
        assert get_levels(check_state_dir(state)) == {"state": Level.BROKEN}
        (state / broken).unlink()
        for each in FOLDERS:
            (state / each).mkdir(exist_ok=True)


def give_to_other_user(path):
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    os.chown(path, 65534, 65534, follow_symlinks=False)


@pytest.mark.parametrize("kind", ["mode", "owner", "link", "file", "lock", "part mode"])
def test_a_state_folder_in_which_hooks_record_nothing_is_found(tmp_path, kind):
    folder = tmp_path / "state"
    for part in FOLDERS:
        (folder / part).mkdir(parents=True)
    folder.chmod(0o700)
    level = Level.BROKEN
    if kind == "mode":
        folder.chmod(0o777)
    elif kind == "owner":
        give_to_other_user(folder)
    elif kind == "link":
        folder.rename(tmp_path / "real")
        folder.symlink_to(tmp_path / "real")
        give_to_other_user(folder)
    elif kind == "part mode":
        (folder / "journal").chmod(0o777)
        level = Level.WARNING
    else:
        path = folder / ("sessions/a.json" if kind == "file" else "locks/a.lock")
        path.write_text("{}")
        give_to_other_user(path)
    (check,) = check_state_dir(folder)
    assert (check.name, check.level) == ("state", level)
    assert "chown" in check.advice or "chmod" in check.advice
    assert ("a link that belongs to" in check.text) is (kind == "link")


def test_dangling_links_and_irregular_files_are_found(tmp_path):
    folder = tmp_path / "state"
    folder.symlink_to(tmp_path / "gone")
    assert get_levels(check_state_dir(folder)) == {"state": Level.BROKEN}
    folder.unlink()
    (folder / "journal").mkdir(parents=True)
    folder.chmod(0o700)
    os.mkfifo(folder / "journal" / "a.jsonl")
    (check,) = check_state_dir(folder)
    assert "are not regular files" in check.text


def test_the_log_of_the_hooks_is_shown(tmp_path):
    now = 1_800_000_000.0
    assert list(check_hook_log(tmp_path, now)) == []
    log = tmp_path / "hook.log"
    log.write_text(f"{now - 90000:.3f} refused: old\n")
    assert get_levels(check_hook_log(tmp_path, now)) == {"log": Level.OK}
    with log.open("a") as file:
        file.write(f"garbage\n{now - 5:.3f} OSError: [Errno 28] No space left\x1b[2J on device\n")
    (check,) = check_hook_log(tmp_path, now)
    assert check.level is Level.WARNING
    assert "1 error in" in check.text
    assert "No space left" in check.text
    assert "\x1b" not in check.text
    log.unlink()
    os.mkfifo(log)
    assert get_levels(check_hook_log(tmp_path, now)) == {"log": Level.WARNING}


def test_live_sessions_without_events_are_named(home):
    config, state, project = home / ".claude", home / "state", home / "shop"
    (config / "sessions").mkdir(parents=True)
    (state / "sessions").mkdir(parents=True)
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        for number, pid in enumerate((child.pid, os.getpid(), 2**22 + 1)):
            entry = {"pid": pid, "sessionId": f"session{number}", "cwd": str(project), "startedAt": 1000}
            (config / "sessions" / f"{pid}.json").write_text(json.dumps(entry))
        (state / "sessions/session1.json").write_text("{}")
        settings = project / ".claude/settings.local.json"
        settings.parent.mkdir(parents=True)
        settings.write_text('{"disableAllHooks": true, "statusLine": {"type": "command", "command": "/x/line"}}')
        found = list(check_sessions(config, state, time.time()))
        assert [(check.name, check.where) for check in found] == [
            ("disabled", str(settings)),
            ("statusline", str(settings)),
            ("session", str(config)),
        ]
        assert "its project switches them off" in found[-1].text
        settings.unlink()
        (check,) = check_sessions(config, state, time.time())
        assert (check.level, f"pid {child.pid}, {project}" in check.text) == (Level.WARNING, True)
        (state / "sessions/session0.json").write_text("{}")
        (check,) = check_sessions(config, state, time.time())
        assert (check.level, check.text) == (Level.OK, "2 live sessions, all of them report")
    finally:
        child.communicate(b"\n")


def test_inotify_headroom(tmp_path):
    limits = tmp_path / "sys/fs/inotify"
    limits.mkdir(parents=True)
    assert list(check_inotify(tmp_path)) == []
    (limits / "max_user_instances").write_text("2\n")
    (limits / "max_user_watches").write_text("100\n")
    for number, watches in enumerate((1, 30)):
        process = tmp_path / str(100 + number)
        (process / "fd").mkdir(parents=True)
        (process / "fdinfo").mkdir()
        (process / "fd/3").symlink_to("anon_inode:inotify")
        (process / "fdinfo/3").write_text("pos: 0\n" + "inotify wd:1 ino:2\n" * watches)
        (check,) = check_inotify(tmp_path)
        assert f"{number + 1} of 2 instances" in check.text
        assert check.level is (Level.WARNING if number else Level.OK)


@pytest.mark.parametrize(
    ("says", "level", "told"),
    [
        ("2.1.332 (Claude Code)", Level.OK, "works as recorded"),
        ("2.1.333 (Claude Code)", Level.WARNING, "newer than 2.1.332, the newest version that was compared"),
        ("3.0.0 (Claude Code)", Level.WARNING, "newer than 2.1.332"),
        ("2.1.220 (Claude Code)", Level.OK, "compared with 2.1.332: it shows other costs"),
        ("2.1.300 (Claude Code)", Level.OK, "the nearest version that was is 2.1.220: "),
        ("2.0.1 (Claude Code)", Level.WARNING, "subagents are not told apart"),
        ("hello", Level.WARNING, "not a version number"),
    ],
)
def test_client_version(says, level, told, tmp_path, monkeypatch):
    program = tmp_path / "claude"
    program.write_text(f"#!/bin/sh\necho '{says}'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    (check,) = check_client()
    assert (check.level, told in check.text) == (level, True), check
    assert (check.level is Level.OK) == (not check.advice)


def test_missing_programs_are_reported(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert get_levels(check_client()) == {"client": Level.WARNING}
    assert get_levels(check_tmux()) == {"tmux": Level.OK}


def test_the_projects_own_files_are_checked(config_dir, home, run, monkeypatch):
    project = home / "shop"
    (project / ".claude").mkdir(parents=True)
    look = lambda: get_levels(check_project(project, config_dir, paths.find_state_dir()))  # noqa: E731
    assert look() == {}
    (project / ".claude/settings.json").write_text("{,}")
    (project / ".claude/settings.local.json").write_text('{"disableAllHooks": true}')
    found = look()
    assert found["settings"] is not Level.OK
    assert found["disabled"] is Level.WARNING
    (project / ".claude/settings.local.json").unlink()
    # the same commands as the user's run once; others would run as well
    text = (config_dir / "settings.json").read_text()
    (project / ".claude/settings.json").write_text(text)
    assert "routes" not in look()
    (project / ".claude/settings.json").write_text(text.replace("-I -S", "-I  -S"))
    assert look()["routes"] is Level.WARNING
    # in the home folder the project's file is the user's own
    assert get_levels(check_project(home, home / ".claude", paths.find_state_dir())) == {}


def test_managed_settings_are_reported(tmp_path):
    assert get_levels(check_policy(tmp_path)) == {}
    (tmp_path / "managed-settings.json").write_text('{"model": "opus"}')
    assert get_levels(check_policy(tmp_path)) == {"policy": Level.OK}
    (tmp_path / "managed-settings.d").mkdir()
    (tmp_path / "managed-settings.d/10.json").write_text('{"allowManagedHooksOnly": true}')
    (tmp_path / "managed-settings.d/20.json").write_text("nothing")
    found = list(check_policy(tmp_path))
    assert [check.level for check in found] == [Level.OK, Level.WARNING, Level.WARNING]
    assert "allowManagedHooksOnly" in found[1].text
    assert "line 1" in found[2].text
