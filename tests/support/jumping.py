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
class TerminalView:
    """What a person sees: every cell with its colours, and the cursor."""

    screen: str
    cursor: str


class TmuxWorkspace:
    """Servers, the clients attached to them, and sessions that run in their panes."""

    def __init__(self, program: str, env: dict[str, str]) -> None:
        self.program = program
        self.env = env
        self.inner = Tmux(program, env)
        self.outer = Tmux(program, env)
        self.servers = [self.inner, self.outer]

    def start_server(self) -> Tmux:
        """Starts one more server."""
        self.servers.append(Tmux(self.program, self.env))
        return self.servers[-1]

    def attach_client(self, session: str, server: Tmux | None = None) -> Pane:
        """Attaches a client to a session (a target): a pane of the outer server."""
        server = server or self.inner
        command = ["env", "-u", "TMUX", self.program, "-u", "-S", str(server.socket), "attach-session", "-t", session]
        before = len(self.list_clients(server))
        pane = self.outer.start(command)
        wait_until(lambda: len(self.list_clients(server)) > before)
        return pane

    def list_clients(self, server: Tmux | None = None) -> dict[str, str]:
        """Lists the clients: by name the session, window and pane that each shows."""
        lines = (server or self.inner).run("list-clients", "-F", "#{client_name} #{session_id}:#{window_id}.#{pane_id}")
        return dict(line.split(" ") for line in lines.splitlines())

    def read_shown_pane(self, client: Pane, server: Tmux | None = None) -> str:
        """Reads `$session:@window.%pane` that a client shows."""
        return self.list_clients(server)[client.read_format("#{pane_tty}")]

    def read_activity(self, client: Pane, server: Tmux | None = None) -> int:
        """Reads when a client was used last, in whole epoch seconds, as tmux counts it."""
        lines = (server or self.inner).run("list-clients", "-F", "#{client_tty} #{client_activity}").splitlines()
        return int(dict(line.split(" ") for line in lines)[client.read_format("#{pane_tty}")])

    def press_key_in(self, client: Pane, server: Tmux | None = None) -> None:
        """Presses a key in a client, so that it is the one used last on its server."""
        server = server or self.inner
        last = max(map(int, server.run("list-clients", "-F", "#{client_activity}").split()))
        wait_until(lambda: time.time() >= last + 1)
        client.press_keys("x")
        wait_until(lambda: self.read_activity(client, server) > last, "the use of a client")

    def read_view(self, client: Pane) -> TerminalView:
        """Reads what a client shows once it no longer changes."""

        def read() -> TerminalView:
            cursor = client.read_format("#{cursor_x},#{cursor_y},#{cursor_flag}")
            return TerminalView(client.read_screen(colours=True), cursor)

        last, since = read(), time.monotonic()
        while time.monotonic() - since < SETTLED:
            time.sleep(POLL)
            if (now := read()) != last:
                last, since = now, time.monotonic()
        return last

    def make_session(self, pane: Pane, **terminal: object) -> Session:
        """Makes the session of the process in a pane, as the hook would record it."""
        recorded = {
            "kind": "tmux",
            "socket": str(pane.server.socket),
            "server_pid": int(pane.read_format("#{pid}")),
            "session": pane.read_format("#{session_id}"),
            "pane": pane.target,
            **terminal,
        }
        return Session(session_id="0a1b2c3d-0000-4000-8000-000000000000", pid=pane.pid, terminal=Terminal(**recorded))  # type: ignore[arg-type]

    def make_own_terminal(self, pane: Pane, **terminal: object) -> OwnTerminal:
        """Makes the terminal of an atm-tui in a pane, with the environment that tmux gives it."""
        return OwnTerminal(terminal=self.make_session(pane, **terminal).terminal, pid=pane.pid)

    def close(self) -> None:
        """Ends all servers."""
        for server in reversed(self.servers):
            server.close()


def open_pane(server: Tmux, command: str, *arguments: str) -> Pane:
    """Opens a pane by `split-window` or `new-window`, with `cat` in it."""
    target = server.run(command, "-P", "-F", "#{pane_id}", *arguments, "env", "cat").strip()
    return Pane(server, target)


OUTSIDE = OwnTerminal(terminal=Terminal(), pid=0)
"""atm-tui outside any multiplexer."""

CAT: Sequence[str] = ["cat"]
