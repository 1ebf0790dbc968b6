"""The statusLine command, as the client runs it: our own line, changed samples, a user's command that must not notice us."""

import json
import os
import signal
import statistics
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from atm_hooks import journal
from tests.support import effort
from tests.support.hook_sandbox import HOOK, PATH_ONLY, STATUSLINE, HookSandbox
from tests.support.waiting import PATIENCE, wait_until


def sample(cost: float = 1.5, percent: float | None = 42, **fields: Any) -> dict[str, Any]:
    return {
        "session_id": "s1",
        "model": {"id": "claude-opus-5-5", "display_name": "Opus 5.5"},
        "cost": {"total_cost_usd": cost, "total_duration_ms": int(time.time() * 1000)},
        "context_window": {"context_window_size": 1000000, "used_percentage": percent},
        "version": "2.1.332",
        "cwd": "/x",
        **fields,
    }


def start_statusline(
    sandbox: HookSandbox, payload: object, *options: str, **environ: str
) -> subprocess.CompletedProcess[bytes]:
    raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    command = [*sandbox.make_command(STATUSLINE), *options]
    return subprocess.run(command, input=raw, capture_output=True, env=PATH_ONLY | environ, timeout=60, check=False)


def run_statusline(sandbox: HookSandbox, payload: object, *options: str) -> str:
    """The line without colours at the usual width of 80 cells, unless the options say otherwise."""
    done = start_statusline(sandbox, payload, "--no-color", *options)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


def test_the_built_in_line(sandbox: HookSandbox) -> None:
    assert run_statusline(sandbox, sample()) == "Opus 5.5 · ▰▰▱▱▱ 42% · $1.50 · ○\n"
    sandbox.send_hook(
        {"session_id": "s1", "hook_event_name": "SubagentStart", "agent_id": "a1", "agent_type": "Explore"}
    )
    assert run_statusline(sandbox, sample()).endswith(" · ◐ ◐\n")
    assert run_statusline(sandbox, sample(percent=None)) == "Opus 5.5 · $1.50 · ◐ ◐\n"
    assert run_statusline(sandbox, sample(percent=340)).startswith("Opus 5.5 · ▰▰▰▰▰ 340%")
    assert sandbox.read_state()["metrics"]["used_percent"] == 340
    wide = "Opus 5.5 · ▰▰▰▰▱▱▱▱▱▱ 42% · $1.50 · ◐ working  ◐ Explore\n"
    assert run_statusline(sandbox, sample(), "--width", "120") == wide
    assert start_statusline(sandbox, sample(), "--no-color", COLUMNS="104").stdout.decode() == wide, (
        "the client keeps four free"
    )
    assert (
        start_statusline(sandbox, sample(), "--no-color", "--width", "40", COLUMNS="120").stdout.decode()
        == "Opus 5.5 · 42% · $1.50 · ◐ ◐\n"
    )


def test_model_names_cannot_control_the_terminal(sandbox: HookSandbox) -> None:
    for name in ("\x1b[31mOpus\x07", "\x9b31mOpus", "\u202esupO\u2066", "Op\u200bus\n"):
        shown = run_statusline(sandbox, {**sample(), "model": {"id": "x", "display_name": name}})
        assert shown.rstrip("\n").isprintable()
        assert shown.endswith(" · $1.50 · ○\n")


@pytest.mark.parametrize("raw", [b"", b"{", b'{"session_id":"../x"}', b'{"session_id":"s1","model":7,"cost":[]}'])
def test_invalid_input_prints_a_line_without_figures(sandbox: HookSandbox, raw: bytes) -> None:
    assert run_statusline(sandbox, raw) == "○\n"


@pytest.mark.parametrize(
    "part",
    [
        {"metrics": "7"},
        {"metrics": {"used_percent": "7", "cost_usd": []}},
        {"agents": {"a1": 7}},
        {"agents": {"a1": {}}},
    ],
)
def test_a_state_with_wrong_types_still_gives_a_line(sandbox: HookSandbox, part: dict[str, object]) -> None:
    line = run_statusline(sandbox, sample())
    path = sandbox.root / "sessions" / "s1.json"
    path.write_text(json.dumps(sandbox.read_state() | part))
    assert run_statusline(sandbox, sample()) == line
    assert not (sandbox.root / "hook.log").exists()


