"""The keys of the install wizard that work on each of its pages."""

from atm_tui.settings.setup_steps import Mode, Planned

Able = tuple[str, str]
"""(action, title) of a command that works now; its id is "wizard_" and the action. Empty title: the usual one. Text after a
comma is left out where space is short."""


def list_keys(
    page: str,
    planned: Planned,
    *,
    has_ours: bool,
    has_backups: bool,
    has_written: bool,
    can_undo: bool,
    is_whole: bool,
) -> list[Able]:
    """Returns the keys that work on a page.

    `has_ours`: some file contains our hooks; `has_backups`: the file under the cursor has backups; `has_written`: something
    was written; `can_undo`: the last step can be undone; `is_whole`: the lines of the diff are shown in full.
    """
    leave = ("leave", "leave" if has_written else "leave, nothing changed")
    match page:
        case "files":
            keys = [("forward", ""), ("choose", "pick"), ("doctor", "")]
            keys += [("uninstall", "")] if has_ours else []
            keys += [("backups", "")] if has_backups else []
            return [*keys, ("again", ""), leave]
        case "options":
            return [("forward", ""), ("choose", "change"), ("back", ""), leave]
        case "change":
            if planned.trouble is not None:
                return [("again", ""), ("back", ""), leave]
            write = ("apply", "") if planned.is_needed else ("forward", "check")
            events = [("events", "")] if planned.mode is Mode.INSTALL else []
            return [write, ("back", ""), *events, ("details", "short lines" if is_whole else ""), leave]
        case "done":
            undo = [("undo", "")] if can_undo else []
            return [("forward", "close"), *undo, ("doctor", "check all"), ("back", "start over")]
        case "doctor":
            return [("again", "check again"), ("back", ""), ("leave", "close")]
        case _:
            return [("forward", "look at it"), ("back", ""), leave]
