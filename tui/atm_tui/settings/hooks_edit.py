"""Edits our handlers in the `hooks` of a settings document, one by one, never a whole list."""

from atm_tui.settings.command import Commands
from atm_tui.settings.document import remove
from atm_tui.settings.editing import ChangeKind, Editing, Found, find_our_handlers
from atm_tui.settings.options import EVENT_NAMES, Options
from atm_tui.settings.scanner import Item, Value

ALL_MATCHERS = ("", "*")


def add_hooks(editing: Editing, options: Options, commands: Commands) -> None:
    """Registers the chosen events: one current handler each, in its old place if it has one.

    Raises ShapeError if hooks, one of our events, or an entry of one has a type that Claude Code does not read.
    """
    root = editing.document.root
    existing = root.get("hooks")
    ours = existing is not None and any(True for _ in find_our_handlers(existing))
    _check_shapes(editing, existing)
    _assume_made_by_us(editing, root)
    remove_hooks(editing, keep={rule.name for rule in options.list_rules()})
    hooks = editing.get_container(root, "hooks", "object", "hooks", ours=ours)
    handlers = list(find_our_handlers(hooks))
    for rule in options.list_rules():
        path = f"hooks.{rule.name}"
        wanted = options.make_handler(rule, commands)
        item = hooks.find_member(rule.name)
        found = [each for each in handlers if each.event is item]
        keeper = next((each for each in found if _fires_always(each)), None)
        for each in found:
            if each is not keeper:
                _remove_handler(editing, each, path)
        if keeper is None:
            groups = editing.get_container(hooks, rule.name, "array", path, ours=bool(found))
            editing.append(groups, {"hooks": [wanted]})
            editing.log(ChangeKind.ADDED, path)
        elif keeper.item.value.decode() != wanted:
            editing.document.replace(keeper.item, wanted)
            editing.log(ChangeKind.REPLACED, path)


def remove_hooks(editing: Editing, keep: set[str]) -> None:
    """Removes our handlers, and the containers that we created for them, except for the events in `keep`.

    Of duplicate names the client reads only the last one: our handlers are always removed from the others.
    """
    root = editing.document.root
    for member in root.find_members("hooks"):
        counts = member is root.find_member("hooks")
        touched = False
        for each in list(find_our_handlers(member.value)):
            if counts and each.event.name in keep and each.event is member.value.find_member(each.event.name):
                continue
            path = f"hooks.{each.event.name}"
            _remove_handler(editing, each, path)
            editing.settle(member.value, each.event, path)
            touched = True
        if touched:
            editing.settle(root, member, "hooks")


def _remove_handler(editing: Editing, each: Found, path: str) -> None:
    remove(each.handlers, each.item)
    if each.group is not None and not each.handlers.items and _is_only_ours(each.group.value):
        remove(each.event.value, each.group)
    editing.log(ChangeKind.REMOVED, path)


def _is_only_ours(group: Value) -> bool:
    """Returns whether an emptied group has no other content; a matcher that a person wrote is kept."""
    return all(item.name == "hooks" or _matches_all(item) for item in group.items)


def _matches_all(item: Item) -> bool:
    return item.name == "matcher" and item.value.kind == "string" and item.value.decode() in ALL_MATCHERS


def _fires_always(each: Found) -> bool:
    if each.group is None:
        return False
    matcher = each.group.value.find_member("matcher")
    return matcher is None or _matches_all(matcher)


def _assume_made_by_us(editing: Editing, root: Value) -> None:
    """Without a receipt, assumes that we created each container that has only our entries."""
    hooks = root.get("hooks")
    if editing.is_known or hooks is None:
        return
    handlers = {id(each.item) for each in find_our_handlers(hooks)}
    only_ours = True
    for event in hooks.items:
        entries = [handler for group in event.value.items for handler in _list_handlers(group.value)]
        if entries and all(id(entry) in handlers for entry in entries):
            editing.found[f"hooks.{event.name}"] = None
        else:
            only_ours = False
    if only_ours and handlers:
        editing.found["hooks"] = None
    editing.is_known = True


def _list_handlers(group: Value) -> list[Item]:
    inner = group.get("hooks")
    return inner.items if inner is not None and inner.kind == "array" else []


def _check_shapes(editing: Editing, hooks: Value | None) -> None:
    if hooks is None or hooks.kind != "object":
        return
    for event in hooks.items:
        if event.name not in EVENT_NAMES or event.value.kind != "array":
            continue
        for index, entry in enumerate(event.value.items):
            if entry.value.kind != "object":
                path = f"hooks.{event.name}[{index}]"
                reason = f"is {entry.value.raw or 'a list'}, where Claude Code wants an object with a list of hooks"
                raise editing.document.make_shape_error(entry.value, path, reason)
