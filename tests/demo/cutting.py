"""Cuts turns out of recordings and lays them on the demo's clock: what is not needed goes, ids and words are replaced.

Every event of the demo happened so in a recorded session; only times, texts, ids, models and token counts are changed.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.support.timelines import RECORDINGS

Data = dict[str, Any]

_HOOK = (
    *(
        "hook_event_name",
        "prompt_id",
        "permission_mode",
        "agent_id",
        "agent_type",
        "model",
        "source",
        "reason",
        "prompt",
    ),
    *("tool_name", "tool_input", "tool_response", "tool_use_id", "error", "tool_calls", "notification_type"),
    *("last_assistant_message", "background_tasks", "trigger", "teammate_name", "session_title"),
)
_INPUT = ("command", "file_path", "questions", "description", "subagent_type", "name", "query", "run_in_background")
_RESPONSE = ("agentId", "status", "resolvedModel", "type")
_TASK = ("id", "type", "status", "description", "agent_type")
_RECORD = (
    *(
        "type",
        "subtype",
        "agentId",
        "isSidechain",
        "isMeta",
        "isCompactSummary",
        "toolDenialKind",
        "toolDenialBeforeRun",
    ),
    *("isAbortedMidStream", "isApiErrorMessage", "error", "origin", "customTitle", "compactMetadata", "durationMs"),
)
_REGISTRY = ("status", "waitingFor")
_META = ("agentType", "name", "description", "toolUseId", "parentAgentId", "taskKind", "color", "model", "finished")
_NEVER = {"MessageDisplay", "InstructionsLoaded", "ConfigChange", "PreModelSwitch"}
_MODEL = re.compile(r"claude-[a-z]+-\d-\d")


@dataclass(frozen=True)
class Excerpt:
    """A piece of a recording, and where it goes on the demo's clock."""

    recording: str
    first: float
    last: float
    """Seconds in the recording."""
    beats: str
    """Pairs "second in the recording>second on the demo's clock": what follows a beat keeps its distance to it, up to the next."""
    tag: str
    """Makes the ids of this piece its own; those of a piece that is played again and again hold @n@, the number of the round."""
    words: Mapping[str, str] = field(default_factory=dict)
    """What texts are replaced by; longer ones first."""
    context: tuple[int, int] = (0, 0)
    """Prompt tokens of the first answer, and by how many each further one is larger."""
    output: int = 900
    """Tokens of each answer."""
    agent_context: tuple[int, int] = (16_000, 9_000)
    agent_models: Mapping[str, str] = field(default_factory=dict)
    """Model by type of subagent, where it is not the session's."""
    lines: tuple[int, int] = (0, 0)
    """Lines of code that this piece adds and removes."""
    keep: Callable[[Data], bool] = lambda _: True
    """Which lines of the recording are taken."""
    agents: str | None = None
    """Tag of the agents, when they come from another piece."""


def read(recording: str) -> list[Data]:
    """The lines of a recording, in time order."""
    with (RECORDINGS / f"{recording}.jsonl").open("rb") as file:
        return [json.loads(line) for line in file]


def cut(piece: Excerpt, model: str) -> list[Data]:
    """The lines of a piece as the demo plays them, in time order."""
    whole = read(piece.recording)
    types = {line["data"]["agent_id"]: line["data"].get("agent_type", "") for line in whole if _find_agent(line)}
    beats = [(float(old), float(new)) for old, _, new in (pair.partition(">") for pair in piece.beats.split())]
    found, ids, counters, seen = [], {}, {}, set()
    for line in whole:
        if not piece.first <= line["t"] <= piece.last or not piece.keep(line):
            continue
        made = _reduce_line(line)
        if made is None:
            continue
        message = made["data"].get("message") if made["data"] else None
        if message and "id" in message:
            if message["id"] in seen:
                continue
            seen.add(message["id"])
            agent = made.get("agent", "")
            own = piece.agent_models.get(types.get(agent, ""), model) if agent else model
            _set_tokens(message, piece, agent, counters, own)
        agent = made.get("agent") or (made["data"] or {}).get("tool_response", {}).get("agentId", "")
        own = piece.agent_models.get(types.get(agent, ""), model)
        made["t"] = round(_place_on_clock(beats, line["t"]), 2)
        if made["kind"] == "statusline":
            made["data"] = {"lines": [0, 0]}
        found.append(_replace_ids(made, piece, own, ids))
        if (
            message and "usage" in message
        ):  # the client gives its figures after each answer, but not after each of a recording
            found.append({"t": made["t"], "kind": "statusline", "data": {"lines": [0, 0]}})
    found.sort(key=lambda line: line["t"])
    samples = [line for line in found if line["kind"] == "statusline"]
    if samples:
        samples[-1]["data"] = {"lines": list(piece.lines)}
    return found


def _find_agent(line: Data) -> bool:
    return line["kind"] == "hook" and bool(line["data"].get("agent_id"))


def _place_on_clock(beats: Sequence[tuple[float, float]], at: float) -> float:
    index = max((i for i, (recorded, _) in enumerate(beats) if recorded <= at + 0.006), default=0)
    recorded, shown = beats[index]
    later = shown + max(0.0, at - recorded)
    if index + 1 < len(beats):
        later = min(later, beats[index + 1][1] - 0.02)
    return later


