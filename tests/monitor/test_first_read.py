"""The first refresh runs while the app is loaded; who waits for it learns how it ended."""

import threading

import pytest

from atm_tui.monitor.first_read import FirstRead


def test_it_is_done_once_the_function_has_returned() -> None:
    goes_on = threading.Event()
    first_read = FirstRead(goes_on.wait)
    assert not first_read.is_done
    goes_on.set()
    first_read.wait()
    assert first_read.is_done


def test_an_error_is_raised_to_the_one_who_waits() -> None:
    def fail() -> None:
        raise OSError("no such disk")

    first_read = FirstRead(fail)
    with pytest.raises(OSError, match="no such disk"):
        first_read.wait()
    assert not first_read.is_done
