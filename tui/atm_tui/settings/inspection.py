"""Finds faults of our entries in a settings file or in our plugin's hooks.json: missing, doubled, dangling, old."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from atm_tui.settings.answering import is_answering_command
from atm_tui.settings.command import find_notifier, split_command
from atm_tui.settings.document import Document
from atm_tui.settings.editing import find_our_handlers, find_our_statusline
from atm_tui.settings.hook_version import describe_copy, is_newer
from atm_tui.settings.hookfiles import is_same
from atm_tui.settings.options import ANSWER_EVENT, ANSWER_TIMEOUT, EVENTS
from atm_tui.settings.scanner import Value
from atm_tui.sources.exists import is_executable, is_file


class Fault(StrEnum):
    """MISSING: an event is not registered. DOUBLED: it runs twice. DANGLING: a file that it names is gone.

    OLD: the copied files are older than this version, or changed; NEWER: they are of a newer one.

    ELSEWHERE: it writes to a state folder that the app does not read.

    DEAF: it waits for answers, but the client would ignore them.
    """

    MISSING = "missing"
    DOUBLED = "doubled"
    DANGLING = "dangling"
    OLD = "old"
    NEWER = "newer"
    ELSEWHERE = "elsewhere"
    DEAF = "deaf"


@dataclass(frozen=True, slots=True)
class Inspection:
    """`events`: those with one of our handlers; `commands`: ours, each once, including the statusLine's; `faults`: with text.

    `answers`: whether permission requests wait for an answer from the app.
    """

    events: tuple[str, ...]
    commands: tuple[str, ...]
    statusline: str | None
    faults: tuple[tuple[Fault, str], ...]
    answers: bool = False

    @property
    def is_installed(self) -> bool:
        """Whether any of our hooks is there."""
        return bool(self.events)


def inspect(document: Document, state_dir: Path) -> Inspection:
    """Inspects our entries in a document; reads the files that they name."""
    hooks = document.root.get("hooks")
    found = list(find_our_handlers(hooks)) if hooks is not None else []
    events = [each.event.name for each in found]
    line = find_our_statusline(document.root)
    commands = [command for each in found if (command := each.item.value.get_string("command")) is not None]
    unique = tuple(dict.fromkeys([*commands, *([line] if line is not None else [])]))
    faults: list[tuple[Fault, str]] = []
    if events:
        missing = [rule.name for rule in EVENTS if rule.lean and rule.name not in events]
        if missing:
            faults.append((Fault.MISSING, f"not registered for {', '.join(missing)}"))
        doubled = [event for event, count in Counter(events).items() if count > 1]
        if doubled:
            faults.append((Fault.DOUBLED, f"registered more than once for {', '.join(doubled)}"))
    asking = [each.item.value for each in found if is_answering_command(each.item.value.get_string("command") or "")]
    if not all(map(_waits_for_answers, asking)):
        faults.append(
            (Fault.DEAF, f"{ANSWER_EVENT} is to wait for your answer, but its handler is async or cut off too early")
        )
    has_same_files = cache(is_same)  # all commands run the files of one folder
    for command in unique:
        faults.extend(_find_command_faults(command, state_dir, has_same_files))
    return Inspection(tuple(events), unique, line, tuple(dict.fromkeys(faults)), answers=bool(asking))


def has_flag(document: Document, name: str) -> bool:
    """Returns whether a setting is true."""
    value: Value | None = document.root.get(name)
    return value is not None and value.raw == "true"


def _waits_for_answers(handler: Value) -> bool:
    """Returns whether the client waits for the handler's output, for long enough."""
    timeout, is_async = handler.get("timeout"), handler.get("async")
    given = timeout.decode() if timeout is not None else None
    return (is_async is None or is_async.raw == "false") and isinstance(given, int) and given >= ANSWER_TIMEOUT


def _find_command_faults(
    command: str, state_dir: Path, has_same_files: Callable[[Path], bool]
) -> list[tuple[Fault, str]]:
    known = split_command(command)
    if known is None:
        return [(Fault.OLD, "a command of an older atm-tui")]
    interpreter, script, state = known
    if not is_executable(interpreter):
        return [(Fault.DANGLING, f"the Python that runs the hook is gone: {interpreter}")]
    if not is_file(script):
        return [(Fault.DANGLING, f"the hook's file is gone: {script}")]
    faults = []
    notifier = find_notifier(command)
    if notifier is not None and not is_executable(notifier):
        faults.append((Fault.DANGLING, f"the Python that gives notifications is gone: {notifier}"))
    if not has_same_files(script.parent):
        fault = Fault.NEWER if is_newer(script.parent) else Fault.OLD
        faults.append((fault, describe_copy(script.parent)))
    if state != state_dir:
        faults.append((Fault.ELSEWHERE, f"the hooks write to {state}, but this atm-tui reads {state_dir}"))
    return faults
