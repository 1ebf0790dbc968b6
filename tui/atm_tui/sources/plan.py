"""Finds the text of a plan that waits for approval: newer clients write it to a file whose name hooks don't get."""

from pathlib import Path

import msgspec

from atm_hooks.regular_file import read_end, read_start
from atm_tui.model.request import Request
from atm_tui.model.wait import Reason, Wait
from atm_tui.sources.tool_input import find_tool_input

_TAIL = 1 << 20
"""Bytes at the end of a transcript that are searched for the newest slug."""
_MAX_SIZE = 2 << 20
"""Bytes of a plan that are read."""


def find_plan(request: Request) -> tuple[str, str] | None:
    """Returns the plan's text and its file, "" when it came with the tool call; None when there is no text.

    The client reads the file after the approval, so it takes precedence over the transcript.
    """
    given = request.input.get("plan")
    if isinstance(given, str) and given:
        return given, ""
    path = _find_plan_file(request.transcript_path)
    if path is not None:
        try:
            text = read_start(str(path), _MAX_SIZE).decode("utf-8", "replace")
        except OSError:
            text = ""
        if text.strip():
            return text, str(path)
    wait = Wait(key=request.key, agent_id=request.agent_id or "", tool=request.tool, reason=Reason.PLAN)
    found = find_tool_input(request.transcript_path, wait) or {}
    plan = found.get("plan")
    return (plan, "") if isinstance(plan, str) and plan else None


def _find_plan_file(transcript: str) -> Path | None:
    """Returns plans/SLUG.md in the config folder of the transcript, which holds the slug."""
    folder, found, _ = transcript.partition("/projects/")
    slug = _find_slug(Path(transcript)) if found else None
    return Path(folder, "plans", f"{slug}.md") if slug else None


def _find_slug(path: Path) -> str | None:
    try:
        data = read_end(str(path), _TAIL)
    except OSError:
        return None
    for line in reversed(data.split(b"\n")):
        if b'"slug"' not in line:
            continue
        try:
            slug = msgspec.json.decode(line)["slug"]
        except (msgspec.DecodeError, RecursionError, KeyError, TypeError, UnicodeDecodeError):
            continue
        if isinstance(slug, str) and slug and "/" not in slug and "\0" not in slug:
            return slug
    return None
