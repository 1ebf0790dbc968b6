"""Every command on hostile names, values and arguments: its output contains no control or invisible characters."""

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.table import COMMANDS
from tests.support.callers import AS_PERSON
from tests.support.effort import LONG
from tests.support.forked import CommandResult
from tests.support.hostile_home import ASKS, FOLDED, LIVE, NOT_UTF8, OVER, PLANS, HostileHome, open_hostile_home
from tests.support.safe_text import HOSTILE, is_safe
from tests.support.waiting import PATIENCE

SEEN = "OWNED"
"""What stands in the hostile text, and may be printed."""
WORDS: dict[str, list[list[str]]] = {
    "status": [
        [],
        ["--json"],
        [HOSTILE],
        ["--format", f"{HOSTILE}{{name}}"],
        ["--format", "{" + HOSTILE],
        ["--columns", HOSTILE],
    ],
    "list": [[], [LIVE], [HOSTILE], ["--state", HOSTILE], ["--project", HOSTILE]],
    "watch": [["--timeout", "0"], [HOSTILE], ["--timeout", HOSTILE]],
    "wait": [["--for", "ended", OVER], ["--for", "needs_you", HOSTILE], ["--for", HOSTILE], ["--for", "idle", "A"]],
    "statusline": [[], ["--preview"], ["--preview", FOLDED], [HOSTILE]],
    "jump": [[LIVE], ["--print", LIVE], ["0"], [HOSTILE], [NOT_UTF8], [f"%{HOSTILE}"]],
    "next": [[], ["--print"]],
    "answer": [
        [],
        *([each, "--print"] for each in (LIVE, ASKS, PLANS)),
        [LIVE],
        [LIVE, "--choose", HOSTILE],
        [ASKS, "--choose", HOSTILE, HOSTILE],
        [ASKS, "--choose", NOT_UTF8],
        [PLANS, "--deny", HOSTILE],
        [HOSTILE],
        ["--always", HOSTILE],
    ],
    "answers": [[], ["--json"]],
    "resume": [["--print", LIVE], ["--print", OVER], ["--print", "--no", OVER], [OVER], ["A"], [HOSTILE]],
    "explain": [[LIVE], [FOLDED], ["A"], ["0"], [HOSTILE], [NOT_UTF8]],
    "replay": [[LIVE], [FOLDED], [OVER], [HOSTILE], [f"./{HOSTILE}.jsonl"], ["--speed", HOSTILE, LIVE]],
    "report": [[LIVE], [FOLDED, "--yes", "--output", f"r{HOSTILE}"], [LIVE, "--yes", "--output", "/dev"], [HOSTILE]],
    "notify": [[], ["--since", HOSTILE]],
    "mute": [[], ["30m"], ["off"], [HOSTILE], [NOT_UTF8]],
    "stream": [["--timeout", "0"], ["--timeout", HOSTILE], ["--heartbeat", HOSTILE]],
    "completion": [["bash"], [HOSTILE]],
    "man": [[], [HOSTILE]],
    "hosts": [[], [HOSTILE], ["--timeout", HOSTILE]],
    "publish": [
        [],
        ["--nats", HOSTILE],
        ["--nats", "nats://name", "--machine", HOSTILE],
        ["--nats", "nats://name", "--creds", HOSTILE, "--print-unit"],
        ["--nats", "nats://name", "--nkey", NOT_UTF8, "--print-unit"],
    ],
    "serve": [["--listen", HOSTILE], ["--listen", NOT_UTF8], ["--port", HOSTILE]],
    "demo": [[], ["--speed", HOSTILE]],
    "purge": [["--dry-run"], ["--dry-run", "--all"], ["--dry-run", "--project", HOSTILE], ["--older", HOSTILE], []],
    "install": [
        ["--dry-run"],
        ["--dry-run", "--answers", "--scope", "project"],
        ["--dry-run", "--config-dir", HOSTILE],
        [],
        ["--sync", HOSTILE],
        ["--events", HOSTILE],
    ],
    "uninstall": [["--dry-run"], ["--list-backups"], ["--restore", "--dry-run"], ["--restore", HOSTILE], []],
    "tmux-conf": [[], ["--install", "--dry-run"], ["--install", "--file", HOSTILE], ["--uninstall"]],
    "doctor": [[], ["--json"], ["--config-dir", HOSTILE]],
    "config": [[], ["--check"], ["--path"], ["theme", HOSTILE], ["theme", NOT_UTF8], [HOSTILE], ["--unset", HOSTILE]],
    "usage": [[], ["--json"], ["--all"], ["--config-dir", HOSTILE], ["--days", HOSTILE]],
}
"""The arguments with which each command is tried."""
WITHOUT_COMMAND = [[], ["--help"], ["--version"], [HOSTILE], [NOT_UTF8], [f"--{HOSTILE}"], ["--plain", "status"]]
JSON = {"status": ["--json"], "usage": ["--json"], "answers": ["--json"], "doctor": ["--json"], "report": [LIVE]}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostileHome]:
    with open_hostile_home(tmp_path_factory.mktemp("hostile")) as home:
        yield home


