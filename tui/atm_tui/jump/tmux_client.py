"""Which tmux client shows atm-tui: the only one that may move."""

import msgspec

from atm_tui.jump.processes import lineage
from atm_tui.jump.tmux_server import Client, Pane, Server, look
from atm_tui.jump.values import Here


class Own(msgspec.Struct, frozen=True, kw_only=True):
    """Our place in the tmux server around us."""

    server: Server
    panes: tuple[Pane, ...] = ()
    """The pane in which we run; empty in a popup and under `run-shell`."""
    client: Client | None = None
    """Who looks at us; None when nobody is attached."""
    popup: bool = False


class Around(msgspec.Struct, frozen=True, kw_only=True):
    """A pane of our server that shows another server, and our client that is to show that pane."""

    server: Server
    panes: tuple[Pane, ...]
    client: Client


class Screen(msgspec.Struct, frozen=True, kw_only=True):
    """The client of a server that is to move."""

    client: Client
    ours: bool
    """False: it is another terminal than the one in which we run."""
    around: Around | None = None


def own_screen(here: Here) -> Own | None:
    """Our pane and client, as the process table tells; None when we run outside tmux."""
    if here.terminal.kind != "tmux" or not here.terminal.socket:
        return None
    server = look(here.terminal.socket)
    if server is None:
        return None
    panes = server.holding(here.pid)
    # A popup and `run-shell` are children of the server itself; TMUX_PANE is then what the server inherited.
    beside = not panes and server.pid in lineage(here.pid)
    if not panes and not beside:
        panes = tuple(pane for pane in server.panes if pane.pane == here.terminal.pane)
    if panes:
        watching = [each for each in server.clients if each.window == panes[0].window]
        sessions = {pane.session for pane in panes}
    else:
        watching = []
        sessions = {here.terminal.session or ""}
    clients = watching or [each for each in server.clients if each.session in sessions]
    return Own(
        server=server,
        panes=panes,
        client=server.latest(clients or server.clients),
        popup=beside and here.terminal.tty is not None,
    )


def screen_on(server: Server, ours: Own | None) -> Screen | None:
    """The client of `server` that is to move; None when nothing is attached to it.

    Ours, where we run in that server, in one that runs in a pane of it, or in one that has a client of it in a pane.
    Else the one that was used last, in another terminal.
    """
    if ours and ours.server.socket == server.socket and ours.server.pid == server.pid:
        return Screen(client=ours.client, ours=True) if ours.client else _last(server)
    if ours and ours.client:
        outside = server.holding(ours.client.pid)
        if outside and (client := server.latest(c for c in server.clients if c.window == outside[0].window)):
            return Screen(client=client, ours=True)
        inside = [(client, panes) for client in server.clients if (panes := ours.server.holding(client.pid))]
        if inside:
            client, panes = max(inside, key=lambda each: each[0].active_at)
            around = Around(server=ours.server, panes=panes, client=ours.client)
            return Screen(client=client, ours=True, around=around)
    return _last(server)


def _last(server: Server) -> Screen | None:
    client = server.latest(server.clients)
    return Screen(client=client, ours=False) if client else None
