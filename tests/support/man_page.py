"""Makes the man page of atm-tui from the command line's own help and the tables of the documentation."""

import re
import textwrap

from atm_tui import __version__
from atm_tui.cli.session_argument import HELP
from atm_tui.cli.table import COMMANDS

MARKUP = re.compile(r"`([^`]+)`|\*\*([^*]+)\*\*|\[([^]]+)\]\([^)]*\)")
"""Code, bold text and links of Markdown; a link's text may hold code."""

INTRODUCTION = """atm-tui shows in a terminal which of your Claude Code sessions needs you, why and since when, what the others are
doing, how full each context window is, and what it all costs. Without a command it opens the monitor; `atm-tui install` connects
it to Claude Code, and `atm-tui demo` shows it on recorded sessions."""

NARROW = 76
"""Most characters of lines that keep their breaks."""

FILES = (
    ("$XDG_STATE_HOME/atm-tui", "what hooks and app store about sessions (~/.local/state/atm-tui)"),
    ("$XDG_DATA_HOME/atm-tui", "the copy of the hooks that Claude Code runs (~/.local/share/atm-tui)"),
    ("$XDG_CACHE_HOME/atm-tui", "results of reading transcripts (~/.cache/atm-tui)"),
    ("$XDG_CONFIG_HOME/atm-tui/config.toml", "your configuration (~/.config/atm-tui/config.toml)"),
)
"""Places and what they hold."""


def escape(text: str) -> str:
    """Escapes what roff would read as its own."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("^", "\\(ha").replace("~", "\\(ti")
    escaped = escaped.replace("`", "\\(ga").replace("'", "\\(aq")
    return f"\\&{escaped}" if escaped.startswith(".") else escaped


def write_markup(text: str) -> str:
    """Writes a cell of a table or a paragraph of Markdown as roff."""
    parts, at = [], 0
    for found in MARKUP.finditer(text):
        code, bold, link = found.groups()
        parts.append(escape(text[at : found.start()]))
        parts.append(write_markup(link) if link else f"\\fB{escape(code or bold)}\\fR")
        at = found.end()
    return "".join([*parts, escape(text[at:])])


def write_rows(table: list[str], names: int = 1, second: str = "Default") -> list[str]:
    """Writes a table: the first `names` cells of a row are the tag, the last one its meaning, and one between them what
    `second` says.
    """
    lines = []
    for row in table[2:]:
        cells = [each.replace("\\|", "|").strip() for each in re.split(r"(?<!\\)\|", row)[1:-1]]
        tag = " ".join(write_markup(cell) for cell in cells[:names] if cell)
        lines += [".TP", tag, write_markup(cells[-1])]
        lines += (
            [".br", f"{second}: {write_markup(cells[1])}."] if len(cells) > names + 1 and cells[1].strip("– ") else []
        )
    return lines


def write_paragraph(text: str) -> list[str]:
    """Writes a paragraph, in lines as short as in the source."""
    return textwrap.wrap(write_markup(" ".join(text.split())), 120, break_long_words=False, break_on_hyphens=False)


def write_man_page(tables: dict[str, list[str]]) -> str:
    """Returns the text of the page. `tables`: those of the documentation, by name."""
    lines = [
        '.\\" Generated from the tables of the command line: python -m tests.support.tables',
        f'.TH ATM\\-TUI 1 "" "atm\\-tui {escape(__version__)}" "User Commands"',
        ".nh",  # a name or option that is divided can't be found or copied
        ".ad l",
        ".SH NAME",
        "atm\\-tui \\- a terminal monitor for many Claude Code sessions",
        ".SH SYNOPSIS",
        ".B atm\\-tui",
        "[\\fIOPTION\\fR]... [\\fICOMMAND\\fR [\\fIARGUMENT\\fR]...]",
        ".SH DESCRIPTION",
        *write_paragraph(INTRODUCTION),
        ".SH OPTIONS",
        *write_rows(tables["options"]),
        ".SH COMMANDS",
    ]
    for name, command in COMMANDS.items():
        lines += [f".SS atm\\-tui {escape(name)}", *write_paragraph(f"{command.help[0].upper()}{command.help[1:]}.")]
        lines += write_rows(tables[f"options-{name}"])
        for note in filter(None, command.notes.split("\n\n")):
            is_short = max(map(len, note.splitlines())) < NARROW
            lines += [".PP", *([".nf", *map(escape, note.splitlines()), ".fi"] if is_short else write_paragraph(note))]
    lines += [".SH ID", *write_paragraph(f"ID names {HELP.replace('%%', '%')}. Live sessions come before ended ones.")]
    lines += [".SH KEYS", *write_rows(tables["keys"], second="Name")]
    lines += [".SH EXIT STATUS", *write_rows(tables["exits"])]
    lines += [".SH CONFIGURATION", *write_paragraph("The keys of `config.toml`:"), *write_rows(tables["config"])]
    lines += [".SH FILES"]
    for place, text in FILES:
        lines += [".TP", f"\\fI{escape(place)}\\fR", escape(text)]
    return "\n".join([*lines, ".SH SEE ALSO", ".BR claude (1)", ""])
