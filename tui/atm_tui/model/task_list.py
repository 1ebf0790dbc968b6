"""Combines what hooks and the client's files say about the tasks of a session."""

from collections.abc import Iterable, Sequence

from atm_tui.model.facts import HookState
from atm_tui.model.task import Task, TaskFolder, TaskState


def list_tasks(hooks: HookState | None, folder: TaskFolder | None) -> tuple[Task, ...]:
    """Returns the task list from the files, if there are any, else from the hooks.

    Events report neither owners nor tasks in progress or deleted, and report a teammate that stops as the completion of its
    task. They come before the client writes the file, so tasks newer than the folder are added.
    """
    if folder is None and not (hooks and hooks.tasks):
        return ()
    listed = sorted(hooks.tasks.items(), key=lambda item: (item[1].at, item[0])) if hooks else []
    files = folder.tasks if folder else ()
    known = {task.task_id for task in files}
    since = folder.changed_at if folder and files else 0.0
    added = [
        Task(task_id=key, subject=task.subject, state=TaskState.COMPLETED if task.done else TaskState.PENDING)
        for key, task in listed
        if key not in known and task.at > since
    ]
    return (*files, *added)


def count_done(tasks: Sequence[Task]) -> str:
    """Counts tasks as done/all: 3/7. Empty without tasks."""
    return f"{sum(task.done for task in tasks)}/{len(tasks)}" if tasks else ""


def find_current_task(tasks: Iterable[Task], owner: str) -> Task | None:
    """Returns the first task in progress of a teammate; None when it has none, or no name."""
    mine = (task for task in tasks if owner and task.owner == owner and task.state is TaskState.IN_PROGRESS)
    return next(mine, None)
