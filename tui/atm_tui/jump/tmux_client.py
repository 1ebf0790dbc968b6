"""Finds the tmux client that shows atm-tui: the only one that may be moved."""

import msgspec

from atm_tui.jump.processes import read_ancestors
from atm_tui.jump.tmux_server import TmuxClient, TmuxPane, TmuxServer, TmuxServers
from atm_tui.jump.values import OwnTerminal


class OwnTmux(msgspec.Struct, frozen=True, kw_only=True):
    """The tmux server in which we run, with our pane and client."""

    server: TmuxServer
    panes: tuple[TmuxPane, ...] = ()
    """Our pane; empty in a popup and under `run-shell`."""
    client: TmuxClient | None = None
    """The client that shows us; None when none is attached."""
    popup: bool = False


class OuterPane(msgspec.Struct, frozen=True, kw_only=True):
    """A pane of our server in which a client of another server runs, and our client, which has to show that pane."""

    server: TmuxServer
    panes: tuple[TmuxPane, ...]
    client: TmuxClient


class TargetClient(msgspec.Struct, frozen=True, kw_only=True):
    """The client of a server that is to be moved."""

    client: TmuxClient
    is_ours: bool
    """Whether it is in the terminal in which we run."""
    outer: OuterPane | None = None
    """The pane to show first, when the client runs in a pane of our own server; else None."""


def find_own_tmux(own: OwnTerminal, servers: TmuxServers | None = None) -> OwnTmux | None:
    """Returns our pane and client, by the process table; None outside tmux."""
    if own.terminal.kind != "tmux" or not own.terminal.socket:
        return None
    server = (servers or TmuxServers()).read(own.terminal.socket)
    if server is None:
        return None
    panes = server.find_panes_of_process(own.pid)
    # Popups and `run-shell` are children of the server; their TMUX_PANE is the one that the server inherited.
    is_child = not panes and server.pid in read_ancestors(own.pid)
    if not panes and not is_child:
        panes = tuple(pane for pane in server.panes if pane.pane == own.terminal.pane)
    if panes:
        watching = [each for each in server.clients if each.window == panes[0].window]
        sessions = {pane.session for pane in panes}
    else:
        watching = []
        sessions = {own.terminal.session or ""}
    clients = watching or [each for each in server.clients if each.session in sessions]
    return OwnTmux(
        server=server,
        panes=panes,
        client=server.find_most_recent(clients or server.clients),
        popup=is_child and own.terminal.tty is not None,
    )


def choose_client(server: TmuxServer, own: OwnTmux | None) -> TargetClient | None:
    """Chooses the client of `server` that is to be moved; None when none is attached to it.

    Ours, if we run in that server, in a server in a pane of it, or in a server that shows it in a pane. Else the client
    that was used last, in another terminal.
    """
    if own and own.server.socket == server.socket and own.server.pid == server.pid:
        return TargetClient(client=own.client, is_ours=True) if own.client else _choose_most_recent(server)
    if own and own.client:
        outside = server.find_panes_of_process(own.client.pid)
        if outside and (client := server.find_most_recent(c for c in server.clients if c.window == outside[0].window)):
            return TargetClient(client=client, is_ours=True)
        inside = [
            (client, panes) for client in server.clients if (panes := own.server.find_panes_of_process(client.pid))
        ]
        if inside:
            client, panes = max(inside, key=lambda each: each[0].active_at)
            outer = OuterPane(server=own.server, panes=panes, client=own.client)
            return TargetClient(client=client, is_ours=True, outer=outer)
    return _choose_most_recent(server)


def _choose_most_recent(server: TmuxServer) -> TargetClient | None:
    client = server.find_most_recent(server.clients)
    return TargetClient(client=client, is_ours=False) if client else None
