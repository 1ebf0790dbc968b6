"""The status line in the real client: its screen shows what a person's own wrapped command prints, and else our own line."""

import json
import re

from tests.client.api import Text
from tests.client.sandbox import Sandbox
from tests.support.effort import sample
from tests.support.tmux import Pane
from tests.support.waiting import act_until, wait_until

GREEN, RED = "\x1b[32m", "\x1b[31m"


def read_lines(pane: Pane) -> list[str]:
    """The lines between the prompt and the client's own last line, with the SGR sequences that tmux makes of theirs."""
    lines = pane.read_screen(colours=True).rstrip().split("\n")
    rules = [number for number, line in enumerate(lines) if "─────" in line]
    return lines[rules[-1] + 1 : -1] if rules else []


def test_the_screen_shows_a_wrapped_commands_own_output_and_after_it_our_own_line(sandbox: Sandbox) -> None:
    """The same client throughout: the person's script prints what a file says, and then is taken out of the settings."""
    kind, mine, ended = sandbox.home / "kind", sandbox.home / "mine.sh", sandbox.home / "ended"
    mine.write_text(
        f"""case $(cat {kind}) in
        lines) cat >/dev/null; printf '\\033[32mgreen\\033[0m\\n\\nthird \\033[31mred\\033[0m\\n';;
        slow) cat >/dev/null; sleep 0.7; echo slowly;;
        input) printf 'fields: '; tr -c 'a-z0-9_' ' ' | tr -s ' ' '\\n' | grep -c -x -e session_id -e context_window_size;;
        failing) cat >/dev/null; echo half; echo ended >{ended}; exit 3;;
        reading-nothing) exec 0<&-; echo closed;;
        esac"""
    )
    kind.write_text("lines")
    settings = sandbox.config_dir / "settings.json"
    plain = json.loads(settings.read_text())
    own = {"type": "command", "command": f"sh {mine}", "refreshInterval": 2}
    settings.write_text(json.dumps({**plain, "statusLine": own}))
    sandbox.install()
    assert "--wrap" in settings.read_text()
    client = sandbox.start_client(sandbox.make_project("shop"), size=(110, 30))
    wait_until(lambda: len(read_lines(client.pane)) == 2, "two lines")
    first, second = read_lines(client.pane)
    assert f"{GREEN}green" in first
    assert f"{RED}" in second
    assert "third" in second
    outputs = {"slow": "slowly", "input": "fields: 2", "reading-nothing": "closed"}
    for name, shown in sample(outputs.items(), ("input", "fields: 2")):
        kind.write_text(name)
        wait_until(lambda shown=shown: shown in " ".join(read_lines(client.pane)), name)
        assert len(read_lines(client.pane)) == 1
    # the client shows nothing of a command that fails, wrapped or not
    kind.write_text("failing")
    wait_until(
        lambda: ended.exists() and not any(line.strip("\x1b[39m ") for line in read_lines(client.pane)), "no line"
    )
    assert sandbox.read_session(client.session_id)["context"]["source"] == "statusline", (
        "ours has listened all the while"
    )

    sandbox.api.script("hello", Text("Hi."))
    sandbox.run_atm_tui("uninstall", "--yes", "--config-dir", str(sandbox.config_dir))
    assert json.loads(settings.read_text())["statusLine"] == own
    settings.write_text(json.dumps(plain))
    sandbox.install()
    # a running client reads its settings again within seconds, and runs the line at the end of a turn: sometimes before
    # the hooks have told of this end
    line = r"Opus 5\.5 · ▱{10} [23]% · \$\d\.\d\d · cache hits \d+%.* · ○ idle$"
    act_until(
        lambda: client.type_prompt("hello"),
        lambda: re.search(line, client.read_screen(), re.MULTILINE),
        "our own line",
        pause=4.0,
    )
    assert "ERR" not in client.read_screen()
