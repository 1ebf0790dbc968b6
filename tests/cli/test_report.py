"""`report` contains the facts of `explain` without any text of the user, in a private file."""

import json
import os
import time

import pytest

from atm_hooks.payload import hash_input
from atm_tui.cli.main import main
from atm_tui.model.facts import RegistryEntry
from atm_tui.model.resolve import Facts
from atm_tui.model.session import Session
from atm_tui.timeline.event import Event
from atm_tui.view.report import build_report
from tests.support.command_home import Home


def test_a_report_contains_no_prompt_path_or_tool_input(home) -> None:
    home.replay("02-background-subagents")
    done = home.run("report", "b061", "--yes")
    assert done.code == 0
    written = (home.folder / "atm-report-b061a3a7.json").read_text()
    assert written == done.out
    for secret in (
        "Review the code",
        "List the API",
        "for i in",
        "/home/user",
        "notes.txt",
        "two routes",
        "Update the docs",
    ):
        assert secret not in written, secret
    report = json.loads(written)
    assert len(report["events"]) > 40
    assert report["session"]["liveness"] == "ended"


def test_a_report_is_shown_before_it_is_written(home) -> None:
    home.replay("01-auto-mode")
    done = home.run("report", "ea3a")
    assert done.code == 0
    assert json.loads(done.out)["events"]
    assert not list(home.folder.glob("atm-report*"))
    assert "--yes" in done.err


def test_an_unwritable_report_is_an_error_with_path_and_advice(home) -> None:
    home.replay("01-auto-mode")
    done = home.run("report", "ea3a", "--yes", "--output", str(home.folder / "no" / "such" / "folder.json"))
    assert done.code == 1
    assert "--output" in done.err


@pytest.fixture
def recorded(home: Home, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home with one recorded session, in which `main` runs."""
    home.replay("01-auto-mode")
    monkeypatch.setenv("HOME", str(home.folder))
    monkeypatch.setenv("ATM_STATE_DIR", str(home.state))
    monkeypatch.chdir(home.folder)
    return home


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o777])
def test_only_its_user_can_read_the_file_whatever_the_umask(recorded: Home, umask: int) -> None:
    before = os.umask(umask)
    try:
        assert main(["report", "ea3a", "--yes", "--output", "bundle.json"]) == 0
    finally:
        os.umask(before)
    assert (recorded.folder / "bundle.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("kind", ["file", "link", "dangling link", "folder"])
def test_an_existing_file_is_not_overwritten(recorded: Home, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    other, place = recorded.folder / "other", recorded.folder / "bundle.json"
    if kind == "folder":
        place.mkdir()
    elif kind == "file":
        place.write_text("mine")
    else:
        place.symlink_to(other)
        if kind == "link":
            other.write_text("mine")
    assert main(["report", "ea3a", "--yes", "--output", str(place)]) == 1
    assert f"{place} exists already" in capsys.readouterr().err
    assert other.exists() == (kind == "link")
    assert kind not in ("file", "link") or place.read_text() == "mine"


def test_an_id_with_slashes_does_not_change_the_output_folder(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    sessions = home.folder / ".claude" / "sessions"
    sessions.mkdir(parents=True)
    now = int(time.time() * 1000)
    entry = {"pid": os.getpid(), "sessionId": "../../x", "startedAt": now, "updatedAt": now, "cwd": "/"}
    (sessions / f"{os.getpid()}.json").write_text(json.dumps(entry))
    for name, folder in (("HOME", home.folder), ("ATM_STATE_DIR", home.state)):
        monkeypatch.setenv(name, str(folder))
    inner = home.folder / "a" / "b"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    assert main(["report", "../../x", "--yes"]) == 0
    assert [each.name for each in inner.iterdir()] == ["atm-report-______x.json"]


def list_hashes(bundle: dict[str, object]) -> list[str]:
    return [each["hash"] for each in bundle["events"] if "hash" in each]  # type: ignore[attr-defined]


def test_a_report_cannot_confirm_a_guessed_tool_input() -> None:
    given = {"command": "cat secret"}
    events = [
        Event(at=float(at), session_id="s", event="PreToolUse", tool="Bash", hash=hash_input(each))
        for at, each in enumerate([given, {"command": "ls"}, given])
    ]
    facts, session = Facts(session_id="s"), Session(session_id="s")
    first, second = (list_hashes(build_report(facts, session, events, os.urandom(32))) for _ in range(2))
    for each in (first, second):
        assert each[0] == each[2] != each[1]
    assert not set(first) & set(second)
    assert not {hash_input(given), hash_input({"command": "ls"})} & {*first, *second}


def test_each_report_has_its_own_key(recorded: Home) -> None:
    found = []
    for name in ("1.json", "2.json"):
        assert main(["report", "ea3a", "--yes", "--output", name]) == 0
        found.append(list_hashes(json.loads((recorded.folder / name).read_text())))
    journal = (recorded.state / "journal").glob("*.jsonl")
    own = {json.loads(line).get("hash") for path in journal for line in path.read_text().splitlines()}
    assert found[0]
    assert len(set(found[0])) == len(set(found[1])) == len(own - {None})
    assert not set(found[0]) & (set(found[1]) | own)


def test_a_report_names_the_pid_domain_but_not_the_machine_id() -> None:
    entry = RegistryEntry(pid=7, session_id="s", pid_domain="linux:5ec2e7:pid:[4026532178]")
    facts = Facts(session_id="s", registry=(entry,), pid_domain="linux:5ec2e7:pid:[4026531836]")
    events = [Event(at=1.0, session_id="s", event="SessionStart", pid=7, pid_domain="linux:5ec2e7:pid:[4026532178]")]
    report = build_report(facts, Session(session_id="s"), events, b"key")
    assert report["registry"][0]["place"] == "container"
    assert "5ec2e7" not in json.dumps(report)
