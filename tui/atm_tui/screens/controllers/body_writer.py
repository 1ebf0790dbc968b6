"""Writes the text of a long request in a thread, so that it does not block the event loop."""

import asyncio
from collections.abc import Callable

from textual.screen import Screen

from atm_tui.view.request_text import RequestText, write_body


class BodyWriter:
    """Writes one text at a time, so that it never occupies several threads of the pool."""

    def __init__(self, screen: Screen[str], text: Callable[[], RequestText], done: Callable[[], None]) -> None:
        """`text` returns what the screen shows now; `done` is called when its lines are ready."""
        self._screen = screen
        self._text = text
        self._done = done
        self._is_writing = False

    def start(self) -> None:
        """Starts to write the missing body, if any, unless a thread is already writing."""
        if self._text().missing is not None and not self._is_writing:
            self._is_writing = True
            self._screen.run_worker(self._write(), group="text")

    async def _write(self) -> None:
        try:
            while (source := self._text().missing) is not None:
                self._text().take_body(await asyncio.to_thread(write_body, source))
        finally:
            self._is_writing = False
        self._done()
