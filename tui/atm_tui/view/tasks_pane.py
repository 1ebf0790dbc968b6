"""The tasks pane: the open tasks of a session's task list, those in progress first, then the completed ones."""

from atm_tui.model.session import Session
from atm_tui.model.task import Task, TaskState
from atm_tui.model.task_list import count_done
from atm_tui.text import clean, wrap_text
from atm_tui.view.pane import Line, RenderContext
from atm_tui.view.present import Part
from atm_tui.view.subject import AgentIn, Subject

_ORDER = (TaskState.IN_PROGRESS, TaskState.PENDING, TaskState.COMPLETED)


def count_tasks(subject: Subject) -> str | None:
    """Counts the tasks as done/all, 3/7; None for a subject without a task list."""
    tasks = _list_tasks(subject)
    return None if tasks is None else count_done(tasks) or "none"


def _list_tasks(subject: Subject) -> tuple[Task, ...] | None:
    """Returns the task list of a session, or the tasks of a teammate that has any; None for other subjects."""
    match subject:
        case Session():
            return subject.tasks
        case AgentIn(session, agent) if agent.kind == "teammate" and agent.name:
            return tuple(task for task in session.tasks if task.owner == agent.name) or None
    return None


def write(subject: Subject, context: RenderContext) -> list[Line]:
    """Writes the lines of the pane."""
    tasks = _list_tasks(subject) or ()
    session = subject.session if isinstance(subject, AgentIn) else subject
    open_ = {task.task_id for task in session.tasks if not task.done} if isinstance(session, Session) else set()
    lines: list[Line] = []
    for task in sorted(tasks, key=lambda each: _ORDER.index(each.state)):
        sign, role = _choose_sign(task, context)
        text = clean(task.subject) or task.task_id
        if isinstance(subject, Session) and task.owner:
            text += f" · @{clean(task.owner)}"
        waits_for = [clean(each) for each in task.blocked_by if each in open_ and not task.done]
        text += f" · after {', '.join(waits_for)}" if waits_for else ""
        for at, line in enumerate(wrap_text(text, context.width - 2, context.limit_lines(2))):
            lines.append([("  " if at else f"{sign} ", role), (line, role)])
    return lines


def _choose_sign(task: Task, context: RenderContext) -> Part:
    match task.state:
        case TaskState.IN_PROGRESS:
            return context.glyphs.working, "working"
        case TaskState.COMPLETED:
            return context.glyphs.finished, "muted"
    return context.glyphs.idle, "plain"
