"""What install and uninstall share: finding our entries in a document, what was there before, and the log of changes."""

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
    """The change of one entry; `path` is like hooks.Stop."""

    kind: ChangeKind
    path: str


@dataclass(slots=True)
class Editing:
    """A document that is edited. `found`: as in Receipt; `is_known`: whether `found` has all places that we filled."""

    document: Document
    found: dict[str, str | None]
    is_known: bool
    changes: list[Change] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @classmethod
    def begin(cls, document: Document, receipt: Receipt | None) -> "Editing":
        """Starts with the receipt; ignores it if the file has no entry of ours any more."""
        found = dict(receipt.found) if receipt else {}
        if not has_ours(document.root, found):
            return cls(document, {}, is_known=True)
        return cls(document, found, is_known=receipt is not None)

    @property
    def has_ours(self) -> bool:
        """Whether the document has an entry of ours now."""
        return has_ours(self.document.root, self.found)

    def log(self, kind: ChangeKind, path: str) -> None:
        """Logs a change."""
        self.changes.append(Change(kind, path))

    def get_container(self, parent: Value, name: str, kind: str, path: str, *, ours: bool) -> Value:
        """Returns the object or array under a name; creates it if it is absent or null.

        `ours`: whether it already has entries of ours. Raises ShapeError for a value of another type.
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
        """After a removal: restores an emptied container to its state before us, or removes it."""
        if item.value.items or item not in parent.items:
            return
        before = self.found.pop(path, None) if path in self.found else ("" if self.is_known else None)
        if before is None:
            remove(parent, item)
        elif before:
            restore(item, before)

    def append(self, container: Value, content: Any, key: str | None = None) -> None:
        """Appends one of our entries."""
        self.document.append(container, content, key)


@dataclass(slots=True)
class Found:
    """One of our handlers: in the `hooks` of a group or, in an old, flat shape, directly in the event's list."""

    event: Item
    group: Item | None
    handlers: Value
    item: Item


def find_our_handlers(hooks: Value) -> Iterator[Found]:
    """Yields our handlers below a `hooks` value, in the order of the file; skips other shapes."""
    for event in hooks.items if hooks.kind == "object" else ():
        for entry in event.value.items if event.value.kind == "array" else ():
            if _is_our_handler(entry.value):
                yield Found(event, None, event.value, entry)
            inner = entry.value.get("hooks")
            for handler in inner.items if inner is not None and inner.kind == "array" else ():
                if inner is not None and _is_our_handler(handler.value):
                    yield Found(event, entry, inner, handler)


def find_our_statusline(root: Value) -> str | None:
    """Returns the command of the statusLine if it is ours."""
    value = root.get("statusLine")
    command = value.get_string("command") if value is not None else None
    return command if command is not None and is_ours(command) else None


def has_ours(root: Value, found: Mapping[str, str | None]) -> bool:
    """Returns whether the file has an entry of ours. Variables in `env` have no mark; the receipt's `found` lists them."""
    if find_our_statusline(root) is not None:
        return True
    if any(True for member in root.find_members("hooks") for _ in find_our_handlers(member.value)):
        return True
    return any(path.startswith("env.") for path in found)


def _is_our_handler(value: Value) -> bool:
    command = value.get_string("command")
    return command is not None and is_ours(command)
