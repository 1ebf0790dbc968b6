"""What a version of the client does, as lines of text that can be compared: its events, fields, words, and prices.

    played permissions
    event permissions: PermissionRequest(Bash)
    hook PermissionRequest(Bash): tool_input.command text
    word registry.status waiting
    price claude-opus-5-5: 5-minute writes 0.150067

A line that not every run has is marked with "? ": it is never missed, and never new.
"""

import mmap
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.client.record import Line

SOMETIMES = "? "

_LABELS = {
    "SessionStart": "source",
    "SessionEnd": "reason",
    "Notification": "notification_type",
    "PreCompact": "trigger",
    "PostCompact": "trigger",
    "StopFailure": "error",
    **dict.fromkeys(("PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest"), "tool_name"),
}
"""The field of a hook's input that tells kinds of one event apart."""
_WORDS = {
    "hook": "permission_mode mode action effort.level background_tasks[].type background_tasks[].status memory_type "
    "load_reason command_source expansion_type agent_type tool_response.status",
    "registry": "status waitingFor kind entrypoint nameSource",
    "transcript": "promptSource operation permissionMode mode toolDenialKind message.stop_reason userType entrypoint "
    "compactMetadata.trigger",
    "statusline": "model.id model.display_name output_style.name",
}
"""Fields whose words mean something to a reader: a new word is a difference."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}")
_EVENTS = re.compile(rb'"[A-Z][A-Za-z]+"(?:,"[A-Z][A-Za-z]+"){9,}')
_SCHEMAS = ("schema", "input_schema", "requested_schema", "requestedSchema")
"""Fields that hold a description of other fields: what is in it is no field of the client's."""


def find_events(program: Path) -> frozenset[str]:
    """The names of all hook events that the client's program text has; none if it can't be read from it."""
    with program.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        lists = {hit.group() for hit in _EVENTS.finditer(text)}
    needed = (b'"PreToolUse"', b'"SessionStart"', b'"Stop"', b'"UserPromptSubmit"')
    whole = max((each for each in lists if all(name in each for name in needed)), key=len, default=b"")
    return frozenset(re.findall(r'"(\w+)"', whole.decode()))


def describe_events(events: Iterable[str]) -> Iterator[str]:
    """One line for each event that the client knows."""
    return (f"known event {name}" for name in events)


def describe_scenario(name: str, lines: Iterable[Line]) -> Iterator[str]:
    """What the lines of one recorded scenario have, as lines of a shape; may repeat."""
    for line in lines:
        data = line["data"]
        if not isinstance(data, dict):
            continue
        kind = line["kind"]
        label = kind if kind in ("registry", "statusline") else f"{kind} {_name_kind(kind, data)}"
        if kind == "hook":
            yield f"event {name}: {_name_kind(kind, data)}"
        for path, value in _walk(data, ""):
            yield f"{label}: {path} {_name_type(value)}"
            if isinstance(value, str) and path in _WORDS.get(kind, "").split():
                yield f"word {kind}.{path} {value}"


def describe_result(result: Mapping[str, Any]) -> Iterator[str]:
    """The fields of what `claude -p` prints as JSON."""
    return (f"result: {path} {_name_type(value)}" for path, value in _walk(result, ""))


def _name_kind(kind: str, data: Mapping[str, Any]) -> str:
    if kind == "transcript":
        attachment = data.get("attachment")
        inner = attachment.get("type") if isinstance(attachment, dict) else data.get("subtype")
        return f"{data.get('type')}/{inner}" if inner else str(data.get("type"))
    event = str(data.get("hook_event_name"))
    label = data.get(_LABELS.get(event, ""))
    return f"{event}({label})" if label else event


def _walk(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Each field below a value: its path, and what is in it."""
    if isinstance(value, dict) and value and path.rsplit(".", 1)[-1] not in _SCHEMAS:
        for key, each in value.items():
            name = key if _NAME.fullmatch(key) else "*"
            yield from _walk(each, f"{path}.{name}" if path else name)
    elif isinstance(value, list) and value:
        for each in value:
            yield from _walk(each, f"{path}[]")
    else:
        yield path, value


def _name_type(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    return {int: "number", float: "number", str: "text", dict: "object", list: "list"}[type(value)]


def read_shape(path: Path) -> frozenset[str]:
    """The lines of a shape that was kept."""
    return frozenset(line for line in path.read_text("utf-8").split("\n") if line)


def write_shape(path: Path, shape: Iterable[str]) -> None:
    """Keeps a shape, in the order of its lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in sorted(set(shape), key=_sort_key)), "utf-8")


def _sort_key(line: str) -> tuple[str, bool]:
    return line.removeprefix(SOMETIMES), line.startswith(SOMETIMES)


def merge_runs(one: Iterable[str], other: Iterable[str]) -> frozenset[str]:
    """The shape of two runs of one version: what only one of them has is marked."""
    one, other = frozenset(one), frozenset(other)
    both = one & other
    rest = {line.removeprefix(SOMETIMES) for line in one ^ other} - both
    return frozenset(line for line in both if not line.startswith(SOMETIMES)) | {
        SOMETIMES + line
        for line in rest | {line.removeprefix(SOMETIMES) for line in both if line.startswith(SOMETIMES)}
    }


def add_scenarios(kept: Iterable[str], shape: Iterable[str]) -> frozenset[str]:
    """A shape with the lines of scenarios that were played once more: what was said of them before is no more missing."""
    shape = frozenset(shape)
    played = tuple(f"stopped {line.removeprefix('played ')}:" for line in shape if line.startswith("played "))
    known = {line for line in kept if not line.removeprefix(SOMETIMES).startswith(played or "\0")}
    new = {line for line in shape if SOMETIMES + line not in known}
    return frozenset(known | new)


def compare_shapes(known: Iterable[str], other: Iterable[str]) -> tuple[list[str], list[str]]:
    """What `other` has and `known` does not, and what it lacks. Of a scenario that only one has, no line is missed or new."""
    known, other = frozenset(known), frozenset(other)
    firm = {line for line in known if not line.startswith(SOMETIMES)}
    firm_other = {line for line in other if not line.startswith(SOMETIMES)}
    new = firm_other - {line.removeprefix(SOMETIMES) for line in known}
    gone = firm - {line.removeprefix(SOMETIMES) for line in other}
    return sorted(new), sorted(gone)
