"""Finds the terminal of a session, from the variables that a hook recorded and the client's registry."""

from collections.abc import Callable, Mapping

from atm_tui.model.session import Terminal

Variables = Mapping[str, str]


def _read_tmux(given: Variables) -> Terminal:
    socket, _, rest = given["TMUX"].partition(",")
    server, _, session = rest.partition(",")
    return Terminal(
        kind="tmux",
        socket=socket or None,
        server_pid=int(server) if server.isdecimal() and len(server) < 10 else None,
        session=f"${session}" if session.isdecimal() else None,
        pane=given.get("TMUX_PANE"),
    )


def _read_zellij(given: Variables) -> Terminal:
    return Terminal(kind="zellij", session=given["ZELLIJ_SESSION_NAME"], pane=given.get("ZELLIJ_PANE_ID"))


def _read_screen(given: Variables) -> Terminal:
    return Terminal(kind="screen", session=given["STY"], window=given.get("WINDOW"))


def _read_kitty(given: Variables) -> Terminal:
    return Terminal(kind="kitty", socket=given.get("KITTY_LISTEN_ON"), pane=given["KITTY_WINDOW_ID"])


def _read_wezterm(given: Variables) -> Terminal:
    return Terminal(kind="wezterm", socket=given.get("WEZTERM_UNIX_SOCKET"), pane=given["WEZTERM_PANE"])


def _read_iterm(given: Variables) -> Terminal:
    return Terminal(kind="iterm2", pane=given["ITERM_SESSION_ID"])


_MARKS: tuple[tuple[str, Callable[[Variables], Terminal]], ...] = (
    # multiplexers first: in them the variables of the outer terminal are still set
    ("TMUX", _read_tmux),
    ("ZELLIJ_SESSION_NAME", _read_zellij),
    ("STY", _read_screen),
    ("KITTY_WINDOW_ID", _read_kitty),
    ("WEZTERM_PANE", _read_wezterm),
    ("ITERM_SESSION_ID", _read_iterm),
)
_UNKNOWN = Terminal(kind="unknown")
_PROGRAMS = {
    "Apple_Terminal": "apple",
    "vscode": "vscode",
    "ghostty": "ghostty",
    "iTerm.app": "iterm2",
    "WezTerm": "wezterm",
}


def find_terminal(variables: Variables, registry_tmux: str | None = None, tty: str | None = None) -> Terminal:
    """Returns the terminal; kind "unknown" when no variable tells it. `registry_tmux`: the client's "session:@window.%pane"."""
    if not variables and not registry_tmux and tty is None:
        return _UNKNOWN
    found = Terminal()
    for mark, make in _MARKS:
        if variables.get(mark):
            found = make(variables)
            break
    else:
        program = variables.get("TERM_PROGRAM", "")
        kind = "ghostty" if variables.get("GHOSTTY_RESOURCES_DIR") else _PROGRAMS.get(program, "unknown")
        found = Terminal(kind=kind, pane=variables.get("TERM_SESSION_ID"))
    session, window, pane = _split_tmux_field(registry_tmux)
    if pane and found.kind in ("unknown", "tmux"):
        same = found.pane in (None, pane)
        found = Terminal(
            kind="tmux",
            socket=found.socket,
            server_pid=found.server_pid,
            session=session if same else found.session,
            window=window if same else found.window,
            pane=found.pane or pane,
        )
    return Terminal(
        kind=found.kind,
        tty=tty,
        socket=found.socket,
        server_pid=found.server_pid,
        session=found.session,
        window=found.window,
        pane=found.pane,
    )


def _split_tmux_field(registry_tmux: str | None) -> tuple[str | None, str | None, str | None]:
    """Splits "session:@window.%pane". Session names can hold colons and dots, windows and panes can't."""
    if not registry_tmux:
        return None, None, None
    head, _, pane = registry_tmux.rpartition(".")
    session, _, window = head.rpartition(":")
    return (session, window, pane) if pane.startswith("%") and window.startswith("@") else (None, None, None)
