"""Our status line of a session as Claude Code would show it, in each of its three widths."""

from typing import Any

from atm_hooks.line import build_line
from atm_hooks.line_settings import THRESHOLDS
from atm_hooks.line_text import COLOURS, Style
from atm_hooks.statusline_command import format_clock
from atm_tui.config import Config
from atm_tui.model.session import Session

WIDTHS = (120, 80, 40)
"""Cells of a terminal for the wide, the medium and the narrow form."""


def write_preview(
    session: Session, state: dict[str, Any] | None, config: Config, at: float, *, ascii_only: bool, is_unreadable: bool
) -> list[tuple[int, list[tuple[str, str]]]]:
    """Returns each width, and the parts of the line in it: text and the codes of its SGR sequence.

    `state`: the session's state file; None when there is none, or when it can't be read (`is_unreadable`).
    """
    facts = {
        "metrics": (state or {}).get("metrics"),
        "model": session.model,
        "branch": session.project.branch,
        "at": at,
        "clock": format_clock,
        "unreadable": is_unreadable,
    }
    style = Style(colour=True, unicode=not ascii_only, thresholds=config.context_thresholds or THRESHOLDS)
    return [
        (
            width,
            [(text, COLOURS.get(role, "")) for text, role in build_line(facts, state, style, config.statusline, width)],
        )
        for width in WIDTHS
    ]
