"""Stores the user's layout of the main screen in a small file of the app."""

from pathlib import Path

from atm_tui.model.layout import Layout
from atm_tui.sources.app_file import AppFile


class LayoutFile:
    """The stored layout. When the file can't be written, the layout is lost at exit."""

    def __init__(self, state_dir: Path | None) -> None:
        """`state_dir`: None stores nothing, as in a recording."""
        self._file = AppFile(state_dir, "layout.json", Layout) if state_dir else None

    def read(self) -> Layout:
        """Returns the layout that was saved last; the default one when there is none, or when it can't be read."""
        return (self._file.read() if self._file else None) or Layout()

    def save(self, layout: Layout) -> None:
        """Replaces the saved layout."""
        if self._file is not None:
            self._file.write(layout)
