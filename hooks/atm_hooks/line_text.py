"""Parts of the status line: their signs in Unicode or ASCII, their colours, their width in cells. Pure."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    Part = tuple[str, str]
    """A text and its role, a key of COLOURS."""
else:
    Part = tuple

COLOURS = {
    "needs": "1;33",
    "hot": "1;33",
    "error": "31",
    "working": "36",
    "gauge": "36",
    "warm": "35",
    "done": "32",
    "muted": "2",
}
"""SGR codes by role; they take the colours of the terminal's own palette. Other roles have none."""
_SIGNS = {
    "needs_you": ("●", "!", "needs"),
    "working": ("◐", "*", "working"),
    "failed": ("✗", "x", "error"),
    "idle": ("○", ".", "muted"),
    "done": ("✓", "+", "done"),
    "stopped": ("·", "-", "muted"),
}
"""The sign of each state of an agent, in Unicode and in ASCII, and its role."""
STATES = tuple(_SIGNS)
"""The states of an agent, most urgent first."""


class Style:
    """How a line is written: with or without colours and Unicode."""

    def __init__(self, *, colour: bool, unicode: bool, thresholds: tuple[int, int, int]) -> None:
        """`thresholds`: percent from which a gauge is warm and hot, and a limit is nearly reached."""
        self.colour = colour
        self.unicode = unicode
        self.thresholds = thresholds
        self.between = " · " if unicode else " | "
        self.unknown = "–" if unicode else "-"
        self.resets = "⟳" if unicode else "resets "
        self.more = "…" if unicode else "."

    def get_sign(self, state: str) -> Part:
        """Returns the sign of an agent's state and its role; those of idle for an unknown state."""
        unicode, plain, role = _SIGNS.get(state) or _SIGNS["idle"]
        return (unicode if self.unicode else plain, role)

    def draw_gauge(self, filled: int, empty: int, role: str) -> list[Part]:
        """Returns a gauge with these numbers of filled and empty cells; in ASCII with brackets around them."""
        if self.unicode:
            return [("▰" * filled, role), ("▱" * empty, "muted")]
        return [("[", "muted"), ("#" * filled, role), ("-" * empty + "]", "muted")]

    def cut(self, text: str, width: int) -> str:
        """Returns a text from outside that can't control the terminal, in at most `width` cells, with `…` where it is cut."""
        if not text.isprintable():
            text = "".join(each if each.isprintable() else "\ufffd" for each in text)
        if not self.unicode and not text.isascii():
            text = text.encode("ascii", "replace").decode("ascii")
        if count_text_cells(text) <= width:
            return text
        while text and count_text_cells(text) > width - 1:
            text = text[:-1]
        return text + self.more


def count_text_cells(text: str) -> int:
    """Returns the width of a printable text in cells: two for wide characters, none for combining ones."""
    if text.isascii() or max(text) < "\u0300":
        return len(text)
    import unicodedata

    cells = 0
    for each in text:
        if not unicodedata.combining(each) and unicodedata.category(each) not in ("Mn", "Me", "Cf"):
            cells += 2 if unicodedata.east_asian_width(each) in "WF" else 1
    return cells


_ONE_CELL = frozenset("●◐✗○✓·▰▱–⟳…")
"""Our own signs, whose width need not be looked up."""


def count_cells(parts: list[Part]) -> int:
    """Returns the total width of parts in cells."""
    return sum(
        len(text) if text.isascii() or _ONE_CELL.issuperset(text.replace(" ", "")) else count_text_cells(text)
        for text, _ in parts
    )


def cut_parts(parts: list[Part], width: int, style: Style) -> list[Part]:
    """Returns parts cut to at most `width` cells, with `…` at the cut."""
    if count_cells(parts) <= width:
        return parts
    kept: list[Part] = []
    left = width - 1
    for text, role in parts:
        cells = count_cells([(text, role)])
        if cells > left:
            start = next(text[:end] for end in range(len(text), -1, -1) if count_cells([(text[:end], role)]) <= left)
            return [*kept, (start, role), (style.more, "muted")]
        kept.append((text, role))
        left -= cells
    return kept


def join_parts(parts: list[Part], style: Style) -> str:
    """Returns parts as one text, with SGR sequences if colours are on."""
    if not style.colour:
        return "".join(text for text, _ in parts)
    text, open_role = "", ""
    for each, given in parts:
        role = given if given in COLOURS else ""
        if role != open_role and each:
            text += ("\x1b[0m" if open_role else "") + (f"\x1b[{COLOURS[role]}m" if role else "")
            open_role = role
        text += each
    return text + ("\x1b[0m" if open_role else "")
