"""A tmux server with people in front of it: each client is a pane of another server, so that its view can be taken."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from atm_tui.jump.values import OwnTerminal
from atm_tui.model.session import Session, Terminal
from tests.support.tmux import Pane, Tmux
from tests.support.waiting import POLL, wait_until

SETTLED = 0.15
"""Seconds without a change after which a view counts as final."""


@dataclass(frozen=True)
class View:
    """What a person sees: every cell with its colours, and the cursor."""

    screen: str
    cursor: str


class Desk:
    """Servers, the clients attached to them, and sessions that run in their panes."""

    def __init__(self, program: str, env: dict[str, str]) -> None:
        self.program = program
        self.env = env
        self.inner = Tmux(program, env)
        self.outer = Tmux(program, env)
        self.servers = [self.inner, self.outer]

    def server(self) -> Tmux:
        """One more server."""
        self.servers.append(Tmux(self.program, self.env))
        return self.servers[-1]

    def attach(self, session: str, server: Tmux | None = None) -> Pane:
        """A client that shows a session (a target): a pane of the outer server."""
        server = server or self.inner
        command = ["env", "-u", "TMUX", self.program, "-u", "-S", str(server.socket), "attach-session", "-t", session]
        before = len(self.clients(server))
        pane = self.outer.start(command)
        wait_until(lambda: len(self.clients(server)) > before)
        return pane

    def clients(self, server: Tmux | None = None) -> dict[str, str]:
        """By client name: session, window and pane that it shows."""
        lines = (server or self.inner).run("list-clients", "-F", "#{client_name} #{session_id}:#{window_id}.#{pane_id}")
        return dict(line.split(" ") for line in lines.splitlines())

    def shows(self, client: Pane, server: Tmux | None = None) -> str:
        """`$session:@window.%pane` that a client shows."""
        return self.clients(server)[client.format("#{pane_tty}")]

    def activity(self, client: Pane, server: Tmux | None = None) -> int:
        """When a client was used last, in whole epoch seconds, as tmux counts it."""
        lines = (server or self.inner).run("list-clients", "-F", "#{client_tty} #{client_activity}").splitlines()
        return int(dict(line.split(" ") for line in lines)[client.format("#{pane_tty}")])

    def use(self, client: Pane, server: Tmux | None = None) -> None:
        """Presses a key in a client, which then is the one that was used last on its server."""
        server = server or self.inner
        last = max(map(int, server.run("list-clients", "-F", "#{client_activity}").split()))
        wait_until(lambda: time.time() >= last + 1)
        client.keys("x")
        wait_until(lambda: self.activity(client, server) > last, "the use of a client")

    def view(self, client: Pane) -> View:
        """What a client shows once it no longer changes."""
        take = lambda: View(client.screen(colours=True), client.format("#{cursor_x},#{cursor_y},#{cursor_flag}"))  # noqa: E731
        last, since = take(), time.monotonic()
        while time.monotonic() - since < SETTLED:
            time.sleep(POLL)
            if (now := take()) != last:
                last, since = now, time.monotonic()
        return last

    def session(self, pane: Pane, **terminal: object) -> Session:
        """A session whose process is what runs in the pane, as the hook would have recorded it."""
        recorded = {
            "kind": "tmux",
            "socket": str(pane.server.socket),
            "server_pid": int(pane.format("#{pid}")),
            "session": pane.format("#{session_id}"),
            "pane": pane.target,
            **terminal,
        }
        return Session(session_id="0a1b2c3d-0000-4000-8000-000000000000", pid=pane.pid, terminal=Terminal(**recorded))  # type: ignore[arg-type]

    def own_terminal(self, pane: Pane, **terminal: object) -> OwnTerminal:
        """atm-tui in a pane, with the environment that tmux gives it."""
        return OwnTerminal(terminal=self.session(pane, **terminal).terminal, pid=pane.pid)

    def close(self) -> None:
        """Ends all servers."""
        for server in reversed(self.servers):
            server.close()


def new_pane(server: Tmux, command: str, *arguments: str) -> Pane:
    """A pane made by `split-window` or `new-window`, with `cat` in it."""
    target = server.run(command, "-P", "-F", "#{pane_id}", *arguments, "env", "cat").strip()
    pane = Pane(server, target)
    server._panes.append(pane)  # so that it is closed with the others
    return pane


OUTSIDE = OwnTerminal(terminal=Terminal(), pid=0)
"""atm-tui outside any multiplexer."""

CAT: Sequence[str] = ["cat"]
