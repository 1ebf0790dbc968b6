"""How the user divided the main screen: the app's own small file, which the hooks never read."""

from pathlib import Path

from atm_tui.model.layout import Layout
from atm_tui.sources.app_file import AppFile


class LayoutFile:
    """Kept over restarts. A file that can't be read or written costs the memory, nothing else."""

    def __init__(self, state_dir: Path | None) -> None:
        """`state_dir`: None keeps nothing, as in a recording."""
        self._file = AppFile(state_dir, "layout.json", Layout) if state_dir else None

    def read(self) -> Layout:
        """What was kept last; all as at first when nothing was, or when it can't be read."""
        return (self._file.read() if self._file else None) or Layout()

    def keep(self, layout: Layout) -> None:
        """Replaces what was kept."""
        if self._file is not None:
            self._file.write(layout)
