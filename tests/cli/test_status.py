"""`atm-tui status`: the lines for a person, and the JSON for scripts."""

import json
import os
import re
import sys
import time

import pytest

from atm_hooks import journal, payload
from atm_tui.cli.main import main
from atm_tui.model.spans import find_midnight
from atm_tui.monitor import reading
from tests.support.terminal_output import read_terminal


def test_without_sessions_it_says_what_to_do_next(home) -> None:
    done = home.run("status")
    assert done.code == 0
    assert "No sessions yet" in done.out
    assert "atm-tui install" in done.out
    assert home.status()["sessions"] == []


def test_the_json_holds_a_permission_request_of_a_subagent(home) -> None:
    home.replay("02-background-subagents", until=5.0)
    status = home.status()
    (session,) = status["sessions"]
    assert (session["state"], session["detail"], session["reason"]) == ("needs_you", "permission Bash", "permission")
    (wait,) = session["waits"]
    asking = next(agent for agent in session["agents"] if agent["agent_id"] == wait["agent_id"])
    assert (asking["type"], asking["state"], asking["description"]) == ("Explore", "needs_you", "Explore the API")
    assert wait["summary"].startswith("for i in 1 2 3")
    assert session["liveness"] == "live"
    counts = {"needs_you": 1, "working": 0, "idle": 0, "cost_usd": session["cost"]["usd"]}
    assert status["totals"] == {**counts, "older": 0, "waited_today": session["waited_today"]}
    assert session["cost"]["source"] == "statusline"
    assert session["context"]["window_tokens"] == 1_000_000


def test_unknown_figures_are_null_and_never_zero(home) -> None:
    home.replay("01-auto-mode", until=0.8)
    (session,) = home.status()["sessions"]
    assert session["cost"]["usd"] is None
    assert session["context"]["percent"] is None
    assert session["title"] is None
    assert session["last_prompt"] is None


