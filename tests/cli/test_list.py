"""`atm-tui list`: a line for each session, whose first field every command takes as ID."""

from atm_tui.cli.exit_codes import ExitCode
from tests.support.command_home import Home


def start(home: Home, session_id: str, *, folder: str, prompt: str) -> None:
    root = home.folder / folder
    (root / ".git").mkdir(parents=True, exist_ok=True)
    home.record(session_id, "SessionStart", source="startup", cwd=str(root))
    home.record(session_id, "UserPromptSubmit", prompt=prompt, prompt_id="p1", cwd=str(root))


def list_ids(home: Home, *words: str) -> list[str]:
    done = home.run("list", *words)
    assert (done.code, done.err) == (ExitCode.DONE, "")
    return [line.split("\t")[0] for line in done.out.splitlines()]


def test_waiting_sessions_come_first_and_can_be_selected_by_state(home: Home) -> None:
    for number, folder in enumerate(("acme/api", "beta/api", "web")):
        start(home, f"s{number}", folder=folder, prompt=f"part\t{number}\nOWNED")
    asks = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "prompt_id": "p1"}
    home.record("s2", "PermissionRequest", cwd=str(home.folder / "web"), **asks)
    home.record("s0", "SessionEnd", reason="logout", cwd=str(home.folder / "acme" / "api"))
    rows = [line.split("\t") for line in home.run("list").out.splitlines()]
    assert [row[0] for row in rows] == ["s2", "s1", "s0"]
    assert [row[1].rstrip() for row in rows] == ["needs you", "working", "ended"]
    assert len({len(row) for row in rows}) == 1
    assert rows[0][2].rstrip() == "part 2 OWNED"
    assert rows[0][3].rstrip() == "web"
    assert rows[0][5] == "permission Bash ls"
    for row in rows:
        assert row[0] in home.run("explain", row[0]).out
    assert list_ids(home, "--state", "needs_you", "--state", "ended") == ["s2", "s0"]
    assert list_ids(home, "--project", "api") == ["s1", "s0"]
    assert list_ids(home, "--project", "BETA/api") == ["s1"]
    assert list_ids(home, "--project", str(home.folder / "web")) == ["s2"]
    assert list_ids(home, "web/", "part 1", "s2") == ["s2", "s1"]
    assert list_ids(home, "--project", "other") == []


def test_an_unknown_state_lists_the_known_ones(home: Home) -> None:
    done = home.run("list", "--state", "waiting")
    assert done.code == ExitCode.USAGE
    assert "needs_you" in done.err
