"""Jumps in tmux: shows the pane, by its id, on our own client. No other client is moved, and nothing is guessed."""

from collections.abc import Iterable

from atm_tui.jump.processes import read_tty
from atm_tui.jump.run import has_program
from atm_tui.jump.tmux_client import choose_client, find_own_tmux
from atm_tui.jump.tmux_server import TmuxClient, TmuxPane, TmuxServer, TmuxServers, has_own_ancestors, list_sockets
from atm_tui.jump.values import Command, JumpPlan, Outcome, OwnTerminal
from atm_tui.model.pid_domain import PLACES, Place
from atm_tui.model.session import Session
from atm_tui.sources.exists import exists
from atm_tui.text import clean


def plan(session: Session, own: OwnTerminal, servers: TmuxServers | None = None) -> JumpPlan:
    """Plans the jump to the pane in which the session's process runs now. `servers`: as they were read before."""
    if not has_program("tmux"):
        return JumpPlan(outcome=Outcome.REFUSED, text="The session runs in tmux, but tmux is not on the PATH here.")
    servers = servers or TmuxServers()
    for socket in _list_sockets_to_search(session, own):
        server = servers.read(socket)
        if server and (panes := _find_panes(server, session)):
            return _plan_for_panes(server, panes, session, own, servers)
    return _explain_missing_pane(session, servers)


def plan_unrecorded(session: Session, own: OwnTerminal, servers: TmuxServers | None = None) -> JumpPlan | None:
    """Plans the jump to the pane of a session whose hooks recorded no tmux; None where its process is in no pane of ours.

    Someone may have unset TMUX, or something may have cleared the environment. `servers`: as they were read before.
    """
    if session.pid is None or session.place is not Place.HERE:
        return None
    servers = servers or TmuxServers()
    by_ancestors = has_own_ancestors(session.terminal)
    for server in filter(None, map(servers.read, _list_own_sockets(own))):
        if panes := server.find_panes_of_process(session.pid, by_ancestors=by_ancestors):
            return _plan_for_panes(server, panes, session, own, servers)
    return None


def _list_sockets_to_search(session: Session, own: OwnTerminal) -> list[str]:
    """Returns the recorded socket alone; without one (only the registry knows the session), all sockets of this user."""
    return [session.terminal.socket] if session.terminal.socket else _list_own_sockets(own)


def _list_own_sockets(own: OwnTerminal) -> list[str]:
    """Returns the sockets of all servers of this user, that of our own pane first."""
    first = [own.terminal.socket] if own.terminal.kind == "tmux" and own.terminal.socket else []
    return list(dict.fromkeys([*first, *list_sockets()]))


def _find_panes(server: TmuxServer, session: Session) -> tuple[TmuxPane, ...]:
    if session.place is Place.CONTAINER:
        return server.find_panes_of_terminal(session.terminal)
    return server.find_panes_of_process(session.pid)


def _plan_for_panes(
    server: TmuxServer, panes: tuple[TmuxPane, ...], session: Session, own: OwnTerminal, servers: TmuxServers
) -> JumpPlan:
    own_tmux = find_own_tmux(own, servers)
    popup = own_tmux.popup if own_tmux else False
    pane = panes[0]
    where = f"pane {pane.pane} of tmux session “{clean(server.find_session_name(pane.session))}”"
    target = choose_client(server, own_tmux)
    if target is None:
        return _offer_attach(server, _choose_pane(server, panes, None, session), where, popup)
    commands = [*make_switch_commands(server, panes, target.client, session)]
    if target.outer:
        # our terminal shows the other server in a pane of our own server
        commands += make_switch_commands(target.outer.server, target.outer.panes, target.outer.client, None)
    if not commands:
        return JumpPlan(outcome=Outcome.THERE, text=f"You are there: {where}.", popup=popup)
    other = "" if target.is_ours else f", on the terminal {target.client.name}"
    return JumpPlan(outcome=Outcome.GO, text=f"Going to {where}{other}.", commands=tuple(commands), popup=popup)


