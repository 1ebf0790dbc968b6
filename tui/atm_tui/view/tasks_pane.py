"""The tasks pane: the open tasks of a session's task list, then the done ones."""

from atm_tui.model.session import Session
from atm_tui.text import clean, wrap_text
from atm_tui.view.pane import Line, RenderContext
from atm_tui.view.subject import Subject


def count_tasks(subject: Subject) -> str | None:
    """Counts the tasks as done/all, 3/7; None for a subject without a task list."""
    if not isinstance(subject, Session):
        return None
    return f"{sum(each.done for each in subject.tasks)}/{len(subject.tasks)}" if subject.tasks else "none"


def write(subject: Subject, context: RenderContext) -> list[Line]:
    """Writes the lines of the pane."""
    if not isinstance(subject, Session):
        return []
    lines: list[Line] = []
    for task in sorted(subject.tasks, key=lambda each: each.done):
        sign, role = (context.glyphs.finished, "muted") if task.done else (context.glyphs.idle, "plain")
        for at, text in enumerate(
            wrap_text(clean(task.subject) or task.task_id, context.width - 2, context.limit_lines(2))
        ):
            lines.append([("  " if at else f"{sign} ", role), (text, role)])
    return lines
