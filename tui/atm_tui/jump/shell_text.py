"""Commands as text that a person can read, copy and paste into a shell."""

import os
import shlex

from atm_tui.jump.values import Command, JumpPlan
from atm_tui.text import clean


def format_commands(plan: JumpPlan) -> str:
    """What following the plan would run: one command a line, quoted for a shell."""
    lines = [_format_command(command) for command in plan.commands]
    if plan.takeover:
        change = f"cd {_quote(plan.directory)} && " if plan.directory else ""
        lines.append(change + _format_command(plan.takeover))
    return "\n".join(lines)


def _format_command(command: Command) -> str:
    return " ".join(map(_quote, command))


def _quote(word: str) -> str:
    """The word as a shell reads it back, without a character that a terminal would obey or hide."""
    if clean(word) == word or (word.isascii() and word.isprintable()):
        return shlex.quote(word)
    plain = {ord("\\"): "\\\\", ord("'"): "\\'"}
    escaped = "".join(
        plain.get(byte, chr(byte) if 0x20 <= byte < 0x7F else f"\\x{byte:02x}") for byte in os.fsencode(word)
    )
    return f"$'{escaped}'"
