"""`atm-tui purge` and `uninstall --purge` remove everything that atm-tui stored, and nothing else."""

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from atm_hooks import answer_log, journal, payload
from atm_tui.sources.folders import encode_folder
from atm_tui.sources.kept_usage import KEPT
from atm_tui.sources.notify_locks import hold_app_lock, hold_front_lock
from atm_tui.sources.state_schema import write_schema
from tests.support.every_command import run_here
from tests.support.forked import CommandResult, run_command
from tests.support.full_home import SESSION, FullHome, write
from tests.support.privileges import without_privileges

PRIVACY = Path(__file__).parents[2] / "docs/privacy.md"
ENDED = "00000000-0000-4000-8000-00000000000e"
OTHER = "00000000-0000-4000-8000-00000000000f"


@pytest.fixture
def home(tmp_path: Path) -> Iterator[FullHome]:
    """A used home: one session runs, one of the project `api` ended a day ago, one of `other` nine days ago."""
    found = FullHome(tmp_path)
    with (tmp_path / ".config/atm-tui/config.toml").open("a") as config:
        config.write("forget_after = 1000.0\n")
    gone = subprocess.Popen(["true"])
    gone.wait()
    (found.work / "other/.git").mkdir(parents=True)
    for session, folder, days in ((ENDED, "api", 1), (OTHER, "other", 9)):
        record_ended(found, session, found.work / folder, gone.pid, time.time() - days * 86400)
    yield found
    found.close()


def record_ended(home: FullHome, session: str, folder: Path, pid: int, at: float) -> None:
    """Writes everything that atm-tui stores about a session which ended at `at` (epoch seconds)."""
    transcript = home.claude / "projects" / encode_folder(str(folder)) / f"{session}.jsonl"
    for event in ("SessionStart", "SessionEnd"):
        raw: dict[str, Any] = {"session_id": session, "hook_event_name": event, "cwd": str(folder), "reason": "other"}
        raw["transcript_path"] = str(transcript)
        journal.record_event(
            str(home.state), payload.parse_event(json.dumps(raw).encode(), at, {"CLAUDE_PID": str(pid)})
        )
    for path in find_all(home.state):
        if session in path.name:
            os.utime(path, (at, at))
    for name in ("care", "seen", "waits"):
        path = home.state / "app" / f"{name}.json"
        notes = json.loads(path.read_text())
        if name == "waits":
            notes["seen"].append([session, "|Bash|0", at, at + 1])
            notes["days"][session] = {"root": str(folder), "spans": [[at, at + 1]]}
        else:
            notes[session] = at if name == "seen" else {"pinned": True, "at": at}
        path.write_text(json.dumps(notes))
    line = {"at": at, "nonce": "cd" * 16, "session_id": session, "tool": "Bash", "summary": "ls", "decision": "allow"}
    answer_log.append_line(str(home.state), {**line, "by": "app", "after": 1.0, "outcome": "given"})
    write(transcript, home.transcript.read_text().replace(SESSION, session))


def find_all(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if not path.is_dir() or path.is_symlink()}


def run(home: FullHome, *words: str, **environ: str) -> CommandResult:
    return run_command(words, home.folder, {**home.environ, **environ})


def write_notify_locks(home: FullHome) -> None:
    """Leaves the locks of an app that the user was in front of."""
    for lock in (hold_app_lock(home.state), hold_front_lock(home.state)):
        assert lock is not None
        os.close(lock)


def test_every_stored_file_is_in_the_documentation_with_its_mode(home: FullHome) -> None:
    """The table of docs/privacy.md, compared with the disk."""
    shutil.rmtree(home.data)
    assert run(home, "status", "--tmux").code == run(home, "usage").code == 0
    assert run(home, "install", "--yes", "--route", "plugin", "--tmux").code == 0
    assert run(home, "mute", "5m").code == run(home, "notify").code == 0
    write_notify_locks(home)
    write_schema(home.state)
    rows = re.findall(r"^\| `\$(state|data|cache)/(\S+)` \|.*\| (0[0-7]{3}) \|$", PRIVACY.read_text(), re.MULTILINE)
    folders = {"state": home.state, "data": home.data, "cache": home.folder / ".cache/atm-tui"}
    patterns = {
        (folder, re.compile(re.escape(path).replace(r"\*\*", ".+").replace(r"\*", "[^/]*"))): mode
        for folder, path, mode in rows
    }
    seen = set()
    for name, folder in folders.items():
        inside = [folder, *(each for each in folder.rglob("*") if each.is_dir() and not each.is_symlink())]
        assert [each for each in inside if each.stat().st_mode & 0o077] == []
        for path in find_all(folder):
            inside = str(path.relative_to(folder))
            found = [key for key in patterns if key[0] == name and key[1].fullmatch(inside)]
            assert found, f"{name}/{inside} is not in {PRIVACY.name}"
            seen.add(found[0])
            mode = path.lstat().st_mode & 0o777
            assert path.is_symlink() or f"0{mode:o}" == patterns[found[0]], path
    assert (
        len(patterns.keys() - seen) <= 6
    )  # files for moments, and those of tmux's panes and of our line in Claude Code


