"""Describes the processes that serve a session."""

from atm_tui.model.pid_domain import PLACES
from atm_tui.model.session import ServingProcess, Session
from atm_tui.text import clean


def describe_place(session: Session, *, ascii_only: bool = False) -> list[str]:
    """Describes an unusual place of a session: "×2" when it is open twice, "in a container"."""
    times = "x" if ascii_only else "×"
    marks = [f"{times}{len(session.processes)}"] if len(session.processes) > 1 else []
    is_unusual = PLACES[session.place] and session.elsewhere is None  # the tree shows the machine
    return [*marks, *([PLACES[session.place]] if is_unusual else [])]


def describe_process(process: ServingProcess) -> str:
    """Returns a process in words: "pid 12: waiting permission prompt, tmux %3, /dev/pts/4"."""
    terminal = process.terminal
    kind = "" if terminal.kind == "unknown" else terminal.kind
    parts = (process.status, PLACES[process.place], " ".join(filter(None, (kind, terminal.pane))), terminal.tty or "")
    name = f"pid {process.pid}" if process.pid else "a pid that is not one of ours"
    return f"{name}: " + (", ".join(clean(part) for part in parts if part) or "runs")
