"""What `atm-tui stream` replies about one session: its explanation, its events, its conversation."""

from collections.abc import Sequence

from atm_tui.cli.stream_commands import RefusedError, Served
from atm_tui.model.session import Session
from atm_tui.model.stream_commands import PAGE, ExplainRequest, ExplainResult
from atm_tui.timeline.journals import read_history
from atm_tui.view.explain import explain


def find_asked(session_id: str, served: Served) -> Session:
    """Returns a session by its id. Raises RefusedError for one that is unknown, or on another machine."""
    session = served.monitor.fleet.sessions.get(session_id)
    if session is None:
        raise RefusedError("there is no such session")
    if session.elsewhere is not None:
        raise RefusedError(f"it runs on {session.elsewhere.machine}: ask that machine")
    return session


def explain_session(asked: ExplainRequest, served: Served) -> ExplainResult:
    """Returns a page of the lines of `atm-tui explain`. Raises RefusedError, and OSError if the journal can't be read."""
    session, monitor = find_asked(asked.session_id, served), served.monitor
    facts = monitor.reader.facts.get(session.session_id)
    if facts is None:
        raise RefusedError("there is no such session")
    events = read_history(monitor.state_dir, session.session_id)
    lines = explain(facts, session, events, monitor.now())
    return ExplainResult(lines=_cut_page(lines, asked.begin), begin=asked.begin, total=len(lines))


def _cut_page(lines: Sequence[str], begin: int) -> tuple[str, ...]:
    """Returns the lines from `begin` on that one page takes; one that alone is too long is cut."""
    found: list[str] = []
    room = PAGE
    for line in lines[begin:]:
        room -= len(line.encode(errors="replace")) + 3
        if found and room < 0:
            break
        found.append(line[:PAGE])
    return tuple(found)
