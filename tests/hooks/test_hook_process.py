"""The real hook process on hostile input and in hostile surroundings: it ends with 0, in silence, and writes nowhere else."""

import json
import os
import re
import resource
import shlex
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from atm_hooks import bundle, journal
from atm_hooks.proc import read_start_ticks
from tests.support.effort import sample
from tests.support.hook_sandbox import HOOK, PATH_ONLY, PYTHON, HookSandbox
from tests.support.waiting import PATIENCE

STOP = {"session_id": "s1", "hook_event_name": "Stop"}


def write_event(session: str, **fields: Any) -> bytes:
    return json.dumps({"session_id": session, "hook_event_name": "PostToolUse", **fields}).encode()


REFUSED = {
    "empty": b"",
    "blank": b" \n\t ",
    "cut in a string": b'{"session_id":"a","hook_event_name":"UserPromptSubmit","prompt":"fix the',
    "no object": b"[]",
    "null": b"null",
    "number": b"42",
    "empty object": b"{}",
    "null id": b'{"session_id":null,"hook_event_name":"Stop"}',
    "wrong types": b'{"session_id":["a"],"hook_event_name":7}',
    "no event": b'{"session_id":"a"}',
    "two objects": b'{"session_id":"a","hook_event_name":"Stop"}{"session_id":"b"}',
    "garbage": bytes(range(256)) * 40,
    "nested": b"[" * 200_000,
    "nuls": b"\x00" * 4096,
    "utf-16": '{"session_id":"a"}'.encode("utf-16"),
}
HOSTILE_IDS = [
    "../../.claude/settings", "/etc/x", "a/b", "..", ".", "", "a\u0000b", "." + "x" * 300, "\uff21\u202e", "a\nb", 'a"\nb', "a b",
    "$HOME", "`id`", "a;b", "\ud800", "~", "%2e%2e", "a\\b", "x" * 129,
]  # fmt: skip
ACCEPTED_IDS = ["con", "-rf", "--help", "_", "A", "0", "x" * 128]


@pytest.fixture
def fenced(tmp_path: Path) -> HookSandbox:
    """A state folder deep in a tree in which any other new file would be seen."""
    return HookSandbox(tmp_path / "home" / "a" / "b" / "state")


def find_strays(sandbox: HookSandbox, tmp_path: Path) -> list[Path]:
    return [path for path in tmp_path.rglob("*") if path.is_file() and not path.is_relative_to(sandbox.root)]


@pytest.mark.parametrize("kind", REFUSED)
def test_invalid_events_are_dropped_silently(fenced: HookSandbox, tmp_path: Path, kind: str) -> None:
    fenced.send_hook(REFUSED[kind])
    assert fenced.list_files() == ["hook.log"]
    assert fenced.read_log().count("\n") == 1
    assert "refused: " in fenced.read_log()
    assert find_strays(fenced, tmp_path) == []


@pytest.mark.parametrize("session", HOSTILE_IDS)
def test_hostile_ids_write_nothing(fenced: HookSandbox, tmp_path: Path, session: str) -> None:
    fenced.send_hook({"session_id": session, "hook_event_name": "Stop"})
    assert fenced.list_files() == ["hook.log"]
    assert find_strays(fenced, tmp_path) == []


@pytest.mark.parametrize("session", ACCEPTED_IDS)
def test_unusual_but_safe_ids_become_file_names(fenced: HookSandbox, tmp_path: Path, session: str) -> None:
    fenced.send_hook({"session_id": session, "hook_event_name": "Stop"})
    assert fenced.list_files() == [f"journal/{session}.jsonl", f"locks/{session}.lock", f"sessions/{session}.json"]
    assert find_strays(fenced, tmp_path) == []


def test_quotes_and_newlines_in_text_do_not_break_lines(sandbox: HookSandbox) -> None:
    texts = [
        'x"y\n{"at":1,"event":"Stop"}',
        "\u2028\u2029\x85",
        "\ud800\udc00\ud800",
        "\x00\x1b]52;c;aGk=\x07",
        "}{",
        "\\",
    ]
    for text in texts:
        sandbox.send_hook(
            {"session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": text, "transcript_path": f"/x{text}"}
        )
    lines = (sandbox.root / "journal" / "s1.jsonl").read_bytes().split(b"\n")
    assert len(lines) == len(texts) + 2
    assert all(json.loads(line) for line in lines if line)
    assert len(sandbox.read_state()["prompts"]) == len(texts)


