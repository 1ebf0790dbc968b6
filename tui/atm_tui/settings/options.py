"""The options of an install: which events, sync or async for each and why, and the extras."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from atm_tui.settings.command import Commands

SYNC_TIMEOUT = 5
"""Seconds. Without it the client ends a synchronous SessionEnd hook after 1.5 s."""

ANSWER_EVENT = "PermissionRequest"
"""The event whose hook can wait for a person's answer."""
ANSWER_TIMEOUT = 3660
"""Seconds for that hook: longer than any wait, so that the client never ends it."""
ANSWERS_MEAN = (
    "While atm-tui is armed (A in it) you can answer permission requests there too; the first answer counts. Until then "
    "the request with its whole input lies in the state folder, for you alone. Unarmed, nothing waits and nothing is "
    "written. atm-tui never answers by itself."
)

TEAMS_VARIABLE = "CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS"


@dataclass(frozen=True, slots=True)
class EventRule:
    """One hook event. `sync`: whether the client waits; `lean`: whether it is in the lean set; `why`: the reason, shown."""

    name: str
    sync: bool
    lean: bool
    why: str


EVENTS = (
    EventRule("SessionStart", True, True, "must be first, so that others find the session"),
    EventRule("SessionEnd", True, True, "an async one may be killed with the client"),
    EventRule("Setup", False, True, "rare; order does not matter"),
    EventRule("UserPromptSubmit", True, True, "starts the turn; must precede its tool events"),
    EventRule("PreToolUse", False, False, "on the path of every tool call"),
    EventRule("PermissionRequest", True, True, "needs you; must be shown at once"),
    EventRule("PermissionDenied", False, True, "rare; order does not matter"),
    EventRule("PostToolUse", False, False, "on the path of every tool call"),
    EventRule("PostToolUseFailure", False, False, "on the path of every failed tool call"),
    EventRule("PostToolBatch", False, False, "after every step of a turn"),
    EventRule("Notification", False, True, "a hint only"),
    EventRule("SubagentStart", True, True, "starts an agent; must precede its tool events"),
    EventRule("SubagentStop", True, True, "ends an agent; must not be lost"),
    EventRule("Stop", True, True, "ends the turn; must not be lost"),
    EventRule("StopFailure", True, True, "ends the turn; must not be lost"),
    EventRule("TeammateIdle", False, True, "rare; order does not matter"),
    EventRule("TaskCreated", False, True, "rare; order does not matter"),
    EventRule("TaskCompleted", False, True, "rare; order does not matter"),
    EventRule("PreCompact", True, True, "must come before PostCompact"),
    EventRule("PostCompact", False, True, "rare; order does not matter"),
    EventRule("Elicitation", True, True, "needs you; must be shown at once"),
    EventRule("ElicitationResult", False, True, "rare; order does not matter"),
    EventRule("CwdChanged", False, False, "may follow any command"),
    EventRule("PostModelSwitch", False, True, "rare; order does not matter"),
)
"""All events that we register. Not WorktreeCreate, WorktreeRemove, MessageDisplay and PreSkillShellCommand, which change
what the client does."""

EVENT_NAMES = tuple(rule.name for rule in EVENTS)

LEAN_LOSS = (
    "Without the per-tool events these are not seen: which tool runs now, tools and files used, that a permission "
    "was answered before the turn ends, a changed folder."
)


class EventSet(StrEnum):
    """FULL: all 24 events. LEAN: only those that occur a few times per turn; see LEAN_LOSS."""

    FULL = "full"
    LEAN = "lean"


class Route(StrEnum):
    """Where the hooks are registered: in the settings file, or in a plugin that the user enables in the client."""

    SETTINGS = "settings"
    PLUGIN = "plugin"


@dataclass(frozen=True, slots=True)
class Options:
    """The options of one install.

    `sync`, `async_`: names of events that differ from their default. `statusline`: None means on, but off in a
    project's shared file, where it would replace everybody's line. `agent_teams`: sets TEAMS_VARIABLE if it is absent.
    `tmux`: the hook also sets pane options (`@meta.claude.*`). `notify`: it starts a notifier while no app runs.
    `answers`: permission requests wait for an answer from an armed app; None keeps the state of each file, initially off.
    """

    events: EventSet = EventSet.FULL
    sync: frozenset[str] = frozenset()
    async_: frozenset[str] = frozenset()
    statusline: bool | None = None
    agent_teams: bool = False
    tmux: bool = False
    notify: bool = False
    answers: bool | None = None
    route: Route = Route.SETTINGS

    def adapt_to_shared_file(self) -> "Options":
        """Returns the options for a project's shared file: without the statusLine unless it was requested."""
        return replace(self, statusline=False) if self.statusline is None else self

    def list_rules(self) -> Iterator[EventRule]:
        """Returns the events to register, in the order of EVENTS."""
        return (rule for rule in EVENTS if rule.lean or self.events is EventSet.FULL)

    def is_sync(self, rule: EventRule) -> bool:
        """Returns whether the client waits for our hook at this event."""
        return self.waits_for_answer(rule) or rule.name in self.sync or (rule.sync and rule.name not in self.async_)

    def waits_for_answer(self, rule: EventRule) -> bool:
        """Returns whether our hook can wait for a person's answer at this event."""
        return self.answers is True and rule.name == ANSWER_EVENT

    def make_handler(self, rule: EventRule, commands: Commands) -> dict[str, object]:
        """Returns our handler for an event, as in the settings file."""
        asks = self.waits_for_answer(rule)
        handler: dict[str, object] = {"type": "command", "command": commands.make_hook_command(answers=asks)}
        if self.is_sync(rule):
            handler["timeout"] = ANSWER_TIMEOUT if asks else SYNC_TIMEOUT
        else:
            handler["async"] = True
        return handler

    def list_unknown_events(self) -> list[str]:
        """Returns the names in `sync` and `async_` that we don't register, sorted."""
        return sorted((self.sync | self.async_) - set(EVENT_NAMES))
