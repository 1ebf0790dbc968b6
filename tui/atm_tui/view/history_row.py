"""Writes an ended session as a line of the history."""

from rich.cells import cell_len

from atm_tui.model.session import Liveness
from atm_tui.monitor.past import PastSession
from atm_tui.text import clean, cut_width, fit_width, format_age, format_money
from atm_tui.view.columns import mark_words
from atm_tui.view.present import Glyphs, Part, fit_parts

COST = 8
AGE = 5
"""Cells of each of these columns."""
PROJECT = 20
"""Most cells of a project's name."""
TITLE = 48
"""Most cells of a title beside a prompt."""
WIDE = 90
"""Least width in cells of a line that shows the prompt."""
NARROW = 56
"""Least width in cells of a line that shows the cost."""


def write_entry(
    entry: PastSession,
    width: int,
    now: float,
    glyphs: Glyphs,
    marks: tuple[str, ...],
    *,
    cursor: bool,
    number: str = "",
    note: str = "",
    project: int = PROJECT,
) -> list[Part]:
    """Writes a line of `width` cells: sign, title, project, last prompt, cost, time.

    `marks`: the words to highlight; `number`: the key that selects it; `note`: its flag in a word, never cut; `project`: the cells
    of the widest project's name.
    """
    lost = entry.session.liveness is Liveness.LOST
    tail: list[Part] = []
    if width >= NARROW:
        usd = entry.session.cost.usd
        tail.append((fit_width(format_money(usd), COST, right=True), "faint" if usd is None else "muted"))
    tail += [("  ", "plain"), (fit_width(format_age(now - entry.at), AGE, right=True), "muted")]
    head: list[Part] = [
        (glyphs.cursor, "key") if cursor else (number or " ", "faint"),
        (" ", "plain"),
        (glyphs.lost if lost else glyphs.ended, "muted"),
        (" ", "plain"),
    ]
    room = width - sum(cell_len(text) for text, _ in head + tail) - 2
    project = min(project, PROJECT, room // 4)
    prompt = room * 2 // 5 if width >= WIDE else 0
    title = room - project - 2 - (prompt + 2 if prompt else 0)
    if prompt and title > TITLE:
        title, prompt = TITLE, prompt + title - TITLE
    note = f"  {note}" if note else ""
    named = mark_words((clean(entry.title), "plain"), marks)
    body = [*fit_parts(named, max(1, title - cell_len(note))), (cut_width(note, title), "faint")]
    body += [
        ("  ", "plain"),
        *fit_parts(mark_words((clean(entry.session.project.name), "muted"), marks), max(1, project)),
    ]
    if prompt:
        said = mark_words((clean(entry.prompt), "muted"), marks)
        body += [("  ", "plain"), *fit_parts(said, prompt)]
    return fit_parts([*head, *body, ("  ", "plain"), *tail], width)