def test_the_log_is_bounded(sandbox: HookSandbox) -> None:
    sandbox.send_hook(b"")
    for _ in range(2):
        (sandbox.root / "hook.log").write_bytes(b"x" * (journal.LOG_SIZE + 1))
        sandbox.send_hook(b"{")
    assert sandbox.read_log().count("\n") == 1
    assert sum((sandbox.root / name).stat().st_size for name in sandbox.list_files()) < 2 * journal.LOG_SIZE + 2000


@pytest.mark.parametrize("place", sample(["tool_response", "prompt", "tool_input", "unknown"], "prompt", "tool_input"))
def test_a_payload_of_20_megabytes(sandbox: HookSandbox, place: str) -> None:
    value: Any = {"content": "x" * 20_000_000, "file_path": "/x/y"} if place == "tool_input" else "x" * 20_000_000
    payload = json.dumps(
        {"session_id": "s1", "hook_event_name": "PreToolUse", "tool_name": "Write", place: value}
    ).encode()
    began = time.monotonic()
    # a small process starts it: what a child is said to have used begins with the size of its parent
    watcher = "import os, sys; pid = os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:]); print(*os.wait4(pid, 0)[1:])"
    words = [sys.executable, "-I", "-S", "-c", watcher, *sandbox.make_command()]
    said = subprocess.run(words, input=payload, capture_output=True, check=True)
    found = re.fullmatch(rb"0 resource.struct_rusage\(.*ru_maxrss=(\d+).*\)\n", said.stdout)
    assert found, said
    assert said.stderr == b""
    assert int(found[1]) < 160 * 1024  # KiB
    assert time.monotonic() - began < PATIENCE
    assert sum((sandbox.root / name).stat().st_size for name in sandbox.list_files()) < 5000
    assert len(sandbox.read_events()) == 1


def test_a_payload_over_the_limit_is_read_to_its_end_and_refused(sandbox: HookSandbox) -> None:
    sandbox.send_hook(b'{"session_id":"s1","hook_event_name":"Stop","x":"' + b"x" * (33 * 1024 * 1024) + b'"}')
    assert sandbox.list_files() == ["hook.log"]
    assert "over 32 MiB" in sandbox.read_log()


@pytest.mark.parametrize(
    "environ",
    [
        {"PYTHONWARNINGS": "default", "PYTHONDEVMODE": "1"},
        {"PYTHONPATH": "/nowhere", "PYTHONHOME": "/nowhere", "PYTHONSTARTUP": "/nowhere/x.py"},
        {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "0", "LC_ALL": "C", "LANG": "xx_YY"},
        {"PYTHONVERBOSE": "1", "PYTHONPROFILEIMPORTTIME": "1", "PYTHONFAULTHANDLER": "1"},
        {"CLAUDE_PID": "x", "TMUX": "\udcff\udcfe"},
        {"PATH": ""},
    ],
)
def test_the_hook_is_silent_in_any_environment(sandbox: HookSandbox, environ: dict[str, str]) -> None:
    sandbox.send_hook({"session_id": "s1", "hook_event_name": "SessionStart"}, **environ)
    assert sandbox.read_state()["last_event"] == "SessionStart"


