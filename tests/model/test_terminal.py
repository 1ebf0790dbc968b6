"""Which terminal: from the variables that a hook recorded, and the client's own tmux field."""

import pytest

from atm_tui.model.session import Terminal
from atm_tui.model.terminal import find_terminal


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, Terminal()),
        (
            {"TMUX": "/tmp/tmux-1000/default,4242,3", "TMUX_PANE": "%14", "TERM_PROGRAM": "tmux"},
            Terminal(kind="tmux", socket="/tmp/tmux-1000/default", server_pid=4242, session="$3", pane="%14"),
        ),
        ({"TMUX": "garbage"}, Terminal(kind="tmux", socket="garbage")),
        (
            {"TMUX": "/s,1,0", "TMUX_PANE": "%1", "KITTY_WINDOW_ID": "9"},
            Terminal(kind="tmux", socket="/s", server_pid=1, session="$0", pane="%1"),
        ),
        ({"KITTY_WINDOW_ID": "3", "KITTY_LISTEN_ON": "unix:/k"}, Terminal(kind="kitty", socket="unix:/k", pane="3")),
        ({"WEZTERM_PANE": "12", "WEZTERM_UNIX_SOCKET": "/w"}, Terminal(kind="wezterm", socket="/w", pane="12")),
        ({"ITERM_SESSION_ID": "w0t1p0:AB"}, Terminal(kind="iterm2", pane="w0t1p0:AB")),
        ({"ZELLIJ_SESSION_NAME": "main", "ZELLIJ_PANE_ID": "4"}, Terminal(kind="zellij", session="main", pane="4")),
        ({"STY": "99.pts", "WINDOW": "2"}, Terminal(kind="screen", session="99.pts", window="2")),
        ({"TERM_PROGRAM": "Apple_Terminal", "TERM_SESSION_ID": "X"}, Terminal(kind="apple", pane="X")),
        ({"TERM_PROGRAM": "vscode"}, Terminal(kind="vscode")),
        ({"GHOSTTY_RESOURCES_DIR": "/g"}, Terminal(kind="ghostty")),
        ({"TERM_PROGRAM": "something-new"}, Terminal()),
    ],
)
def test_the_variables_name_the_terminal(variables: dict[str, str], expected: Terminal) -> None:
    assert find_terminal(variables) == expected


def test_tmux_names_from_the_registry_may_hold_colons() -> None:
    assert find_terminal({}, "my:odd.name:@3.%9", "/dev/pts/4") == Terminal(
        kind="tmux", tty="/dev/pts/4", session="my:odd.name", window="@3", pane="%9"
    )


def test_the_registry_fills_in_session_and_window_of_the_same_pane_only() -> None:
    recorded = {"TMUX": "/s,1,0", "TMUX_PANE": "%9"}
    filled = Terminal(kind="tmux", socket="/s", server_pid=1, session="main", window="@3", pane="%9")
    assert find_terminal(recorded, "main:@3.%9") == filled
    assert find_terminal(recorded, "main:@3.%8").window is None


@pytest.mark.parametrize("broken", ["", "main", "main:@3", "main.%3", ":.", "main:3.4"])
def test_a_broken_field_is_ignored(broken: str) -> None:
    assert find_terminal({}, broken) == Terminal()
