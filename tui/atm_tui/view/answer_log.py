"""Writes the log of the answers that atm-tui gave, as lines of text."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from atm_hooks.answer_log import REFUSED
from atm_tui.text import FINE_UNTIL, clean, format_age

_ATTEMPTS = {"answer": "to answer for you", "arm": "to take answers for you"}
_BY = {"app": "in the app", "shell": "from a shell", "stream": "from another machine"}


def format_answer(line: Mapping[str, Any]) -> str:
    """Returns one answer as a line: time, session, decision, tool, text and outcome."""

    def get_text(key: str) -> str:
        value = line.get(key)
        return clean(value) if isinstance(value, str) else ""

    at, after = line.get("at"), line.get("after")
    known = isinstance(at, (int, float)) and 0 <= at < 1e11
    when = datetime.fromtimestamp(float(at or 0)).astimezone().strftime("%Y-%m-%d %H:%M:%S") if known else "?"
    took = f"after {format_age(after, FINE_UNTIL)}" if isinstance(after, (int, float)) and 0 <= after < 1e11 else ""
    outcome = get_text("outcome")
    if outcome == REFUSED:
        tried = _ATTEMPTS.get(get_text("attempt"), "to answer for you")
        return f"{when}  {get_text('session_id')[:8] or 'unknown'}  tried {tried} ({get_text('sign')})  {outcome}"
    parts = (
        when,
        get_text("session_id")[:8],
        f"{get_text('decision') or 'nothing'} {get_text('tool')}".strip(),
        get_text("summary"),
        f"“{get_text('message')}”" if get_text("message") else "",
        " ".join(part for part in (_BY.get(get_text("by"), ""), took) if part),
        "" if outcome == "given" else outcome,
    )
    return "  ".join(part for part in parts if part)
