"""A task of a session's task list."""

from enum import StrEnum

import msgspec


class TaskState(StrEnum):
    """The progress of a task, in the client's own words."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"


class Task(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """An item of the session's task list."""

    task_id: str
    subject: str = ""
    state: TaskState = TaskState.PENDING
    owner: str = ""
    """Name of the teammate that has it; empty: nobody, or the session itself."""
    blocked_by: tuple[str, ...] = ()
    """Ids of the tasks that have to be completed before."""

    @property
    def done(self) -> bool:
        """Whether it is completed."""
        return self.state is TaskState.COMPLETED


class TaskFolder(msgspec.Struct, frozen=True, kw_only=True):
    """A task list, as the client's files describe it."""

    tasks: tuple[Task, ...] = ()
    """In the order of their ids."""
    changed_at: float = 0.0
    """When a file was last added or removed, epoch seconds."""
