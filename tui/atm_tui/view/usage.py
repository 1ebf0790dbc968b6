"""Writes the usage screen: spans with their sums, lists with bars, tokens by kind, and its empty and failed states."""

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from rich.cells import cell_len

from atm_tui.cost.report import Progress, Report, Span, UsagePart, compute_cache_hits
from atm_tui.cost.usage import UsageTotal
from atm_tui.model.session import Context, Unreadable
from atm_tui.text import clean, fit_width, format_count, format_money, format_percent, format_tokens, wrap_text
from atm_tui.view import present
from atm_tui.view.cost_pane import KINDS
from atm_tui.view.present import Glyphs, Part, fit_parts

ROWS = 8
"""Most entries of a list, where there is no room for more."""
TWO = 84
"""Width in cells from which on lists are side by side."""
GUTTER = 4
"""Cells between two lists that are side by side."""
COST = 9
SHARE = 5
"""Cells of each of these columns."""
_NEVER = (101, 101, 101)
"""Thresholds that no share reaches: bars of shares have one colour."""

HERE = "this machine"

Line = list[Part]


def format_cost(total: UsageTotal) -> str:
    """Formats USD; "unpriced" where no part has a price."""
    return "unpriced" if total.usd is None else format_money(total.usd)


def write_heading(spans: Sequence[tuple[Span, float | None]], chosen: int, glyphs: Glyphs, width: int) -> Line:
    """Writes the spans with their USD; only the chosen one shows USD where there is little room."""
    for gap, all_sums in (("     ", True), ("  ", True), ("  ", False), ("", False)):
        parts: Line = []
        for number, (span, usd) in enumerate(spans):
            here = number == chosen
            parts += [
                (glyphs.cursor if here else " ", "key"),
                (span.name, "title" if here else "muted"),
                (f" {format_money(usd)}" if here or all_sums else "", "strong" if here else "muted"),
                (gap, "plain"),
            ]
        if sum(cell_len(text) for text, _ in parts[:-1]) <= width:
            break
    return fit_parts(parts[:-1], width)


class UsageTables(NamedTuple):
    """The lists of a report, and where each entry that can be looked into is."""

    lines: list[Line]
    places: dict[UsagePart, tuple[int, int]]
    """Line, and first column in cells; in the order in which the cursor goes."""


class ListChoices(NamedTuple):
    """What the user chose in the lists."""

    cursor: UsagePart | None = None
    inside: tuple[UsagePart, ...] = ()
    """What is looked into."""
    opened: frozenset[str] = frozenset()
    """Kinds of which all entries are listed."""
    rows: int = ROWS
    """Most entries of a list; the rest is summed in one line."""


class _Entry(NamedTuple):
    part: UsagePart | None
    name: str
    total: UsageTotal


MORE = "+"
"""The key of the line that sums the other entries of a list."""


def name_part(part: UsagePart, titles: dict[str, str], home: str) -> str:
    """Returns the name of a part as the lists show it."""
    if part.kind == "project":
        path = present.shorten_path(part.key, home)
        return f"{path} unknown" if path.endswith(":") else path or "unknown"  # a machine's name ends with it
    if part.kind == "model":
        return present.shorten_model(part.key) if part.key else "not named"
    if part.kind == "machine":
        return clean(part.key) or HERE
    if part.kind == "session":
        return clean(titles.get(part.key, "")) or clean(part.key)[:8] or "unknown"
    return f"{date.fromisoformat(part.key):%a} {part.key}"


def write_inside(
    parts: Sequence[UsagePart], report: Report, titles: dict[str, str], home: str, width: int, glyphs: Glyphs
) -> Line:
    """Writes what is looked into, and what it cost."""
    line: Line = []
    for part in parts:
        line += [(f" {glyphs.folded} " if line else " ", "muted"), (f"{part.kind} ", "muted")]
        line.append((name_part(part, titles, home), "title"))
    return present.spread(
        line, [("  ", "plain"), (format_cost(report.total), "strong"), ("   Esc back", "muted")], width
    )


