"""The text of a plan that waits to be approved: newer clients keep it in a file, and give neither it nor its place to hooks."""

import os
from pathlib import Path

import msgspec

from atm_tui.model.request import Request
from atm_tui.model.wait import Reason, Wait
from atm_tui.sources.tool_input import find_tool_input

_TAIL = 1 << 20
"""Bytes at the end of a transcript in which the newest slug is looked for."""
_LONGEST = 2 << 20
"""Bytes of a plan that are read."""


def find_plan(request: Request) -> tuple[str, str] | None:
    """The plan's text and the file that it lies in, "" when it came with the call; None when there is none anywhere.

    The client reads the file once the plan is approved, so the file counts before what the transcript holds.
    """
    given = request.input.get("plan")
    if isinstance(given, str) and given:
        return given, ""
    path = _find_plan_file(request.transcript_path)
    if path is not None:
        try:
            with path.open("rb") as file:
                text = file.read(_LONGEST + 1).decode("utf-8", "replace")
        except OSError:
            text = ""
        if text.strip():
            return text[:_LONGEST], str(path)
    wait = Wait(key=request.key, agent_id=request.agent_id or "", tool=request.tool, reason=Reason.PLAN)
    called = find_tool_input(request.transcript_path, wait) or {}
    told = called.get("plan")
    return (told, "") if isinstance(told, str) and told else None


def _find_plan_file(transcript: str) -> Path | None:
    """plans/SLUG.md in the config folder that the transcript lies in; the slug stands in the transcript's lines."""
    folder, found, _ = transcript.partition("/projects/")
    slug = _find_slug(Path(transcript)) if found else None
    return Path(folder, "plans", f"{slug}.md") if slug else None


def _find_slug(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _TAIL))
            data = file.read()
    except OSError:
        return None
    for line in reversed(data.split(b"\n")):
        if b'"slug"' not in line:
            continue
        try:
            slug = msgspec.json.decode(line)["slug"]
        except (msgspec.DecodeError, RecursionError, KeyError, TypeError):
            continue
        if isinstance(slug, str) and slug and "/" not in slug and "\0" not in slug:
            return slug
    return None