def _reduce_line(line: Data) -> Data | None:
    kind, data = line["kind"], line["data"]
    if kind == "hook":
        return None if data["hook_event_name"] in _NEVER else {"t": 0, "kind": kind, "data": _reduce_hook(data)}
    if kind == "statusline":
        return {"t": 0, "kind": kind, "data": {}}
    if kind == "registry":
        given = data and data["nameSource"] == "user"  # names that the client makes up are in the head
        return {
            "t": 0,
            "kind": kind,
            "data": data and _select_keys(data, [*_REGISTRY, *(["name", "nameSource"] if given else [])]),
        }
    if kind == "transcript":
        made = _reduce_record(data)
        agent = {"agent": data["agentId"]} if data.get("agentId") else {}
        return made and {"t": 0, "kind": kind, **agent, "data": made}
    if kind == "file" and line["path"].endswith(".meta.json"):
        agent = line["path"].rpartition("/agent-")[2].removesuffix(".meta.json")
        return {"t": 0, "kind": "agent", "agent": agent, "data": _select_keys(data, _META)}
    return None


def _select_keys(data: Data, keys: Iterable[str]) -> Data:
    return {key: data[key] for key in keys if data.get(key) not in (None, "", False)}


def _reduce_hook(data: Data) -> Data:
    made = _select_keys(data, _HOOK)
    prompt = made.get("prompt", "")
    if "<task-notification>" in prompt:
        parts = [re.search(rf"<{tag}>.*?</{tag}>", prompt) for tag in ("task-id", "status")]
        made["prompt"] = "<task-notification>" + "".join(part[0] for part in parts if part) + "</task-notification>"
    if "tool_input" in data:
        made["tool_input"] = _select_keys(data["tool_input"], _INPUT)
        if "questions" in made["tool_input"]:
            made["tool_input"]["questions"] = [_select_keys(data["tool_input"]["questions"][0], ["question"])]
    response = made.pop("tool_response", None)
    if isinstance(response, dict) and _select_keys(response, _RESPONSE):
        made["tool_response"] = _select_keys(response, _RESPONSE)
    if "tool_calls" in made:
        made["tool_calls"] = [_select_keys(call, ["tool_use_id"]) for call in made["tool_calls"]]
    if "background_tasks" in data:
        made["background_tasks"] = [_select_keys(task, _TASK) for task in data["background_tasks"]]
    return made


def _reduce_record(data: Data) -> Data | None:
    made = _select_keys(data, _RECORD)
    if "compactMetadata" in made:
        made["compactMetadata"] = _select_keys(made["compactMetadata"], ["trigger", "preTokens", "postTokens"])
    message = data.get("message")
    if made["type"] == "assistant":
        made["message"] = _select_keys(message, ["id", "role", "model", "stop_reason"])
        made["message"]["content"] = []
        return made
    if made["type"] == "user":
        if made.get("isMeta") or made.get("isCompactSummary"):
            return None
        content = message["content"]
        if isinstance(content, list):
            results = [block for block in content if block["type"] == "tool_result"]
            if results and "toolDenialKind" not in made:
                return None
            content = [{"type": "tool_result", "content": ""}] if results else content
        elif content.startswith("<"):
            return None
        made["message"] = {"role": "user", "content": content}
        return made
    return (
        made if made["type"] == "custom-title" or made.get("subtype") in ("compact_boundary", "turn_duration") else None
    )


def _set_tokens(message: Data, piece: Excerpt, agent: str, counters: dict[str, int], model: str) -> None:
    """Gives an answer its tokens."""
    if not _MODEL.fullmatch(message["model"]):
        return
    message["model"] = model
    first, more = piece.agent_context if agent else piece.context
    prompt = first + more * counters.get(agent, 0)
    written = min(prompt - 12, max(more, 400) if counters.get(agent) or not agent else prompt - 12)
    counters[agent] = counters.get(agent, 0) + 1
    message["usage"] = {
        "input_tokens": 12,
        "cache_creation_input_tokens": written,
        "cache_read_input_tokens": prompt - 12 - written,
        "output_tokens": piece.output,
    }


def _replace_ids(line: Data, piece: Excerpt, model: str, ids: dict[str, str]) -> Data:
    """Replaces words, models and ids."""
    text = json.dumps(line, ensure_ascii=False)
    for old in sorted(piece.words, key=len, reverse=True):
        text = text.replace(
            json.dumps(old, ensure_ascii=False)[1:-1], json.dumps(piece.words[old], ensure_ascii=False)[1:-1]
        )

    def new(match: re.Match[str]) -> str:
        old = match[0]
        tag = piece.agents if piece.agents and old.startswith("a") else piece.tag
        if old not in ids:
            head = re.match(r"toolu_|msg_|a[a-z]+-|a|b|", old)
            assert head is not None
            count = sum(value.startswith(head[0]) for value in ids.values())
            ids[old] = f"{head[0]}{tag}{'' if '-' in head[0] else f'-{count}'}"
        return ids[old]

    text = re.sub(
        r"toolu_\d+|msg_\d+|\ba[a-z]+-[0-9a-f]{16}\b|\ba[0-9a-f]{16}\b|\bb(?=[a-z]*\d)[0-9a-z]{8}\b"
        r"|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
        new,
        text,
    )
    made: Data = json.loads(re.sub(r"claude-(opus|sonnet)-5-5", model, text))
    return made
