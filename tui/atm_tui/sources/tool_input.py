"""Finds the full input of a tool call that waits for a person, in the transcript: hooks store only a line of it."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from atm_hooks.payload import hash_input
from atm_hooks.regular_file import read_end
from atm_tui.model.request import Request
from atm_tui.model.session import Session
from atm_tui.model.wait import Reason, Wait
from atm_tui.sources.transcript_agents import AgentFolder, parse_agent_id

_TAIL = 4 << 20
"""Bytes at the end of a transcript that are searched for the call."""


def find_tool_input(transcript: str | None, wait: Wait) -> dict[str, Any] | None:
    """Returns the input of the call that a wait is about; None when the transcript doesn't have it, or can't be read.

    The wait's key ends in the hash of the input. If no call has that hash, the newest one of the same tool is returned.
    """
    if not transcript or not wait.tool:
        return None
    wanted = wait.key.rpartition("|")[2]
    newest = None
    for tool, given in _read_calls(_find_thread_file(transcript, wait.agent_id)):
        if tool != wait.tool:
            continue
        if hash_input(given) == wanted:
            return given
        newest = newest or given
    # Of plans and questions, hooks get more input than the transcript holds, so that the hashes differ.
    return newest if wait.reason in (Reason.PLAN, Reason.QUESTION) or "|" not in wait.key else None


def find_inputs(session: Session, requests: Iterable[Request]) -> dict[str, dict[str, Any]]:
    """Returns the inputs of all calls of a session that wait, by the keys of the waits: as hooks have them, else as the transcript.

    `requests`: those of the session that hooks wait for.
    """
    known = {each.key: each.input for each in requests}
    found = {each.key: known.get(each.key) or find_tool_input(session.transcript_path, each) for each in session.waits}
    return {key: given for key, given in found.items() if given is not None}


def _find_thread_file(transcript: str, agent_id: str) -> str:
    if not agent_id:
        return transcript
    folder = f"{transcript.removesuffix('.jsonl')}/subagents"
    files = AgentFolder(folder).list_files()
    return next((path for path in files if parse_agent_id(path) == agent_id), f"{folder}/none")


def _read_calls(path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields tool and input of the calls near the end of a transcript, newest first."""
    try:
        data = read_end(path, _TAIL)
    except OSError:
        return
    for line in reversed(data.split(b"\n")):
        if b'"tool_use"' not in line:
            continue
        try:
            given = msgspec.json.decode(line)
            parts = given["message"]["content"]
        except (msgspec.DecodeError, RecursionError, KeyError, TypeError, UnicodeDecodeError):
            continue
        for part in reversed(parts) if isinstance(parts, list) else ():
            if isinstance(part, dict) and part.get("type") == "tool_use" and isinstance(part.get("input"), dict):
                yield str(part.get("name")), part["input"]
