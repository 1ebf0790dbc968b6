"""stdout and stderr for commands: text without control sequences, in characters that the encoding has."""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO, cast

from atm_tui.text import ASCII_SPELLING, clean


class OutputError(Exception):
    """stdout can't be written; the text says why. `is_closed`: the reader has ended, as with `| head`, which is no error."""

    def __init__(self, error: Exception | None) -> None:
        reason = (error.strerror if isinstance(error, OSError) else None) or "it is closed"
        super().__init__(f"the output can't be written: {reason}.")
        self.is_closed = isinstance(error, BrokenPipeError)


class CleanStream(io.TextIOBase):
    """stdout or stderr: cleans text, and replaces characters that its encoding lacks."""

    def __init__(self, stream: TextIO | None, *, is_needed: bool) -> None:
        """`stream`: None if it was closed before the start. `is_needed`: whether to raise OutputError if it can't be written."""
        super().__init__()
        self._stream = stream
        self._is_needed = is_needed

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The encoding of the underlying stream."""
        return getattr(self._stream, "encoding", None) or "utf-8"

    def can_show(self, text: str) -> bool:
        """Returns whether its encoding has all characters of a text."""
        try:
            text.encode(self.encoding)
        except UnicodeEncodeError:
            return False
        return True

    def isatty(self) -> bool:
        """Returns whether it is a terminal."""
        return self._stream is not None and not self._stream.closed and self._stream.isatty()

    def fileno(self) -> int:
        """Returns the descriptor. Raises OSError if there is none."""
        if self._stream is None:
            raise io.UnsupportedOperation("closed")
        return self._stream.fileno()

    def writable(self) -> bool:
        """Returns True."""
        return True

    def write(self, text: str) -> int:
        """Cleans and writes text; keeps newlines. Raises OutputError."""
        self.write_safe(clean(text, lines=True).replace("\t", " "))
        return len(text)

    def write_safe(self, text: str) -> None:
        """Writes text that is already safe: cleaned text, JSON, and our own escape sequences. Raises OutputError."""
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
        """Flushes the stream. Raises OutputError."""
        try:
            if self._stream is not None:
                self._stream.flush()
        except (OSError, ValueError) as error:
            self._give_up(error)

    def _give_up(self, error: Exception | None) -> None:
        """Drops all further output, including what is still in the buffer when Python exits."""
        if self._stream is not None:
            _lead_nowhere(self._stream)
        self._stream = None
        if self._is_needed:
            raise OutputError(error) from error


def _lead_nowhere(stream: TextIO) -> None:
    """Redirects the descriptor of a stream to /dev/null, so that flushing its buffer is no error any more."""
    with suppress(OSError, ValueError):
        descriptor = stream.fileno()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, descriptor)
        os.close(nowhere)


@contextmanager
def clean_streams() -> Iterator[None]:
    """Replaces sys.stdout and sys.stderr by clean streams, for output of Python and libraries."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = cast("TextIO", get_stdout()), cast("TextIO", get_stderr())
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def get_stdout() -> CleanStream:
    """Returns the clean stdout."""
    return sys.stdout if isinstance(sys.stdout, CleanStream) else CleanStream(sys.stdout, is_needed=True)


def get_stderr() -> CleanStream:
    """Returns the clean stderr."""
    return sys.stderr if isinstance(sys.stderr, CleanStream) else CleanStream(sys.stderr, is_needed=False)
