"""A decoded event of a session's journal. hooks/README.md documents the fields, and which events have them."""

from typing import Any

import msgspec

from atm_tui.model.checked import Pid, Time


class Event(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a hook recorded. Fields that the event lacks have their default."""

    at: Time
    """Epoch seconds."""
    session_id: str
    event: str
    """The client's name of the event; "Sample" and "Answered" are ours."""

    cwd: str = ""
    project_dir: str = ""
    transcript_path: str = ""
    title: str = ""
    model: str = ""
    permission_mode: str = ""
    effort: str = ""
    entrypoint: str = ""
    version: str = ""
    terminal: dict[str, str] = {}
    pid: Pid | None = None
    pid_start: str = ""
    pid_domain: str = ""
    gone_pids: tuple[Pid, ...] = ()
    clock: float | None = None

    agent_id: str = ""
    agent_type: str = ""
    prompt_id: str = ""
    prompt_kind: str = ""
    prompt: str = ""
    reply: str = ""
    source: str = ""
    reason: str = ""
    trigger: str = ""

    tool: str = ""
    tool_use_id: str = ""
    tool_use_ids: tuple[str, ...] = ()
    summary: str = ""
    hash: str = ""
    ran: float | None = None
    """Seconds."""
    error: str = ""
    is_interrupt: bool = False
    file: str = ""
    created: bool = False
    shell: str = ""
    description: str = ""
    subagent_type: str = ""
    teammate: str = ""
    child: str = ""
    child_status: str = ""
    child_model: str = ""

    notification_type: str = ""
    message: str = ""
    server: str = ""
    action: str = ""
    task_id: str = ""
    subject: str = ""
    background_tasks: tuple[dict[str, str], ...] | None = None
    """Running background tasks; None: the event does not list them."""
    background_partial: bool = False
    """Whether there are others that the event does not list."""
    crons: int | None = None

    key: str = ""
    decision: str = ""
    by: str = ""
    after: float | None = None
    """Seconds."""

    metrics: dict[str, Any] = {}
    """Figures of a Sample, which `Sample` in model/facts.py decodes."""
    other_fields: tuple[str, ...] = ()

    def to_raw(self) -> dict[str, Any]:
        """Converts the event for the hooks' fold: a dict of the fields that it has."""
        raw: dict[str, Any] = msgspec.to_builtins(self)
        return raw
