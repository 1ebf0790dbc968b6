"""Decodes a line of a transcript into records, even a damaged one.

A valid line is decoded into structs with the fields that are used. Other lines are decoded more slowly: fields of a wrong type
are dropped, and records are found in a line that a killed writer left mixed with others.
"""

from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import Any, TypeVar, get_args

import msgspec

from atm_tui.cost.usage import ApiRequest
from atm_tui.model.decoding import convert, make_json_decoder
from atm_tui.model.tokens import Tokens

SYNTHETIC = "<synthetic>"
"""The model of answers that the client itself made, such as API errors."""
_RECORDS = frozenset(
    {"user", "assistant", "system", "custom-title", "agent-name", "last-prompt", "permission-mode", "cost-state"}
    | {"queue-operation"}
)
_MAX_TRIES = 200
"""Number of positions in a damaged line at which a record is searched."""
_LATEST = 2e10
"""Epoch seconds above which a time counts as damaged."""
_MAX_COUNT = 10**12
"""Tokens above which a count counts as damaged."""
_RESULTS = (b'[{"tool_use_id":', b'[{ "tool_use_id"')
"""The beginning of content whose first block is a tool result, as the client writes it."""
_PIECE = 1 << 16
"""Number of bytes of a long line that are copied at once."""
_LONGEST_REPAIR = 4 << 20
"""Characters of a damaged line that are searched for records."""

S = TypeVar("S", bound=msgspec.Struct)


class CacheCreation(msgspec.Struct):
    """Cache writes by lifetime. If their sum is less than the total, the total is right."""

    ephemeral_5m_input_tokens: int | None = None
    ephemeral_1h_input_tokens: int | None = None


class ServerToolUse(msgspec.Struct):
    """Number of calls of the API's own tools."""

    web_search_requests: int | None = None


class ApiUsage(msgspec.Struct):
    """The `usage` of an answer of the API."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation: CacheCreation | None = None
    server_tool_use: ServerToolUse | None = None
    speed: str | None = None
    inference_geo: str | None = None


class Message(msgspec.Struct):
    """A message of the conversation; `content` is decoded only when it is needed."""

    id: str | None = None
    model: str | None = None
    stop_reason: str | None = None
    content: msgspec.Raw = msgspec.Raw()
    usage: ApiUsage | None = None


class Origin(msgspec.Struct):
    """Who wrote a prompt."""

    kind: str | None = None


class ForkedFrom(msgspec.Struct, rename="camel"):
    """The session from which a fork copied a line."""

    session_id: str | None = None


class PermissionDecision(msgspec.Struct):
    """What refused a tool: with "config" a rule did, and the turn goes on."""

    source: str | None = None


class CompactMetadata(msgspec.Struct):
    """A compaction: what triggered it, and the tokens before and after."""

    trigger: str | None = None
    preTokens: int | None = None  # noqa: N815 - the client's own spelling
    postTokens: int | None = None  # noqa: N815


class ModelCost(msgspec.Struct):
    """What a model cost, by the client's own count."""

    costUSD: float | None = None  # noqa: N815


class Line(msgspec.Struct, rename="camel"):
    """A record of any type, with the fields that are used."""

    type: str | None = None
    subtype: str | None = None
    uuid: str | None = None
    timestamp: str | None = None
    session_id: str | None = None
    cwd: str | None = None
    version: str | None = None
    is_sidechain: bool | None = None
    agent_id: str | None = None
    request_id: str | None = None
    requested_model: str | None = None
    message: Message | None = None
    operation: str | None = None
    """Of a queue-operation: enqueue, dequeue, remove or popAll."""
    content: msgspec.Raw = msgspec.Raw()
    """Of a queue-operation: the prompt."""
    prompt_source: str | None = None
    """Of a prompt: "queued" when it was typed while another turn ran."""
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    is_aborted_mid_stream: bool | None = None
    is_api_error_message: bool | None = None
    error: str | None = None
    origin: Origin | None = None
    forked_from: ForkedFrom | None = None
    tool_denial_kind: str | None = None
    tool_denial_before_run: bool | None = None
    permission_decision: PermissionDecision | None = None
    prompt_cache_requested: str | None = None
    compact_metadata: CompactMetadata | None = None
    duration_ms: float | None = None
    custom_title: str | None = None
    agent_name: str | None = None
    team_name: str | None = None
    last_prompt: str | None = None
    permission_mode: str | None = None
    start_time: float | None = None
    total_duration: float | None = None
    total_cost: float | None = msgspec.field(default=None, name="totalCostUSD")
    total_lines_added: int | None = None
    total_lines_removed: int | None = None
    model_usage: dict[str, ModelCost] | None = None

    @property
    def at(self) -> float | None:
        """Its time in epoch seconds; None without one."""
        return parse_time(self.timestamp)


@cache
def _make_decoder() -> "msgspec.json.Decoder[Line]":
    return make_json_decoder(Line)


class Block(msgspec.Struct):
    """A block of a message's content."""

    type: str | None = None
    text: str | None = None


@cache
def _make_block_decoder() -> "msgspec.json.Decoder[list[Block]]":
    return make_json_decoder(list[Block])


def decode_line(line: bytes | memoryview) -> tuple[list[Line], bool]:
    """Returns the records of a line (without its newline), and whether part of it was lost.

    Bytes that are no UTF-8 are replaced, and count as lost.
    """
    try:
        if not _is_ascii(line):
            str(line, "utf-8")  # msgspec does not check the bytes of fields that it skips or keeps raw
        return [_make_decoder().decode(line)], False
    except (ValueError, RecursionError):  # errors of msgspec are ValueErrors
        return _repair_line(bytes(line))


