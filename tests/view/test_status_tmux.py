"""The line for tmux: counts, the longest wait, and nothing that tmux would read as a style."""

import pytest

from atm_tui.model.fleet import Fleet
from atm_tui.model.session import Liveness, Session, State
from atm_tui.view.status_tmux import describe_for_tmux
from atm_tui.view.tmux_line import count_for_tmux, format_tmux

NOW = 10_000.0


def make_session(name: str, state: State, since: float = NOW, liveness: Liveness = Liveness.LIVE) -> Session:
    return Session(session_id=name, name=name, state=state, since=since, liveness=liveness)


@pytest.mark.parametrize(
    ("sessions", "line"),
    [
        ([], ""),
        ([make_session("a", State.IDLE)], ""),
        ([make_session("a", State.WORKING), make_session("b", State.WORKING, liveness=Liveness.LOST)], "1 ◐"),
        (
            [make_session("web", State.NEEDS_YOU, NOW - 60), make_session("api", State.NEEDS_YOU, NOW - 720)]
            + [make_session(f"w{n}", State.WORKING) for n in range(5)],
            "2 ● 5 ◐  api 12m",
        ),
        ([make_session("#[fg=red]\x1b[2J#(id)", State.NEEDS_YOU, NOW - 5)], "1 ●  ##[fg=red]\ufffd[2J##(id) 5s"),
        ([make_session("a very long name of a session", State.NEEDS_YOU, 0.0)], "1 ●  a very long name of a s…"),
    ],
)
def test_the_line(sessions: list[Session], line: str) -> None:
    fleet = Fleet()
    fleet.update(sessions)
    assert format_tmux(count_for_tmux(describe_for_tmux(fleet)), NOW) == line


def test_ascii_is_used_where_unicode_cannot_be_shown() -> None:
    fleet = Fleet()
    fleet.update([make_session("api", State.NEEDS_YOU, NOW - 5), make_session("web", State.WORKING)])
    assert format_tmux(count_for_tmux(describe_for_tmux(fleet)), NOW, ascii_only=True) == "1 ! 1 *  api 5s"