def is_shared(path: Path) -> bool:
    """Whether a file of the cache is about several sessions: it goes with any of them, and is made again when it is needed."""
    return path.name.startswith(("status-line", KEPT))


def find_mentions(home: FullHome, text: str) -> list[Path]:
    """Returns the files in our folders that have a text in their name or content."""
    ours = [path for folder in (home.state, home.folder / ".cache") for path in find_all(folder)]
    return [path for path in ours if text in path.name or (path.is_file() and text.encode() in path.read_bytes())]


def test_sessions_that_do_not_run_are_removed_with_all_that_is_noted_about_them(home: FullHome) -> None:
    assert run(home, "status").code == run(home, "usage").code == 0
    assert find_mentions(home, ENDED)
    assert find_mentions(home, OTHER)
    running = {path for path in find_mentions(home, SESSION) if not is_shared(path)}
    done = run(home, "purge", "--yes")
    assert done.code == 0, done.err
    assert "sessions " in done.out
    assert "1 session is running and not removed." in done.out
    assert not find_mentions(home, ENDED)
    assert not find_mentions(home, OTHER)
    assert running <= set(find_mentions(home, SESSION))
    report = home.folder / ".cache/atm-tui/hooks-00000000"  # as a command keeps it, some time after the installation
    report.write_text("about hooks, not about sessions")
    assert run(home, "purge", "--yes").out.startswith("There is nothing to remove.")
    assert report.exists()


def test_sessions_that_were_forgotten_are_purged_as_well(home: FullHome) -> None:
    """Their files go by themselves after `forget_after`, even as the command starts; notes and cache don't."""
    assert run(home, "usage").code == 0
    config = home.folder / ".config/atm-tui/config.toml"
    config.write_text(config.read_text().replace("1000.0", "24.0"))
    assert run(home, "purge", "--older", "7d", "--yes").code == 0
    assert not find_mentions(home, OTHER)
    assert run(home, "purge", "--yes").code == 0
    assert not find_mentions(home, ENDED)


@pytest.mark.parametrize(
    ("options", "gone", "kept"),
    [
        (["--older", "7d"], OTHER, ENDED),
        (["--project", "api"], ENDED, OTHER),
        (["--project", "other"], OTHER, ENDED),
        (["--older", "2d", "--project", "other"], OTHER, ENDED),
    ],
)
def test_only_chosen_sessions_are_removed(home: FullHome, options: list[str], gone: str, kept: str) -> None:
    assert run(home, "usage").code == 0
    before = find_mentions(home, kept)
    done = run(home, "purge", *options, "--yes")
    assert done.code == 0, done.err
    assert not find_mentions(home, gone)
    after = find_mentions(home, kept)
    assert not list(filter(is_shared, after))
    assert {path for path in after if path.suffix != ".checkpoint"} == {
        path for path in before if path.suffix != ".checkpoint" and not is_shared(path)
    }


@pytest.mark.parametrize(
    "commands",
    [
        ["uninstall --yes --purge --backups"],
        ["uninstall --yes", "tmux-conf --uninstall", "purge --all --backups --yes"],
    ],
)
def test_everything_goes_and_nothing_else(home: FullHome, commands: list[str]) -> None:
    """What uninstall leaves: the files of Claude Code, the user's configuration, and backups unless they are asked for."""
    theirs = find_all(home.claude) | find_all(home.work) | find_all(home.folder / ".config")
    tmux_conf = write(home.folder / ".tmux.conf", "set -g mouse on\n")
    assert run(home, "notify").code == 0
    write_notify_locks(home)
    assert run(home, "status").code == run(home, "usage").code == run(home, "tmux-conf", "--install").code == 0
    write_schema(home.state)
    for command in commands:
        done = run(home, *command.split())
        assert done.code == 0, done.err + done.out
    backups = {path for path in theirs if path.name.endswith(".atm.bak")}
    assert find_all(home.folder) == theirs - backups | {tmux_conf}
    assert not (home.state / "journal").exists()
    assert not home.data.exists()
    assert not (home.folder / ".cache/atm-tui").exists()
    assert tmux_conf.read_text() == "set -g mouse on\n"
    assert json.loads((home.claude / "settings.json").read_text())["model"] == "opus"


