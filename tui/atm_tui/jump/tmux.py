"""tmux: shows the exact pane, by its id, on our own client. No other client moves, and nothing moves on a guess."""

from collections.abc import Iterable

from atm_tui.jump.processes import read_tty
from atm_tui.jump.run import has_program
from atm_tui.jump.tmux_client import choose_client, find_own_tmux
from atm_tui.jump.tmux_server import TmuxClient, TmuxPane, TmuxServer, list_sockets, read_server
from atm_tui.jump.values import Command, JumpPlan, Outcome, OwnTerminal
from atm_tui.model.pid_domain import PLACES, Place
from atm_tui.model.session import Session
from atm_tui.sources.exists import exists
from atm_tui.text import clean


def plan(session: Session, own: OwnTerminal) -> JumpPlan:
    """The plan for the pane in which the session's process runs now."""
    if not has_program("tmux"):
        return JumpPlan(outcome=Outcome.REFUSED, text="The session runs in tmux, but tmux is not on the PATH here.")
    servers: dict[str, TmuxServer | None] = {}
    for socket in _sockets_to_search(session, own):
        server = servers.setdefault(socket, read_server(socket))
        if server and (panes := _find_panes(server, session)):
            return _plan_for_panes(server, panes, session, own)
    return _explain_missing_pane(session, servers)


def _sockets_to_search(session: Session, own: OwnTerminal) -> list[str]:
    """The stored socket alone; where none is stored (only the client's registry speaks), all of this user's."""
    if session.terminal.socket:
        return [session.terminal.socket]
    first = [own.terminal.socket] if own.terminal.kind == "tmux" and own.terminal.socket else []
    return list(dict.fromkeys([*first, *list_sockets()]))


def _find_panes(server: TmuxServer, session: Session) -> tuple[TmuxPane, ...]:
    if session.place is Place.CONTAINER:
        return server.panes_of_terminal(session.terminal)
    return server.panes_of_process(session.pid)


def _plan_for_panes(server: TmuxServer, panes: tuple[TmuxPane, ...], session: Session, own: OwnTerminal) -> JumpPlan:
    own_tmux = find_own_tmux(own)
    popup = own_tmux.popup if own_tmux else False
    pane = panes[0]
    where = f"pane {pane.pane} of tmux session “{clean(server.session_name(pane.session))}”"
    target = choose_client(server, own_tmux)
    if target is None:
        return _offer_attach(server, _choose_pane(server, panes, None, session), where, popup)
    commands = [*switch_commands(server, panes, target.client, session)]
    if target.outer:
        # our terminal shows the other server through a pane of ours
        commands += switch_commands(target.outer.server, target.outer.panes, target.outer.client, None)
    if not commands:
        return JumpPlan(outcome=Outcome.THERE, text=f"You are there: {where}.", popup=popup)
    other = "" if target.is_ours else f", on the terminal {target.client.name}"
    return JumpPlan(outcome=Outcome.GO, text=f"Going to {where}{other}.", commands=tuple(commands), popup=popup)


def switch_commands(
    server: TmuxServer, panes: tuple[TmuxPane, ...], client: TmuxClient, session: Session | None
) -> tuple[Command, ...]:
    """The commands that show a pane on a client; none when it shows it already. No other client's view changes."""
    if client.pane == panes[0].pane:
        return ()
    pane = _choose_pane(server, panes, client, session)
    tmux = ("tmux", "-S", server.socket)
    # one command for session, window and pane, so that it can't stop half way; -Z keeps a zoomed window zoomed
    switch = ("switch-client", "-Z", "-c", client.name, "-t")
    if not _would_move_others(server, pane, client):
        return ((*tmux, *switch, pane.target),)
    # Others look at another window of that session: a new session in its group leaves them there.
    name = _unused_session_name(server)
    return (
        (
            *(*tmux, "new-session", "-d", "-s", name, "-t", pane.session, ";"),
            *(*switch, f"={name}:{pane.window}.{pane.pane}", ";"),
            *("set-option", "-t", f"={name}:", "destroy-unattached", "on"),
        ),
    )


