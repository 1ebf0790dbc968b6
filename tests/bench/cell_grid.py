"""The characters on a terminal, as far as what the app writes needs it: moves of the cursor, text, and a cleared screen."""

import codecs
import re

from rich.cells import cell_len

_TOKEN = re.compile(
    r"\x1b\[(?P<parameters>[0-?]*)[ -/]*(?P<final>[@-~])"
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"
    r"|\x1b[PX^_][^\x1b]*\x1b\\"
    r"|\x1b[ -/]*[0-OQ-WYZ`-~\\]"
    r"|(?P<text>[^\x00-\x1f\x7f]+)"
    r"|[\x00-\x1a\x1c-\x1f\x7f]"
)


class CellGrid:
    """A grid of characters. Styles, scrolling and line feeds, which the app never writes, are left out."""

    def __init__(self, rows: int, columns: int) -> None:
        self._columns = columns
        self._cells = [[" "] * columns for _ in range(rows)]
        self._row = self._column = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        """The beginning of a sequence whose end has not come yet."""

    def feed(self, data: bytes) -> None:
        """Applies what was written, which may end within a sequence or a character."""
        text, at = self._rest + self._decoder.decode(data), 0
        while at < len(text) and (token := _TOKEN.match(text, at)):
            at = token.end()
            if token["text"]:
                self._write(token["text"])
            elif token["final"]:
                self._apply(token["final"], token["parameters"])
        self._rest = text[at:]

    def read_row(self, row: int) -> str:
        """Returns the text of a row, with spaces to its end."""
        return "".join(self._cells[row])

    def find(self, pattern: re.Pattern[str]) -> tuple[int, str] | None:
        """Returns the first row that a pattern matches, and its first group; None where there is none."""
        for row in range(len(self._cells)):
            if found := pattern.search(self.read_row(row)):
                return row, found[1]
        return None

    def _apply(self, final: str, parameters: str) -> None:
        numbers = [int(each) if each.isdecimal() else 0 for each in parameters.split(";")]
        if final in "Hf":
            self._row = max(1, numbers[0]) - 1
            self._column = max(1, numbers[1] if len(numbers) > 1 else 1) - 1
        elif final == "J" and numbers[0] == 2:
            self._cells = [[" "] * self._columns for _ in self._cells]

    def _write(self, text: str) -> None:
        if self._row >= len(self._cells):
            return
        cells = self._cells[self._row]
        for character in text:
            width = cell_len(character)
            for at in range(self._column, min(self._column + max(width, 1), self._columns)):
                cells[at] = character if at == self._column else ""
            self._column += width
