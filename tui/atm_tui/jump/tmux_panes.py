"""Reads tmux's current names of sessions' panes, for people who name a session by its pane."""

from collections.abc import Iterable

from atm_tui.jump.tmux_server import TmuxServers, has_own_ancestors, list_sockets
from atm_tui.model.session import Liveness, ServingProcess, Session


def may_be_pane(text: str) -> bool:
    """Whether a text can name a tmux pane, `%5` or `session:window.pane`, so that tmux has to be asked."""
    return text.strip().startswith("%") or ":" in text


def read_pane_names(sessions: Iterable[Session]) -> dict[str, tuple[str, ...]]:
    """Returns by session id the ids and addresses of the panes of all its processes, in each tmux session that has them.
    Sessions outside tmux are missing.

    Asks each tmux server once, which takes some hundredths of a second.
    """
    servers = TmuxServers()
    found: dict[str, tuple[str, ...]] = {}
    for session in sessions:
        main = ServingProcess(pid=session.pid, place=session.place, terminal=session.terminal)
        for process in (session.processes or (main,)) if session.liveness is Liveness.LIVE else ():
            if names := _find_names(process, servers):
                found[session.session_id] = tuple(dict.fromkeys((*found.get(session.session_id, ()), *names)))
    return found


def _find_names(process: ServingProcess, servers: TmuxServers) -> tuple[str, ...]:
    """Returns the names of the pane of one process."""
    terminal = process.terminal
    recorded = terminal.socket if terminal.kind == "tmux" else None
    by_ancestors = has_own_ancestors(terminal)
    for socket in [recorded] if recorded else list_sockets():
        server = servers.read(socket)
        if server and (panes := server.find_panes_of_process(process.pid, by_ancestors=by_ancestors)):
            return tuple(name for pane in panes for name in (pane.pane, server.format_address(pane)))
    return ()
