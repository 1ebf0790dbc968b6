"""The output, byte for byte: no text from outside controls the terminal, and no failing stream causes a traceback."""

import io
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from atm_tui.cli import output
from atm_tui.cli.clean_stream import CleanStream, clean_streams
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.main import main
from atm_tui.monitor.live import LiveMonitor
from atm_tui.text import MARK
from tests.support.command_home import Home
from tests.support.safe_text import HOSTILE, find_unsafe
from tests.support.waiting import PATIENCE

DIFF = '@@ -1,2 +1,2 @@\n {\n-\t"a":  1\n+\t"a":  2\n\\ No newline at end of file'


class Streams:
    """stdout and stderr in an encoding, and the bytes that were written there."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, encoding: str = "utf-8") -> None:
        self.out, self.err = io.BytesIO(), io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(self.out, encoding, write_through=True))
        monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(self.err, encoding, write_through=True))


def test_a_diff_keeps_its_lines_tabs_and_blanks(monkeypatch: pytest.MonkeyPatch) -> None:
    streams = Streams(monkeypatch)
    output.write_text(DIFF)
    assert streams.out.getvalue().decode() == DIFF + "\n"


@pytest.mark.parametrize(
    "write",
    [
        output.write_line,
        output.write_text,
        output.write_remark,
        output.write_error,
        output.write_question,
        lambda text: output.write_lines([text]),
        lambda text: output.write_help(text, is_error=False),
        lambda text: output.write_help(text, is_error=True),
        lambda text: output.write_json(output.format_json({"a": text, text: 1})),
    ],
)
def test_no_function_writes_control_sequences(write, monkeypatch: pytest.MonkeyPatch) -> None:
    streams = Streams(monkeypatch)
    write(f"[bold]{HOSTILE}\ud800")
    raw = streams.out.getvalue() + streams.err.getvalue()
    assert find_unsafe(raw, "\n\t" if write is output.write_text else "\n") == []
    assert b"[bold]A" in raw


def test_a_line_is_one_line_and_keeps_its_blanks(monkeypatch: pytest.MonkeyPatch) -> None:
    streams = Streams(monkeypatch)
    output.write_lines(["  a  b\nc\td", ""])
    assert streams.out.getvalue() == b"  a  b c d\n\n"


def test_our_own_sequences_are_written_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    streams = Streams(monkeypatch)
    output.write_line("a\x1b[0m", style="1;31")
    output.copy_to_clipboard("\x1b")
    output.show_progress("1 of 2\x1b")
    output.clear_progress()
    assert streams.out.getvalue().decode() == f"\x1b[1;31ma{MARK}[0m\x1b[0m\n\x1b]52;c;Gw==\x07"
    assert streams.err.getvalue().decode() == f"\r1 of 2{MARK} \r\x1b[K"


def test_what_python_and_libraries_write_is_cleaned_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    streams = Streams(monkeypatch)
    with clean_streams():
        print(HOSTILE)
        print(HOSTILE, file=sys.stderr)
        with clean_streams():
            output.write_line("a", style="1")
    assert not isinstance(sys.stdout, CleanStream)
    assert find_unsafe(streams.out.getvalue().replace(b"\x1b[1ma\x1b[0m", b"") + streams.err.getvalue()) == []


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_a_character_missing_in_the_encoding_is_escaped(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    streams = Streams(monkeypatch, encoding)
    output.write_line(f"… 日 – {HOSTILE}")
    output.write_error("日")
    value = {"é日🙂": HOSTILE}
    output.write_json(output.format_json(value))
    line, text, _ = streams.out.getvalue().decode(encoding).split("\n")
    assert "\\u65e5" in line
    assert json.loads(text) == value
    assert streams.err.getvalue() == b"atm-tui: \\u65e5\n"


@pytest.mark.parametrize("indent", [0, 2])
def test_json_keeps_its_meaning(indent: int) -> None:
    for value in ({"a": HOSTILE, "b": [1.5, None, True, "é日🙂"]}, {"a\udc9b": os.fsdecode(b"\x9b31m")}):
        text = output.format_json(value, indent=indent)
        assert json.loads(text) == value
        assert find_unsafe(text.encode()) == []
        assert ("\n" in text) == bool(indent)


def test_an_unexpected_fault_ends_in_a_cleaned_traceback(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> bool:
        raise RuntimeError(HOSTILE)

    monkeypatch.setenv("HOME", str(home.folder))
    monkeypatch.setattr(LiveMonitor, "refresh", fail)
    streams = Streams(monkeypatch)
    assert main(["status"]) == ExitCode.FAILED
    assert find_unsafe(streams.err.getvalue()) == []
    assert b"RuntimeError: A" in streams.err.getvalue()


# Processes

LONG = "x" * 200


@pytest.fixture
def full_home(home: Home) -> Home:
    """A home with more to print than a pipe takes at once."""
    sessions = home.state / "sessions"
    sessions.mkdir(parents=True)
    for number in range(600):
        (sessions / f"{number:04}{LONG}.json").write_text("{")
    return home


def run_in_shell(home: Home, line: str, **environ: str) -> "subprocess.CompletedProcess[bytes]":
    """Runs a line of bash in which $atm is the command line."""
    environ = {**home.environ, "atm": f"{sys.executable} -m atm_tui", **environ}
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", line], cwd=home.folder, env=environ, capture_output=True, check=False
    )


@pytest.mark.parametrize("command", ["status", "status --json"])
def test_a_closed_pipe_is_not_an_error(full_home: Home, command: str) -> None:
    done = run_in_shell(full_home, f"$atm {command} | head -1")
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("command", ["--help", "status"])
def test_a_pipe_closed_before_the_start_is_not_an_error(home: Home, command: str) -> None:
    done = run_in_shell(home, f"(sleep 0.05; $atm {command}; echo $? >&2) | true")
    assert done.stderr == b"0\n"


@pytest.mark.parametrize("command", ["--help", "status", "status --json", "usage --days 1"])
def test_unwritable_output_ends_with_one_message_and_exit_code_1(home: Home, command: str) -> None:
    (home.folder / ".claude").mkdir()
    for place, reason in ((">/dev/full", b"No space left on device"), (">&-", b"it is closed")):
        done = run_in_shell(home, f"$atm {command} {place}")
        assert done.returncode == ExitCode.FAILED
        assert done.stderr == b"atm-tui: the output can't be written: " + reason + b".\n"


def test_unwritable_messages_end_with_the_exit_code_only(home: Home) -> None:
    for place in ("2>/dev/full", "2>&-", "<&- >&- 2>&-"):
        done = run_in_shell(home, f"$atm explain nothing {place}")
        assert (done.returncode, done.stdout, done.stderr) == (ExitCode.NOT_FOUND, b"", b"")


@pytest.mark.parametrize(
    "environ",
    [
        {"PYTHONIOENCODING": "ascii:strict"},
        {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
        {"LC_ALL": "no_SUCH.locale"},
    ],
)
def test_names_are_shown_in_any_locale(home: Home, environ: dict[str, str]) -> None:
    (home.state / "sessions").mkdir(parents=True)
    (home.state / "sessions" / "日é.json").write_text("{")
    for command in ("status", "explain é日"):
        done = run_in_shell(home, f"$atm {command}", **environ)
        assert done.returncode in (0, ExitCode.NOT_FOUND)
        assert b"Traceback" not in done.stderr


def test_ctrl_c_while_an_error_is_reported_ends_without_a_traceback(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("atm_tui.cli.main.write_error", interrupt)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home.folder / "missing"))
    assert main(["usage", "--all"]) == ExitCode.INTERRUPTED


def test_ctrl_c_at_any_moment_ends_without_a_traceback(home: Home) -> None:
    """At moments through the loading of modules, and while the command works."""
    code = "import sys, atm_tui.__main__ as start; start._end_on_interrupt(); print(flush=True); sys.exit(start.main())"
    for number in range(6):
        process = subprocess.Popen(
            [sys.executable, "-c", code, "usage", "--all"],
            cwd=home.folder,
            env=home.environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.04 * number)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
        assert process.returncode in (-signal.SIGINT, ExitCode.INTERRUPTED, ExitCode.USAGE, ExitCode.DONE), err
        assert b"Traceback" not in err
