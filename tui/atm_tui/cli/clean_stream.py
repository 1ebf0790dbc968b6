"""stdout and stderr as commands have them: what is written there can't steer the terminal, and always has an encoding."""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO, cast

from atm_tui.text import ASCII_SPELLING, clean


class OutputError(Exception):
    """stdout can't be written; the text says why. `is_closed`: who read it has gone, as with `| head`, which is no fault."""

    def __init__(self, error: Exception | None) -> None:
        reason = (error.strerror if isinstance(error, OSError) else None) or "it is closed"
        super().__init__(f"the output can't be written: {reason}.")
        self.is_closed = isinstance(error, BrokenPipeError)


class CleanStream(io.TextIOBase):
    """stdout or stderr: what is written here is cleaned, and spelled in what its encoding has."""

    def __init__(self, stream: TextIO | None, *, is_needed: bool) -> None:
        """`stream`: None when it was closed before the start. `is_needed`: raise OutputError when it can't be written."""
        super().__init__()
        self._stream = stream
        self._is_needed = is_needed

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The encoding of the stream behind it."""
        return getattr(self._stream, "encoding", None) or "utf-8"

    def can_show(self, text: str) -> bool:
        """Whether its encoding has all characters of the text."""
        try:
            text.encode(self.encoding)
        except UnicodeEncodeError:
            return False
        return True

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return self._stream is not None and not self._stream.closed and self._stream.isatty()

    def fileno(self) -> int:
        """The descriptor. Raises OSError when there is none."""
        if self._stream is None:
            raise io.UnsupportedOperation("closed")
        return self._stream.fileno()

    def writable(self) -> bool:
        """Always."""
        return True

    def write(self, text: str) -> int:
        """Writes text, of which newlines stay as they are. Raises OutputError."""
        self.write_safe(clean(text, lines=True).replace("\t", " "))
        return len(text)

    def write_safe(self, text: str) -> None:
        """Writes text that is safe already: cleaned text, JSON, and sequences of our own. Raises OutputError."""
        if not self.can_show(text):
            text = text.translate(ASCII_SPELLING).encode(self.encoding, "backslashreplace").decode(self.encoding)
        if self._stream is None:
            self._give_up(None)
            return
        try:
            self._stream.write(text)
        except (OSError, ValueError) as error:
            self._give_up(error)

    def flush(self) -> None:
        """Sends what was written on its way. Raises OutputError."""
        try:
            if self._stream is not None:
                self._stream.flush()
        except (OSError, ValueError) as error:
            self._give_up(error)

    def _give_up(self, error: Exception | None) -> None:
        """Writes nothing from now on, not even what is still in the buffer when Python ends."""
        if self._stream is not None:
            _lead_nowhere(self._stream)
        self._stream = None
        if self._is_needed:
            raise OutputError(error) from error


def _lead_nowhere(stream: TextIO) -> None:
    """Leads the descriptor of a stream to /dev/null, so that what is left in its buffer is no error any more."""
    with suppress(OSError, ValueError):
        descriptor = stream.fileno()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, descriptor)
        os.close(nowhere)


@contextmanager
def clean_streams() -> Iterator[None]:
    """Puts clean streams in the place of sys.stdout and sys.stderr, for what Python and libraries write there by themselves."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = cast("TextIO", get_stdout()), cast("TextIO", get_stderr())
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def get_stdout() -> CleanStream:
    """stdout, cleaned."""
    return sys.stdout if isinstance(sys.stdout, CleanStream) else CleanStream(sys.stdout, is_needed=True)


def get_stderr() -> CleanStream:
    """stderr, cleaned."""
    return sys.stderr if isinstance(sys.stderr, CleanStream) else CleanStream(sys.stderr, is_needed=False)
