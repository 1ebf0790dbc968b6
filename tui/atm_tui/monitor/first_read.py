"""The first refresh of a monitor, in a thread, so that a slow one does not delay the app."""

import threading
from collections.abc import Callable

HEAD_START = 0.15
"""Seconds for which the app waits before it loads anything else: most fleets are read in a fraction of them."""


class FirstRead:
    """Runs a function once, starting now. The monitor must not be called until it is done."""

    def __init__(self, refresh: Callable[[], object]) -> None:
        self._refresh = refresh
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="first read", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._refresh()
        except BaseException as error:  # noqa: BLE001 (for the one who waits)
            self._error = error

    @property
    def is_done(self) -> bool:
        """Whether it has ended without an error."""
        return not self._thread.is_alive() and self._error is None

    def give_head_start(self) -> None:
        """Returns once it has ended, or after HEAD_START.

        Beside a thread that loads modules, which leaves Python's lock to nobody for 5 ms at a time, each look at a file would
        take as long: it would end after the first frame, which would be followed by another one with all rows.
        """
        self._thread.join(HEAD_START)

    def wait(self) -> None:
        """Returns once it has ended; raises what it raised."""
        self._thread.join()
        if self._error is not None:
            raise self._error
