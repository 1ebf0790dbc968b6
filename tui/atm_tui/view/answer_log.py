"""Writes the log of the answers that atm-tui gave, as lines of text."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from atm_hooks.answer_log import REFUSED
from atm_tui.text import clean, format_age

_ATTEMPTS = {"answer": "to answer for you", "arm": "to take answers for you"}
_BY = {"app": "in the app", "shell": "from a shell", "stream": "from another machine"}


def format_answer(line: Mapping[str, Any]) -> str:
    """Returns one answer as a line: time, session, decision, tool, text and outcome."""

    def text_of(key: str) -> str:
        value = line.get(key)
        return clean(value) if isinstance(value, str) else ""

    at, after = line.get("at"), line.get("after")
    known = isinstance(at, (int, float)) and 0 <= at < 1e11
    when = datetime.fromtimestamp(float(at or 0)).astimezone().strftime("%Y-%m-%d %H:%M:%S") if known else "?"
    took = f"after {format_age(after, 600.0)}" if isinstance(after, (int, float)) and 0 <= after < 1e11 else ""
    outcome = text_of("outcome")
    if outcome == REFUSED:
        tried = _ATTEMPTS.get(text_of("attempt"), "to answer for you")
        return f"{when}  {text_of('session_id')[:8] or 'unknown'}  tried {tried} ({text_of('sign')})  {outcome}"
    parts = (
        when,
        text_of("session_id")[:8],
        f"{text_of('decision') or 'nothing'} {text_of('tool')}".strip(),
        text_of("summary"),
        f"“{text_of('message')}”" if text_of("message") else "",
        " ".join(part for part in (_BY.get(text_of("by"), ""), took) if part),
        "" if outcome == "given" else outcome,
    )
    return "  ".join(part for part in parts if part)
