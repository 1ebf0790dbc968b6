"""Formats commands as text that a person can read, copy and paste into a shell."""

import os

from atm_tui.jump.values import Command, JumpPlan
from atm_tui.text import clean


def format_commands(plan: JumpPlan) -> str:
    """Formats the commands of a plan, one in each line, quoted for a shell."""
    lines = [_format_command(command) for command in plan.commands]
    if plan.takeover:
        change = f"cd {_quote(plan.directory)} && " if plan.directory else ""
        lines.append(change + _format_command(plan.takeover))
    return "\n".join(lines)


def _format_command(command: Command) -> str:
    return " ".join(map(_quote, command))


def _quote(word: str) -> str:
    """Quotes a word for a shell, without characters that control a terminal or are invisible there."""
    if clean(word) == word or (word.isascii() and word.isprintable()):
        import shlex  # noqa: PLC0415  only what prints commands needs it

        return shlex.quote(word)
    plain = {ord("\\"): "\\\\", ord("'"): "\\'"}
    escaped = "".join(
        plain.get(byte, chr(byte) if 0x20 <= byte < 0x7F else f"\\x{byte:02x}") for byte in os.fsencode(word)
    )
    return f"$'{escaped}'"