def write_tables(
    report: Report, titles: dict[str, str], home: str, width: int, glyphs: Glyphs, choices: ListChoices | None = None
) -> UsageTables:
    """Writes all lists of a report, in two columns where they fit. What is looked into has no list of its own kind."""
    choices = choices or ListChoices()
    wide = width >= TWO
    column = (width - GUTTER) // 2 if wide else width
    inside = {each.kind for each in choices.inside}
    writer = _Writer(report.total.usd, column, glyphs, choices)

    def rank(kind: str, totals: Sequence[tuple[str | None, UsageTotal]]) -> list[_Entry]:
        parts = [(UsagePart(kind, key), total) for key, total in totals if key is not None]
        return [_Entry(part, name_part(part, titles, home), total) for part, total in parts]

    blocks: list[_Block] = []
    if any(name for name, _ in report.machines) and "machine" not in inside:
        blocks.append(writer.write_list("machine", "by machine", rank("machine", report.machines)))
    for kind, name, totals in (
        ("project", "by project", report.projects),
        ("model", "by model", report.models),
        ("session", "by session", report.sessions),
    ):
        if kind not in inside:
            blocks.append(writer.write_list(kind, name, rank(kind, totals)))
    if "session" in inside:
        agents = [_Entry(None, clean(key)[:16] or "main thread", total) for key, total in report.agents]
        blocks.append(writer.write_list("agent", "by subagent", agents))
    blocks.append(_Block([write_title("tokens", column, glyphs), *_write_tokens(report.total, column)], {}))
    if "day" not in inside and len(report.days) > 1:
        blocks.append(writer.write_list("day", "by day", rank("day", report.days[::-1])))
    return _place_blocks(blocks, column, wide=wide)


class _Block(NamedTuple):
    lines: list[Line]
    places: dict[UsagePart, int]


def _place_blocks(blocks: Sequence[_Block], column: int, *, wide: bool) -> UsageTables:
    lines: list[Line] = []
    places: dict[UsagePart, tuple[int, int]] = {}
    step = 2 if wide else 1
    for at in range(0, len(blocks), step):
        row = blocks[at : at + step]
        if lines:
            lines.append([])
        for number, block in enumerate(row):
            places |= {part: (len(lines) + line, number * (column + GUTTER)) for part, line in block.places.items()}
        lines += _join_columns(row[0].lines, row[1].lines, column) if len(row) > 1 else row[0].lines
    return UsageTables(lines, places)


def _join_columns(left: list[Line], right: list[Line], column: int) -> list[Line]:
    height = max(len(left), len(right))
    gutter: Part = (" " * GUTTER, "plain")
    return [
        [*(fit_parts(left[at], column) if at < len(left) else [(" " * column, "plain")]), gutter,
         *(right[at] if at < len(right) else [])]
        for at in range(height)
    ]  # fmt: skip


def write_title(text: str, width: int, glyphs: Glyphs) -> Line:
    """Writes a titled rule."""
    rule = glyphs.rule
    return [(f"{rule} ", "rule"), (text, "title"), (" " + rule * max(0, width - cell_len(text) - 3), "rule")]


