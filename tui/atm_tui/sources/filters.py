"""Stores the filters that the user typed or named, in a small file of the app."""

from collections.abc import Callable
from pathlib import Path

from atm_tui.model.filter_book import FilterBook
from atm_tui.sources.app_file import AppFile


class FilterFile:
    """The remembered filters. Several apps may change them; what can't be written is remembered until exit."""

    def __init__(self, state_dir: Path | None) -> None:
        """`state_dir`: None stores nothing, as in a recording."""
        self._file = AppFile(state_dir, "filters.json", FilterBook) if state_dir else None
        self._book = FilterBook()

    def read(self) -> FilterBook:
        """Returns what is remembered now."""
        if self._file is not None and (found := self._file.read()) is not None:
            self._book = found
        return self._book

    def change(self, change: Callable[[FilterBook], FilterBook]) -> None:
        """Replaces what is remembered by what a function makes of it."""
        if self._file is None:
            self._book = change(self._book)
            return
        with self._file.hold_lock():
            before = self.read()
            self._book = change(before)
            if self._book != before:
                self._file.write(self._book)
