"""Who started this process: a table over environment, ancestors and terminal, and what a client looks like."""

from itertools import product

import pytest

from atm_tui.model.caller import (
    NO_TERMINAL,
    Ancestor,
    Caller,
    ClientRecord,
    Refusal,
    find_refusal,
    index_clients,
    is_client,
)
from atm_tui.model.facts import HookProcess, HookState, ProcessFact, RegistryEntry

SHELL = Ancestor(ProcessFact(pid=20, start="200"), "bash", ("-bash",))
TERMINAL = Ancestor(ProcessFact(pid=10, start="100"), "tmux: server", ("tmux", "new-session", "-s", "claude"))
CLIENT = Ancestor(ProcessFact(pid=30, start="300"), "claude", ("claude", "--resume"))
RENAMED = Ancestor(ProcessFact(pid=40, start="400"), "editor", ("/opt/editor",))
CLIENTS = {30: ClientRecord("s30", "300", 5.0), 40: ClientRecord("s40", "400", 5.0), 20: ClientRecord("s20", "7", 5.0)}
PEOPLE = ((), (SHELL,), (SHELL, TERMINAL))


@pytest.mark.parametrize("ancestors", PEOPLE)
@pytest.mark.parametrize("has_terminal", [False, True])
@pytest.mark.parametrize("asks_twice", [False, True])
def test_a_person_needs_a_terminal_for_dangerous_requests(
    ancestors: tuple[Ancestor, ...], has_terminal: bool, asks_twice: bool
) -> None:
    caller = Caller(ancestors=ancestors, has_terminal=has_terminal)
    expected = Refusal(NO_TERMINAL) if asks_twice and not has_terminal else None
    assert find_refusal(caller, CLIENTS, asks_twice=asks_twice) == expected


@pytest.mark.parametrize(
    ("ancestors", "named"),
    [
        *((each, None) for each in PEOPLE),
        ((CLIENT,), Refusal("client 30", "s30")),
        ((SHELL, SHELL, CLIENT, SHELL, TERMINAL), Refusal("client 30", "s30")),
        ((SHELL, RENAMED), Refusal("client 40", "s40")),
    ],
)
def test_environment_or_ancestors_alone_identify_an_agent(
    ancestors: tuple[Ancestor, ...], named: Refusal | None
) -> None:
    environments: list[tuple[str, ...]] = [(), ("CLAUDECODE",), ("CLAUDE_PID",), ("CLAUDECODE", "CLAUDE_PID")]
    for variables, has_terminal, asks_twice in product(environments, (False, True), (False, True)):
        pid = 30 if "CLAUDE_PID" in variables else None
        caller = Caller(frozenset(variables), pid, ancestors, has_terminal)
        found = named
        if found is None and variables:
            found = Refusal(variables[0], "s30" if pid else "")
        if found is None and asks_twice and not has_terminal:
            found = Refusal(NO_TERMINAL)
        assert find_refusal(caller, CLIENTS, asks_twice=asks_twice) == found, (variables, has_terminal, asks_twice)


def test_the_session_is_unknown_if_the_client_is_not_recorded() -> None:
    assert find_refusal(Caller(ancestors=(CLIENT,)), {}) == Refusal("client 30")
    assert find_refusal(Caller(frozenset({"CLAUDE_PID"}), 99), CLIENTS) == Refusal("CLAUDE_PID")


def test_a_reused_pid_refuses_nobody() -> None:
    reused = Ancestor(ProcessFact(pid=40, start="401"), "bash", ("bash",))
    assert find_refusal(Caller(ancestors=(reused, SHELL)), CLIENTS) is None


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("claude", ()),
        ("claude", ("claude",)),
        ("claude.exe", ("/x/node_modules/@anthropic-ai/claude-code/bin/claude.exe", "-p", "hello")),
        ("2.1.332", ("/home/user/.local/share/claude/versions/2.1.332", "--resume")),
        ("MainThread", ("claude",)),
        ("node", ("node", "/usr/local/bin/claude", "-p", "hello")),
        ("node", ("/opt/node", "--max-old-space-size=8192", "/x/@anthropic-ai/claude-code/cli.js")),
        ("node", ("node", "--require", "/x/hook.js", "/x/node_modules/@anthropic-ai/claude-code/cli.js")),
        ("node", ("node", "/x/node_modules/@anthropic-ai/claude-code/cli-wrapper.cjs")),
        ("bun", ("bun", "run", "/x/claude-code/dist/cli.mjs")),
    ],
)
def test_clients_are_recognized(name: str, command: tuple[str, ...]) -> None:
    assert is_client(name, command)


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("bash", ("-bash",)),
        ("", ()),
        ("tmux: server", ("tmux", "new-session", "-s", "claude")),
        ("screen", ("SCREEN", "-S", "claude")),
        ("sshd", ("sshd: claude@pts/0",)),
        ("su", ("su", "-", "claude")),
        ("bash", ("/home/claude/bin/bash",)),
        ("vim", ("vim", "/src/claude-code/cli.js")),
        ("node", ("node", "/home/user/claude-code/client/server.js")),
        ("node", ("node", "server.js", "claude")),
        ("zsh", ("/home/claude/versions/zsh",)),
        ("claude-squad", ("claude-squad",)),
    ],
)
def test_other_programs_are_not_clients(name: str, command: tuple[str, ...]) -> None:
    assert not is_client(name, command)


def test_clients_are_known_from_hooks_and_registries() -> None:
    states = [
        HookState(
            schema=1,
            session_id="a",
            processes={
                "1": HookProcess(start="10", began=1.0, last=2.0),
                "2": HookProcess(start="20", began=1.0, last=2.0, ended=3.0),
            },
        )
    ]
    entries = [
        RegistryEntry(pid=3, session_id="b", proc_start="30", started_at=4.0),
        RegistryEntry(pid=1, session_id="c", proc_start="10", started_at=4.0, updated_at=5.0),
    ]
    assert index_clients(entries, states) == {1: ClientRecord("c", "10", 5.0), 3: ClientRecord("b", "30", 4.0)}
