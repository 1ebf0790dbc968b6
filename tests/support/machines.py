"""Machines to reach by a real sshd: own keys and configuration in the test's folder, on loopback, as the current user.

Each machine is an ssh destination of the user's ssh configuration, with a home of its own, in which hooks record for real.
"""

import contextlib
import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from atm_hooks import journal, payload
from tests.support.callers import AS_LINKED
from tests.support.conversations import Transcript
from tests.support.hook_sandbox import HookSandbox
from tests.support.needs import need_sshd
from tests.support.waiting import PATIENCE, wait_until

KEY_TYPE = "ed25519"


class Asking:
    """A hook that waits for an answer there."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process

    @property
    def is_waiting(self) -> bool:
        return self.process.poll() is None

    def end(self) -> bytes:
        """Waits until it has ended as it should; returns what it printed."""
        out, err = self.process.communicate(timeout=PATIENCE)
        assert (self.process.returncode, err) == (0, b"")
        return out

    def read_decision(self) -> dict[str, Any]:
        """Waits for its end; returns the decision that it printed."""
        found: dict[str, Any] = json.loads(self.end())["hookSpecificOutput"]["decision"]
        return found


class There:
    """A machine: a home with an atm-tui, and what records there as hooks do."""

    def __init__(self, folder: Path) -> None:
        self.home = folder
        self.state = folder / "state"
        self.bin = folder / ".local" / "bin"
        self.bin.mkdir(parents=True)
        (folder / ".claude").mkdir()
        self.environ = {
            "HOME": str(folder),
            "PATH": "/usr/bin:/bin",
            "ATM_STATE_DIR": str(self.state),
            "ATM_DATA_DIR": str(folder / "data"),
            "CLAUDE_CONFIG_DIR": str(folder / ".claude"),
            "LANG": "C.UTF-8",
            "TZ": os.environ["TZ"],
        }
        self.set_program(f'exec {sys.executable} -m atm_tui "$@"')

    def set_program(self, script: str) -> None:
        """Makes `atm-tui` there a shell script. `$REAL "$@"` in it is the real one."""
        program = self.bin / "atm-tui"
        variables = "".join(f"export {name}='{value}'\n" for name, value in self.environ.items())
        new = self.bin / "new"
        new.write_text(f'#!/bin/sh\n{variables}REAL="{sys.executable} -m atm_tui"\n{script}\n', "utf-8")
        new.chmod(0o700)
        new.rename(program)

    def record(self, session_id: str, kind: str, *, later: float = 0.0, **fields: Any) -> None:
        """Records a hook event of a session whose client is this process, `later` seconds ahead of now."""
        raw = {"session_id": session_id, "hook_event_name": kind, "cwd": str(self.home / "app"), **fields}
        event = payload.parse_event(json.dumps(raw).encode(), time.time() + later, {"CLAUDE_PID": str(os.getpid())})
        journal.prepare_folders(str(self.state))
        journal.record_event(str(self.state), event)

    def install(self, *options: str) -> None:
        """Installs the hooks there."""
        subprocess.run(
            [sys.executable, "-m", "atm_tui", "install", "--yes", *options],
            env=self.environ,
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
        )

    def send_hook(self, session_id: str, kind: str, **fields: Any) -> None:
        """Runs the installed hooks of an event, as Claude Code does."""
        settings = json.loads((self.home / ".claude" / "settings.json").read_text("utf-8"))
        raw = {"session_id": session_id, "hook_event_name": kind, "cwd": str(self.home), **fields}
        commands = [each["command"] for group in settings["hooks"][kind] for each in group["hooks"]]
        assert commands
        for command in commands:
            environ = {**self.environ, "CLAUDE_PID": str(os.getpid())}
            given = json.dumps(raw).encode()
            done = subprocess.run(["sh", "-c", command], input=given, env=environ, capture_output=True, check=True)
            assert (done.stdout, done.stderr) == (b"", b"")

    def start_transcript(self, session_id: str) -> Transcript:
        """Makes the transcript of a session, and records where it is."""
        path = self.home / ".claude" / "projects" / "-app" / f"{session_id}.jsonl"
        self.record(session_id, "SessionStart", source="startup", transcript_path=str(path))
        return Transcript(path, began=time.time() - 600)

    def take_answers(self, *, installs: bool = False) -> None:
        """Registers the hook that waits for answers, and lets atm-tui there take those of a person on another machine.

        `installs`: whether all hooks are installed, as a person does it.
        """
        if installs:
            self.install("--answers")
        else:
            command = f"{shlex.join(HookSandbox(self.state).make_command())} --answers # atm-tui"
            hooks = {"PermissionRequest": [{"hooks": [{"type": "command", "command": command}]}]}
            (self.home / ".claude" / "settings.json").write_text(json.dumps({"hooks": hooks}), "utf-8")
        self.set_config("remote_answers = true\n")
        self.set_program(f'exec {shlex.join(AS_LINKED)} "$@"')

    def set_config(self, text: str) -> None:
        """Writes the configuration there."""
        file = self.home / ".config" / "atm-tui" / "config.toml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")

    @contextmanager
    def wait_for_answer(self, session_id: str, tool: str, given: object, **fields: Any) -> "Iterator[Asking]":
        """Runs the installed hook of a request, which waits for an answer if something is armed there."""
        settings = json.loads((self.home / ".claude" / "settings.json").read_text("utf-8"))
        [group] = settings["hooks"]["PermissionRequest"]
        raw = {
            "session_id": session_id,
            "hook_event_name": "PermissionRequest",
            "cwd": str(self.home / "app"),
            "tool_name": tool,
            "tool_input": given,
            "permission_mode": "default",
            "prompt_id": "p1",
            **fields,
        }
        process = subprocess.Popen(
            ["sh", "-c", group["hooks"][0]["command"]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**self.environ, "CLAUDE_PID": str(os.getpid())},
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps(raw).encode())
        process.stdin.close()
        process.stdin = None
        try:
            yield Asking(process)
        finally:
            process.kill()
            process.communicate()

    @property
    def lease(self) -> Path:
        """The file that says that something is armed there."""
        return self.state / "answers" / "lease"

    @property
    def answers(self) -> list[dict[str, Any]]:
        """The log of answers there."""
        log = self.state / "answers" / "log.jsonl"
        return [json.loads(line) for line in log.read_text("utf-8").splitlines()] if log.exists() else []

    def ask(self, session_id: str, command: str) -> None:
        """A session asks for permission to run a command."""
        tool = {"tool_name": "Bash", "tool_input": {"command": command}, "prompt_id": "p1"}
        self.record(session_id, "PermissionRequest", **tool)


class Wire:
    """A network between us and a port here. It can begin to swallow everything, without a word to either end."""

    def __init__(self, to: int) -> None:
        self._to = to
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._cut = threading.Event()
        self._sockets: list[socket.socket] = []
        self._run(self._accept)

    def _run(self, target: Callable[..., None], *args: object) -> None:
        threading.Thread(target=target, args=args, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                here, _ = self._listener.accept()
                there = socket.create_connection(("127.0.0.1", self._to))
                self._sockets += [here, there]
                for one, other in ((here, there), (there, here)):
                    self._run(self._carry, one, other, self._cut)

    def _carry(self, one: socket.socket, other: socket.socket, cut: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while data := one.recv(1 << 16):
                if cut.is_set():  # neither read on nor closed: both ends wait for ever
                    return
                other.sendall(data)
            if not cut.is_set():
                other.shutdown(socket.SHUT_WR)

    def swallow(self) -> None:
        """Swallows what its connections carry from now on; new ones are carried."""
        self._cut.set()
        self._cut = threading.Event()

    def close(self) -> None:
        """Ends it."""
        for each in (self._listener, *self._sockets):
            each.close()


class Net:
    """A running sshd, and the `ssh` of a user whose configuration knows the machines."""

    def __init__(self, folder: Path, sshd: str) -> None:
        self.folder = folder
        self.machines: dict[str, There] = {}
        self._config = folder / "ssh_config"
        self._hosts: list[str] = []
        self.bin = folder / "bin"
        self.bin.mkdir(parents=True)
        self.python = sys.executable
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        for name in ("host_key", "user_key"):
            command = ["ssh-keygen", "-q", "-t", KEY_TYPE, "-N", "", "-f", str(folder / name)]
            subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
        shutil.copy(folder / "user_key.pub", folder / "authorized_keys")
        # the person's own configuration, which OpenSSH looks for below the home of the password file
        ssh = self.bin / "ssh"
        ssh.write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F "{self._config}" "$@"\n', "utf-8")
        ssh.chmod(0o700)
        self._sshd = self._start(sshd)

    def _start(self, sshd: str) -> "subprocess.Popen[bytes]":
        config = self.folder / "sshd_config"
        config.write_text(
            f"Port {self.port}\nListenAddress 127.0.0.1\nHostKey {self.folder}/host_key\nPidFile none\nUsePAM no\n"
            f"AuthorizedKeysFile {self.folder}/authorized_keys\nStrictModes no\nPasswordAuthentication no\n"
            "KbdInteractiveAuthentication no\nPermitUserEnvironment no\nAcceptEnv ATM_TEST_*\nMaxStartups 100\n"
            f'ForceCommand exec env HOME=$ATM_TEST_HOME sh -c "$SSH_ORIGINAL_COMMAND"\nLogLevel VERBOSE\n',
            "utf-8",
        )
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # sshd of root wants it
        log = (self.folder / "sshd.log").open("wb")
        with log:
            process = subprocess.Popen([sshd, "-D", "-e", "-f", str(config)], stdin=subprocess.DEVNULL, stderr=log)
        wait_until(self._is_answering, "an sshd that listens")
        return process

    def _is_answering(self) -> bool:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1.0):
            return True
        return False

    def add(self, name: str, *, port: int | None = None, more: str = "") -> There:
        """Adds a machine to the net and to the user's ssh configuration. `port`: that of a wire; `more`: lines of ssh_config."""
        home = self.folder / "machines" / name
        home.mkdir(parents=True)
        self.machines[name] = There(home)
        self._hosts.append(
            f"Host {name}\n HostName 127.0.0.1\n Port {port or self.port}\n IdentityFile {self.folder}/user_key\n"
            f" IdentitiesOnly yes\n UserKnownHostsFile {self.folder}/known_hosts\n StrictHostKeyChecking accept-new\n"
            f" SetEnv ATM_TEST_HOME={home}\n LogLevel ERROR\n{more}"
        )
        self._config.write_text("".join(self._hosts), "utf-8")
        return self.machines[name]

    def list_links(self, name: str) -> list[int]:
        """Returns the ssh processes that hold a link to a machine."""
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdecimal():
                continue
            with contextlib.suppress(OSError):
                words = (entry / "cmdline").read_bytes().split(b"\0")
                if str(self._config).encode() in words and name.encode() in words:
                    found.append(int(entry.name))
        return found

    def signal_links(self, name: str, number: signal.Signals) -> None:
        """Sends a signal to the ssh processes that hold a link to a machine."""
        for pid in self.list_links(name):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def signal_servers(self, name: str, number: signal.Signals) -> None:
        """Sends a signal to the sshd processes that serve a machine's streams."""
        home = f"HOME={self.machines[name].home}".encode()
        for stream in psutil.process_iter():
            with contextlib.suppress(OSError, psutil.Error):
                if home in Path(f"/proc/{stream.pid}/environ").read_bytes().split(b"\0"):
                    for each in stream.parents():
                        if each.name().startswith("sshd") and each.pid != self._sshd.pid:
                            each.send_signal(number)

    def stop(self) -> None:
        """Ends sshd and every link."""
        for name in self.machines:
            self.signal_servers(name, signal.SIGCONT)
            self.signal_links(name, signal.SIGKILL)
        for entry in psutil.process_iter(["cmdline"]):  # connections that ssh shares
            if any(str(self.folder) in word and "[mux]" in word for word in entry.info["cmdline"] or ()):
                entry.kill()
        self._sshd.kill()
        self._sshd.wait()


@contextmanager
def run_net(folder: Path) -> Iterator[Net]:
    """Runs a net in a folder; skips without an sshd."""
    net = Net(folder, need_sshd())
    try:
        yield net
    finally:
        net.stop()
