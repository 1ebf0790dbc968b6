"""Finds what makes Claude Code ignore a settings file or an entry, ours or another tool's.

Each rule was tested with the client 2.1.332: a wrong type under these keys disables the whole file, including hooks.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from atm_tui.settings.document import Document
from atm_tui.settings.errors import GUARDS
from atm_tui.settings.scanner import Value

TYPES = {
    "string": "model apiKeyHelper outputStyle language $schema plansDirectory awsAuthRefresh otelHeadersHelper",
    "boolean": "includeCoAuthoredBy alwaysThinkingEnabled spinnerTipsEnabled disableAllHooks enableAllProjectMcpServers"
    " verbose allowManagedHooksOnly respectGitignore showTurnDuration",
    "object": "env permissions sandbox attribution fileSuggestion modelOverrides enabledPlugins statusLine",
    "array": "companyAnnouncements availableModels allowedHttpHookUrls httpHookAllowedEnvVars",
    "number": "cleanupPeriodDays",
}
WANTED = {key: kind for kind, keys in TYPES.items() for key in keys.split()}
PERMISSION_LISTS = ("allow", "deny", "ask", "additionalDirectories")
HANDLER_TEXT = {"command": "command", "prompt": "prompt", "agent": "prompt", "http": "url"}
"""Type of a handler -> the field without which the client ignores it."""


class Effect(StrEnum):
    """What the client does. FILE: ignores the whole file. ENTRY: ignores that entry. NOTE: reads it, but worth knowing."""

    FILE = "file"
    ENTRY = "entry"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault. `line` from 1; `path` like permissions.allow; `reason` without the path."""

    effect: Effect
    line: int
    path: str
    reason: str

    @property
    def text(self) -> str:
        """The fault as one line of text."""
        effects = {
            Effect.FILE: "; Claude Code itself ignores the whole file because of it, our hooks included",
            Effect.ENTRY: "; Claude Code ignores that entry, and some versions drop the whole file because of it",
            Effect.NOTE: "",
        }
        return f"line {self.line}: {self.path} {self.reason}{effects[self.effect]}."


def find_faults(document: Document) -> list[Finding]:
    """Returns all faults of a document, in the order of the rules."""
    found = [*_check_top_level(document), *_check_hooks(document)]
    if document.has_bom:
        reason = "begins with a byte order mark; the client reads it and we keep it, some other tools choke on it"
        found.append(Finding(Effect.NOTE, 1, "the file", reason))
    return found


def name_json_type(value: Value) -> str:
    """Returns the JSON type: object, array, string, number, boolean or null."""
    if value.kind != "word":
        return value.kind
    return "null" if value.is_null else "boolean"


def _check_top_level(document: Document) -> Iterator[Finding]:
    root = document.root
    yield from _check_duplicates(document, root, "")
    for item in root.items:
        wanted, kind = WANTED.get(item.name), name_json_type(item.value)
        line, _ = document.locate(item.value)
        if wanted is not None and kind != wanted:
            yield Finding(Effect.FILE, line, item.name, f"is {kind}, not {wanted}")
        elif item.name == "permissions":
            for name in PERMISSION_LISTS:
                value = item.value.get(name)
                if value is not None and value.kind != "array":
                    line, _ = document.locate(value)
                    yield Finding(Effect.FILE, line, f"permissions.{name}", f"is {name_json_type(value)}, not array")
        elif item.name == "statusLine" and (
            item.value.get_string("type") != "command" or item.value.get_string("command") is None
        ):
            yield Finding(Effect.FILE, line, "statusLine", 'lacks "type": "command" or a command')
        elif item.name == "disableAllHooks" and item.value.raw == "true":
            yield Finding(Effect.NOTE, line, "disableAllHooks", "is true: no hook and no statusLine runs")


def _check_hooks(document: Document) -> Iterator[Finding]:
    hooks = document.root.get("hooks")
    if hooks is None:
        return
    if hooks.kind != "object":
        line, _ = document.locate(hooks)
        yield Finding(Effect.ENTRY, line, "hooks", f"is {name_json_type(hooks)}, not object")
        return
    yield from _check_duplicates(document, hooks, "hooks.")
    for event in hooks.items:
        path = f"hooks.{event.name}"
        for value, where, reason in _check_event(event.value, path):
            line, _ = document.locate(value)
            yield Finding(Effect.FILE if path in GUARDS else Effect.ENTRY, line, where, reason)


def _check_event(event: Value, path: str) -> Iterator[tuple[Value, str, str]]:
    if event.kind != "array":
        yield event, path, f"is {name_json_type(event)}, not array"
        return
    for index, group in enumerate(event.items):
        where = f"{path}[{index}]"
        handlers = group.value.get("hooks")
        if group.value.kind != "object":
            yield group.value, where, f"is {name_json_type(group.value)}, not object"
        elif handlers is None or handlers.kind != "array":
            yield group.value, where, "has no list of hooks (an old, flat shape?)"
        else:
            matcher = group.value.get("matcher")
            if matcher is not None and matcher.kind != "string":
                yield matcher, f"{where}.matcher", f"is {name_json_type(matcher)}, not string"
            for number, handler in enumerate(handlers.items):
                yield from _check_handler(handler.value, f"{where}.hooks[{number}]")


def _check_handler(handler: Value, path: str) -> Iterator[tuple[Value, str, str]]:
    kind = handler.get_string("type")
    timeout = handler.get("timeout")
    if handler.kind != "object":
        yield handler, path, f"is {name_json_type(handler)}, not object"
    elif kind is None:
        yield handler, path, "has no type"
    elif kind in HANDLER_TEXT and handler.get_string(HANDLER_TEXT[kind]) is None:
        yield handler, path, f"has no {HANDLER_TEXT[kind]}"
    elif timeout is not None and (timeout.kind != "number" or timeout.raw.startswith("-")):
        yield timeout, f"{path}.timeout", "is no positive number"


def _check_duplicates(document: Document, container: Value, prefix: str) -> Iterator[Finding]:
    seen: set[str] = set()
    for item in container.items:
        if item.name in seen:
            line, _ = document.locate(item.value)
            yield Finding(Effect.NOTE, line, prefix + item.name, "stands there twice; the client reads the last one")
        seen.add(item.name)
