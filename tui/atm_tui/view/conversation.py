"""Writes the entries of a conversation: prompts, replies as Markdown, calls of tools with their results."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from atm_hooks.payload import summarize_input
from atm_tui.model.conversation import Entry, EntryKind, EntryText
from atm_tui.text import clean, format_bytes, format_count, measure_width
from atm_tui.view.markdown import write_markdown, write_plain
from atm_tui.view.present import Glyphs, Part, fit_parts, spread
from atm_tui.view.styled_lines import Paragraph

LONGEST = 200_000
"""Characters of a text that are shown."""
LABEL = 16
"""Largest width in cells of the column of names beside short values."""
FOLDABLE = frozenset({EntryKind.CALL, EntryKind.RESULT, EntryKind.THINKING, EntryKind.NOTE, EntryKind.AGENT})
"""What shows one line until it is unfolded."""
_TALK = frozenset({EntryKind.PROMPT, EntryKind.REPLY})
_INSIDE: Part = ("  ", "plain")
_TAGS = ("summary", "command-name", "bash-input", "bash-stdout", "local-command-stdout")
"""Tags in texts of the client whose content says what the text is about."""


def needs_gap(entry: Entry, before: Entry | None) -> bool:
    """Returns whether an empty line stands between two entries."""
    return before is not None and (entry.kind in _TALK or before.kind in _TALK)


def write_entry(entry: Entry, said: EntryText, width: int, glyphs: Glyphs, *, unfolded: bool) -> list[Paragraph]:
    """Writes an entry; one that is not `unfolded` is one line, if it can be folded."""
    if said.is_missing:
        return [Paragraph([("no longer in the file", "faint")])]
    match entry.kind:
        case EntryKind.PROMPT:
            bar = (f"{glyphs.cursor} ", "key")
            return [Paragraph(each.parts, [bar], [bar]) for each in _write_text(said.text, "strong")]
        case EntryKind.REPLY if said.is_failed:
            return [Paragraph(each.parts, [(f"{glyphs.failed} ", "error")], [_INSIDE])
                    for each in _write_text(said.text, "error")]  # fmt: skip
        case EntryKind.REPLY:
            return _shorten(said.text, lambda text: write_markdown(text, width, glyphs))
        case EntryKind.CALL | EntryKind.RESULT:
            return _write_call(entry, said, width, glyphs, unfolded=unfolded)
        case EntryKind.AGENT:
            name, _, task = said.text.partition("\n")
            words = [("subagent ", "muted"), (f"{clean(name)}  ", "strong"), (clean(task), "plain")]
            return [Paragraph(fit_parts([_write_fold(glyphs, unfolded=unfolded), *words], width))]
        case EntryKind.UNREADABLE:
            what = "a damaged line" if entry.name == "damaged" else "a line that is too long to show"
            return [
                Paragraph([(f"{glyphs.warning} ", "notice"), (f"{what}, {format_bytes(entry.place.size)}", "muted")])
            ]
        case EntryKind.EVENT:
            return [Paragraph([(f"{glyphs.rule * 2} ", "rule"), (clean(said.text), "muted")])]
        case _:
            return _write_aside(entry, said, width, glyphs, unfolded=unfolded)


def _write_fold(glyphs: Glyphs, *, unfolded: bool) -> Part:
    return (f"{glyphs.unfolded if unfolded else glyphs.folded} ", "muted")


def _shorten(text: str, write: "Any") -> list[Paragraph]:
    """Writes a text; of a very long one, the beginning, and how much is left out."""
    if len(text) <= LONGEST:
        return list(write(text))
    left = f"… {len(text) - LONGEST:,} more characters: O opens the raw file"
    return [*write(text[:LONGEST]), Paragraph([(left, "notice")])]


def _write_text(text: str, role: str) -> list[Paragraph]:
    return _shorten(text, lambda part: write_plain(clean(part, lines=True).expandtabs(4), role))


def _write_aside(entry: Entry, said: EntryText, width: int, glyphs: Glyphs, *, unfolded: bool) -> list[Paragraph]:
    """Writes what neither a person nor the model said aloud: thoughts, and texts of the client."""
    word = "thinking" if entry.kind is EntryKind.THINKING else "note"
    fold = _write_fold(glyphs, unfolded=unfolded)
    if not unfolded:
        return [Paragraph(fit_parts([fold, (f"{word}  ", "muted"), (_summarize(said.text), "faint")], width))]
    inside = [Paragraph(each.parts, [_INSIDE], [_INSIDE]) for each in _write_text(said.text, "muted")]
    return [Paragraph([fold, (word, "muted")]), *inside]


def _summarize(text: str) -> str:
    """Returns a line about a text that the client wrote."""
    for tag in _TAGS:
        _, found, rest = text.partition(f"<{tag}>")
        if found and (inside := rest.partition(f"</{tag}>")[0].strip()):
            return clean(inside[:500])
    return clean(text[:500])


def _write_call(entry: Entry, said: EntryText, width: int, glyphs: Glyphs, *, unfolded: bool) -> list[Paragraph]:
    fold, name = _write_fold(glyphs, unfolded=unfolded), clean(entry.name) or "result"
    status = _write_status(entry, said, glyphs)
    if not unfolded:
        summary = clean(summarize_input(entry.name, said.given or {})) if said.given else ""
        left = [fold, (name, "strong"), (f"  {summary}" if summary else "", "plain")]
        return [Paragraph(spread(left, status, width))]
    lines = [Paragraph(spread([fold, (name, "strong")], status, width))]
    lines += [Paragraph(each.parts, [_INSIDE, *each.head], [_INSIDE, *each.indent])
              for each in _write_input(said.given or {})]  # fmt: skip
    if said.result_size:
        lines.append(Paragraph([("too long to show: O opens the raw file", "notice")], [_INSIDE]))
    elif said.result is not None:
        bar = (f"{glyphs.pipe} ", "error" if said.is_failed else "rule")
        lines += [Paragraph(each.parts, [_INSIDE, bar], [_INSIDE, bar]) for each in _write_text(said.result, "muted")]
    return lines


def _write_status(entry: Entry, said: EntryText, glyphs: Glyphs) -> list[Part]:
    if said.result_size:
        return [(f"  {format_bytes(said.result_size)}", "muted")]
    if said.result is None:
        return [("  no result yet", "faint")] if entry.kind is EntryKind.CALL else []
    if said.is_failed:
        return [(f"  {glyphs.failed} failed", "error")]
    count = len(said.result.rstrip("\n").split("\n")) if said.result.strip() else 0
    return [(f"  {format_count(count, 'line')}" if count else "  empty", "muted")]


def _write_input(given: dict[str, Any]) -> Iterator[Paragraph]:
    """Writes what a tool was given: short values beside their names, in one column; others below."""
    written = []
    for name, value in given.items():
        text = value if isinstance(value, str) else _format_json(value)
        sign, role = {"old_string": ("- ", "notice"), "new_string": ("+ ", "finished")}.get(name, ("", "code"))
        written.append((clean(str(name)), sign, role, _write_text(text, role)))
    short = [measure_width(label) for label, sign, _, lines in written if len(lines) == 1 and not sign]
    column = min(LABEL, max(short, default=0))
    for label, sign, role, lines in written:
        if len(lines) == 1 and not sign:
            indent = " " * max(0, column - measure_width(label))
            yield Paragraph(lines[0].parts, [(f"{label}{indent} ", "muted")], [_INSIDE])
            continue
        yield Paragraph([], [(label, "muted")])
        for each in lines:
            head: Sequence[Part] = [_INSIDE, (sign, role)] if sign else [_INSIDE]
            yield Paragraph(each.parts, head, head)


def _format_json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, indent=1 if isinstance(value, list | dict) else None)
    except (ValueError, RecursionError):
        return "…"
