"""Tracks the content of the terminal cell by cell, so that a frame writes only the cells that differ."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import repeat

from rich.cells import cell_len, get_character_cell_size
from rich.color import Color, ColorSystem
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from atm_tui.view.clocks import PLAIN, KeptClocks, Look, VisibleClocks

MERGE = 4
"""Largest gap of unchanged cells between two changed ones that is written again: moving the cursor would take more bytes."""


@lru_cache(maxsize=4096)
def _find_look(style: Style | None, color_system: ColorSystem) -> Look:
    if style is None:
        return PLAIN
    attributes = Strip.render_ansi(style.without_color, color_system)
    link = f"id={style.link_id};{style.link}" if style.link else ""
    foreground, background = _find_codes(style.color, color_system), _find_codes(style.bgcolor, color_system, back=True)
    return attributes, foreground, background, link


def _find_codes(color: Color | None, color_system: ColorSystem, *, back: bool = False) -> str:
    """Returns the SGR parameters of a colour; empty for None."""
    return "" if color is None else ";".join(color.downgrade(color_system).get_ansi_codes(foreground=not back))


@lru_cache(maxsize=1024)  # more than a screen has
def has_single_cells(text: str) -> bool:
    """Whether each character takes one cell, on any terminal."""
    return text.isascii() or all(get_character_cell_size(each) == 1 for each in text)


def _change_look(before: Look, after: Look) -> str:
    """Returns the sequences that change one style into another."""
    link = f"\x1b]8;{after[3] or ';'}\x1b\\" if before[3] != after[3] else ""
    if before[:3] == after[:3]:
        return link
    if before[0] != after[0] or after[:3] == PLAIN[:3]:
        codes = ["" if before[:3] == PLAIN[:3] else "0", *after[:3]]
        return f"{link}\x1b[{';'.join(filter(None, codes)) or '0'}m"
    codes = [
        new or default for old, new, default in zip(before[1:3], after[1:3], ("39", "49"), strict=True) if old != new
    ]
    return f"{link}\x1b[{';'.join(codes)}m"


class WrittenScreen:
    """Computes what to write so that the terminal shows each frame. No cell is written twice."""

    def __init__(self) -> None:
        self._texts: list[list[str]] = []
        """For each row, the text of each cell; "" after a wide character."""
        self._looks: list[list[Look]] = []
        self._strips: list[dict[int, tuple[Strip, bool]]] = []
        """For each row, its last strips by the cell where they begin, and whether each of their characters is certain to take one
        cell.
        """
        self._width = 0
        self._clocks: KeptClocks | None = None
        """Times that go on by themselves, as nothing else has been written since."""

    def forget(self, width: int, height: int) -> None:
        """Discards all knowledge: the terminal has a new size (cells), or showed something else meanwhile."""
        self._width, self._clocks = width, None
        self._texts = [["\n"] * width for _ in range(height)]
        self._looks = [[PLAIN] * width for _ in range(height)]
        self._strips = [{} for _ in range(height)]

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        return self._width, len(self._texts)

    def write(self, strips: Iterable[tuple[int, int, Strip]], color_system: ColorSystem) -> str:
        """Returns what to write for strips, each with the column and row (from 0) of its first cell."""
        self._settle_clocks()
        written: list[str] = []
        look, cursor = PLAIN, (-1, -1)
        for x, y, strip in strips:
            # a frame may still have the previous size of the terminal
            is_outside = y >= len(self._texts) or x >= self._width
            if is_outside or ((known := self._strips[y].get(x)) and known[0] is strip):
                continue
            for start, end in self._take(x, y, strip, color_system):
                if cursor != (start, y):
                    written.append(f"\x1b[{y + 1};{start + 1}H")
                texts, looks = self._texts[y][start:end], self._looks[y][start:end]
                first, count = 0, len(texts)
                while first < count:
                    if (now := looks[first]) is not look and now != look:
                        written.append(_change_look(look, now))
                        look = now
                    last = first + 1
                    while last < count and looks[last] is now:
                        last += 1
                    written.append("".join(texts[first:last]))
                    first = last
                # after characters of uncertain width, the position of the cursor is uncertain too
                is_certain = "" not in texts and sum(map(len, texts)) == count
                cursor = (end, y) if is_certain else (-1, -1)
        if written:
            written.append(_change_look(look, PLAIN))
        return "".join(written)

    def keep_clocks(self, clocks: VisibleClocks) -> None:
        """Lets clocks go on by themselves until something else is written; not if the terminal shows others, or if more changes."""
        self._settle_clocks()
        if not clocks.is_complete:
            return
        looks: list[Look] = []
        for clock in clocks.clocks:
            x, y, width, *_ = clock
            row = self._texts[y] if x >= 0 and 0 <= y < len(self._texts) else []
            found = set(self._looks[y][x : x + width]) if row else set()
            if len(found) != 1 or "".join(row[x : x + width]) != clock.format(clocks.now):
                return
            # terminals disagree on the width of other characters, and so on where a time beside them is
            if "" in row or not has_single_cells("".join(row)):
                return
            looks += found
        self._clocks = KeptClocks(clocks.clocks, looks, clocks.now, clocks.until)

    def advance_clocks(self, now: float) -> str | None:
        """Returns what to write for the kept clocks at `now` (epoch seconds); None if none are kept, or other things are due."""
        changed = self._clocks.list_changed(now) if self._clocks is not None else None
        if changed is None:
            return None
        written, look = [], PLAIN
        for x, y, text, own in changed:
            written.append(f"\x1b[{y + 1};{x + 1}H{_change_look(look, own)}{text}")
            look = own
        return "".join((*written, _change_look(look, PLAIN))) if written else ""

    def _settle_clocks(self) -> None:
        """Notes what the kept clocks have written, and keeps them no longer."""
        clocks, self._clocks = self._clocks, None
        for x, y, text in clocks.list_texts() if clocks is not None else ():
            self._texts[y][x : x + len(text)] = text
            _drop_strips(self._strips[y], x, x + len(text))

    def _take(self, x: int, y: int, strip: Strip, color_system: ColorSystem) -> list[tuple[int, int]]:
        """Stores a strip; returns the changed spans of cells in its row, as (first, one past the last)."""
        row_texts, row_looks, beside = self._texts[y], self._looks[y], self._strips[y]
        end, segments = x + strip.cell_length, list(strip)
        start, stop, is_same_size = x, end, False
        # most strips differ from the previous one in a segment or two, such as an age: only those are compared
        if (known := beside.get(x)) and known[1] and known[0].cell_length == strip.cell_length and end <= self._width:
            lead, trail = _count_same(list(known[0]), segments)
            start += sum(len(each.text) for each in segments[:lead])
            stop -= sum(len(each.text) for each in segments[len(segments) - trail :])
            segments, is_same_size = segments[lead : len(segments) - trail], True
        texts, looks, is_single = _split_cells(segments, color_system)
        if not is_same_size:
            end = stop = min(x + len(texts), self._width)
            del texts[end - x :], looks[end - x :]
            _drop_strips(beside, x, end)
        beside[x] = strip, is_single
        old_texts, old_looks = row_texts[start:stop], row_looks[start:stop]
        if old_texts == texts and old_looks == looks:
            return []
        row_texts[start:stop], row_looks[start:stop] = texts, looks
        if not is_single or not all(map(len, old_texts)):
            # terminals disagree on the width of such characters, so the text after them may be elsewhere
            return [(x, end)]
        differs = [
            old != new or before != after
            for old, new, before, after in zip(old_texts, texts, old_looks, looks, strict=True)
        ]
        if start == x and stop == end and all(differs):
            return [(x, end)]
        return _find_spans(differs, row_texts, start, range(x, end))


def _drop_strips(strips: dict[int, tuple[Strip, bool]], start: int, end: int) -> None:
    """Drops the strips of a row that have one of the cells from `start` up to `end`."""
    for at in [at for at, (strip, _) in strips.items() if at < end and at + strip.cell_length > start]:
        del strips[at]


def _count_same(old: Sequence[Segment], new: Sequence[Segment]) -> tuple[int, int]:
    """Returns how many segments two lines share at their start, and how many of the rest at their end."""
    most, lead, trail = min(len(old), len(new)), 0, 0
    while lead < most and old[lead] == new[lead]:
        lead += 1
    while trail < most - lead and old[-1 - trail] == new[-1 - trail]:
        trail += 1
    return lead, trail


def _split_cells(strip: Iterable[Segment], color_system: ColorSystem) -> tuple[list[str], list[Look], bool]:
    """Returns the text and the style of each cell, and whether each character is certain to take one cell."""
    texts: list[str] = []
    looks: list[Look] = []
    is_single = True
    for text, style, _ in strip:
        look = _find_look(style, color_system)
        if has_single_cells(text):
            texts.extend(text)
            looks.extend(repeat(look, len(text)))
        elif width := cell_len(text):
            is_single = False
            texts += [text, *repeat("", width - 1)]
            looks.extend(repeat(look, width))
        elif texts:
            is_single = False
            texts[-1] += text
    return texts, looks, is_single


def _find_spans(differs: Sequence[bool], texts: Sequence[str], first: int, strip: range) -> list[tuple[int, int]]:
    """Returns the spans of cells of a row to write: whole words, so that text searches in the output find them.

    `differs`: whether each cell from `first` on differs. `strip`: the cells within which words are found.
    """
    spans: list[tuple[int, int]] = []
    at, last = first, first + len(differs)
    while at < last:
        if not differs[at - first]:
            at += 1
            continue
        start = stop = at
        while start > strip.start and texts[start - 1] != " " and texts[at] != " ":
            start -= 1
        while stop < strip.stop and ((stop < last and differs[stop - first]) or texts[stop] != " "):
            stop += 1
        if spans and start - spans[-1][1] <= MERGE:
            spans[-1] = (spans[-1][0], stop)
        else:
            spans.append((start, stop))
        at = stop
    return spans