@pytest.mark.parametrize("options", [["-X", "dev"], ["-W", "error"], ["-b"], ["-O"], ["-OO"], ["-B"]])
def test_the_hook_is_silent_with_any_interpreter_option(sandbox: HookSandbox, options: list[str]) -> None:
    command = [PYTHON, *options, "-I", "-S", str(HOOK), str(sandbox.root)]
    done = subprocess.run(command, input=json.dumps(STOP).encode(), capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert sandbox.read_state()["last_event"] == "Stop"


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", ">/dev/full 2>/dev/full"])
def test_closed_and_full_descriptors(sandbox: HookSandbox, closed: str) -> None:
    line = f"printf %s {shlex.quote(json.dumps(STOP))} | {shlex.join(sandbox.make_command())} {closed}"
    done = subprocess.run(["sh", "-c", line], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_missing_and_unusable_arguments(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    for arguments in (
        [],
        [""],
        ["relative"],
        [str(file)],
        [str(file / "x")],
        ["/proc/nothing"],
        [str(tmp_path / "a\nb")],
        ["/dev/null"],
    ):
        done = subprocess.run(
            [PYTHON, "-I", "-S", str(HOOK), *arguments],
            input=json.dumps(STOP).encode(),
            capture_output=True,
            cwd=tmp_path,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert file.read_text() == "mine"


@pytest.mark.parametrize("gone", ["interpreter", "hook", "package", "state folder's parent"])
def test_the_installed_command_exits_with_0_whatever_is_missing(tmp_path: Path, gone: str) -> None:
    copy = tmp_path / "it's here" / "atm_hooks"
    shutil.copytree(HOOK.parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    python, hook, root = PYTHON, copy / "hook.py", tmp_path / "state dir" / "x"
    if gone == "interpreter":
        python = str(tmp_path / "python3")
    elif gone == "hook":
        hook.unlink()
    elif gone == "package":
        (copy / "journal.py").unlink()
    command = f"{shlex.join([python, '-I', '-S', str(hook), str(root)])} 2>/dev/null || true"
    done = subprocess.run(
        ["sh", "-c", command], input=json.dumps(STOP).encode(), capture_output=True, env=PATH_ONLY, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert (root / "sessions" / "s1.json").exists() == (gone == "state folder's parent")


def test_folders_and_files_are_private_whatever_the_umask(sandbox: HookSandbox) -> None:
    for mask in ("000", "077", "777"):
        command = f"umask {mask}; {shlex.join(sandbox.make_command())}"
        payload = json.dumps({**STOP, "session_id": f"s{mask}"}).encode()
        subprocess.run(["sh", "-c", command], input=payload, check=True)
    subprocess.run(["sh", "-c", f"umask 000; {shlex.join(sandbox.make_command())}"], input=b"", check=True)
    modes = {
        path.relative_to(sandbox.root): stat.S_IMODE(path.stat().st_mode)
        for path in [sandbox.root, *sandbox.root.rglob("*")]
    }
    assert len([mode for mode in modes.values() if mode == 0o600]) == 3 * 3 + 1
    assert {mode for path, mode in modes.items() if (sandbox.root / path).is_dir()} == {0o700}
    assert set(modes.values()) == {0o600, 0o700}


def test_a_killed_client_is_noticed_when_its_session_is_resumed(sandbox: HookSandbox) -> None:
    client = subprocess.Popen(["sleep", "60"])
    event = {"session_id": "s1", "cwd": "/x"}
    sandbox.send_hook({**event, "hook_event_name": "SessionStart", "source": "startup"}, CLAUDE_PID=str(client.pid))
    sandbox.send_hook({**event, "hook_event_name": "UserPromptSubmit", "prompt": "go"}, CLAUDE_PID=str(client.pid))
    assert (sandbox.read_state()["pid"], sandbox.read_state()["pid_start"] or "") == (
        client.pid,
        read_start_ticks(client.pid),
    )
    resume = {**event, "hook_event_name": "SessionStart", "source": "resume"}
    sandbox.send_hook(resume, CLAUDE_PID=str(os.getpid()))
    assert sandbox.read_state()["activity"]["kind"] == "thinking"
    client.kill()
    client.wait()
    sandbox.send_hook(resume, CLAUDE_PID=str(os.getpid()))
    assert sandbox.read_events()[-1]["gone_pids"] == [client.pid]
    assert sandbox.read_state()["activity"]["kind"] == "new"


@pytest.mark.skipif(not Path("/proc/self/ns/pid").exists(), reason="this system has no pid namespaces")
def test_a_process_of_another_pid_namespace_is_not_considered_dead(sandbox: HookSandbox) -> None:
    event = {"session_id": "s1", "hook_event_name": "SessionStart"}
    client = subprocess.Popen(["sleep", "60"])
    sandbox.send_hook(event, CLAUDE_PID=str(client.pid))
    client.kill()
    client.wait()
    domain = sandbox.read_events()[-1]["pid_domain"]
    assert domain.startswith("linux:")
    assert domain.endswith(os.readlink("/proc/self/ns/pid"))  # noqa: PTH115
    path = sandbox.root / "journal" / "s1.jsonl"
    path.write_text(path.read_text().replace("pid:[", "pid:[9"))
    (sandbox.root / "sessions" / "s1.json").unlink()
    for _ in range(2):
        sandbox.send_hook(event, CLAUDE_PID=str(os.getpid()))
        assert sandbox.read_events()[-1].get("gone_pids") is None


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="this system does not tell when a process started")
def test_a_reused_pid_counts_as_gone(sandbox: HookSandbox) -> None:
    event = {"session_id": "s1", "hook_event_name": "SessionStart"}
    sandbox.send_hook(event, CLAUDE_PID=str(os.getppid()))
    path = sandbox.root / "journal" / "s1.jsonl"
    path.write_text(path.read_text().replace('"pid_start":"', '"pid_start":"9'))
    (sandbox.root / "sessions" / "s1.json").unlink()
    sandbox.send_hook(event, CLAUDE_PID=str(os.getpid()))
    assert sandbox.read_events()[-1].get("gone_pids") is None  # the state is not there to ask
    sandbox.send_hook(event, CLAUDE_PID=str(os.getpid()))
    assert sandbox.read_events()[-1]["gone_pids"] == [os.getppid()]


def test_the_hook_needs_no_program_on_the_path(sandbox: HookSandbox, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    sandbox.send_hook(STOP, PATH=str(tmp_path / "bin"))
    assert sandbox.read_state()["last_event"] == "Stop"


def test_the_hook_imports_few_modules(sandbox: HookSandbox) -> None:
    """Each of these would cost every tool call of every agent milliseconds."""
    code = (
        f"import sys, posix; loaded = set(sys.modules); sys.argv = ['hook.py', {str(sandbox.root)!r}]; end = posix._exit\n"
        "posix._exit = lambda code: (print(*set(sys.modules) - loaded, flush=True), end(code))\n"
        f"exec(compile(open({str(HOOK)!r}).read(), {str(HOOK)!r}, 'exec'), dict(__name__='__main__', __file__={str(HOOK)!r}))"
    )
    done = subprocess.run(
        [PYTHON, "-I", "-S", "-c", code], input=json.dumps(STOP).encode(), capture_output=True, check=True
    )
    loaded = set(done.stdout.decode().split())
    ours = {"atm_hooks", *(f"atm_hooks.{name}" for name in bundle.MODULES["hook"])}
    assert loaded - ours <= {"_json", "fcntl"}
    assert sandbox.read_state()["last_event"] == "Stop"


def test_without_the_c_accelerators_the_json_module_is_used(sandbox: HookSandbox) -> None:
    code = f"import sys; sys.argv = ['hook.py', {str(sandbox.root)!r}]; sys.modules['_json'] = None; import runpy\n"
    code += f"runpy.run_path({str(HOOK)!r}, run_name='__main__')"
    done = subprocess.run(
        [PYTHON, "-I", "-c", code], input=write_event("s1", tool_name="Bash"), capture_output=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert sandbox.read_state()["tools_used"] == {"Bash": 1}


def test_a_full_disk(sandbox: HookSandbox) -> None:
    sandbox.send_hook(STOP)
    payload = write_event("s1", tool_name="Bash", tool_use_id="t1", tool_input={"command": "x" * 150})
    command = [
        PYTHON,
        "-B",
        *sandbox.make_command()[1:],
    ]  # bytecode that it wrote would be cut, and stay so for other tests
    for limit in (0, 100, 200, 300, 400, 600, 1000):
        done = subprocess.run(
            command,
            input=payload,
            capture_output=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),  # noqa: B023
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        assert sandbox.read_state()["session_id"] == "s1"
    sandbox.send_hook(write_event("s1", tool_name="Read", tool_use_id="t2"))
    assert sandbox.read_state()["tools_used"]["Read"] == 1
    assert list((sandbox.root / "tmp").iterdir()) == []


def test_another_users_state_folder_is_left_alone(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder away; test_journal.py tries the same with another user id")
    theirs, link = tmp_path / "theirs", tmp_path / "link"
    theirs.mkdir()
    os.chown(theirs, 65534, 65534)
    link.symlink_to(theirs)
    mine, their_link = tmp_path / "mine", tmp_path / "their_link"
    mine.mkdir()
    their_link.symlink_to(mine)
    os.lchown(their_link, 65534, 65534)
    for folder in (theirs, link, their_link):
        HookSandbox(folder).send_hook(STOP)
        assert list(theirs.iterdir()) + list(mine.iterdir()) == []