def make_switch_commands(
    server: TmuxServer, panes: tuple[TmuxPane, ...], client: TmuxClient, session: Session | None
) -> tuple[Command, ...]:
    """Returns the commands that show a pane on a client; none when it is shown already. No other client's view changes."""
    if client.pane == panes[0].pane:
        return ()
    pane = _choose_pane(server, panes, client, session)
    tmux = ("tmux", "-S", server.socket)
    # one command for session, window and pane, so that it can't stop half-way; -Z keeps a zoomed window zoomed
    switch = ("switch-client", "-Z", "-c", client.name, "-t")
    if not _would_move_others(server, pane, client):
        if pane.session == client.session:
            # switch-client to the session that is shown already makes a control client (iTerm2) build all its windows anew
            window = ("select-window", "-t", f"{pane.session}:{pane.window}")
            return ((*tmux, *window, ";", "select-pane", "-Z", "-t", pane.pane),)
        return ((*tmux, *switch, pane.target),)
    # Other clients show another window of that session: a new session in its group doesn't move them.
    name = _find_unused_session_name(server)
    return (
        (
            *(*tmux, "new-session", "-d", "-s", name, "-t", pane.session, ";"),
            *(*switch, f"={name}:{pane.window}.{pane.pane}", ";"),
            *("set-option", "-t", f"={name}:", "destroy-unattached", "on"),
        ),
    )


def make_own_pane_commands(own: OwnTerminal) -> tuple[Command, ...]:
    """Returns the commands that show our own pane on our client; none when it is shown already, and outside tmux."""
    found = find_own_tmux(own)
    if found is None or not found.panes or found.client is None:
        return ()
    return make_switch_commands(found.server, found.panes, found.client, None)


def _choose_pane(
    server: TmuxServer, panes: Iterable[TmuxPane], client: TmuxClient | None, session: Session | None
) -> TmuxPane:
    """Chooses the tmux session in which to show the pane, of all that have it.

    Prefers those where no other client is moved, then the client's own, then the one that the hook recorded.
    """
    recorded = session.terminal.session if session else None

    def rank_pane(pane: TmuxPane) -> tuple[bool, bool, bool, str]:
        is_own = client is not None and pane.session == client.session
        is_recorded = recorded in (pane.session, server.find_session_name(pane.session))
        return (_would_move_others(server, pane, client), not is_own, not is_recorded, pane.session)

    return min(panes, key=rank_pane)


def _would_move_others(server: TmuxServer, pane: TmuxPane, client: TmuxClient | None) -> bool:
    """Whether showing the pane would change the view of another client, which shows another window of the same session."""
    return any(
        other.session == pane.session and other.window != pane.window
        for other in server.clients
        if client is None or other.name != client.name
    )


def _find_unused_session_name(server: TmuxServer) -> str:
    taken = {name for _, name in server.names}
    return next(name for number in range(1, len(taken) + 2) if (name := f"atm-{number}") not in taken)


def _offer_attach(server: TmuxServer, pane: TmuxPane, where: str, popup: bool) -> JumpPlan:
    """Plans to attach the session in this terminal, since no client is attached to its server."""
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


def make_new_window_command(command: Command, directory: str, own: OwnTerminal) -> Command | None:
    """Makes the tmux command that runs another command in a new window of our session; None outside tmux.

    If another client shows our session too, the new window is not selected, which would move that client.
    """
    own_tmux = find_own_tmux(own)
    if own_tmux is None or own_tmux.client is None:
        return None
    client, server = own_tmux.client, own_tmux.server
    is_shared = any(each.session == client.session for each in server.clients if each.name != client.name)
    # tmux reads the directory as a format, in which #(…) would run a command
    options = (*(("-d",) if is_shared else ()), *(("-c", directory.replace("#", "##")) if directory else ()))
    # tmux passes a single word to a shell. With env there are two, and env looks in the PATH of the session.
    words = command if command[0] == "env" else ("env", *command)
    given = ("new-window", *options, "-t", f"{client.session}:", *words)
    return ("tmux", "-S", server.socket, *map(_escape_word, given))


def _escape_word(word: str) -> str:
    """Returns a word as tmux's command line needs it: there, a semicolon at the end of a word ends the command."""
    return f"{word[:-1]}\\;" if word.endswith(";") else word


def make_copy_command(text: str, own: OwnTerminal) -> Command | None:
    """Makes the command that puts text into tmux's buffer and the terminal's clipboard; None outside tmux.

    By default tmux ignores OSC 52, the sequence by which programs set the clipboard.
    """
    if own.terminal.kind != "tmux" or not own.terminal.socket:
        return None
    return ("tmux", "-S", own.terminal.socket, "set-buffer", "-w", "--", _escape_word(text))


def _explain_missing_pane(session: Session, servers: TmuxServers) -> JumpPlan:
    terminal = session.terminal
    tty = read_tty(session.pid) if session.pid is not None else None
    at = f"Its process {session.pid} is on {tty or 'no terminal'}"
    if session.place is not Place.HERE:
        at = f"It runs {PLACES[session.place]}, so that its process can't be looked up"
    server = servers.read(terminal.socket) if terminal.socket else None
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
