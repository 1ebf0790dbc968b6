"""What install and uninstall share: finding ours in a document, what was there before, and the log of changes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from atm_tui.settings.command import is_ours
from atm_tui.settings.document import Document, remove, restore
from atm_tui.settings.receipt import Receipt
from atm_tui.settings.scanner import Item, Value


class ChangeKind(StrEnum):
    """What happens to one of our entries, or to the user's statusLine when it is wrapped."""

    ADDED = "added"
    REPLACED = "replaced"
    REMOVED = "removed"
    WRAPPED = "wrapped"
    RESTORED = "restored"


@dataclass(frozen=True, slots=True)
class Change:
    """One entry; path is like hooks.Stop."""

    kind: ChangeKind
    path: str


@dataclass(slots=True)
class Editing:
    """A document under change. found: as in Receipt; is_known: whether `found` tells of all that we filled."""

    document: Document
    found: dict[str, str | None]
    is_known: bool
    changes: list[Change] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @classmethod
    def begin(cls, document: Document, receipt: Receipt | None) -> "Editing":
        """Start with what the receipt knows; nothing of it counts any more when nothing of ours is in the file."""
        found = dict(receipt.found) if receipt else {}
        if not has_ours(document.root, found):
            return cls(document, {}, is_known=True)
        return cls(document, found, is_known=receipt is not None)

    @property
    def has_ours(self) -> bool:
        """Whether anything of ours is in the document now."""
        return has_ours(self.document.root, self.found)

    def log(self, kind: ChangeKind, path: str) -> None:
        """Note a change."""
        self.changes.append(Change(kind, path))

    def get_container(self, parent: Value, name: str, kind: str, path: str, *, ours: bool) -> Value:
        """The object or array that counts under a name, made when it is absent or null.

        ours: whether it holds entries of ours already. Raises ShapeError when another type stands there.
        """
        item = parent.find_member(name)
        if item is None:
            self.found[path] = None
            return self.document.append(parent, {} if kind == "object" else [], name)
        value = item.value
        if value.is_null or (value.kind == kind and not value.items):
            self.found[path] = value.format_text()
            if value.is_null:
                self.document.make_empty(value, kind)
        elif value.kind != kind:
            named = "null" if value.is_null else value.raw if value.kind == "word" else value.kind
            wanted = "an object" if kind == "object" else "a list"
            raise self.document.make_shape_error(value, path, f"is {named}, where Claude Code wants {wanted}")
        elif not ours:
            self.found.pop(path, None)
        return value

    def settle(self, parent: Value, item: Item, path: str) -> None:
        """After a removal: put an emptied container back to what it was before us, or take it out."""
        if item.value.items or item not in parent.items:
            return
        before = self.found.pop(path, None) if path in self.found else ("" if self.is_known else None)
        if before is None:
            remove(parent, item)
        elif before:
            restore(item, before)

    def append(self, container: Value, content: Any, key: str | None = None) -> None:
        """Add our entry at the end."""
        self.document.append(container, content, key)


@dataclass(slots=True)
class Found:
    """One handler of ours: within a group's `hooks`, or (an old, flat shape) directly in the event's list."""

    event: Item
    group: Item | None
    handlers: Value
    item: Item


def find_our_handlers(hooks: Value) -> Iterator[Found]:
    """Every handler of ours below a `hooks` value, in the order of the file; other shapes are passed over."""
    for event in hooks.items if hooks.kind == "object" else ():
        for entry in event.value.items if event.value.kind == "array" else ():
            if _is_our_handler(entry.value):
                yield Found(event, None, event.value, entry)
            inner = entry.value.get("hooks")
            for handler in inner.items if inner is not None and inner.kind == "array" else ():
                if inner is not None and _is_our_handler(handler.value):
                    yield Found(event, entry, inner, handler)


def find_our_statusline(root: Value) -> str | None:
    """The statusLine's command when it is ours."""
    value = root.get("statusLine")
    command = value.get_string("command") if value is not None else None
    return command if command is not None and is_ours(command) else None


def has_ours(root: Value, found: Mapping[str, str | None]) -> bool:
    """Whether anything of ours is in the file. What we set in `env` bears no mark: the receipt's `found` tells."""
    if find_our_statusline(root) is not None:
        return True
    if any(True for member in root.find_members("hooks") for _ in find_our_handlers(member.value)):
        return True
    return any(path.startswith("env.") for path in found)


def _is_our_handler(value: Value) -> bool:
    command = value.get_string("command")
    return command is not None and is_ours(command)