def _choose_pane(
    server: TmuxServer, panes: Iterable[TmuxPane], client: TmuxClient | None, session: Session | None
) -> TmuxPane:
    """In which of the tmux sessions that hold the pane to show it.

    First those where no other client would be moved, then the client's own, then the one that the hook recorded.
    """
    recorded = session.terminal.session if session else None

    def order(pane: TmuxPane) -> tuple[bool, bool, bool, str]:
        is_own = client is not None and pane.session == client.session
        is_recorded = recorded in (pane.session, server.session_name(pane.session))
        return (_would_move_others(server, pane, client), not is_own, not is_recorded, pane.session)

    return min(panes, key=order)


def _would_move_others(server: TmuxServer, pane: TmuxPane, client: TmuxClient | None) -> bool:
    """Whether showing the pane changes the view of another client, which looks at another window of the same session."""
    return any(
        other.session == pane.session and other.window != pane.window
        for other in server.clients
        if client is None or other.name != client.name
    )


def _unused_session_name(server: TmuxServer) -> str:
    taken = {name for _, name in server.names}
    return next(name for number in range(1, len(taken) + 2) if (name := f"atm-{number}") not in taken)


def _offer_attach(server: TmuxServer, pane: TmuxPane, where: str, popup: bool) -> JumpPlan:
    """Nobody is attached to the server: its session can be shown in this terminal."""
    return JumpPlan(
        outcome=Outcome.ATTACH,
        text=f"It runs in {where}, which no terminal shows.",
        takeover=(
            *("tmux", "-S", server.socket, "select-window", "-t", f"{pane.session}:{pane.window}", ";"),
            *("select-pane", "-Z", "-t", pane.pane, ";"),
            *("attach-session", "-t", pane.session),
        ),
        popup=popup,
    )


def new_window_command(command: Command, directory: str, own: OwnTerminal) -> Command | None:
    """The command that runs another one in a new tmux window beside us; None when we are not in tmux.

    Where someone else shows our tmux session too, the window is made without going to it, which would move them.
    """
    own_tmux = find_own_tmux(own)
    if own_tmux is None or own_tmux.client is None:
        return None
    client, server = own_tmux.client, own_tmux.server
    is_shared = any(each.session == client.session for each in server.clients if each.name != client.name)
    options = (*(("-d",) if is_shared else ()), *(("-c", directory) if directory else ()))
    # With one word tmux would ask a shell; env makes two, and finds the program on the PATH of the session.
    words = command if command[0] == "env" else ("env", *command)
    return ("tmux", "-S", server.socket, "new-window", *options, "-t", f"{client.session}:", *words)


def copy_command(text: str, own: OwnTerminal) -> Command | None:
    """The command that puts text into tmux's buffer and the terminal's clipboard; None outside tmux.

    By default tmux ignores the sequence (OSC 52) by which the programs inside it ask for that.
    """
    if own.terminal.kind != "tmux" or not own.terminal.socket:
        return None
    return ("tmux", "-S", own.terminal.socket, "set-buffer", "-w", "--", text)


def _explain_missing_pane(session: Session, servers: dict[str, TmuxServer | None]) -> JumpPlan:
    terminal = session.terminal
    tty = read_tty(session.pid) if session.pid is not None else None
    at = f"Its process {session.pid} is on {tty or 'no terminal'}"
    if session.place is not Place.HERE:
        at = f"It runs {PLACES[session.place]}, so that its process can't be looked up"
    server = servers.get(terminal.socket or "")
    if terminal.socket is None:
        text = f"No tmux server of yours has it in a pane. {at}."
    elif server is None:
        text = f"No tmux server answers at {clean(terminal.socket)}. {at}."
        if terminal.server_pid and not exists(terminal.socket):
            text += f" If the server still runs, `kill -USR1 {terminal.server_pid}` makes it open its socket again."
    elif terminal.server_pid not in (None, server.pid):
        text = f"The tmux server was started anew, so {terminal.pane} is another pane now. {at}."
    elif any(pane.pane == terminal.pane for pane in server.panes):
        text = f"Pane {terminal.pane} runs something else now. {at}."
    else:
        text = f"Pane {terminal.pane} is gone. {at}."
    return JumpPlan(outcome=Outcome.REFUSED, text=text)
