"""Which tmux client shows atm-tui: the only one that may move."""

import msgspec

from atm_tui.jump.processes import read_ancestors
from atm_tui.jump.tmux_server import TmuxClient, TmuxPane, TmuxServer, read_server
from atm_tui.jump.values import OwnTerminal


class OwnTmux(msgspec.Struct, frozen=True, kw_only=True):
    """The tmux server in which we run, and our place in it."""

    server: TmuxServer
    panes: tuple[TmuxPane, ...] = ()
    """The pane in which we run; empty in a popup and under `run-shell`."""
    client: TmuxClient | None = None
    """The client that shows us; None when nobody is attached."""
    popup: bool = False


class OuterPane(msgspec.Struct, frozen=True, kw_only=True):
    """A pane of our server in which a client of another server runs, and our client, which is to show that pane."""

    server: TmuxServer
    panes: tuple[TmuxPane, ...]
    client: TmuxClient


class TargetClient(msgspec.Struct, frozen=True, kw_only=True):
    """The client of a server that is to move."""

    client: TmuxClient
    is_ours: bool
    """False: it is another terminal than the one in which we run."""
    outer: OuterPane | None = None
    """What must be shown first, where the client runs in a pane of our own server."""


def find_own_tmux(own: OwnTerminal) -> OwnTmux | None:
    """Our pane and client, as the process table tells; None when we run outside tmux."""
    if own.terminal.kind != "tmux" or not own.terminal.socket:
        return None
    server = read_server(own.terminal.socket)
    if server is None:
        return None
    panes = server.panes_of_process(own.pid)
    # A popup and `run-shell` are children of the server itself; TMUX_PANE is then what the server inherited.
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
        client=server.most_recent(clients or server.clients),
        popup=is_child and own.terminal.tty is not None,
    )


def choose_client(server: TmuxServer, own: OwnTmux | None) -> TargetClient | None:
    """The client of `server` that is to move; None when nothing is attached to it.

    Ours, where we run in that server, in one that runs in a pane of it, or in one that has a client of it in a pane.
    Else the one that was used last, in another terminal.
    """
    if own and own.server.socket == server.socket and own.server.pid == server.pid:
        return TargetClient(client=own.client, is_ours=True) if own.client else _choose_most_recent(server)
    if own and own.client:
        outside = server.panes_of_process(own.client.pid)
        if outside and (client := server.most_recent(c for c in server.clients if c.window == outside[0].window)):
            return TargetClient(client=client, is_ours=True)
        inside = [(client, panes) for client in server.clients if (panes := own.server.panes_of_process(client.pid))]
        if inside:
            client, panes = max(inside, key=lambda each: each[0].active_at)
            outer = OuterPane(server=own.server, panes=panes, client=own.client)
            return TargetClient(client=client, is_ours=True, outer=outer)
    return _choose_most_recent(server)


def _choose_most_recent(server: TmuxServer) -> TargetClient | None:
    client = server.most_recent(server.clients)
    return TargetClient(client=client, is_ours=False) if client else None
