"""Reads the panes and clients of a tmux server. Uses ids, since names can be ambiguous."""

import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from atm_tui import paths
from atm_tui.jump.processes import read_ancestors, read_tty
from atm_tui.jump.run import run_command
from atm_tui.jump.values import Command, JumpError
from atm_tui.model.session import Terminal
from atm_tui.sources.exists import is_socket, list_folder

# A field that can hold spaces comes last in its line.
_PANES = "pane #{session_id} #{window_id} #{pane_id} #{pane_pid} #{pane_dead} #{pid} #{window_index}.#{pane_index} #{pane_tty}"
_CLIENTS = "client #{client_pid} #{client_activity} #{session_id} #{window_id} #{pane_id} #{client_name}"
_SESSIONS = "session #{session_id} #{session_name}"


class TmuxPane(msgspec.Struct, frozen=True, kw_only=True):
    """A pane in one tmux session. The panes of a window that is in several sessions are listed once for each."""

    session: str
    window: str
    pane: str
    pid: int
    """The process that tmux started in it."""
    dead: bool
    tty: str
    index: str = ""
    """Numbers of window and pane as tmux shows them: `1.0`."""

    @property
    def target(self) -> str:
        """The pane in this session, for tmux commands: a bare %5 would mean the session that was used last."""
        return f"{self.session}:{self.window}.{self.pane}"


class TmuxClient(msgspec.Struct, frozen=True, kw_only=True):
    """A client that is attached to the server, and what it shows."""

    name: str
    """Its tty, by which tmux names it."""
    pid: int
    active_at: int
    """Epoch seconds of its last key or resize."""
    session: str
    window: str
    pane: str


class TmuxServer(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a server at some moment."""

    socket: str
    pid: int
    panes: tuple[TmuxPane, ...]
    clients: tuple[TmuxClient, ...]
    names: tuple[tuple[str, str], ...] = ()
    """Names of sessions by their ids."""

    def find_panes_of_process(self, pid: int | None, *, by_ancestors: bool = True) -> tuple[TmuxPane, ...]:
        """Returns the pane in which a process runs, once for each session that has it; empty without any.

        Goes by the process's tty, else (`by_ancestors`) by its ancestors: variables and titles can be wrong.
        """
        if pid is None:
            return ()
        tty = read_tty(pid)
        living = [pane for pane in self.panes if not pane.dead]
        found = {pane.pane for pane in living if tty and pane.tty == tty}
        if not found and by_ancestors:
            ancestors = read_ancestors(pid)
            nearest = next((each for each in ancestors if any(pane.pid == each for pane in living)), None)
            found = {pane.pane for pane in living if pane.pid == nearest}
        return tuple(pane for pane in living if pane.pane in found)

    def find_panes_of_terminal(self, terminal: Terminal) -> tuple[TmuxPane, ...]:
        """The pane that a hook recorded, once for each session that holds it; empty unless it recorded this very server.

        Only for a process that can't be looked up from here: a server gives no pane's id to another pane.
        """
        if terminal.server_pid != self.pid or not terminal.pane:
            return ()
        return tuple(pane for pane in self.panes if pane.pane == terminal.pane and not pane.dead)

    def find_most_recent(self, clients: Iterable[TmuxClient]) -> TmuxClient | None:
        """Returns the client that was used last; None without clients."""
        return max(clients, key=lambda client: client.active_at, default=None)

    def find_session_name(self, session: str) -> str:
        """Returns the name of a tmux session; its id when it is gone."""
        return dict(self.names).get(session, session)

    def format_address(self, pane: TmuxPane) -> str:
        """Formats the pane as a person writes it: `session:window.pane`, by name and numbers."""
        return f"{self.find_session_name(pane.session)}:{pane.index}"


def read_server(socket: str) -> TmuxServer | None:
    """Reads the server at a socket; None when none answers."""
    # for a missing socket, tmux would try to create its folder
    if not is_socket(socket):
        return None
    try:
        return parse_server(socket, run_command(make_list_command(socket)))
    except JumpError:
        return None


class TmuxServers:
    """The servers that were read: each is asked once, however many sessions are looked for in it."""

    def __init__(self) -> None:
        self._known: dict[str, TmuxServer | None] = {}

    def read(self, socket: str) -> TmuxServer | None:
        """Returns the server at a socket, as of the first time; None when none answers."""
        if socket not in self._known:
            self._known[socket] = read_server(socket)
        return self._known[socket]


def make_list_command(socket: str) -> Command:
    """Makes one command that lists panes, clients and sessions, so that the three lists match."""
    panes = ("list-panes", "-a", "-F", _PANES)
    clients = ("list-clients", "-F", _CLIENTS)
    sessions = ("list-sessions", "-F", _SESSIONS)
    # -u: in the C locale tmux would damage names with letters outside ASCII
    return ("tmux", "-u", "-S", socket, *panes, ";", *clients, ";", *sessions)


def parse_server(socket: str, listing: str) -> TmuxServer | None:
    """Parses the output of `make_list_command`; None without a pane. Skips lines that lack fields."""
    panes, clients, names, server_pid = [], [], [], 0
    for line in listing.split("\n"):
        kind, _, rest = line.partition(" ")
        try:
            if kind == "pane":
                session, window, pane, pid, dead, server, index, tty = rest.split(" ", 7)
                server_pid = int(server)
                panes.append(
                    TmuxPane(
                        session=session,
                        window=window,
                        pane=pane,
                        pid=int(pid or 0),
                        dead=dead == "1",
                        tty=tty,
                        index=index,
                    )
                )
            elif kind == "client":
                pid, active_at, session, window, pane, name = rest.split(" ", 5)
                clients.append(
                    TmuxClient(
                        pid=int(pid),
                        active_at=int(active_at or 0),
                        session=session,
                        window=window,
                        pane=pane,
                        name=name,
                    )
                )
            elif kind == "session":
                session, _, name = rest.partition(" ")
                names.append((session, name))
        except ValueError:
            continue
    if not panes:
        return None
    return TmuxServer(socket=socket, pid=server_pid, panes=tuple(panes), clients=tuple(clients), names=tuple(names))


def has_own_ancestors(terminal: Terminal) -> bool:
    """Whether the ancestors of a process tell its pane. They don't in another terminal, which may be started from a pane."""
    return terminal.kind in ("tmux", "unknown")


def list_sockets() -> list[str]:
    """Returns the sockets of this user's servers, in tmux's folder; the default one first."""
    base = paths.read_variable("TMUX_TMPDIR") or "/tmp"  # noqa: S108 - tmux's own place
    folder = Path(base) / f"tmux-{os.getuid()}"
    return [str(each) for each in sorted(list_folder(folder), key=lambda each: each.name != "default")]
