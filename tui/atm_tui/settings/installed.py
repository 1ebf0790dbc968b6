"""Finds out with which options the hooks in a settings file were installed, so that they can be renewed as they are."""

from atm_tui.settings.command import find_notifier
from atm_tui.settings.document import Document
from atm_tui.settings.editing import find_our_handlers, find_our_statusline
from atm_tui.settings.options import EVENTS, TEAMS_VARIABLE, EventSet, Options


def read_options(document: Document) -> Options | None:
    """Returns the options of our hooks in a document (settings, or the plugin's hooks.json); None if it has none of ours."""
    root = document.root
    hooks = root.get("hooks")
    handlers = {each.event.name: each.item.value for each in find_our_handlers(hooks)} if hooks is not None else {}
    if not handlers:
        return None
    waits = {name: (found := value.get("async")) is None or found.raw == "false" for name, value in handlers.items()}
    known = [rule for rule in EVENTS if rule.name in handlers]
    commands = [value.get_string("command") or "" for value in handlers.values()]
    env = root.get("env")
    return Options(
        events=EventSet.LEAN if all(rule.lean for rule in known) else EventSet.FULL,
        sync=frozenset(rule.name for rule in known if waits[rule.name] and not rule.sync),
        async_=frozenset(rule.name for rule in known if not waits[rule.name] and rule.sync),
        statusline=None if has_our_statusline(document) else False,
        agent_teams=env is not None and env.find_member(TEAMS_VARIABLE) is not None,
        tmux=any("--tmux" in command.split() for command in commands),
        notify=any(find_notifier(command) is not None for command in commands),
    )


def has_our_statusline(document: Document) -> bool:
    """Whether the statusLine of a document is ours."""
    return find_our_statusline(document.root) is not None
