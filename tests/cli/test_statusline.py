"""`atm-tui statusline`: a preview for the running sessions, and the command of the line."""

import json
import shlex
import subprocess

from atm_tui.cli.exit_codes import ExitCode
from tests.support.command_home import Home


def test_the_preview_shows_each_running_session_in_three_widths(home: Home) -> None:
    assert home.run("statusline", "--preview").out == "no session runs\n"
    home.replay("02-background-subagents", until=6.0)
    home.record("s1", "SessionStart", source="startup")
    home.record("s1", "SubagentStart", agent_id="a1", agent_type="Ex\x1b[31mplore")
    done = home.run("statusline", "--preview", "s1")
    assert (done.code, done.err) == (ExitCode.DONE, "")
    head, *lines = done.out.splitlines()
    assert head.endswith("  s1")
    assert lines == ["  120  ◐ working  ◐ agent", "   80  ◐ ◐", "   40  ◐ ◐"]
    plain = home.run("statusline", "--preview", "s1", "--no-unicode").out.splitlines()
    assert plain[2:] == ["   80  * *", "   40  * *"]
    config = home.folder / "config.toml"
    config.write_text('statusline = ["model"]\nascii = true')
    chosen = home.run("statusline", "--preview", ATM_CONFIG=str(config)).out.splitlines()
    assert [line.strip() for line in chosen if line.startswith("   80")] == ["80  Opus 5.5", "80"]


def test_the_command_prints_the_line_for_the_json_on_stdin(home: Home) -> None:
    assert home.run("install", "--yes", "--config-dir", str(home.folder / ".claude")).code == ExitCode.DONE
    command = home.run("statusline").out.strip()
    settings = json.loads((home.folder / ".claude" / "settings.json").read_text())
    assert settings["statusLine"]["command"] == command
    assert str(home.folder / ".config" / "atm-tui" / "config.toml") in shlex.split(command, comments=True)
    raw = json.dumps({"session_id": "s1", "model": {"display_name": "Opus 5.5"}})
    done = subprocess.run(
        ["sh", "-c", command], input=raw, capture_output=True, text=True, env=home.environ, check=True
    )
    assert "Opus 5.5" in done.stdout
