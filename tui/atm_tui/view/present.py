"""Turns values into text: figures, ages, gauges, state words and glyphs.

Text has roles ("needs", "muted"), not colours; ROLES maps a role to variables of the theme.
"""

import re
from collections.abc import Iterable, Sequence

import msgspec
from rich.cells import cell_len
from textual.content import Content

from atm_tui.model.activity import ActivityKind
from atm_tui.model.board import is_waiting
from atm_tui.model.session import OVER, Agent, AgentState, Context, Liveness, Session, State
from atm_tui.model.task_list import count_done
from atm_tui.model.wait import Reason, Wait
from atm_tui.text import (
    UNKNOWN,
    clean,
    cut_width,
    fit_width,
    format_money,
    format_percent,
)
from atm_tui.view.process_text import describe_place
from atm_tui.view.status_text import REASONS, describe_activity, describe_queue, describe_wait, name_state

TEAMMATE_COLORS = ("red", "orange", "yellow", "green", "cyan", "blue", "purple", "pink")
"""The client's names of a teammate's colours."""
ROLES = {
    "needs": "bold $warning",
    "working": "$accent",
    "finished": "$success",
    "notice": "$warning",
    "error": "bold $error",
    "strong": "bold",
    "plain": "",
    "muted": "$foreground-muted",
    "faint": "$foreground-disabled",
    "rule": "$rule",
    "title": "bold $primary",
    "match": "bold underline $primary",
    "code": "$accent",
    "emphasis": "italic",
    "link": "underline",
    "key": "$primary",
    "track": "$rule",
    "gauge": "$secondary",
    "gauge-warm": "$accent",
    "gauge-hot": "$warning",
    "armed": "bold $success",
    **{f"teammate-{color}": f"$teammate-{color}" for color in TEAMMATE_COLORS},
}
"""Style of each role, in the variables that every theme has."""