def test_while_it_is_installed_the_copied_hooks_stay(home: FullHome) -> None:
    hooks = find_all(home.data / "hooks")
    done = run(home, "purge", "--all", "--yes")
    assert done.code == 0, done.err
    assert "`atm-tui uninstall --purge` takes all of it away" in done.out
    assert find_all(home.data / "hooks") == hooks
    assert not (home.state / "journal").exists()
    assert "1 backup of settings files stay" in done.out
    assert (home.claude / "settings.json.2026-01-02T03-04-05.atm.bak").exists()


def test_files_of_others_in_the_same_folders_stay(home: FullHome) -> None:
    theirs = {
        write(home.state / name, "theirs")
        for name in ("tmp/draft", "sessions/holiday.json", "notes.txt", "app/readme.md", "journal/x.txt")
    }
    for path in theirs:
        path.chmod(0o644)
    link = home.state / "journal/y.jsonl"
    link.symlink_to(home.transcript)
    assert run(home, "purge", "--all", "--yes").code == 0
    assert find_all(home.state) == theirs | {link}
    assert home.transcript.exists()


def test_folders_that_are_links_are_emptied_of_ours_alone(home: FullHome) -> None:
    """State, data and cache on another disk, behind links of the user's own; in the cache's target are files of others."""
    assert run(home, "usage").code == run(home, "status", "--tmux").code == 0
    cache = home.folder / ".cache/atm-tui"
    theirs = set()
    for number, folder in enumerate((home.state, home.data, cache)):
        folder.rename(home.folder / f"disk{number}")
        folder.symlink_to(home.folder / f"disk{number}")
        theirs |= {folder, write(folder / "photos/atm.png", "theirs"), write(folder / "notes.checkpoint", "theirs")}
    assert run(home, "status", "--tmux").code == 0
    shown = run(home, "purge", "--all", "--dry-run")
    assert str(home.state / "hook.log") in shown.out.splitlines()
    done = run(home, "uninstall", "--yes", "--purge")
    assert done.code == 0, done.err
    assert done.out.count("is a link: it stays, and so does the folder that it leads to.") == 3
    left = {path for number in range(3) for path in find_all(home.folder / f"disk{number}")}
    assert left == {path.resolve() for path in theirs if not path.is_symlink()}
    assert all(folder.is_symlink() and folder.is_dir() for folder in (home.state, home.data, cache))


def test_a_config_folder_of_claude_code_is_not_purged(home: FullHome) -> None:
    before = find_all(home.folder)
    for name in ("ATM_STATE_DIR", "ATM_DATA_DIR"):
        done = run(home, "purge", "--all", "--yes", **{name: str(home.claude)})
        assert done.code == 1
        assert f"{home.claude} is a config folder of Claude Code as well; nothing was removed." in done.err
    assert before <= find_all(home.folder)


def test_a_folder_of_a_newer_version_is_only_removed_as_a_whole(home: FullHome) -> None:
    """Which of its sessions run may be written there in another way."""
    (home.state / "schema").write_text("99\n")
    before = find_all(home.state)
    done = run(home, "purge", "--older", "1d", "--yes")
    assert done.code == 1
    assert f"{home.state} is of a newer atm-tui" in done.err
    assert before <= find_all(home.state)
    assert run(home, "purge", "--all", "--yes").code == 0
    assert not (home.state / "journal").exists()


def test_without_a_yes_nothing_is_removed(home: FullHome) -> None:
    before = find_all(home.folder)
    done = run(home, "purge")
    assert done.code == 2
    assert "nothing was removed. --yes goes on without asking." in done.err
    done = run(home, "purge", "--all", "--dry-run")
    assert done.code == 0
    assert set(done.out.splitlines()) >= {str(path) for path in find_all(home.state)}
    assert before <= find_all(home.folder)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--all", "--older", "7d"], "--all can't be combined with --older or --project"),
        (["--backups"], "--backups needs --all"),
        (["--older", "7"], '"7" is no age, such as 12h, 7d or 4w'),
    ],
)
def test_wrong_options_are_named(home: FullHome, words: list[str], message: str) -> None:
    done = run(home, "purge", *words)
    assert done.code == 2
    assert message in done.err


def test_files_that_stay_are_named(home: FullHome, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in home.environ.items():
        monkeypatch.setenv(name, value)
    (home.state / "app").chmod(0o500)
    with without_privileges():
        ended = run_here(["purge", "--all", "--yes"])
    (home.state / "app").chmod(0o700)
    assert ended.code == 1
    assert f"{home.state}/app/seen.json: Permission denied" in ended.err
    assert not (home.state / "journal").exists()