def test_an_unreadable_state_shows_an_error_mark_beside_the_figures_of_the_sample(
    sandbox: HookSandbox, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    assert run_statusline(HookSandbox(tmp_path / "file" / "x"), sample()) == "Opus 5.5 · ▰▰▱▱▱ 42% · $1.50 · ✗ ERR\n"
    run_statusline(sandbox, sample())
    (sandbox.root / "sessions" / "s1.json").write_text("{")
    assert run_statusline(sandbox, sample()).endswith(" · ✗ ERR ○\n")
    assert run_statusline(sandbox, sample()).endswith(" · $1.50 · ○\n"), "it was made anew from the journal"
    assert "cost_usd" in sandbox.read_state()["metrics"]


def test_colours_unicode_and_segments_are_chosen_by_options_environment_and_configuration(
    sandbox: HookSandbox, tmp_path: Path
) -> None:
    assert "\x1b[" in start_statusline(sandbox, sample()).stdout.decode()
    assert "\x1b[" not in start_statusline(sandbox, sample(), NO_COLOR="1").stdout.decode()
    plain = run_statusline(sandbox, sample(), "--no-unicode")
    assert plain == "Opus 5.5 | [##---] 42% | $1.50 | .\n"
    config = tmp_path / "config.toml"
    options = ("--config", str(config))
    usual = run_statusline(sandbox, sample(), *options)
    assert usual == "Opus 5.5 · ▰▰▱▱▱ 42% · $1.50 · ○\n", "there is no such file"
    for text, expected in (
        ('statusline = ["agents", "cost"]', "○ · $1.50\n"),
        ('ascii = true\nstatusline = ["cost", "strange", "model"]', "$1.50 | Opus 5.5\n"),
        ("statusline = 7", usual),
        ("[", usual),
    ):
        config.write_text(text)
        for _ in range(2):  # the second reads what the first has kept
            assert run_statusline(sandbox, sample(), *options) == expected
    (sandbox.root / "statusline.json").write_text("{")
    assert run_statusline(sandbox, sample(), *options) == usual


def test_an_unchanged_sample_is_not_recorded(sandbox: HookSandbox) -> None:
    for _ in range(3):
        run_statusline(sandbox, sample())  # its durations grow all the time
    assert len(sandbox.read_events()) == 1
    before = (sandbox.root / "sessions" / "s1.json").stat()
    run_statusline(sandbox, sample())
    assert (sandbox.root / "sessions" / "s1.json").stat().st_ino == before.st_ino
    for changed in (sample(cost=1.6), sample(cost=1.6, percent=43), sample(cost=1.6, percent=43, session_name="mine")):
        run_statusline(sandbox, changed)
    assert len(sandbox.read_events()) == 4
    assert (sandbox.read_state()["title"], sandbox.read_state()["metrics"]["cost_usd"]) == ("mine", 1.6)


def test_a_session_unknown_to_the_hooks_begins_with_its_sample(sandbox: HookSandbox) -> None:
    run_statusline(sandbox, sample())
    state = sandbox.read_state()
    assert (state["model"], state["activity"]["kind"]) == ("claude-opus-5-5", "new")
    assert state["created_at"] == state["updated_at"] > 0


# --- a user's own command, wrapped

COMMANDS = {
    "its own text": "printf 'mine'",
    "two lines in colour": r"printf '\033[32mgreen\033[0m\nsecond\n'",
    "its input as it came": "cat",
    "what it counts": "wc -c",
    "nothing": "true",
    "bytes that are no text": r"printf '\377\000\001'",
    "both outputs": "echo out; echo err >&2",
    "a failure": "echo half; exit 3",
    "a missing program": "no-such-program-here",
    "no reading": "exec 0<&-; echo closed",
    "bad grammar": "if",
    "quotes": """echo "it's" '"$HOME"' "$HOME" """,
    "death": "kill -9 $$",
    "a pipe that breaks": "yes | head -2; echo ${PIPESTATUS:-none}",
    "its environment": "echo $MARK; umask",
    "descriptors": "ls /proc/self/fd | wc -l",
}


FAULTS = ("none", "unwritable", "garbage", "large")
PAIRS = [(fault, kind) for fault in FAULTS for kind in COMMANDS]
CHOSEN = ("its input as it came", "both outputs", "a failure", "no reading")
"""Commands that are also tried with each fault in a short run."""


@pytest.mark.parametrize(
    ("fault", "kind"), effort.sample(PAIRS, *(pair for pair in PAIRS if pair[0] == "none" or pair[1] in CHOSEN))
)
def test_the_output_of_a_wrapped_command_is_unchanged(
    sandbox: HookSandbox, tmp_path: Path, kind: str, fault: str
) -> None:
    raw = json.dumps(sample(note="ä " * 100)).encode()
    if fault == "garbage":
        raw = b"\xff\x00{"
    elif fault == "large":
        raw += b" " * 1_000_000
    elif fault == "unwritable":
        (tmp_path / "file").write_text("")
        sandbox.root = tmp_path / "file" / "state"
    alone = subprocess.Popen(
        ["sh", "-c", COMMANDS[kind]],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=PATH_ONLY | {"MARK": "x"},
    )
    out, err = alone.communicate(raw)
    code = alone.returncode if alone.returncode >= 0 else 128 - alone.returncode
    done = start_statusline(sandbox, raw, "--wrap", COMMANDS[kind], MARK="x")
    assert (done.returncode, done.stdout, done.stderr) == (code, out, err)
    if fault in ("none", "large"):
        assert sandbox.read_state()["metrics"]["cost_usd"] == 1.5


def test_a_wrapped_command_runs_even_when_our_package_is_gone(sandbox: HookSandbox, tmp_path: Path) -> None:
    alone = tmp_path / "atm_hooks" / "statusline.py"
    alone.parent.mkdir()
    alone.write_bytes(STATUSLINE.read_bytes())
    command = [*sandbox.make_command(alone), "--wrap", "cat; exit 4"]
    done = subprocess.run(command, input=b"hello", capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (4, b"hello", b"")


def test_a_slow_command_is_awaited_and_the_sample_is_recorded_before_it_ends(
    sandbox: HookSandbox, tmp_path: Path
) -> None:
    go = tmp_path / "go"
    process = subprocess.Popen(
        [*sandbox.make_command(STATUSLINE), "--wrap", f"while [ ! -e {go} ]; do sleep 0.05; done; echo late"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps(sample()).encode())
    process.stdin.close()
    process.stdin = None
    wait_until((sandbox.root / "sessions" / "s1.json").exists, "the state")
    assert process.poll() is None
    assert sandbox.read_state()["metrics"]["cost_usd"] == 1.5
    go.touch()
    assert process.communicate()[0] == b"late\n"


def test_a_client_that_gives_up_ends_the_command_too(sandbox: HookSandbox, tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    process = subprocess.Popen(
        [*sandbox.make_command(STATUSLINE), "--wrap", f"echo $$ > {mark}; exec sleep 30"], stdin=subprocess.DEVNULL
    )
    wait_until(lambda: mark.exists() and mark.read_text().strip(), "the command")
    time.sleep(0.1)
    process.terminate()
    assert process.wait(timeout=PATIENCE) == 128 + signal.SIGTERM
    with pytest.raises(ProcessLookupError):
        os.kill(int(mark.read_text()), 0)


def test_a_held_lock_hardly_delays_the_line(sandbox: HookSandbox) -> None:
    run_statusline(sandbox, sample())
    held = journal.take_lock(f"{sandbox.root}/locks/s1.lock", 0)
    assert held is not None
    assert run_statusline(sandbox, sample(cost=9)) == "Opus 5.5 · ▰▰▱▱▱ 42% · $9.00 · ○\n"
    os.close(held)
    run_statusline(sandbox, sample(cost=10))
    assert [event["metrics"]["cost_usd"] for event in sandbox.read_events()] == [1.5, 9, 10]


def test_wrapping_takes_little_more_than_an_interpreter(sandbox: HookSandbox) -> None:
    raw, command = json.dumps(sample()).encode(), "sed -n 1p"
    wrapped, alone, bare = (
        [*sandbox.make_command(STATUSLINE), "--wrap", command],
        ["sh", "-c", command],
        [sandbox.make_command()[0], "-I", "-S", "-c", "pass"],
    )
    times: dict[str, list[float]] = {"wrapped": [], "alone": [], "bare": []}
    for _ in range(15):
        for name, each in (("wrapped", wrapped), ("alone", alone), ("bare", bare)):
            began = time.perf_counter()
            subprocess.run(each, input=raw, stdout=subprocess.DEVNULL, check=True)
            times[name].append(time.perf_counter() - began)
    median = {name: statistics.median(each) for name, each in times.items()}
    assert median["wrapped"] - median["alone"] < 3 * median["bare"]


def test_a_stdin_that_is_never_closed_is_read_to_the_end_of_its_object(sandbox: HookSandbox) -> None:
    for script in (STATUSLINE, HOOK):
        payload = sample(hook_event_name="Stop") if script == HOOK else sample()
        process = subprocess.Popen(
            sandbox.make_command(script), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=PATH_ONLY
        )
        assert process.stdin is not None
        raw = json.dumps(payload).encode()
        process.stdin.write(raw[:20])
        process.stdin.flush()
        time.sleep(0.2)
        process.stdin.write(raw[20:])
        process.stdin.flush()
        assert process.wait(timeout=60) == 0
        process.stdin.close()
        process.stdout.close()
    assert [each["event"] for each in sandbox.read_events()] == ["Sample", "Stop"]


def test_reading_a_silent_stdin_times_out(sandbox: HookSandbox) -> None:
    """In a wrapped line the user's own command then gets its end of input, and prints."""
    command = [*sandbox.make_command(STATUSLINE), "--wrap", "cat; echo mine"]
    begun = b'{"session_id": "s1", "hook_ev'
    cases = [
        (each, given, expected)
        for given in (b"", begun)
        for each, expected in ((sandbox.make_command(HOOK), b""), (command, given + b"mine\n"))
    ]
    processes = [
        subprocess.Popen(each, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=PATH_ONLY) for each, *_ in cases
    ]
    for process, (_, given, _) in zip(processes, cases, strict=True):
        assert process.stdin is not None
        process.stdin.write(given)
        process.stdin.flush()
    assert [process.wait(timeout=60) for process in processes] == [0] * len(cases)
    for process, (_, _, expected) in zip(processes, cases, strict=True):
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stdout.read() == expected
        process.stdout.close()
        process.stdin.close()


def test_a_large_input_is_passed_on_in_full_and_only_its_start_is_kept(sandbox: HookSandbox) -> None:
    raw = json.dumps(sample(note="x" * 20_000_000)).encode()
    done = start_statusline(sandbox, raw, "--wrap", "wc -c")
    assert (done.returncode, done.stdout.split()) == (0, [str(len(raw)).encode()])
    assert start_statusline(sandbox, raw).returncode == 0


@pytest.mark.parametrize("pid", ["4294967296", "99999999999", "2147483648", "0", "-1", "x", "1" * 400])
def test_an_invalid_process_id_loses_no_event(sandbox: HookSandbox, pid: str) -> None:
    sandbox.send_hook({"session_id": "s1", "hook_event_name": "SessionStart", "source": "startup"}, CLAUDE_PID=pid)
    sandbox.send_hook({"session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": "x"}, CLAUDE_PID=pid)
    assert [each["event"] for each in sandbox.read_events()] == ["SessionStart", "UserPromptSubmit"]
    assert sandbox.read_log() == ""