class Glyphs(msgspec.Struct, frozen=True):
    """The signs of one character set."""

    ascii: bool
    needs: str
    working: str
    finished: str
    idle: str
    failed: str
    lost: str
    ended: str
    warning: str
    pinned: str
    snoozed: str
    unfolded: str
    folded: str
    branch: str
    last_branch: str
    pipe: str
    cursor: str
    dot: str
    rule: str
    tee: str
    corner: str
    armed: str
    marked: str

    def draw_gauge(self, value: float | None, width: int) -> tuple[str, str]:
        """Returns the filled and the empty part of a gauge of `width` cells: ━━╸─ in half cells, or [##--] in ASCII."""
        share = min(max(value or 0.0, 0.0), 100.0) / 100
        if self.ascii:
            inner = width - 2
            full = round(share * inner)
            return f"[{'#' * full}", f"{'-' * (inner - full)}]"
        # A thin line: blocks would touch those of the next row. Any value above 0 fills at least half a cell.
        steps = max(round(share * width * 2), 1 if share > 0 else 0)
        filled = "━" * (steps // 2) + "╸" * (steps % 2)
        return filled, "─" * (width - len(filled))


UNICODE = Glyphs(
    ascii=False,
    needs="●",
    working="◐",
    finished="✓",
    idle="○",
    failed="✗",
    lost="◌",
    ended="·",
    warning="⚠",
    pinned="⚑",
    snoozed="☾",
    unfolded="▾",
    folded="▸",
    branch="├",
    last_branch="└",
    pipe="│",
    cursor="▌",
    dot="·",
    rule="─",
    tee="├",
    corner="┬",
    armed="◆",
    marked="✚",
)
ASCII = Glyphs(
    ascii=True,
    needs="!",
    working="*",
    finished="+",
    idle=".",
    failed="x",
    lost="?",
    ended="-",
    warning="!",
    pinned="^",
    snoozed="z",
    unfolded="v",
    folded=">",
    branch="|",
    last_branch="`",
    pipe="|",
    cursor=">",
    dot="-",
    rule="-",
    tee="+",
    corner="+",
    armed="#",
    marked="%",
)

Part = tuple[str, str]
"""A piece of text and the role that colours it."""


def make_content(*parts: Part) -> Content:
    """Joins parts into a Content, each in the style of its role."""
    return Content.assemble(*((text, ROLES[role]) for text, role in parts))


def fit_parts(parts: Iterable[Part], width: int) -> list[Part]:
    """Fits parts into exactly `width` cells: pads them, or cuts with "…" in the colour of the part that is cut."""
    result: list[Part] = []
    left = width
    for text, role in parts:
        if not left:
            # The parts so far fill the line: the last cell shows that there is more.
            if text.strip() and result:
                last, last_role = result.pop()
                result.append((fit_width(last + "…", cell_len(last)), last_role))
            break
        shown = cut_width(text, left)
        if shown:
            result.append((shown, role))
        left -= cell_len(shown)
        if shown != text:
            break
    return [*result, (" " * left, "plain")] if left else result


def fit_keys(keys: Sequence[tuple[str, str]], width: int) -> list[Part]:
    """Writes keys and their words into exactly `width` cells. Where not all fit, those before the last are left out first."""
    shown = list(keys)
    gaps = ("   ", "  ")
    while True:
        for gap in gaps:
            parts = [part for key, words in shown for part in ((key, "key"), (f" {words}{gap}", "muted"))]
            if sum(cell_len(text) for text, _ in parts) - len(gap) <= width:
                parts[-1:] = [(text.rstrip(), role) for text, role in parts[-1:]]
                return fit_parts(parts, width)
        if len(shown) < 2:
            return fit_parts(parts, width)
        shown.pop(-2)


def spread(left: Iterable[Part], right: Iterable[Part], width: int) -> list[Part]:
    """Writes a line of `width` cells with parts at both ends; the left ones are cut if they don't fit."""
    tail = list(right)
    room = width - sum(cell_len(text) for text, _ in tail)
    return [*fit_parts(left, room), *tail] if room > 0 else fit_parts(tail, width)


def write_gauge(context: Context, width: int, glyphs: Glyphs, thresholds: tuple[int, int, int]) -> list[Part]:
    """Writes a gauge in one of three colours: normal, warm from the first threshold on, hot from the second."""
    value = context.percent
    filled, empty = glyphs.draw_gauge(value, width)
    warm, hot, _ = thresholds
    role = "gauge" if value is None or value < warm else "gauge-warm" if value < hot else "gauge-hot"
    return [(filled, role), (empty, "track")]


def write_wait(wait: Wait, agent_name: str | None = None, more: int = 0) -> list[Part]:
    """Writes what a wait is for: the reason, then tool and input, or only the agent that asks, whose own row shows the rest.

    `more`: further waits, counted right after the reason, so that a narrow column does not cut the count off.
    """
    asked = describe_wait(wait)
    parts: list[Part] = [(asked.reason, "needs"), *([(f" +{more}", "needs")] if more else [])]
    if agent_name:
        return [*parts, (f" · {agent_name}", "plain")]
    parts += [(f" {asked.tool}", "plain")] if asked.tool else []
    parts += [(f" {asked.summary}", "muted")] if asked.summary else []
    return parts


def choose_session_glyph(session: Session, glyphs: Glyphs) -> Part:
    """Returns the sign of a session's state, and its role: faint when it may be out of date."""
    if session.is_silent:
        return _choose_session_glyph(session, glyphs)[0], "faint"
    return _choose_session_glyph(session, glyphs)


def _choose_session_glyph(session: Session, glyphs: Glyphs) -> Part:
    if session.liveness is Liveness.LOST:
        return glyphs.lost, "faint"
    if session.liveness is Liveness.ENDED:
        return glyphs.ended, "faint"
    if session.state is State.NEEDS_YOU:
        return (glyphs.failed, "error") if session.reason is Reason.FAILED else (glyphs.needs, "needs")
    if session.state is State.WORKING:
        return glyphs.working, "working"
    return (glyphs.finished, "finished") if session.unseen else (glyphs.idle, "muted")


def write_session_status(session: Session, glyphs: Glyphs) -> list[Part]:
    """Writes the state and activity of a session, as its row shows them; faint when they may be out of date."""
    return fade(session, _write_session_status(session, glyphs))


def fade(session: Session, parts: list[Part]) -> list[Part]:
    """Returns the parts of a line about a session: all faint when it may be out of date."""
    return [(text, "faint") for text, _ in parts] if session.is_silent else parts


def _write_session_status(session: Session, glyphs: Glyphs) -> list[Part]:
    if session.problem:
        return [(f"{glyphs.warning} unreadable ", "needs"), (clean(session.problem), "muted")]
    if session.liveness is not Liveness.LIVE:
        return [(session.liveness.value, "faint")]
    # before the activity: a long command would push it out of the row
    marks = [(f"{mark} · ", "muted") for mark in describe_place(session, ascii_only=glyphs.ascii)]
    return [*marks, *_write_activity(session)]


def describe_row(session: Session) -> str:
    """Returns the words that the rows of a session and its agents show besides its names: state, activity, marks and figures."""
    parts = [*write_session_status(session, UNICODE), *write_session_marks(session)]
    shown = "".join(text for text, _ in parts)
    own = f"{name_state(session)} {shown} {format_percent(session.context.percent)} {format_money(session.cost.usd)}"
    return " ".join([own, *(_describe_agent_row(each, session.waits) for each in session.agents)])


def _describe_agent_row(agent: Agent, waits: tuple[Wait, ...]) -> str:
    """Returns the words of an agent's row; for one that is over, those that tell it apart: "done" would find too many."""
    named = f"{write_agent_name(agent)[0]} {clean(agent.description)}"
    if agent.state in OVER:
        return named
    shown = "".join(text for text, _ in write_agent_status(agent, waits))
    return f"{named} {shown} {format_percent(agent.context.percent)} {format_money(agent.cost.usd)}"


def _write_activity(session: Session) -> list[Part]:
    detail = describe_activity(session.activity)
    if session.state is State.NEEDS_YOU:
        if session.waits:
            first, *others = session.waits
            return write_wait(first, find_agent_name(session, first.agent_id), len(others))
        failed = session.reason is Reason.FAILED
        return [(detail or REASONS[Reason.DIALOG].name, "error" if failed else "needs")]
    if session.state is State.WORKING:
        queued = describe_queue(session.queued)
        # before the activity: a long command would push it out of the row
        return [*([(f"{queued} · ", "muted")] if queued else []), (detail or "working", "plain")]
    if session.activity.kind is ActivityKind.NEW and session.turns:
        return [("resumed", "muted")]
    if session.unseen:
        return [(detail or "finished", "finished")]
    return [(detail or "idle", "muted")]


def write_session_marks(session: Session) -> list[Part]:
    """Writes what is unusual about a session: open tasks, no terminal, or hooks that have reported nothing."""
    if session.liveness is not Liveness.LIVE or session.problem:
        return []
    has_open = any(not task.done for task in session.tasks)
    marks = [f"{count_done(session.tasks)} tasks"] if has_open else []
    marks += [] if session.kind == "interactive" else [clean(session.kind)]
    marks += [] if session.is_reported else ["no hooks yet"]
    return [(f" · {mark}", "faint") for mark in marks]


def get_agent_name(agent: Agent) -> str:
    """Returns an agent's name, else its type, else the start of its id."""
    return clean(agent.name) or clean(agent.type) or clean(agent.agent_id)[:8]


def write_agent_name(agent: Agent) -> Part:
    """Writes an agent's name as its row shows it: that of a teammate as @name, in the colour that the client gave it."""
    over = agent.state in OVER
    if agent.kind != "teammate":
        role = "strong" if agent.state is AgentState.NEEDS_YOU else "muted" if over else "plain"
        return get_agent_name(agent), role
    colored = agent.color in TEAMMATE_COLORS and not over
    return f"@{get_agent_name(agent)}", f"teammate-{agent.color}" if colored else "muted" if over else "plain"


def write_session_name(session: Session, role: str) -> Part:
    """Writes a session's name as its row shows it, in this role unless it needs you; that of a teammate as @name in its colour."""
    role = "strong" if is_waiting(session) else role
    if session.membership is None:
        return clean(session.name), role
    color = session.membership.color
    colored = color in TEAMMATE_COLORS and session.liveness is Liveness.LIVE
    return f"@{clean(session.name)}", f"teammate-{color}" if colored else role


def find_agent_name(session: Session, agent_id: str | None) -> str | None:
    """Returns the name of an agent of this session; None for the main thread, whose id is empty or None."""
    if not agent_id:
        return None
    return next((get_agent_name(each) for each in session.agents if each.agent_id == agent_id), clean(agent_id)[:8])


def choose_agent_glyph(agent: Agent, glyphs: Glyphs) -> Part:
    """Returns the sign of an agent's state, and its role."""
    return {
        AgentState.NEEDS_YOU: (glyphs.needs, "needs"),
        AgentState.WORKING: (glyphs.working, "working"),
        AgentState.IDLE: (glyphs.idle, "muted"),
        AgentState.DONE: (glyphs.finished, "muted"),
        AgentState.FAILED: (glyphs.failed, "error"),
        AgentState.STOPPED: (glyphs.ended, "faint"),
    }[agent.state]


def write_agent_status(agent: Agent, waits: tuple[Wait, ...]) -> list[Part]:
    """Writes the state and activity of an agent. `waits`: those of its session."""
    if agent.state is AgentState.NEEDS_YOU:
        for wait in waits:
            if wait.agent_id == agent.agent_id:
                return write_wait(wait)
        return [(describe_activity(agent.activity) or REASONS[Reason.PERMISSION].name, "needs")]
    role = {AgentState.WORKING: "plain", AgentState.FAILED: "error"}.get(agent.state, "muted")
    if agent.state is AgentState.WORKING:
        return [(describe_activity(agent.activity) or "working", role)]
    what = clean(agent.activity.what)
    return [(agent.state.value, role), *([(f" {what}", "muted")] if what else [])]


_MODEL = re.compile(r"(?:.*[./])?claude-(?P<name>[a-z]+)-(?P<major>\d+)(?:-(?P<minor>\d{1,2}))?(?:-\d{8})?(?:\[\w+\])?")
_OLD_MODEL = re.compile(r"claude-(?P<major>\d)(?:-(?P<minor>\d{1,2}))?-(?P<name>[a-z]+)(?:-\d{8})?")


def shorten_model(name: str | None) -> str:
    """Shortens the id of a model: claude-opus-4-5-20251101 is "opus 4.5". Other ids stay as they are."""
    if not name:
        return UNKNOWN
    if found := _MODEL.fullmatch(name) or _OLD_MODEL.fullmatch(name):
        minor = f".{found['minor']}" if found["minor"] else ""
        return f"{found['name']} {found['major']}{minor}"
    return clean(name)


def shorten_path(text: str, home: str) -> str:
    """Returns a path with ~ for the home folder."""
    if text == home or text.startswith(home.rstrip("/") + "/"):
        text = "~" + text[len(home.rstrip("/")) :]
    return clean(text)
