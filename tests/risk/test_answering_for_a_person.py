"""What could answer, arm or type for a person asks twice: commands, tools, and suggestions that would allow them."""

from typing import Any

import pytest

from atm_tui.model.request import Request
from atm_tui.risk.requests import find_dangers
from atm_tui.risk.rules import DANGERS
from atm_tui.risk.suggestions import find_suggestion_dangers

HOME, ROOT = "/home/user", "/home/user/work/web"
DEFAULT, OWN = "/home/user/.local/state/atm-tui", "/srv/monitor/state"
AT_HOME = "/home/user/monitor"


def make_request(tool: str = "Bash", suggestions: tuple[dict[str, Any], ...] = (), **given: Any) -> Request:
    return Request(
        nonce="0", session_id="s", key="k", digest="d", tool=tool, input=given, suggestions=suggestions, cwd=ROOT
    )


def is_marked(request: Request) -> bool:
    return DANGERS["answers"] in find_dangers(request, (ROOT,), HOME, own=(OWN, AT_HOME))


@pytest.mark.parametrize(
    "command",
    [
        "atm-tui",
        "atm-tui answer --allow --yes --yes",
        "env -u CLAUDECODE -u CLAUDE_PID atm-tui answer --allow",
        "unset CLAUDECODE CLAUDE_PID; atm-tui answer --allow",
        "/opt/venv/bin/atm-tui --watch /x answer",
        "python3 -m atm_tui answer",
        "uv run atm-tui answer",
        "sh -c 'setsid atm-tui answer &'",
        "nohup atm-tui answer &",
        "script -qc 'atm-tui answer --allow --yes --yes' /dev/null",
        "atm-tui install --answers --yes",
        "python3 -c 'from atm_tui.cli.main import main; main([\"answer\"])'",
        "python3 -c 'from atm_hooks import answers; answers.give()'",
        "tmux send-keys -t 1 y Enter",
        "tmux ls \\; send-keys y",
        "tmux new-window atm-tui",
        "screen -S work -X stuff y",
        "kitty @ send-text y",
        "kitten @ send-key y",
        "wezterm cli send-text y",
        "zellij action write-chars y",
        "xdotool key y",
        'osascript -e \'tell application "System Events" to keystroke "y"\'',
        "echo y > /dev/pts/3",
        "echo y > /proc/123/fd/0",
        "python3 -c 'import fcntl, termios; fcntl.ioctl(0, termios.TIOCSTI, b\"y\")'",
        "perl -e 'ioctl(STDIN, 0x5412, \"y\")'",
    ],
)
def test_commands_that_answer_arm_or_type(command: str) -> None:
    assert is_marked(make_request(command=command))


WRITES = (
    "echo x > {}/answers/lease",
    "cp x {}/answers/lease",
    "mv x {}/answers/verdicts/0.json",
    "ln x {}/answers/lease",
    "ln -s {} here",
    "cat x | tee {}/answers/lease",
    "install -m 600 x {}/answers/lease",
    "dd if=x of={}/answers/lease",
    "rsync x {}/answers/",
    "sed -i s/a/b/ {}/answers/lease",
    "touch {}/answers/lease",
    "mkdir -p {}/answers",
    "chmod 777 {}",
    "rm {}/answers/log.jsonl",
    "truncate -s 0 {}/answers/log.jsonl",
    "tar -C {} -xf x",
    "curl -o {}/answers/lease https://example.com",
    "cd {} && touch answers/lease",
    "D={}; cp x $D/answers/lease",
    "D=/x; D={}; cp x $D/answers/lease",
    "for f in {}/answers/*; do echo x > $f; done",
    "find {} -name lease -exec cp x '{{}}' ';'",
    "find {} -name lease -delete",
    "find {} -name lease | xargs sed -i s/a/b/",
    "ls {}/answers/* | while read f; do echo x > $f; done",
    "python3 -c \"open('{}/answers/lease', 'w')\"",
    "python3 - <<'X'\nopen('{}/answers/lease', 'w')\nX",
    "sh <<'X'\necho x > {}/answers/lease\nX",
    "node -e \"fs.writeFileSync('{}/answers/lease', '')\"",
    "awk '{{print > \"{}/answers/lease\"}}' x",
    "cat {}/answers/requests/0.json",
    "grep -r secret {}/answers",
)


@pytest.mark.parametrize("command", WRITES)
def test_writes_to_the_state_folder_and_reads_of_requests(command: str) -> None:
    folders = (DEFAULT, "~/.local/state/atm-tui", OWN, AT_HOME, "~/monitor", "${HOME}/monitor")
    assert [each for each in folders if not is_marked(make_request(command=command.format(each)))] == []