def run(hostile: HostileHome, *words: str, **environ: str) -> CommandResult:
    return hostile.home.run(*words, **environ)


def find_steering(done: CommandResult, allowed: str = "\n") -> list[str]:
    """What could steer the terminal, and lines that begin with what stands behind a line break in a name."""
    text = done.out + done.err
    found = [
        repr(text[max(0, n - 40) : n + 20]) for n, each in enumerate(text) if each not in allowed and not is_safe(each)
    ]
    return found + [line for line in text.splitlines() if line.startswith("OWNED LINE")]


def test_every_command_is_tested() -> None:
    assert set(WORDS) == set(COMMANDS), "give a new command the arguments by which it prints what comes from outside"


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_writes_control_sequences(hostile: HostileHome, command: str) -> None:
    seen = False
    has_tabs = command in ("install", "uninstall", "list")  # in the diff of a file, and between fields
    given = [*WORDS[command], ["--help"], [f"--{HOSTILE}"], [NOT_UTF8, NOT_UTF8, NOT_UTF8]]
    for words, done in zip(given, hostile.home.run_each(*([command, *words] for words in given)), strict=True):
        assert done.code in set(ExitCode), (words, done.err)
        assert "Traceback" not in done.err, (words, done.err)
        allowed = "\n\t" if has_tabs or "--format" in words else "\n"
        assert find_steering(done, allowed) == [], words
        seen = seen or SEEN in done.out + done.err
    assert seen, "nothing hostile was printed: this tests nothing"


@pytest.mark.parametrize("words", WITHOUT_COMMAND, ids=repr)
def test_output_without_a_command_has_no_control_sequences(hostile: HostileHome, words: list[str]) -> None:
    done = run(hostile, *words)
    assert done.code in (ExitCode.DONE, ExitCode.USAGE)
    assert find_steering(done) == []


def test_a_hostile_folder_name_is_printed_safely(hostile: HostileHome) -> None:
    watch = ["--watch", HOSTILE, "--watch", NOT_UTF8]
    for done in hostile.home.run_each([*watch, "status"], [*watch, "usage"], [*watch, "status", "--json"]):
        assert find_steering(done) == []


def test_plain_lines_have_no_control_sequences(hostile: HostileHome) -> None:
    process = subprocess.Popen(
        [*AS_PERSON, "--plain"],
        cwd=hostile.folder,
        env=hostile.home.environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    assert process.stdout is not None
    lines = iter(process.stdout.readline, "")
    out = "".join([*_until(lines, "Type q")])
    process.send_signal(signal.SIGTERM)
    rest, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == ExitCode.TERMINATED
    assert find_steering(CommandResult(0, out + rest, err)) == []
    assert out.count(SEEN) > 5


def _until(lines: Iterator[str], words: str) -> Iterator[str]:
    for line in lines:
        yield line
        if words in line:
            return


@pytest.mark.parametrize("command", JSON)
def test_json_is_valid_and_keeps_the_text(hostile: HostileHome, command: str) -> None:
    done = run(hostile, command, *JSON[command])
    assert find_steering(done) == []
    found = json.loads(done.out)
    assert HOSTILE in set(_list_texts(found)) or command in ("doctor", "report")
    assert NOT_UTF8 in done.out.encode().decode("unicode-escape", "surrogatepass") or command != "status"


def _list_texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.items() if isinstance(value, dict) else value:
            yield from _list_texts(list(each) if isinstance(each, tuple) else each)


CONFIGS = {
    "a key": 'x = 1\n"{0}" = 1',
    "a value": 'theme = "{0}"',
    "a type": 'closed_after = "{0}"',
    "a pattern": 'dangers = ["({0}"]',
    "a price": '[[prices]]\nmodel = "{0}"\n"{0}" = 1',
    "no TOML": "{0} = = {0}",
}


@pytest.mark.parametrize("kind", CONFIGS)
def test_a_hostile_configuration_is_refused_with_a_safe_message(
    hostile: HostileHome, kind: str, tmp_path: Path
) -> None:
    escaped = "".join(f"\\U{ord(each):08x}" for each in HOSTILE)
    path = tmp_path / f"{HOSTILE}.toml"
    path.write_text(CONFIGS[kind].format(escaped if kind != "no TOML" else HOSTILE))
    commands = [["status"], ["usage"], *([["doctor"]] if LONG or kind in ("a value", "no TOML") else [])]
    for done in hostile.home.run_each(*commands, ATM_CONFIG=str(path)):
        assert "Traceback" not in done.err
        assert find_steering(done) == []