class _Writer:
    """Writes lists whose entries have a bar for their share, USD and percent."""

    def __init__(self, whole: float | None, width: int, glyphs: Glyphs, choices: ListChoices) -> None:
        self._whole = whole
        self._width = width
        self._glyphs = glyphs
        self._choices = choices
        self._bar = min(max(16, width - 64), max(0, (width - COST - SHARE - 18) // 2))

    def write_list(self, kind: str, name: str, entries: Sequence[_Entry]) -> _Block:
        """Writes a list; sums the entries that are too many in one line, which can be opened."""
        rows = self._choices.rows
        shown = len(entries) if kind in self._choices.opened or len(entries) == rows + 1 else rows
        listed = list(entries[:shown])
        if rest := entries[shown:]:
            usd = sum(each.total.usd or 0.0 for each in rest)
            part = UsagePart(kind, MORE) if rest[0].part else None
            listed.append(_Entry(part, f"+{len(rest)} more", UsageTotal(usd=usd)))
        lines = [write_title(name, self._width, self._glyphs)]
        places: dict[UsagePart, int] = {}
        for number, each in enumerate(listed):
            if each.part is not None:
                places[each.part] = len(lines)
            lines.append(self._write_entry(each, "faint" if number == shown else "plain"))
        return _Block(lines, places)

    def _write_entry(self, entry: _Entry, role: str) -> Line:
        usd, whole, bar = entry.total.usd, self._whole, self._bar
        share = 100 * usd / whole if usd is not None and whole else None
        drawn = present.write_gauge(Context(percent=share), bar, self._glyphs, _NEVER) if bar > 2 else []
        room = self._width - COST - SHARE - (bar + 1 if drawn else 0)
        here = entry.part is not None and entry.part == self._choices.cursor
        mark: Part = (self._glyphs.cursor if here else " ", "key")
        return [
            *fit_parts([mark, (entry.name, "title" if here else role)], room),
            *([(" ", "plain"), *drawn] if drawn else []),
            (fit_width(format_cost(entry.total), COST, right=True), "muted" if role == "faint" else "plain"),
            (fit_width(format_percent(share), SHARE, right=True), "muted"),
        ]


def _write_tokens(total: UsageTotal, width: int) -> list[Line]:
    """Writes tokens by kind, the cache hits, and the tokens without a known price."""
    used = [(words, getattr(total.tokens, kind)) for kind, words in KINDS.items()]
    named = [(words, format_tokens(number)) for words, number in used if number]
    share = compute_cache_hits(total.tokens)
    if share is not None:
        named.append(("cache hits", format_percent(share)))
    named.append(("requests", f"{total.requests:,}"))
    if total.web_searches:
        named.append(("web searches", f"{total.web_searches:,}"))
    lines = [present.spread([(f" {words}", "muted")], [(figure, "plain")], width) for words, figure in named]
    if total.unpriced_tokens:
        figure = format_tokens(total.unpriced_tokens)
        lines.append(present.spread([(" without a known price, not in the sums", "needs")], [(figure, "needs")], width))
    return lines


def write_unreadable(unreadable: Sequence[Unreadable], width: int, glyphs: Glyphs) -> list[Line]:
    """Writes what could not be read and is missing from the sums; nothing when all was read."""
    if not unreadable:
        return []
    more = f", and {len(unreadable) - 1} more" if len(unreadable) > 1 else ""
    first = f"{unreadable[0].path}: {unreadable[0].problem}{more}"
    text = f"{glyphs.warning} The sums lack what can't be read: {clean(first)}. atm-tui doctor says what to do."
    return [*([(line, "notice")] for line in wrap_text(text, width, 4)), []]


def write_progress(progress: Progress | None, width: int, glyphs: Glyphs) -> list[Line]:
    """Writes how much of the transcripts has been read."""
    lines: list[Line] = [[("Reading transcripts", "strong")], []]
    if progress is None:
        return [*lines, [("finding files", "muted")]]
    share = 100 * progress.done_bytes / progress.total_bytes if progress.total_bytes else 100.0
    bar = present.write_gauge(Context(percent=share), max(10, min(40, width - 8)), glyphs, _NEVER)
    words = f"{progress.done_bytes // 1_000_000:,} of {progress.total_bytes // 1_000_000:,} MB"
    files = f"{progress.done_files:,} of {format_count(progress.total_files, 'file')}"
    return [
        *lines,
        [*bar, (fit_width(format_percent(share), 5, right=True), "plain")],
        [(f"{words}   {files}", "muted")],
    ]


def write_nothing_spent(folders: str, width: int) -> list[Line]:
    """Writes that nothing was spent."""
    words = (
        f"Usage is counted from the transcripts that Claude Code keeps ({folders}). It removes them after 30 days,"
        " unless its settings say otherwise."
    )
    wrapped = wrap_text(clean(words), min(64, width), 6)
    return [[("Nothing was spent in the last 30 days", "strong")], [], *([(text, "muted")] for text in wrapped)]


def write_no_usage() -> list[Line]:
    """Writes that a recording has no usage."""
    return [
        [("No usage in a recording", "strong")],
        [],
        [("atm-tui usage counts what this machine's sessions cost", "muted")],
    ]


def write_failure(error: str, width: int, glyphs: Glyphs) -> list[Line]:
    """Writes why the transcripts can't be read."""
    wrapped = wrap_text(clean(error), min(64, width), 6)
    return [
        [(f"{glyphs.warning} The transcripts can't be read", "needs")],
        [],
        *([(text, "plain")] for text in wrapped),
        [],
        [("r", "key"), (" reads them again", "muted")],
    ]