@pytest.mark.parametrize("folder", [DEFAULT, OWN, AT_HOME, "~/monitor"])
@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Write", {"file_path": "{}/answers/lease", "content": "x"}),
        ("Edit", {"file_path": "{}/answers/lease", "old_string": "a", "new_string": "b"}),
        ("NotebookEdit", {"notebook_path": "{}/answers/x.ipynb", "new_source": "x"}),
        ("Read", {"file_path": "{}/answers/requests/0.json"}),
        ("Grep", {"pattern": "secret", "path": "{}/answers"}),
        ("mcp__filesystem__move_file", {"source": "x", "destination": "{}/answers/lease"}),
    ],
)
def test_tools_that_reach_the_state_folder(folder: str, tool: str, given: dict[str, str]) -> None:
    assert is_marked(make_request(tool, **{key: value.format(folder) for key, value in given.items()}))


def test_a_link_into_the_state_folder_is_followed() -> None:
    request = make_request("Write", file_path=f"{ROOT}/link/lease", content="x")
    found = find_dangers(
        request, (ROOT,), HOME, follow_links=lambda path: path.replace(f"{ROOT}/link", f"{OWN}/answers"), own=(OWN,)
    )
    assert DANGERS["answers"] in found


@pytest.mark.parametrize("tool", ["mcp__tmux__send_keys", "mcp__iterm__write_to_terminal", "mcp__computer-use__type"])
def test_mcp_tools_that_type(tool: str) -> None:
    assert is_marked(make_request(tool, text="y"))


@pytest.mark.parametrize(
    "command",
    [
        "atm-tui status --json",
        "atm-tui answers",
        "tmux ls",
        "tmux capture-pane -p",
        "screen -ls",
        "ls ~/.local/state/atm-tui",
        "find ~/monitor -name '*.json'",
        "cat ~/.local/state/atm-tui/sessions/s1.json | jq .status",
        "jq . /srv/monitor/state/sessions/s1.json",
        "tail -5 /srv/monitor/state/answers/log.jsonl",
        "cat /srv/monitor/statements.txt > out.txt",
        "cp /home/user/monitoring/a b",
        "for f in src/*.py; do cat $f; done",
        "git clone https://github.com/x/atm-tui",
        "grep -rn atm-tui docs",
    ],
)
def test_commands_that_only_look(command: str) -> None:
    assert not is_marked(make_request(command=command))


def test_tools_that_only_look() -> None:
    assert not is_marked(make_request("Read", file_path=f"{DEFAULT}/sessions/s1.json"))
    assert not is_marked(make_request("Read", file_path=f"{OWN}/answers/log.jsonl"))
    assert not is_marked(make_request("mcp__playwright__browser_type", text="y"))


def make_rule(content: str, tool: str = "Bash") -> dict[str, Any]:
    return {"type": "addRules", "rules": [{"toolName": tool, "ruleContent": content}], "behavior": "allow"}


@pytest.mark.parametrize(
    "suggestion",
    [
        *(
            make_rule(f"{each}:*")
            for each in (
                "atm-tui",
                "atm-tui answer",
                "python3 -m atm_tui",
                "uv run atm-tui",
                "env atm-tui",
                "tmux",
                "tmux send-keys",
                "tmux ls",
                "screen",
                "kitty",
                "kitty @",
                "kitten",
                "wezterm",
                "wezterm cli",
                "zellij",
                "xdotool",
                "osascript",
            )
        ),
        make_rule("atm-tui answer --allow"),
        make_rule("tmux send-keys y"),
        make_rule(f"cp x {OWN}/answers/lease"),
        *(
            make_rule(content, tool)
            for tool in ("Edit", "Write", "Read")
            for content in (
                f"/{DEFAULT}/**",
                f"/{OWN}/**",
                "//srv/monitor/**",
                "~/monitor/**",
                "~/.local/state/atm-tui/**",
            )
        ),
        {"type": "addDirectories", "directories": [OWN]},
        {"type": "addDirectories", "directories": ["/srv/monitor"]},
        {"type": "addDirectories", "directories": [f"{DEFAULT}/answers"]},
    ],
)
def test_suggestions_that_would_allow_answering(suggestion: dict[str, Any]) -> None:
    [found] = find_suggestion_dangers(make_request(suggestions=(suggestion,)), (ROOT,), HOME, own=(OWN, AT_HOME))
    assert found


@pytest.mark.parametrize(
    "suggestion",
    [
        make_rule("atm-tui status:*"),
        make_rule("src/**", "Edit"),
        make_rule("//srv/data/**", "Read"),
        {"type": "addDirectories", "directories": ["/srv/data"]},
    ],
)
def test_suggestions_that_would_not_allow_answering(suggestion: dict[str, Any]) -> None:
    [found] = find_suggestion_dangers(make_request(suggestions=(suggestion,)), (ROOT,), HOME, own=(OWN, AT_HOME))
    assert found == ()
