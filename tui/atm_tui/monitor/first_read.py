"""The first refresh of a monitor, begun in a thread while the app is still being loaded."""

import threading
from collections.abc import Callable


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

    def wait(self) -> None:
        """Returns once it has ended; raises what it raised."""
        self._thread.join()
        if self._error is not None:
            raise self._error
