"""A session as a card of the board: six lines that fill its width exactly. Pure, and tested as text."""

from dataclasses import dataclass

from rich.cells import cell_len

from atm_tui.model.board import find_state_time, is_active, is_waiting
from atm_tui.model.session import OVER, Liveness, Session, State
from atm_tui.text import FINE_UNTIL, PENDING, UNKNOWN, clean, format_age, format_money, format_percent
from atm_tui.view import present
from atm_tui.view.columns import mark_words
from atm_tui.view.present import (
    Glyphs,
    Part,
    find_agent_name,
    fit_parts,
    spread,
)

HEIGHT = 6
"""Lines of a card, its frame included."""
WHAT_LINE = 3
"""Index (from 0) of the line that shows what the session does or waits for."""
FRAME = 4
"""Number of cells of a line taken by the frame."""
_GAUGE = 4

Line = list[Part]


@dataclass(frozen=True)
class Frame:
    """The characters of a card's frame."""

    top_left: str
    top_right: str
    bottom_left: str
    bottom_right: str
    across: str
    down: str


ROUND = Frame("╭", "╮", "╰", "╯", "─", "│")
HEAVY = Frame("┏", "┓", "┗", "┛", "━", "┃")
"""The frame of the selected card."""
PLAIN = Frame("+", "+", "+", "+", "-", "|")
PLAIN_HEAVY = Frame("#", "#", "#", "#", "=", "#")


def format_card_age(session: Session, now: float) -> str:
    """Returns the age of a session's state; empty when it is not known."""
    begun = find_state_time(session)
    return format_age(now - begun, FINE_UNTIL if is_active(session) else 60.0) if begun > 0 else ""


def format_cache_time(session: Session, now: float) -> str:
    """Returns how many minutes the prompt cache stays warm; empty when the session is not waiting, or the cache is cold."""
    if not is_waiting(session) or session.cache_until is None or session.cache_until <= now:
        return ""
    return f"warm {max(1, round((session.cache_until - now) / 60))}m"


def write_card(
    session: Session,
    width: int,
    now: float,
    glyphs: Glyphs,
    thresholds: tuple[int, int, int],
    *,
    selected: bool,
    number: str = "",
    flag: str = "",
    answerable: bool = False,
    marks: tuple[str, ...] = (),
) -> list[Line]:
    """Writes a card of `width` cells (at least 12): name and age, project and branch, activity, figures.

    `number`: the key that selects it. `flag`: the user's flag in a word; a snoozed card is dimmed. `answerable`: whether
    its request can be answered here. `marks`: the words to highlight in name and project.
    """
    frame = (PLAIN_HEAVY if selected else PLAIN) if glyphs.ascii else HEAVY if selected else ROUND
    role = "key" if selected else "rule"
    inner = width - FRAME
    age: Part = (format_card_age(session, now), _choose_age_role(session))
    lines = [
        spread(
            _write_name(session, glyphs, marks),
            [(" ", "plain"), age],
            inner,
        ),
        fit_parts(_write_place(session, glyphs, marks), inner),
        fit_parts(write_activity_line(session, glyphs, flag, answerable=answerable), inner),
        _write_figures(session, inner, now, glyphs, thresholds),
    ]
    across = frame.across
    label = f"{across} {number} " if number else ""
    top = [(frame.top_left + label[:2], role), (label[2:3], "muted")]
    top.append((label[3:] + across * (width - 2 - len(label)) + frame.top_right, role))
    bottom = frame.bottom_left + frame.across * (width - 2) + frame.bottom_right
    framed = [[(f"{frame.down} ", role), *present.fade(session, line), (f" {frame.down}", role)] for line in lines]
    return [top, *framed, [(bottom, role)]]


def write_activity_line(session: Session, glyphs: Glyphs, flag: str, *, answerable: bool) -> Line:
    """Writes what a session does or waits for, before it is cut to the width of the card."""
    what = [*([(f"{glyphs.armed} ", "armed")] if answerable else []), *_write_activity(session, glyphs)]
    if flag:
        is_dim = flag.endswith("snoozed")
        role = "key" if flag.startswith("marked") else "faint"
        what = [(f"{flag} ", role), *((text, "muted" if is_dim else as_) for text, as_ in what)]
    return what


def _write_name(session: Session, glyphs: Glyphs, marks: tuple[str, ...]) -> Line:
    quiet = session.liveness is not Liveness.LIVE or (session.state is State.IDLE and not session.unseen)
    return [
        present.choose_session_glyph(session, glyphs),
        (" ", "plain"),
        *mark_words((clean(session.name), "muted" if quiet else "strong" if is_waiting(session) else "plain"), marks),
    ]


def _choose_age_role(session: Session) -> str:
    return "plain" if is_active(session) else "muted"


def _write_place(session: Session, glyphs: Glyphs, marks: tuple[str, ...]) -> Line:
    where = " · ".join(clean(part) for part in (session.project.name, session.project.branch) if part)
    parts: Line = mark_words((where or clean(session.cwd), "muted"), marks)
    if is_waiting(session) and session.waits and (name := find_agent_name(session, session.waits[0].agent_id)):
        parts += [(f" {glyphs.folded} ", "faint"), (name, "plain")]
    return parts


def _write_activity(session: Session, glyphs: Glyphs) -> Line:
    if session.problem or not is_waiting(session) or not session.waits:
        parts = list(present.write_session_status(session, glyphs))
        calm = session.state is State.IDLE and not session.problem
        return [*parts, (f'  "{clean(session.last_reply)}"', "muted")] if calm and session.last_reply else parts
    first, *others = session.waits
    return present.write_wait(first, more=len(others))


def _write_figures(session: Session, width: int, now: float, glyphs: Glyphs, thresholds: tuple[int, int, int]) -> Line:
    """Writes the context on the left; cache, working agents and cost on the right. Where space is short, the gauge goes first."""
    usd = session.cost.usd
    cost: Line = [(format_money(usd, is_pending=session.cost.is_pending), "faint" if usd is None else "plain")]
    at_work = sum(each.state not in OVER for each in session.agents) if session.liveness is Liveness.LIVE else 0
    agents: Line = [(f"{at_work}{glyphs.folded}", "muted"), ("  ", "plain")] if at_work else []
    text = format_cache_time(session, now)
    warm: Line = [(text, "muted"), ("  ", "plain")] if text else []
    if session.context.percent is None:
        gauge, value = [], [(PENDING if session.context.is_pending else UNKNOWN, "faint")]
    else:
        gauge = [*present.write_gauge(session.context, _GAUGE, glyphs, thresholds), (" ", "plain")]
        hot = session.context.percent >= thresholds[2]
        value = [(format_percent(session.context.percent), "gauge-hot" if hot else "plain")]
    right = [*warm, *agents, *cost]
    for left, right in (([*gauge, *value], right), (value, right), (value, [*warm, *cost]), (value, cost)):  # noqa: B020
        if sum(cell_len(each) for each, _ in left + right) < width:
            break
    return spread(left, right, width)
