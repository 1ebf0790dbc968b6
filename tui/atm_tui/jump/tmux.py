"""tmux: the exact pane by its id, our own client and no other, and nothing moves before the session is seen in the pane."""

from collections.abc import Iterable
from pathlib import Path

from atm_tui.jump.processes import tty_of
from atm_tui.jump.run import is_there
from atm_tui.jump.tmux_client import own_screen, screen_on
from atm_tui.jump.tmux_server import Client, Pane, Server, look, sockets
from atm_tui.jump.values import Command, Here, Jump, Outcome
from atm_tui.model.session import Session
from atm_tui.text import clean


def plan(session: Session, here: Here) -> Jump:
    """The way to the pane in which the session's process runs now."""
    if not is_there("tmux"):
        return Jump(outcome=Outcome.REFUSED, text="The session runs in tmux, but tmux is not on the PATH here.")
    servers: dict[str, Server | None] = {}
    for socket in _sockets(session, here):
        server = servers.setdefault(socket, look(socket))
        if server and (panes := server.holding(session.pid)):
            return _to(server, panes, session, here)
    return _nowhere(session, servers)


def _sockets(session: Session, here: Here) -> list[str]:
    """The stored one alone; where none is stored (only the client's registry speaks), all of this user's."""
    if session.terminal.socket:
        return [session.terminal.socket]
    ours = [here.terminal.socket] if here.terminal.kind == "tmux" and here.terminal.socket else []
    return list(dict.fromkeys([*ours, *sockets()]))


def _to(server: Server, panes: tuple[Pane, ...], session: Session, here: Here) -> Jump:
    ours = own_screen(here)
    popup = ours.popup if ours else False
    pane = panes[0]
    where = f"pane {pane.pane} of tmux session “{clean(server.name_of(pane.session))}”"
    screen = screen_on(server, ours)
    if screen is None:
        return _attach(server, _choose(server, panes, None, session), where, popup)
    commands = [*moves(server, panes, screen.client, session)]
    if screen.around:
        # our terminal shows the other server through a pane of ours
        commands += moves(screen.around.server, screen.around.panes, screen.around.client, None)
    if not commands:
        return Jump(outcome=Outcome.THERE, text=f"You are there: {where}.", popup=popup)
    other = "" if screen.ours else f", on the terminal {screen.client.name}"
    return Jump(outcome=Outcome.GO, text=f"Going to {where}{other}.", commands=tuple(commands), popup=popup)


def moves(server: Server, panes: tuple[Pane, ...], client: Client, session: Session | None) -> tuple[Command, ...]:
    """The commands that show a pane on a client; none when it shows it already. No other client's view changes."""
    if client.pane == panes[0].pane:
        return ()
    pane = _choose(server, panes, client, session)
    tmux = ("tmux", "-S", server.socket)
    # one command for session, window and pane, so that it can't stop half way; -Z keeps a zoomed window zoomed
    switch = ("switch-client", "-Z", "-c", client.name, "-t")
    if not _drags(server, pane, client):
        return ((*tmux, *switch, pane.target),)
    # Others look at another window of that session: a session of our own in its group leaves them there.
    name = _free_name(server)
    own = f"={name}"
    return (
        (
            *(*tmux, "new-session", "-d", "-s", name, "-t", pane.session, ";"),
            *(*switch, f"{own}:{pane.window}.{pane.pane}", ";"),
            *("set-option", "-t", f"{own}:", "destroy-unattached", "on"),
        ),
    )


def _choose(server: Server, panes: Iterable[Pane], client: Client | None, session: Session | None) -> Pane:
    """In which of the sessions that hold the pane to show it: one where nobody is dragged along, our own before others."""
    recorded = session.terminal.session if session else None

    def order(pane: Pane) -> tuple[bool, bool, bool, str]:
        own = client is not None and pane.session == client.session
        known = recorded in (pane.session, server.name_of(pane.session))
        return (_drags(server, pane, client), not own, not known, pane.session)

    return min(panes, key=order)


def _drags(server: Server, pane: Pane, client: Client | None) -> bool:
    """Whether another client would be moved to the pane's window with us, since it shows the same session."""
    return any(
        other.session == pane.session and other.window != pane.window
        for other in server.clients
        if client is None or other.name != client.name
    )


def _free_name(server: Server) -> str:
    taken = {name for _, name in server.names}
    return next(name for number in range(1, len(taken) + 2) if (name := f"atm-{number}") not in taken)


def _attach(server: Server, pane: Pane, where: str, popup: bool) -> Jump:
    """Nobody is attached to the server: its session can be shown in this terminal."""
    return Jump(
        outcome=Outcome.ATTACH,
        text=f"It runs in {where}, which no terminal shows.",
        takeover=(
            *("tmux", "-S", server.socket, "select-window", "-t", f"{pane.session}:{pane.window}", ";"),
            *("select-pane", "-Z", "-t", pane.pane, ";"),
            *("attach-session", "-t", pane.session),
        ),
        popup=popup,
    )


def new_window(command: Command, directory: str, here: Here) -> Command | None:
    """The command that runs another one in a new tmux window beside us; None when we are not in tmux.

    Where someone else shows our session too, the window is made without going to it, which would take them along.
    """
    ours = own_screen(here)
    if ours is None or ours.client is None:
        return None
    others = [each for each in ours.server.clients if each.name != ours.client.name]
    shared = ("-d",) if any(each.session == ours.client.session for each in others) else ()
    place = ("-c", directory) if directory else ()
    # With one word tmux would ask a shell; env makes two, and finds the program on the PATH of the session.
    words = command if command[0] == "env" else ("env", *command)
    return ("tmux", "-S", ours.server.socket, "new-window", *shared, *place, "-t", f"{ours.client.session}:", *words)


def _nowhere(session: Session, servers: dict[str, Server | None]) -> Jump:
    """Why the session is in no pane."""
    terminal = session.terminal
    tty = tty_of(session.pid) if session.pid is not None else None
    at = f"Its process {session.pid} is on {tty or 'no terminal'}"
    server = servers.get(terminal.socket or "")
    if terminal.socket is None:
        text = f"No tmux server of yours has it in a pane. {at}."
    elif server is None:
        text = f"No tmux server answers at {clean(terminal.socket)}. {at}."
        if terminal.server_pid and not Path(terminal.socket).exists():
            text += f" If the server still runs, `kill -USR1 {terminal.server_pid}` makes it open its socket again."
    elif terminal.server_pid not in (None, server.pid):
        text = f"The tmux server was started anew, so {terminal.pane} is another pane now. {at}."
    elif any(pane.pane == terminal.pane for pane in server.panes):
        text = f"Pane {terminal.pane} runs something else now. {at}."
    else:
        text = f"Pane {terminal.pane} is gone. {at}."
    return Jump(outcome=Outcome.REFUSED, text=text)
