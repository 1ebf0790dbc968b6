"""The terminal's title: how many sessions need you, visible in a tab bar while the app is not."""

from collections.abc import Callable

from atm_tui.text import clean

_SAVE = "\x1b[22;0t"
_RESTORE = "\x1b[23;0t"


def format_title(needs_you: int, dot: str) -> str:
    """Returns "2 need you · atm-tui"; the name alone while no session waits."""
    if not needs_you:
        return "atm-tui"
    return f"{needs_you} need{'s' if needs_you == 1 else ''} you {dot} atm-tui"


class TerminalTitle:
    """Sets the title when it changes, and restores the previous one where the terminal has a stack of titles."""

    def __init__(self, write: Callable[[str], None]) -> None:
        """`write` sends text to the terminal unchanged."""
        self._write = write
        self._shown: str | None = None

    def show(self, title: str) -> None:
        """Sets the title; the first time it saves the previous one (XTWINOPS 22, OSC 0)."""
        if title == self._shown:
            return
        save = _SAVE if self._shown is None else ""
        self._shown = title
        self._write(f"{save}{_make_title_sequence(title)}")

    def repeat(self) -> None:
        """Sets the title again, after another program had the terminal."""
        if self._shown is not None:
            self._write(_make_title_sequence(self._shown))

    def restore(self) -> None:
        """Restores the previous title; without a stack the title is empty, and most terminals set their own."""
        if self._shown is not None:
            self._shown = None
            self._write(f"{_make_title_sequence('')}{_RESTORE}")


def _make_title_sequence(title: str) -> str:
    return f"\x1b]0;{clean(title)}\x1b\\"
