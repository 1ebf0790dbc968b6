"""Reads the entries of a conversation from lines of a transcript, and the texts of entries."""

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import msgspec

from atm_tui.model.conversation import Entry, EntryKind, EntryText, Place
from atm_tui.model.decoding import make_json_decoder
from atm_tui.sources.transcript_lines import Line, decode_line
from atm_tui.sources.typed_text import is_typed_text
from atm_tui.text import format_tokens

_EVENTS = frozenset({"compact_boundary", "informational", "local_command", "agents_killed", "api_error"})
"""Subtypes of system lines that people are told of."""
_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")
_IMAGE = "[image]"


class Block(msgspec.Struct):
    """A block of a message's content, of any type."""

    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    id: str | None = None
    name: str | None = None
    input: msgspec.Raw = msgspec.Raw()
    tool_use_id: str | None = None
    content: msgspec.Raw = msgspec.Raw()
    is_error: bool | None = None


class FoundLine(NamedTuple):
    """What a line of a transcript has."""

    entries: list[Entry]
    results: dict[str, Place]
    """By the id of a call: where its result is."""


@cache
def _make_decoder() -> "msgspec.json.Decoder[list[Block]]":
    return make_json_decoder(list[Block])


def find_entries(line: bytes | memoryview, offset: int, thread: str = "") -> FoundLine:
    """Finds the entries of a line. `thread`: the subagent whose transcript it is; empty for that of the session."""
    found = FoundLine([], {})
    size = len(line)
    if size < 256 and not bytes(line).strip():
        return found
    records, _ = decode_line(line)
    if not records:
        found.entries.append(Entry(Place(offset, size, 0), EntryKind.UNREADABLE, thread, "damaged"))
    for number, (record, block) in enumerate(_list_blocks(records)):
        place = Place(offset, size, number)
        if block.type is not None and block.tool_use_id and block.type.endswith("tool_result"):
            found.results[block.tool_use_id] = place
            kind: EntryKind | None = EntryKind.RESULT
        else:
            kind = _find_kind(record, block)
        if kind is not None:
            owner = thread or (f"{record.agent_id or ''}*" if record.is_sidechain else "")
            call_id = (block.tool_use_id if kind is EntryKind.RESULT else block.id) or ""
            found.entries.append(Entry(place, kind, owner, block.name or "", call_id, record.at))
    return found


def _find_kind(record: Line, block: Block) -> EntryKind | None:
    """Returns what a block is; None for what is not shown."""
    if record.type == "assistant":
        if block.type in _CALLS:
            return EntryKind.CALL
        if block.type == "thinking":
            return EntryKind.THINKING if block.thinking else None
        return (EntryKind.REPLY if block.text else None) if block.type == "text" else EntryKind.EVENT
    if record.type == "user" and not record.is_meta:
        if block.type == "text":
            typed = is_typed_text((block.text or "").lstrip()) and not record.is_compact_summary
            return EntryKind.PROMPT if typed else EntryKind.NOTE if block.text else None
        return EntryKind.PROMPT
    return EntryKind.EVENT if record.type == "system" and record.subtype in _EVENTS else None


def _list_blocks(records: list[Line]) -> Iterator[tuple[Line, Block]]:
    """Yields all blocks of the records of a line, in an order that numbers them."""
    for record in records:
        if record.type in ("user", "assistant"):
            for block in _decode_content(record.message.content if record.message else b""):
                yield record, block
        elif record.type == "system":
            text = "\n".join(each.text or "" for each in _decode_content(record.content))
            yield record, Block("text", text)


def _decode_content(content: "msgspec.Raw | bytes") -> list[Block]:
    """Decodes the content of a message, a text or a list of blocks; fields of a wrong type are dropped."""
    head = bytes(memoryview(content)[:1])
    try:
        if head == b'"':
            return [Block("text", msgspec.json.decode(content, type=str))]
        return _make_decoder().decode(content) if head == b"[" else []
    except (ValueError, RecursionError):
        return [_convert_block(each) for each in _decode_damaged(bytes(content))]


def _decode_damaged(content: bytes) -> list[Any]:
    import json  # noqa: PLC0415  few lines need it

    try:
        given = json.loads(content.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return []
    return given if isinstance(given, list) else [{"type": "text", "text": given}]


def _convert_block(given: object) -> Block:
    if not isinstance(given, dict):
        return Block("text", given if isinstance(given, str) else None)
    block = Block(is_error=given.get("is_error") is True)
    for name in ("type", "text", "thinking", "id", "name", "tool_use_id"):
        if isinstance(value := given.get(name), str):
            setattr(block, name, value)
    for name in ("input", "content"):
        setattr(block, name, msgspec.Raw(_encode(given.get(name))))
    return block


def _encode(value: object) -> bytes:
    try:
        return msgspec.json.encode(value)
    except (ValueError, OverflowError, TypeError, RecursionError):  # lone surrogates, huge integers
        import json  # noqa: PLC0415

        try:
            text = json.dumps(value, ensure_ascii=False)
        except (ValueError, RecursionError):
            text = "…"
        return msgspec.json.encode(text.encode("utf-8", "replace").decode())


def read_entry(line: bytes, place: Place, kind: EntryKind) -> EntryText:
    """Returns what an entry says, given its line."""
    records, _ = decode_line(line)
    for number, (record, block) in enumerate(_list_blocks(records)):
        if number != place.number:
            continue
        if kind is EntryKind.CALL:
            return EntryText(given=_decode_input(block.input))
        if kind is EntryKind.RESULT:
            return EntryText(result=_write_content(block.content), is_failed=block.is_error is True)
        if kind is EntryKind.EVENT:
            return EntryText(_describe_event(record, block))
        text = block.thinking if kind is EntryKind.THINKING else block.text
        shown = text if text is not None else _IMAGE if block.type == "image" else f"[{block.type or 'nothing'}]"
        return EntryText(shown, is_failed=record.is_api_error_message is True)
    return EntryText(is_missing=True)


def _describe_event(record: Line, block: Block) -> str:
    if record.subtype == "compact_boundary" and (sizes := record.compact_metadata):
        return f"compacted: {format_tokens(sizes.preTokens)} to {format_tokens(sizes.postTokens)} tokens"
    if record.subtype == "agents_killed":
        return "background agents were stopped"
    return block.text or f"[{block.type or record.subtype}]"


def _decode_input(given: msgspec.Raw) -> dict[str, Any]:
    try:
        value = msgspec.json.decode(given) if given else {}
    except (ValueError, RecursionError):
        value = "".join(map(str, _decode_damaged(bytes(given))))
    return value if isinstance(value, dict) else {"input": value}


def _write_content(content: msgspec.Raw) -> str:
    """Returns the text of a tool's result; what is no text is named in brackets."""
    return "\n".join(
        each.text if each.text is not None else f"[{each.type or 'nothing'}]" for each in _decode_content(content)
    )
