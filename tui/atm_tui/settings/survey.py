"""Surveys the settings files that can be chosen, and the entries of other tools in them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from atm_tui.settings.apply import read_settings
from atm_tui.settings.backups import list_backups
from atm_tui.settings.command import find_wrapped, is_ours
from atm_tui.settings.document import Document
from atm_tui.settings.errors import JsonError, RefusedError, SettingsError
from atm_tui.settings.inspection import has_flag, inspect
from atm_tui.settings.installer import Planner
from atm_tui.settings.locations import Scope, list_managed_files, locate_managed_dir, locate_settings_file
from atm_tui.settings.read import read_bytes
from atm_tui.settings.scanner import Value
from atm_tui.settings.validity import find_faults

CONTEXT = 2
"""Number of lines that are shown before and after a fault."""


@dataclass(frozen=True, slots=True)
class Target:
    """A settings file that can be chosen."""

    path: Path
    scope: Scope


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a file is not changed, its effect in Claude Code, and what to do.

    `lines`: (number, text) around line and column, all from 1; line 0: no place in the file.
    """

    reason: str
    effect: str
    advice: str
    line: int = 0
    column: int = 0
    lines: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """The content of a settings file.

    `hooks`: event -> commands of other tools, in the order of the file. `line`: the user's own statusLine, wrapped or
    not. `ours`: events with our hooks. `faults`: of our entries. `notes`: other entries that the client
    rejects.
    """

    target: Target
    data: bytes | None = None
    hooks: tuple[tuple[str, tuple[str, ...]], ...] = ()
    line: str | None = None
    ours: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    is_disabled: bool = False
    notes: tuple[str, ...] = ()
    backups: tuple[Path, ...] = ()
    trouble: Trouble | None = None

    @property
    def others(self) -> int:
        """Number of hooks of other tools."""
        return sum(len(commands) for _, commands in self.hooks)


def list_targets(config_dirs: Iterable[Path], project: Path) -> list[Target]:
    """Returns each config folder's file, then the project's two; in the home folder only the user's own."""
    folders = list(config_dirs)
    found = [Target(locate_settings_file(Scope.USER, folder, project), Scope.USER) for folder in folders]
    for scope in (Scope.PROJECT, Scope.LOCAL):
        path = locate_settings_file(scope, folders[0], project)
        if all(path != target.path for target in found):
            found.append(Target(path, scope))
    return found


def survey_target(target: Target, planner: Planner, state_dir: Path) -> Found:
    """Returns the content of a file, and why our entries can't be added, if so. Raises nothing."""
    kept = tuple(list_backups(target.path))
    data: bytes | None = None
    try:
        data = read_settings(target.path)
        if data is None:
            return Found(target, backups=kept)
        planner(target.path, data)
        document = Document(data)
    except SettingsError as error:
        return Found(target, data, backups=kept, trouble=find_trouble(error, data))
    inspection = inspect(document, state_dir)
    line = _find_statusline_command(document)
    return Found(
        target,
        data,
        tuple(_list_other_hooks(document)),
        find_wrapped(line) if line is not None and is_ours(line) else line,
        ours=inspection.events,
        faults=tuple(text for _, text in inspection.faults),
        is_disabled=has_flag(document, "disableAllHooks"),
        notes=tuple(finding.text for finding in find_faults(document)),
        backups=kept,
    )


def find_trouble(error: SettingsError, data: bytes | None) -> Trouble:
    """Returns an error with its place in the file (`data`), to be shown."""
    if isinstance(error, RefusedError):
        return _describe_refusal(error, data or b"")
    head, _, rest = str(error).partition("\n")
    reason = head.split(": ", 1)[-1].removesuffix("Nothing was changed.").strip().rstrip(".")
    return Trouble(reason, "", rest.strip().removeprefix("Next: "))


def find_policy() -> list[str]:
    """Returns an administrator's policy, a line for each file."""
    lines = []
    for path in list_managed_files(locate_managed_dir()):
        try:
            keys = ", ".join(dict.fromkeys(item.name for item in Document(read_bytes(path)).root.items))
        except (OSError, JsonError):
            keys = "can't be read"
        lines.append(f"{path}: {keys or 'nothing'}")
    return lines


def _find_statusline_command(document: Document) -> str | None:
    value = document.root.get("statusLine")
    return value.get_string("command") if value is not None else None


def _list_other_hooks(document: Document) -> Iterator[tuple[str, tuple[str, ...]]]:
    hooks = document.root.get("hooks")
    for event in hooks.items if hooks is not None and hooks.kind == "object" else ():
        commands = tuple(_list_other_commands(event.value))
        if commands:
            yield event.name, commands


def _list_other_commands(event: Value) -> Iterator[str]:
    for group in event.items if event.kind == "array" else ():
        handlers = group.value.get("hooks")
        for handler in handlers.items if handlers is not None and handlers.kind == "array" else ():
            command = handler.value.get_string("command")
            if command is None:
                kind = handler.value.get_string("type") or "handler"
                yield f"({kind}) {handler.value.get_string('prompt') or handler.value.get_string('url') or ''}".strip()
            elif not is_ours(command):
                yield command


def _describe_refusal(error: RefusedError, data: bytes) -> Trouble:
    text = data.decode("utf-8", "backslashreplace").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    first, last = max(1, error.line - CONTEXT), min(len(text), error.line + CONTEXT)
    lines = tuple((number, text[number - 1]) for number in range(first, last + 1))
    advice = "Correct that place in an editor, then look again."
    return Trouble(error.reason, error.effect, advice, error.line, error.column, lines)
