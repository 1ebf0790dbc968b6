"""Writes the usage screen: spans with their sums, lists with bars, tokens by kind, and its empty and failed states."""

from collections.abc import Iterable, Sequence

from rich.cells import cell_len

from atm_tui.cost.report import Progress, Report, Span, compute_cache_hits
from atm_tui.cost.usage import UsageTotal
from atm_tui.model.session import Context, Unreadable
from atm_tui.text import clean, fit_width, format_count, format_money, format_percent, format_tokens, wrap_text
from atm_tui.view import present
from atm_tui.view.cost_pane import KINDS
from atm_tui.view.present import Glyphs, Part, fit_parts

ROWS = 8
"""Most entries of a list; the rest is summed in one line."""
TWO = 84
"""Width in cells from which on lists are side by side."""
GUTTER = 4
COST = 9
SHARE = 5
_NEVER = (101, 101, 101)
"""Thresholds that no share reaches: bars of shares have one colour."""

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


def write_tables(report: Report, titles: dict[str, str], home: str, width: int, glyphs: Glyphs) -> list[Line]:
    """Writes all lists of a report, in two columns where they fit."""
    wide = width >= TWO
    column = (width - GUTTER) // 2 if wide else width
    whole = report.total.usd
    projects = [(present.shorten_path(name, home) or "unknown", t) for name, t in report.projects]
    models = [(present.shorten_model(name) if name else "not named", t) for name, t in report.models]
    sessions = [(clean(titles.get(key, "")) or clean(key)[:8] or "unknown", t) for key, t in report.sessions]
    blocks = [
        _write_block("by project", _write_ranked(projects, whole, column, glyphs), column, glyphs),
        _write_block("by model", _write_ranked(models, whole, column, glyphs), column, glyphs),
        _write_block("most expensive", _write_ranked(sessions, whole, column, glyphs), column, glyphs),
        _write_block("tokens", _write_tokens(report.total, column), column, glyphs),
    ]
    if not wide:
        return [line for block in blocks for line in [*block, []]][:-1]
    lines: list[Line] = []
    for left, right in zip(blocks[::2], blocks[1::2], strict=True):
        lines += [[], *_join_columns(left, right, column)] if lines else _join_columns(left, right, column)
    return lines


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


def _write_block(name: str, lines: list[Line], width: int, glyphs: Glyphs) -> list[Line]:
    return [write_title(name, width, glyphs), *lines]


def _write_ranked(
    named: Iterable[tuple[str, UsageTotal]], whole: float | None, width: int, glyphs: Glyphs
) -> list[Line]:
    """Writes entries with a bar for their share, USD and percent; sums the rest in one line."""
    entries = list(named)
    bar = min(16, max(0, (width - COST - SHARE - 18) // 2))
    lines = [_write_entry(name, t.usd, format_cost(t), whole, bar, width, glyphs) for name, t in entries[:ROWS]]
    if rest := entries[ROWS:]:
        usd = sum(t.usd or 0.0 for _, t in rest)
        lines.append(
            _write_entry(f"+{len(rest)} more", usd, format_money(usd), whole, bar, width, glyphs, role="faint")
        )
    return lines


def _write_entry(
    name: str,
    usd: float | None,
    cost: str,
    whole: float | None,
    bar: int,
    width: int,
    glyphs: Glyphs,
    role: str = "plain",
) -> Line:
    share = 100 * usd / whole if usd is not None and whole else None
    drawn = present.write_gauge(Context(percent=share), bar, glyphs, _NEVER) if bar > 2 else []
    room = width - COST - SHARE - (bar + 1 if drawn else 0)
    return [
        *fit_parts([(name, role)], room),
        *([(" ", "plain"), *drawn] if drawn else []),
        (fit_width(cost, COST, right=True), "muted" if role == "faint" else "plain"),
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
    lines = [present.spread([(words, "muted")], [(figure, "plain")], width) for words, figure in named]
    if total.unpriced_tokens:
        figure = format_tokens(total.unpriced_tokens)
        lines.append(present.spread([("without a known price, not in the sums", "needs")], [(figure, "needs")], width))
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
