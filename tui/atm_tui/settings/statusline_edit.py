"""Edits our statusLine and the agent-teams variable in a settings document."""

import json

from atm_tui.settings.command import Commands, find_wrapped, is_ours
from atm_tui.settings.document import remove, restore
from atm_tui.settings.editing import ChangeKind, Editing, find_our_statusline
from atm_tui.settings.options import TEAMS_VARIABLE
from atm_tui.settings.scanner import Item

LINE = "statusLine"
COMMAND = "statusLine.command"
TEAMS = f"env.{TEAMS_VARIABLE}"


def add_statusline(editing: Editing, commands: Commands) -> None:
    """Adds our statusLine, or wraps the user's own; leaves one that is not a command alone, with a warning."""
    document = editing.document
    item = document.root.find_member(LINE)
    if item is None:
        editing.found[LINE] = None
        editing.append(document.root, {"type": "command", "command": commands.make_statusline_command()}, LINE)
        editing.log(ChangeKind.ADDED, LINE)
        return
    if item.value.is_null or (item.value.kind == "object" and not item.value.items):
        editing.found[LINE] = item.value.format_text()
        document.replace(item, {"type": "command", "command": commands.make_statusline_command()})
        editing.log(ChangeKind.REPLACED, LINE)
        return
    command = item.value.find_member("command")
    if command is None or command.value.kind != "string" or item.value.get_string("type") != "command":
        line, _ = document.locate(item.value)
        editing.warnings.append(
            f"line {line}: statusLine is no command that we know how to wrap; it is left alone, and cost and context "
            "come from transcripts instead."
        )
        return
    _set_command(editing, command, commands)


def _set_command(editing: Editing, command: Item, commands: Commands) -> None:
    old = command.value.decode()
    original = find_wrapped(old) if is_ours(old) else old
    new = commands.make_statusline_command() if original is None else commands.wrap(original)
    if new == old:
        return
    if is_ours(old):
        editing.log(ChangeKind.REPLACED, LINE)
    else:
        editing.found[COMMAND] = command.value.format_text()
        editing.log(ChangeKind.WRAPPED, LINE)
    editing.document.replace(command, new)


def remove_statusline(editing: Editing) -> None:
    """Removes our statusLine, or restores the user's own text. One that is not ours any more stays."""
    root = editing.document.root
    item, ours = root.find_member(LINE), find_our_statusline(root)
    typed = editing.found.pop(COMMAND, None)
    before = editing.found.pop(LINE, None)
    if item is None or ours is None:
        return
    original = find_wrapped(ours)
    if original is None:
        if before is None:
            remove(root, item)
        else:
            restore(item, before)
        editing.log(ChangeKind.REMOVED, LINE)
        return
    command = item.value.find_member("command")
    if command is not None:
        spelled = typed if typed is not None and json.loads(typed) == original else None
        restore(command, spelled if spelled is not None else json.dumps(original, ensure_ascii=False))
        editing.log(ChangeKind.RESTORED, LINE)


def add_teams(editing: Editing) -> None:
    """Enables agent teams if the user has not decided."""
    root = editing.document.root
    existing = root.get("env")
    if existing is not None and existing.find_member(TEAMS_VARIABLE) is not None:
        return
    env = editing.get_container(root, "env", "object", "env", ours=False)
    editing.found[TEAMS] = None
    editing.append(env, "1", TEAMS_VARIABLE)
    editing.log(ChangeKind.ADDED, TEAMS)


def remove_teams(editing: Editing) -> None:
    """Removes the variable if we set it and nobody changed it since."""
    root = editing.document.root
    if TEAMS not in editing.found:
        return
    del editing.found[TEAMS]
    item = root.find_member("env")
    variable = item.value.find_member(TEAMS_VARIABLE) if item is not None else None
    if item is None or variable is None or variable.value.decode() != "1":
        return
    remove(item.value, variable)
    editing.log(ChangeKind.REMOVED, TEAMS)
    editing.settle(root, item, "env")
