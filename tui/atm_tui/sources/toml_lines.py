"""Finds the line of each key and entry in a TOML file, which tomllib does not tell. Pure."""

import bisect
import re
import tomllib

from atm_tui.model.key_path import KeyPath

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_BLANKS = re.compile(r"[ \t]*")
_SPACE = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_ESCAPED = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_LITERAL = re.compile(r"'[^']*'")
_LONG_ESCAPED = re.compile(r'"""(?:[^\\]|\\.)*?"{3,5}(?!")', re.DOTALL)
_LONG_LITERAL = re.compile(r"'''.*?'{3,5}(?!')", re.DOTALL)
_PLAIN = re.compile(r"[^,\]}#\n]*")


def find_lines(text: str) -> dict[KeyPath, int]:
    """Returns the line, from 1, at which each table, key and entry of a list begins. The text must be valid TOML."""
    scanner = _Scanner(text)
    scanner.scan()
    return scanner.lines


def find_line(lines: dict[KeyPath, int], path: KeyPath) -> int:
    """Returns the line of a path, or of the nearest thing that contains it; 0 if there is none."""
    for length in range(len(path), 0, -1):
        if (line := lines.get(path[:length])) is not None:
            return line
    return 0


class _Scanner:
    def __init__(self, text: str) -> None:
        self.lines: dict[KeyPath, int] = {}
        self._text = text
        self._at = 0
        self._ends = [found.start() for found in re.finditer("\n", text)]
        self._last: dict[KeyPath, int] = {}
        """By list of tables: the position of its last table."""

    def scan(self) -> None:
        table: KeyPath = ()
        while True:
            self._skip(_SPACE)
            if self._at >= len(self._text):
                return
            line = self._line
            if self._text.startswith("[[", self._at):
                self._at += 2
                owner = self._resolve(self._read_key(), whole=False)
                self._last[owner] = self._last.get(owner, -1) + 1
                table = (*owner, self._last[owner])
                self.lines.setdefault(owner, line)
                self._at = self._text.index("]]", self._at) + 2
            elif self._text.startswith("[", self._at):
                self._at += 1
                table = self._resolve(self._read_key(), whole=True)
                self._at = self._text.index("]", self._at) + 1
            else:
                self._read_pair(table)
                continue
            self._note(table, line)

    @property
    def _line(self) -> int:
        return bisect.bisect_left(self._ends, self._at) + 1

    def _skip(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self._text, self._at)
        if found is None:
            raise ValueError(f"no valid TOML at line {self._line}")
        self._at = found.end()
        return found[0]

    def _note(self, path: KeyPath, line: int) -> None:
        for length in range(1, len(path) + 1):
            self.lines.setdefault(path[:length], line)

    def _resolve(self, names: list[str], *, whole: bool) -> KeyPath:
        """Returns the path of a table: in a list of tables, in its last one. `whole`: also for the last name."""
        path: KeyPath = ()
        for number, name in enumerate(names):
            path = (*path, name)
            if path in self._last and (whole or number < len(names) - 1):
                path = (*path, self._last[path])
        return path

    def _read_key(self) -> list[str]:
        names = []
        while True:
            self._skip(_BLANKS)
            start = self._text[self._at]
            quoted = _ESCAPED if start == '"' else _LITERAL if start == "'" else None
            name = self._skip(quoted or _BARE)
            names.append(str(tomllib.loads(f"k = {name}")["k"]) if quoted else name)
            self._skip(_BLANKS)
            if not self._text.startswith(".", self._at):
                return names
            self._at += 1

    def _read_pair(self, table: KeyPath) -> None:
        line = self._line
        path = (*table, *self._read_key())
        self._note(path, line)
        self._at = self._text.index("=", self._at) + 1
        self._skip(_BLANKS)
        self._read_value(path)

    def _read_value(self, path: KeyPath) -> None:
        text, at = self._text, self._at
        if text.startswith('"""', at):
            self._skip(_LONG_ESCAPED)
        elif text.startswith("'''", at):
            self._skip(_LONG_LITERAL)
        elif text.startswith('"', at):
            self._skip(_ESCAPED)
        elif text.startswith("'", at):
            self._skip(_LITERAL)
        elif text.startswith(("[", "{"), at):
            self._read_entries(path, "]" if text[at] == "[" else "}")
        else:
            self._skip(_PLAIN)

    def _read_entries(self, path: KeyPath, end: str) -> None:
        self._at += 1
        number = 0
        while True:
            self._skip(_SPACE)
            if self._text.startswith(end, self._at):
                self._at += 1
                return
            if end == "}":
                self._read_pair(path)
            else:
                self.lines[(*path, number)] = self._line
                self._read_value((*path, number))
                number += 1
            self._skip(_SPACE)
            if self._text.startswith(",", self._at):
                self._at += 1
