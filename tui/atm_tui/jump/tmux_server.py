"""What a tmux server shows now: its panes and the clients that look at them. Ids only, so that no name can mislead."""

import contextlib
import os
import sys
from collections.abc import Iterable
from pathlib import Path

import msgspec

from atm_tui import paths
from atm_tui.jump.processes import lineage, tty_of

# libtmux asks for the encoding of sys.stdout while it is loaded; what stands there in the running app has none
with contextlib.redirect_stdout(sys.__stdout__):
    import libtmux
    from libtmux.exc import LibTmuxException

# Fields that may hold blanks come last.
_PANES = "pane #{session_id} #{window_id} #{pane_id} #{pane_pid} #{pane_dead} #{pid} #{pane_tty}"
_CLIENTS = "client #{client_pid} #{client_activity} #{session_id} #{window_id} #{pane_id} #{client_name}"
_SESSIONS = "session #{session_id} #{session_name}"


class Pane(msgspec.Struct, frozen=True, kw_only=True):
    """A pane as one session holds it; a window that is in several sessions gives its panes once for each."""

    session: str
    window: str
    pane: str
    pid: int
    """What tmux started in it."""
    dead: bool
    tty: str

    @property
    def target(self) -> str:
        """The pane in this very session: a bare %5 would be looked up in the session that was used last."""
        return f"{self.session}:{self.window}.{self.pane}"


class Client(msgspec.Struct, frozen=True, kw_only=True):
    """A terminal that is attached to the server, and what it shows."""

    name: str
    """tmux's own name of it: its tty."""
    pid: int
    active_at: int
    """Epoch seconds of its last key or resize."""
    session: str
    window: str
    pane: str


class Server(msgspec.Struct, frozen=True, kw_only=True):
    """One look at a server."""

    socket: str
    pid: int
    panes: tuple[Pane, ...]
    clients: tuple[Client, ...]
    names: tuple[tuple[str, str], ...] = ()
    """Session ids and names."""

    def holding(self, pid: int | None) -> tuple[Pane, ...]:
        """The pane in which a process runs, once for each session that holds it; empty when none does.

        By its tty or by what it descends from: no variable and no title proves anything.
        """
        if pid is None:
            return ()
        line, tty = lineage(pid), tty_of(pid)
        living = [pane for pane in self.panes if not pane.dead]
        found = {pane.pane for pane in living if tty and pane.tty == tty}
        if not found:
            near = next((each for each in line if any(pane.pid == each for pane in living)), None)
            found = {pane.pane for pane in living if pane.pid == near}
        return tuple(pane for pane in living if pane.pane in found)

    def latest(self, clients: Iterable[Client]) -> Client | None:
        """The one whose user did something last."""
        return max(clients, key=lambda client: client.active_at, default=None)

    def name_of(self, session: str) -> str:
        """The name of a session; its id when it has gone."""
        return dict(self.names).get(session, session)


def look(socket: str) -> Server | None:
    """The server at a socket; None when none answers there."""
    # tmux would try to make the folder of a socket that is not there
    if not Path(socket).is_socket():
        return None
    looks = ("-a", "-F", _PANES, ";", "list-clients", "-F", _CLIENTS, ";", "list-sessions", "-F", _SESSIONS)
    try:
        # in one go, so that all three lists are of one moment
        told = libtmux.Server(socket_path=socket).cmd("list-panes", *looks)
    except LibTmuxException:
        return None
    rows: dict[str, list[str]] = {"pane": [], "client": [], "session": []}
    for line in told.stdout:
        kind, _, rest = line.partition(" ")
        rows.setdefault(kind, []).append(rest)
    if told.returncode or not rows["pane"]:
        return None
    panes = [row.split(" ", 6) for row in rows["pane"]]
    return Server(
        socket=socket,
        pid=int(panes[0][5]),
        panes=tuple(
            Pane(session=s, window=w, pane=p, pid=int(pid or 0), dead=dead == "1", tty=tty)
            for s, w, p, pid, dead, _, tty in panes
        ),
        clients=tuple(
            Client(pid=int(pid), active_at=int(at or 0), session=s, window=w, pane=p, name=name)
            for pid, at, s, w, p, name in (row.split(" ", 5) for row in rows["client"])
        ),
        names=tuple((key, name) for key, _, name in (row.partition(" ") for row in rows["session"])),
    )


def sockets() -> list[str]:
    """The sockets of this user's servers, where tmux keeps them; the default one first."""
    base = paths.environment("TMUX_TMPDIR") or "/tmp"  # noqa: S108 - tmux's own place
    folder = Path(base) / f"tmux-{os.getuid()}"
    try:
        found = sorted(folder.iterdir())
    except OSError:
        return []
    return [str(each) for each in sorted(found, key=lambda each: each.name != "default")]
