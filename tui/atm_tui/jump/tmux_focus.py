"""Finds the tmux panes that have the user's focus."""

from atm_tui.jump.run import run_command
from atm_tui.jump.values import JumpError
from atm_tui.sources.exists import is_socket


def list_focused_panes(socket: str) -> frozenset[str]:
    """Returns the ids of the panes that clients show and type into, while their terminals have the focus. Blocks briefly."""
    if not is_socket(socket):
        return frozenset()
    try:
        printed = run_command(("tmux", "-S", socket, "list-clients", "-F", "#{pane_id} #{client_flags}"))
    except JumpError:
        return frozenset()
    clients = [line.partition(" ") for line in printed.split("\n")]
    return frozenset(pane for pane, _, flags in clients if "focused" in flags.split(","))