def test_of_many_sessions_older_ones_that_are_over_are_counted_and_found_by_name(
    home, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """One that waits is the oldest of all files."""
    monkeypatch.setattr(reading, "MOST_WHOLE", 3)
    for name, value in home.environ.items():
        monkeypatch.setenv(name, value)
    home.replay("02-background-subagents", until=5.0)
    (waiting,) = (home.state / "sessions").iterdir()
    os.utime(waiting, (1e9, 1e9))
    for number in range(8):
        for event in ({"hook_event_name": "SessionStart", "source": "startup"}, {"hook_event_name": "SessionEnd"}):
            raw = json.dumps({**event, "session_id": f"over-{number}", "cwd": "/w"}).encode()
            journal.record_event(str(home.state), payload.parse_event(raw, time.time(), {"CLAUDE_PID": "1"}))

    def run(*words: str) -> str:
        assert main(words) == 0
        return capfd.readouterr().out

    lines = [line for line in run("status").splitlines() if not line.startswith("!")]
    assert len(lines) == 1 + 3 + 1 + 1
    assert lines[-1] == "+5 older, which are over. `atm-tui status --all` lists them."
    assert any("needs you" in line for line in lines)
    assert len([line for line in run("status", "--all").splitlines() if not line.startswith("!")]) == 1 + 8 + 1
    assert run("status", "over-1", "--format", "{name}").strip() == "over-1"
    status = json.loads(run("status", "--json"))
    assert (status["totals"]["needs_you"], status["totals"]["older"]) == (1, 5)
    assert len(status["sessions"]) == 3 + 1


def test_the_lines_are_aligned_and_say_the_state(home) -> None:
    home.replay("02-background-subagents", until=5.0)
    home.replay("03-ask-user-question", until=4.0)
    home.replay("05-api-errors", until=5.0)
    heading, *lines = [line for line in home.run("status").out.splitlines() if not line.startswith("!")]
    assert heading.split() == ["id", "state", "name", "project", "doing", "context", "cost", "age"]
    assert len(lines) == 3
    assert any("needs you" in line and "permission Bash" in line for line in lines)
    assert any("failed: unknown" in line for line in lines)
    columns = [
        [at for at, character in enumerate(line) if line[at - 2 : at] == "  " and character != " "] for line in lines
    ]
    assert columns[0][:3] == columns[1][:3] == columns[2][:3]


def test_sessions_columns_and_order_can_be_chosen(home) -> None:
    for number, state in enumerate(("working", "idle", "working")):
        home.record(f"s{number}", "SessionStart", source="startup")
        home.record(f"s{number}", "UserPromptSubmit", prompt=f"part {number}", prompt_id="p1")
        if state == "idle":
            home.record(f"s{number}", "Stop", prompt_id="p1")

    def list_ids(*words: str) -> list[str]:
        done = home.run("status", "--format", "{id}", *words)
        assert (done.code, done.err) == (0, "")
        return done.out.split()

    assert list_ids() == ["s0", "s1", "s2"]
    assert list_ids("--sort", "attention") == ["s1", "s0", "s2"]
    assert list_ids("--sort", "newest", "--state", "working") == ["s2", "s0"]
    assert list_ids("part 1", "s0") == ["s1", "s0"]
    assert list_ids("--project", "none") == []
    lines = home.run("status", "--columns", "name, state", "--no-headings", "--state", "idle").out.splitlines()
    assert lines[0] == "part 1  idle"
    chosen = json.loads(home.run("status", "--json", "s2").out)
    assert [each["session_id"] for each in chosen["sessions"]] == ["s2"]
    assert chosen["totals"]["working"] == 2
    assert home.run("status", "--format", "{needs_you} ● {working} ◐").out == "0 ● 2 ◐\n"


def test_unknown_and_conflicting_options_are_refused(home) -> None:
    for words, message in (
        (["--columns", "id,stat"], 'unknown column "stat"; did you mean "state"?'),
        (["--columns", ","], "none is named; known columns: id, state"),
        (["--format", "{need_you}"], 'unknown field "need_you"; did you mean "needs_you"?'),
        (["--tmux", "--state", "idle"], "--tmux counts all sessions"),
        (["--json", "--columns", "id"], "not allowed with argument"),
        (["--sort", "nam"], 'unknown value "nam"; did you mean "name"?'),
    ):
        done = home.run("status", *words)
        assert (done.code, done.out) == (2, ""), words
        assert message in done.err


def test_a_terminal_gets_colours_and_no_more_than_its_width(home) -> None:
    home.record("s0", "SessionStart", source="startup")
    home.record("s0", "UserPromptSubmit", prompt="p " * 30, prompt_id="p1")
    for environ, colours in (({}, True), ({"NO_COLOR": "1"}, False)):
        printed = read_terminal([sys.executable, "-m", "atm_tui", "status"], {**home.environ, **environ}, columns=50)
        assert ("\x1b[36mworking" in printed) is colours
        plain = re.sub(r"\x1b\[[0-9;]*m", "", printed)
        rows = [line for line in plain.splitlines() if not line.startswith("!")]
        assert [len(row) <= 50 for row in rows] == [True, True]
        assert rows[0].split()[:3] == ["id", "state", "name"]


def test_equal_project_names_are_distinguished_everywhere(home) -> None:
    journal.prepare_folders(str(home.state))
    roots = {f"s{number}": home.folder / "w" / where for number, where in enumerate(("acme/api", "beta/api", "web"))}
    for key, root in roots.items():
        (root / ".git").mkdir(parents=True)
        raw = {"hook_event_name": "SessionStart", "source": "startup", "session_id": key, "cwd": str(root)}
        event = payload.parse_event(json.dumps(raw).encode(), time.time() - 1, {"CLAUDE_PID": str(os.getpid())})
        journal.record_event(str(home.state), event)
    named = {each["session_id"]: (each["project"], each["project_root"]) for each in home.status()["sessions"]}
    assert named == {
        key: (name, str(roots[key])) for key, name in zip(roots, ("acme/api", "beta/api", "web"), strict=True)
    }
    text = home.run("status").out
    assert "acme/api" in text
    assert "beta/api" in text


def test_hostile_text_is_cleaned_before_the_terminal(home) -> None:
    home.replay("01-auto-mode", until=2.8)
    (path,) = (home.state / "sessions").glob("*.json")
    state = json.loads(path.read_text())
    state["title"] = "x\x1b]52;c;ZXZpbA==\x07y\x9b31m\u202e[/]"
    path.write_text(json.dumps(state))
    out = home.run("status").out
    assert "\x1b" not in out
    assert "\x9b" not in out
    assert "\u202e" not in out
    assert "[/]" in out


def test_an_unreadable_state_file_is_a_line_with_the_reason(home) -> None:
    (home.state / "sessions").mkdir(parents=True)
    (home.state / "sessions" / "abc.json").write_text('{"schema": 1,')
    done = home.run("status")
    assert done.code == 0
    assert "abc.json" in done.out
    assert "truncated" in done.out
    assert home.status()["unreadable"][0]["problem"]


def test_a_broken_configuration_names_file_and_key(home) -> None:
    config = home.folder / "config.toml"
    config.write_text("closed_aftr = 3\n")
    done = home.run("status", ATM_CONFIG=str(config))
    assert done.code == 1
    assert str(config) in done.err
    assert 'did you mean "closed_after"' in done.err
    config.write_text('closed_after = "soon"\n')
    assert "closed_after" in home.run("status", ATM_CONFIG=str(config)).err
    config.write_text("closed_after = \n")
    assert str(config) in home.run("status", ATM_CONFIG=str(config)).err


def test_a_closed_pipe_ends_status_quietly(home) -> None:
    home.replay("01-auto-mode")
    done = home.run("status", "--json")
    assert done.err == ""


def test_an_unknown_command_is_refused_with_usage(home) -> None:
    done = home.run("statsu")
    assert done.code == 2
    assert "usage:" in done.err


def test_without_a_terminal_the_app_points_to_status(home) -> None:
    done = home.run()
    assert done.code == 2
    assert "atm-tui status" in done.err


def test_the_json_has_the_time_waited_today(home) -> None:
    home.replay("01-permission-allowed")
    shown = home.status()
    today = shown["at"] - find_midnight(shown["at"])
    assert min(7, today - 3) < shown["sessions"][0]["waited_today"] < 8.5
    assert shown["totals"]["waited_today"] == shown["sessions"][0]["waited_today"]
