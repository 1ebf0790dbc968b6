"""Writes a unified diff of a JSON file as coloured lines: in full, or cut at the edge and with what repeats folded."""

from dataclasses import dataclass

from rich.cells import cell_len, get_character_cell_size

from atm_tui.text import cut_width
from atm_tui.view.folded_diff import fold_alike
from atm_tui.view.list_line import ListLine, make_list_line

AROUND = 12
"""Characters that are shown before the first changed one."""

ROLES = {"+": "finished", "-": "notice", "@": "faint", "\\": "faint", " ": "muted"}
"""First character of a diff's line -> role. Red is kept for errors."""


@dataclass(frozen=True)
class Counts:
    """Numbers of lines. `changed`: removed lines that are replaced by as many added ones."""

    added: int = 0
    changed: int = 0
    removed: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(self.added + other.added, self.changed + other.changed, self.removed + other.removed)


def count_changes(lines: list[str]) -> Counts:
    """Counts the lines that a diff adds, changes and removes."""
    total, removed, added = Counts(), 0, 0
    for line in [*lines, ""]:
        if line.startswith("-") and not added:
            removed += 1
        elif line.startswith("+"):
            added += 1
        elif not line.startswith("\\"):
            both = min(removed, added)
            total += Counts(added - both, both, removed - both)
            removed, added = int(line.startswith("-")), 0
    return total


def write_diff(lines: list[str], width: int, *, whole: bool) -> list[ListLine]:
    """Writes a diff in `width` cells; unless `whole`, what repeats is folded, and long lines are cut with "…"."""
    result = []
    lines = lines if whole else fold_alike(lines)
    differences = {} if whole else _find_differences(lines)
    for at, line in enumerate(lines):
        role = ROLES.get(line[:1], "muted")
        pieces = _break_line(line, width) if whole else [_cut_around(line, differences.get(at, 0), width)]
        result += [make_list_line((piece, role)) for piece in pieces]
    return result


def _find_differences(lines: list[str]) -> dict[int, int]:
    """Returns, by the index of each changed line, the position of the first character that differs."""
    found: dict[int, int] = {}
    at = 0
    while at < len(lines):
        removed = _count_run(lines, at, "-")
        added = _count_run(lines, at + removed, "+")
        for number in range(min(removed, added)):
            old, new = lines[at + number], lines[at + removed + number]
            pairs = zip(old[1:], new[1:], strict=False)
            same = 1 + next((index for index, (a, b) in enumerate(pairs) if a != b), min(len(old), len(new)) - 1)
            found[at + number] = found[at + removed + number] = same
        at += max(1, removed + added)
    return found


def _count_run(lines: list[str], start: int, sign: str) -> int:
    end = start
    while end < len(lines) and lines[end].startswith(sign):
        end += 1
    return end - start


def _cut_around(line: str, difference: int, width: int) -> str:
    """Cuts a long line so that its changed part is visible."""
    if difference < width - AROUND or cell_len(line) <= width:
        return cut_width(line, width)
    head = cut_width(line, width // 3)
    return head + cut_width(line[difference - AROUND :], width - cell_len(head))


def _break_line(line: str, width: int) -> list[str]:
    """Wraps a line; all pieces but the first are indented by the cell of the sign."""
    pieces, piece, used = [], "", 0
    for character in line:
        size = get_character_cell_size(character)
        if used + size > width and len(piece) > 1:
            pieces.append(piece)
            piece, used = " ", 1
        piece, used = piece + character, used + size
    return [*pieces, piece]
