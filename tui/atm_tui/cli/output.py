"""All output of commands, cleaned, so that no text from outside controls the terminal. Nothing else prints."""

import re
from collections.abc import Iterable
from typing import Any

from atm_tui import paths
from atm_tui.cli.clean_stream import get_stderr, get_stdout
from atm_tui.text import clean, escape_json

_TO_BLANK = str.maketrans("\n\t", "  ")
_NOT_INDENTED = r"\n(?!  )"
_INDENT = "\n  "
_LONGEST = 74_994
"""Most bytes, before base64, that every terminal accepts by OSC 52."""


def is_terminal() -> bool:
    """Returns whether stdout is a terminal."""
    return get_stdout().isatty()


def is_colour_terminal() -> bool:
    """Returns whether stdout is a terminal, and NO_COLOR is not set."""
    return is_terminal() and paths.read_variable("NO_COLOR") is None


def can_show(text: str) -> bool:
    """Returns whether the encoding of stdout has all characters of a text."""
    return get_stdout().can_show(text)


def flush() -> None:
    """Flushes stdout. Raises OutputError, like all functions here that write to stdout."""
    get_stdout().flush()


def write_line(text: str = "", *, style: str = "") -> None:
    """Writes a line to stdout, keeping its blanks. `style`: the codes of its SGR sequence, like "1;31"."""
    line = clean(text, lines=True).translate(_TO_BLANK)
    get_stdout().write_safe(f"\x1b[{style}m{line}\x1b[0m\n" if style else f"{line}\n")


def write_parts(parts: Iterable[tuple[str, str]]) -> None:
    """Writes a line of several parts to stdout, each a text and the codes of its SGR sequence, "" for none."""
    texts = ((clean(text, lines=True).translate(_TO_BLANK), style) for text, style in parts)
    get_stdout().write_safe("".join(f"\x1b[{style}m{text}\x1b[0m" if style else text for text, style in texts) + "\n")


def write_lines(lines: Iterable[str]) -> None:
    """Writes lines to stdout; a line break inside one becomes a blank."""
    texts = [f"{clean(line, lines=True).translate(_TO_BLANK)}\n" for line in lines]
    if texts:
        get_stdout().write_safe("".join(texts))


def write_fields(fields: Iterable[str]) -> None:
    """Writes fields, separated by tabs, as a line to stdout. A tab or line break inside one becomes a blank."""
    texts = (clean(each, lines=True).translate(_TO_BLANK) for each in fields)
    get_stdout().write_safe("\t".join(texts) + "\n")


def write_text(text: str) -> None:
    """Writes text with newlines and tabs, like a diff, to stdout, and ends its last line."""
    get_stdout().write_safe(f"{clean(text, lines=True)}\n")


def format_json(value: Any, indent: int = 0) -> str:
    """Returns JSON text for exactly `value` that is safe to show in a terminal. `indent`: blanks per level, 0 for one line."""
    import msgspec

    try:
        text = msgspec.json.encode(value)
    except UnicodeEncodeError:  # a lone surrogate: from a file name that is not UTF-8
        import json

        plain = msgspec.to_builtins(value)
        return escape_json(json.dumps(plain, ensure_ascii=False, indent=indent or None))
    return escape_json((msgspec.json.format(text, indent=indent) if indent else text).decode())


def write_json(text: str) -> None:
    """Writes the text of `format_json` to stdout, and ends its line."""
    stream = get_stdout()
    shown = text if stream.can_show(text) else escape_json(text, ascii_only=True)
    stream.write_safe(f"{shown}\n")


def write_remark(text: str) -> None:
    """Writes a line to stderr."""
    get_stderr().write(f"{text}\n")


def write_error(text: str) -> None:
    """Writes an error message to stderr.

    Further lines are indented, so that a line break in a name can't fake a message of ours.
    """
    write_remark(f"atm-tui: {re.sub(_NOT_INDENTED, _INDENT, text)}")


def write_help(text: str, *, is_error: bool) -> None:
    """Writes a text of argparse to stdout or stderr, before it ends the process."""
    stream = get_stderr() if is_error else get_stdout()
    stream.write(text)
    stream.flush()


def write_question(text: str, *, beside: bool = False) -> None:
    """Writes a question, to be answered on the same line. `beside`: to stderr, since stdout may be redirected."""
    stream = get_stderr() if beside else get_stdout()
    stream.write(text)
    stream.flush()


def can_show_progress() -> bool:
    """Returns whether stderr is a terminal."""
    return get_stderr().isatty()


def show_progress(text: str) -> None:
    """Shows the progress of a command, on a line of stderr that the next call overwrites."""
    stream = get_stderr()
    stream.write_safe(f"\r{clean(text)} ")
    stream.flush()


def clear_progress() -> None:
    """Removes the line of `show_progress`."""
    get_stderr().write_safe("\r\x1b[K")


def copy_to_clipboard(text: str) -> None:
    """Copies text to the terminal's clipboard (OSC 52); does nothing if it is longer than every terminal accepts."""
    data = text.encode(errors="surrogateescape")
    if len(data) <= _LONGEST:
        import base64

        get_stdout().write_safe(f"\x1b]52;c;{base64.b64encode(data).decode()}\x07")
