"""Decides who started this process: a person, or an agent of Claude Code, from which no answer is accepted. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import NamedTuple

from atm_tui.model.facts import HookState, ProcessFact, RegistryEntry
from atm_tui.model.liveness import is_same_process
from atm_tui.model.pid_domain import Place, find_place

VARIABLES = ("CLAUDECODE", "CLAUDE_PID")
"""Variables that Claude Code sets for everything that it starts."""
NO_TERMINAL = "no terminal"
"""The sign of a process without a controlling terminal."""
_PROGRAM = r"(?:^|/)claude(?:-code)?(?:\.exe)?$|/claude/versions/\d[^/]*$"
"""Matches the client's program: its name, or its path in the native installation."""
_SCRIPT = r"/claude-code/(?:\S+/)?cli[\w-]*\.[cm]?js$"
"""Matches the client's script in its npm package."""
_LINK = r"sshd(?:-session|-auth)?|dropbear|tailscaled|Relay\(\d+\)"
"""Matches the processes that start what another machine asks for: servers of ssh, and the relay of wsl.exe."""
_INTERPRETERS = frozenset({"node", "nodejs", "bun", "deno"})


class Ancestor(NamedTuple):
    """A process above this one."""

    process: ProcessFact
    name: str
    command: tuple[str, ...]
    """Its program and arguments; empty where they can't be read."""


class Caller(NamedTuple):
    """What this process knows about who started it."""

    variables: frozenset[str] = frozenset()
    """The variables of VARIABLES that are set."""
    pid: int | None = None
    """The process that CLAUDE_PID names."""
    ancestors: tuple[Ancestor, ...] = ()
    """The processes above this one, nearest first."""
    has_terminal: bool = True
    """Whether this process has a controlling terminal."""
    is_top: bool = False
    """Whether it has no parent in its container, as what is started there from outside."""


class ClientRecord(NamedTuple):
    """A client's process, as its registry or a hook recorded it."""

    session_id: str
    start: str | None
    """Kernel clock ticks at its start."""
    seen_at: float
    """Epoch seconds."""


class Refusal(NamedTuple):
    """Why no answer is accepted from this process."""

    sign: str
    """The variable that is set, "client PID" for an ancestor, or NO_TERMINAL."""
    session_id: str = ""
    """The session whose agent it is; empty if unknown."""


def find_refusal(
    caller: Caller,
    clients: Mapping[int, ClientRecord],
    *,
    asks_twice: bool = False,
    from_elsewhere: bool = False,
) -> Refusal | None:
    """Returns why nothing may be answered from here; None when a person started this process, as far as can be seen.

    Checks both variables and ancestors, since a command can hide either. `clients`: by pid. `asks_twice`: whether the answer
    needs a confirmation; it then also needs a controlling terminal, or, `from_elsewhere`, a link that leads to this process.
    """
    for each in caller.ancestors:
        record = clients.get(each.process.pid)
        if record is not None and is_same_process(each.process, record.start, record.seen_at):
            return Refusal(f"client {each.process.pid}", record.session_id)
        if is_client(each.name, each.command):
            return Refusal(f"client {each.process.pid}")
    for name in VARIABLES:
        if name in caller.variables:
            record = clients.get(caller.pid) if caller.pid is not None else None
            return Refusal(name, record.session_id if record else "")
    is_reached = caller.has_terminal or (from_elsewhere and _is_linked(caller))
    return Refusal(NO_TERMINAL) if asks_twice and not is_reached else None


def _is_linked(caller: Caller) -> bool:
    """Whether another machine, or the host of a container, started this process: a detached one has neither above it."""
    return caller.is_top or any(re.fullmatch(_LINK, each.name) for each in caller.ancestors)


def is_client(name: str, command: Sequence[str]) -> bool:
    """Whether a process is Claude Code, by its name or its command line."""
    if re.search(_PROGRAM, name):
        return True
    if not command:
        return False
    if PurePath(command[0]).name in _INTERPRETERS:
        script = next((word for word in command[1:] if not word.startswith("-")), "")
        return bool(re.search(_PROGRAM, script)) or any(re.search(_SCRIPT, each) for each in command[1:])
    return bool(re.search(_PROGRAM, command[0]))


def index_clients(
    entries: Iterable[RegistryEntry], states: Iterable[HookState], pid_domain: str = ""
) -> dict[int, ClientRecord]:
    """Returns clients by pid: those that hooks saw and those of the registries, which take precedence.

    `pid_domain`: our own; the pids of other machines and namespaces are those of other programs here.
    """
    found = {
        int(pid): ClientRecord(state.session_id, each.start, each.last)
        for state in states
        for pid, each in state.processes.items()
        if pid.isdecimal()
        and not (each.ended and each.ended >= each.began)
        and find_place(each.domain, pid_domain) is Place.HERE
    }
    for entry in entries:
        if find_place(entry.pid_domain, pid_domain) is not Place.HERE:
            continue
        found[entry.pid] = ClientRecord(entry.session_id, entry.proc_start, entry.updated_at or entry.started_at)
    return found