def _is_ascii(line: bytes | memoryview) -> bool:
    if isinstance(line, bytes):
        return line.isascii()
    return all(bytes(line[at : at + _PIECE]).isascii() for at in range(0, len(line), _PIECE))


def _repair_line(line: bytes) -> tuple[list[Line], bool]:
    import json  # noqa: PLC0415  most transcripts have no damaged line

    text = line.strip(b"\0 \t\r").decode("utf-8", "replace")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return _salvage_records(text), True
    if not isinstance(data, dict):
        return [], True
    try:
        record, whole = _convert_leniently(Line, data)
    except RecursionError:
        return [], True
    lost = not whole and record.type == "assistant" and not (record.message and _has_tokens(record.message.usage))
    return [record], lost or b"\0" in line or not _is_utf8(line)


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _salvage_records(text: str) -> list[Line]:
    """Returns the complete records in a line that also holds fragments of others."""
    import json  # noqa: PLC0415

    found: list[Line] = []
    scan = json.JSONDecoder().raw_decode
    position = text.find('{"')
    for _ in range(_MAX_TRIES if len(text) <= _LONGEST_REPAIR else 0):
        if position < 0:
            break
        try:
            data, end = scan(text, position)
            if isinstance(data, dict) and isinstance(kind := data.get("type"), str) and kind in _RECORDS:
                found.append(_convert_leniently(Line, data)[0])
        except (ValueError, RecursionError):
            end = position + 1
        position = text.find('{"', end)
    return found


def _convert_leniently(kind: type[S], data: dict[str, Any]) -> tuple[S, bool]:
    """Returns a struct with the fields of `data` that have the right type, and whether all of them had."""
    valid: dict[str, Any] = {}
    whole = True
    for field in msgspec.structs.fields(kind):
        if data.get(field.encode_name) is None:
            continue
        value = _replace_surrogates(data[field.encode_name])
        if field.type is msgspec.Raw:
            try:
                valid[field.name] = msgspec.Raw(msgspec.json.encode(value))
            except OverflowError:  # an integer with more than 64 bits
                whole = False
            continue
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        nested = next((t for t in get_args(field.type) if isinstance(t, type) and issubclass(t, msgspec.Struct)), None)
        if nested and isinstance(value, dict):
            valid[field.name], sound = _convert_leniently(nested, value)
            whole = whole and sound
            continue
        try:
            valid[field.name] = convert(value, field.type)
        except (msgspec.ValidationError, OverflowError):
            whole = False
    return kind(**valid), whole


def _replace_surrogates(value: Any) -> Any:
    """Returns the value without lone surrogates, which can be neither shown nor stored."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_replace_surrogates(v) for v in value]
    if isinstance(value, dict):
        return {_replace_surrogates(k): _replace_surrogates(v) for k, v in value.items()}
    return value


def _has_tokens(usage: ApiUsage | None) -> bool:
    return usage is not None and read_tokens(usage).total > 0


@lru_cache(16)  # the time of a line is asked for several times
def parse_time(timestamp: str | None) -> float | None:
    """Converts an ISO time to epoch seconds, as UTC if it has no zone; None for anything else, and for an impossible year."""
    if not timestamp:
        return None
    try:
        when = datetime.fromisoformat(timestamp)
        at = (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
    return at if 0 <= at < _LATEST else None


def _clamp_count(given: int | None) -> int:
    """Returns a count; 0 when it is missing, negative or impossibly high."""
    return given if given is not None and 0 < given < _MAX_COUNT else 0


def read_tokens(usage: ApiUsage) -> Tokens:
    """Reads tokens by kind. Cache writes of unknown lifetime count as 5-minute ones, as the client charges them."""
    parts = usage.cache_creation or CacheCreation()
    five, hour = _clamp_count(parts.ephemeral_5m_input_tokens), _clamp_count(parts.ephemeral_1h_input_tokens)
    written = usage.cache_creation_input_tokens
    written = five + hour if written is None else _clamp_count(written)
    hour = min(hour, written)
    return Tokens(
        input=_clamp_count(usage.input_tokens),
        output=_clamp_count(usage.output_tokens),
        cache_write_5m=written - hour,
        cache_write_1h=hour,
        cache_read=_clamp_count(usage.cache_read_input_tokens),
    )


def read_request(line: Line, project: str = "", session_id: str = "", agent_id: str = "") -> ApiRequest | None:
    """Reads the API request of an assistant line; None without usage, and for answers that the client itself made."""
    message = line.message
    if line.type != "assistant" or message is None or message.usage is None or message.model == SYNTHETIC:
        return None
    usage = message.usage
    tokens = read_tokens(usage)
    searches = _clamp_count(usage.server_tool_use.web_search_requests if usage.server_tool_use else None)
    if not tokens.total and not searches:
        return None
    return ApiRequest(
        message_id=message.id or "",
        request_id=line.request_id or "",
        line_id=line.uuid or "",
        model=message.model or "",
        tokens=tokens,
        web_searches=searches,
        speed=usage.speed or "",
        region=usage.inference_geo or "",
        at=line.at,
        project=project,
        session_id=session_id,
        agent_id=agent_id,
        asked="" if line.requested_model in (None, message.model) else line.requested_model or "",
    )


def read_text(message: Message) -> str | None:
    """Returns the plain text of a message; None when it holds results of tools."""
    head = bytes(memoryview(message.content)[:16])
    if head.startswith(_RESULTS):  # these contain most bytes of a transcript
        return None
    try:
        if head.startswith(b'"'):
            return msgspec.json.decode(message.content, type=str)
        blocks = _make_block_decoder().decode(message.content) if head.startswith(b"[") else []
    except (ValueError, RecursionError):
        return ""
    if any(block.type == "tool_result" for block in blocks):
        return None
    return "\n".join(block.text for block in blocks if block.type == "text" and block.text)
