"""The columns of `atm-tui status`, by name: what each shows of a session. Pure."""

from collections.abc import Callable, Iterable

import msgspec

from atm_tui.model.host import shorten_id
from atm_tui.model.session import OVER, Liveness, Session
from atm_tui.model.task_list import count_done
from atm_tui.text import UNKNOWN, clean, format_age, format_money, format_percent
from atm_tui.view.process_text import describe_place
from atm_tui.view.status_text import REASONS, describe_activity, describe_queue, name_state


class CellContext(msgspec.Struct, frozen=True):
    """The input of a cell besides the session."""

    at: float
    """The time, epoch seconds."""
    id_length: int
    """Characters of an id that are enough to tell the sessions apart."""


class Column(msgspec.Struct, frozen=True):
    """A column; its heading is its name."""

    meaning: str
    """For the documentation."""
    text: Callable[[Session, CellContext], str]
    """Returns the clean text of a cell, empty if there is nothing to show."""
    widest: int
    """Largest width in cells."""
    narrowest: int = 0
    """Smallest width when space is short; 0: it doesn't shrink."""
    right: bool = False
    """Whether it is right-aligned."""


def _describe_doing(session: Session) -> str:
    doing = " ".join(filter(None, (describe_activity(session.activity), describe_queue(session.queued))))
    marks = describe_place(session) if session.liveness is Liveness.LIVE else []
    return " · ".join([*marks, *([doing] if doing else [])])


def _count_agents(session: Session) -> str:
    running = sum(agent.state not in OVER for agent in session.agents)
    return str(running) if running else ""


COLUMNS = {
    "id": Column(
        "the first characters of its id, enough to tell it apart",
        lambda each, context: clean(each.session_id)[: context.id_length],
        36,
    ),
    "state": Column("needs you, working or idle; else lost or ended", lambda each, _: name_state(each), 9),
    "name": Column("its name", lambda each, _: clean(each.name), 32, narrowest=12),
    "project": Column("its project", lambda each, _: clean(each.project.name), 20, narrowest=8),
    "doing": Column("what it does or waits for", lambda each, _: _describe_doing(each), 48, narrowest=16),
    "context": Column(
        "how full its context window is", lambda each, _: format_percent(each.context.percent), 7, right=True
    ),
    "cost": Column("what it has cost, USD", lambda each, _: format_money(each.cost.usd), 9, right=True),
    "age": Column(
        "for how long it has been in this state",
        lambda each, context: format_age(context.at - each.since) if each.since else UNKNOWN,
        6,
        right=True,
    ),
    "reason": Column(
        "why it needs you, or how its turn broke off",
        lambda each, _: REASONS[each.reason].name if each.reason else "",
        11,
    ),
    "agents": Column("how many agents it runs", lambda each, _: _count_agents(each), 6, right=True),
    "tasks": Column("how many of its tasks are done, 3/7", lambda each, _: count_done(each.tasks), 7, right=True),
    "model": Column("its model", lambda each, _: clean(each.model or ""), 32, narrowest=12),
    "machine": Column("its machine; here: this one", lambda each, _: each.machine or "here", 20, narrowest=6),
    "branch": Column("the branch", lambda each, _: clean(each.project.branch or ""), 32, narrowest=8),
    "folder": Column("its working directory", lambda each, _: clean(each.cwd), 64, narrowest=16),
    "pane": Column("its pane, as its terminal calls it", lambda each, _: clean(each.terminal.pane or ""), 40),
    "pid": Column("the process", lambda each, _: str(each.pid or ""), 8, right=True),
    "prompt": Column("the last prompt", lambda each, _: clean(each.last_prompt), 64, narrowest=16),
}
"""All columns, in the order of the documentation."""

DEFAULT = ("id", "state", "name", "project", "doing", "context", "cost", "age")
"""The columns that are shown unless others are chosen."""

_SHORTEST_ID = 8


def measure_ids(sessions: Iterable[Session]) -> int:
    """Returns the number of characters, at least 8, by which the ids differ."""
    ids = [clean(each.session_id) for each in sessions]
    longest = max(map(len, ids), default=0)
    shortest = max((len(shorten_id(each)) for each in ids if ":" in each), default=_SHORTEST_ID)
    return next(
        (length for length in range(shortest, longest) if len({each[:length] for each in ids}) == len(ids)),
        max(_SHORTEST_ID, longest),
    )


def list_column_rows() -> list[str]:
    """Returns the rows of the documentation's table, in Markdown."""
    return [f"| `{name}` | {column.meaning} |" for name, column in COLUMNS.items()]
