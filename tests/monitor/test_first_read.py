"""The first refresh runs while the app is being loaded; waiting for it returns its result or error."""

import threading

import pytest

from atm_tui.monitor.first_read import FirstRead


def test_the_first_read_is_done_when_the_function_returns() -> None:
    goes_on = threading.Event()
    first_read = FirstRead(goes_on.wait)
    assert not first_read.is_done
    goes_on.set()
    first_read.wait()
    assert first_read.is_done


def test_an_error_is_raised_in_the_waiting_thread() -> None:
    def fail() -> None:
        raise OSError("no such disk")

    first_read = FirstRead(fail)
    with pytest.raises(OSError, match="no such disk"):
        first_read.wait()
    assert not first_read.is_done
