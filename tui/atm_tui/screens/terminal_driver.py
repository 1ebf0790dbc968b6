"""The terminal driver: its thread sleeps until input arrives, and it drops input that is not UTF-8."""

import errno
import os
import selectors
import threading
from codecs import getincrementaldecoder
from typing import Any, TextIO

from textual._parser import ParseError
from textual._xterm_parser import XTermParser
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver

SEQUENCE_SECONDS = 0.1
"""Seconds between two checks for the rest of an incomplete sequence; Esc alone is the start of one."""


class WakingEvent(threading.Event):
    """An event that a selector can wait for, through the pipe `reader`."""

    def __init__(self) -> None:
        super().__init__()
        self.reader, self._writer = os.pipe()

    def set(self) -> None:
        """Sets the event."""
        super().set()
        os.write(self._writer, b"x")

    def clear(self) -> None:
        """Clears the event, which must be set."""
        super().clear()
        os.read(self.reader, 1)


class TerminalOutput:
    """A terminal's file that drops what is written after the terminal has gone.

    An error would end the thread that writes, and the app would wait for room in its queue for ever: a terminal that is closed
    while another program has it, or while the app is stopped, is first written to when the app comes back.
    """

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, text: str) -> int:
        """Writes a text, or drops it."""
        try:
            return self._file.write(text)
        except OSError as error:
            _raise_unless_gone(error)
            return len(text)

    def flush(self) -> None:
        """Writes what is kept, or drops it."""
        try:
            self._file.flush()
        except OSError as error:
            _raise_unless_gone(error)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def _raise_unless_gone(error: OSError) -> None:
    if error.errno not in (errno.EIO, errno.EPIPE):
        raise error


class TerminalDriver(LinuxDriver):
    """Textual's driver with a thread that sleeps until input arrives or the driver ends; Textual's wakes ten times a second.

    Bytes that are not UTF-8 are dropped. They would end Textual's driver; some terminals send them for the mouse after a reattach.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.exit_event: WakingEvent = WakingEvent()
        self._file: Any = TerminalOutput(self._file)

    def run_input_thread(self) -> None:
        """Turns input into events until `exit_event` is set."""
        parser, decode = XTermParser(self._debug), getincrementaldecoder("utf-8")("ignore").decode
        with selectors.DefaultSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            selector.register(self.exit_event.reader, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                is_incomplete = parser._timeout_time is not None  # noqa: SLF001 (textual's parser has no other way to ask)
                ready = selector.select(SEQUENCE_SECONDS if is_incomplete else None)
                if any(key.fd == self.fileno for key, _ in ready):
                    data = os.read(self.fileno, 4096)
                    if not data:  # the terminal is gone
                        selector.unregister(self.fileno)
                    text = decode(data)
                    for event in parser.feed(text) if text else ():  # an empty text would end the parser
                        self.process_message(event)
                for event in parser.tick():
                    self.process_message(event)
        try:
            for _ in parser.feed(""):
                pass
        except (EOFError, ParseError):
            pass


def choose_driver(driver: type[Driver]) -> type[Driver]:
    """Returns our driver in place of Textual's terminal driver, and any other driver unchanged."""
    return TerminalDriver if driver is LinuxDriver else driver
