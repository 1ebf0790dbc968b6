"""The input thread passes keys on, and sleeps while there are none."""

import errno
import io
import os
import pty
import selectors
import threading
import tty
from collections.abc import Iterator

import pytest
from textual.events import Key
from textual.message import Message

from atm_tui.screens import terminal_driver
from atm_tui.screens.terminal_driver import TerminalDriver, TerminalOutput, WakingEvent
from tests.support.waiting import wait_until


class DriverThread:
    """A driver's thread on a pseudo terminal, the keys that it passed on, and how long it was willing to sleep."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.keys: list[str] = []
        self.sleeps: list[float | None] = []
        self.terminal, own = pty.openpty()
        tty.setraw(own)
        driver = TerminalDriver.__new__(TerminalDriver)
        driver.fileno, driver._debug, driver.exit_event = own, False, WakingEvent()
        self.driver = driver
        monkeypatch.setattr(TerminalDriver, "process_message", lambda _, message: self.take_keys(message))
        select = selectors.DefaultSelector.select

        def record(selector: selectors.DefaultSelector, timeout: float | None = None) -> object:
            self.sleeps.append(timeout)
            return select(selector, timeout)

        monkeypatch.setattr(terminal_driver.selectors.DefaultSelector, "select", record)
        self.thread = threading.Thread(target=driver.run_input_thread, daemon=True)
        self.thread.start()

    def take_keys(self, message: Message) -> None:
        if isinstance(message, Key):
            self.keys.append(message.key)

    def type_bytes(self, text: str, *keys: str) -> None:
        """Types text, and waits for the keys that it is."""
        self.keys.clear()
        os.write(self.terminal, text.encode())
        wait_until(lambda: self.keys == list(keys))


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Iterator[DriverThread]:
    found = DriverThread(monkeypatch)
    yield found
    found.driver.exit_event.set()
    found.thread.join()
    os.close(found.terminal)
    os.close(found.driver.fileno)


def test_keys_arrive(typed: DriverThread) -> None:
    typed.type_bytes("j\n", "j", "ctrl+j")
    typed.type_bytes("\x1b[A\x1b[6~", "up", "pagedown")
    typed.type_bytes("é", "é")


def test_a_lone_escape_arrives(typed: DriverThread) -> None:
    typed.type_bytes("\x1b", "escape")


def test_invalid_utf_8_is_dropped(typed: DriverThread) -> None:
    os.write(typed.terminal, b"\xff\xfe")
    typed.type_bytes("j", "j")


def test_the_thread_sleeps_until_a_key_arrives_and_ends_at_once(typed: DriverThread) -> None:
    typed.type_bytes("\x1b", "escape")
    typed.type_bytes("j", "j")
    wait_until(lambda: typed.sleeps[-1] is None)
    typed.driver.exit_event.set()
    typed.thread.join(60)
    assert not typed.thread.is_alive()
    typed.driver.exit_event.clear()
    assert not typed.driver.exit_event.is_set()


def test_what_is_written_after_the_terminal_has_gone_is_dropped() -> None:
    """An error would end the thread that writes, and the app would wait for it for ever instead of ending."""
    terminal, own = pty.openpty()
    with os.fdopen(own, "w") as file:
        output = TerminalOutput(file)
        assert output.write("a") == 1
        output.flush()
        os.close(terminal)
        for _ in range(3):
            assert output.write("b" * 100_000) == 100_000
            output.flush()


def test_another_error_of_writing_is_raised() -> None:
    class Full(io.StringIO):
        def flush(self) -> None:
            raise OSError(errno.ENOSPC, "full")

    with pytest.raises(OSError, match="full"):
        TerminalOutput(Full()).flush()
