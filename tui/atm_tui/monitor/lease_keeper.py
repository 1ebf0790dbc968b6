"""Holds the lease of an armed app and renews it in a thread of its own, so that a busy screen doesn't end a wait."""

import contextlib
import os
import threading
import time
from collections.abc import Callable

from atm_hooks import answers

BEAT = 1.0
"""Seconds between two heartbeats."""
STUCK = 60.0
"""Seconds without a sign of life from the event loop after which the lease is no longer renewed."""


class LeaseKeeper:
    """Renews the lease of this app, as long as its event loop runs. In a stopped process this thread is stopped too."""

    def __init__(
        self, root: str, on_lost: Callable[[], object] | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`root`: the state folder. `on_lost` is called from another thread when the lease is lost.

        `clock`: monotonic seconds.
        """
        self.problem: str | None = None
        """Why the lease could not be renewed; None when another app has taken it, or it was not lost."""
        self._root = root
        self._on_lost = on_lost
        self._clock = clock
        self._alive_at = clock()
        self._changing = threading.Lock()
        self._patience: float | None = None
        self._lease: str | None = None
        self._ended = threading.Event()
        """Set when the current lease must no longer be renewed."""

    @property
    def is_held(self) -> bool:
        """Whether this app has the lease."""
        return self._lease is not None

    def take(self, wait: float, patience: float | None = None) -> None:
        """Takes the lease, even from another app. `wait`: seconds that hooks wait at most. Raises UnsafeError, OSError.

        `patience`: seconds without a sign of life after which it is given back; None: after STUCK it is only not renewed,
        and goes on with the next sign.
        """
        lease = answers.make_id()
        answers.arm(self._root, {"version": answers.VERSION, "id": lease, "pid": os.getpid(), "wait": wait})
        self.note_alive()
        with self._changing:
            self._ended.set()
            self._lease, self._ended, self.problem, self._patience = lease, threading.Event(), None, patience
            # A daemon thread ends with the process, and the lease then expires.
            threading.Thread(target=self._keep, args=(lease, self._ended), name="lease", daemon=True).start()

    def give_back(self) -> None:
        """Removes the lease if this app has it, and stops renewing it. Raises UnsafeError, OSError."""
        lease = self._drop()
        if lease is not None:
            answers.disarm(self._root, lease)

    def renew(self) -> bool:
        """Renews the lease now; returns whether this app still has it. Another app may have taken it a moment ago."""
        lease = self._lease
        return lease is not None and self._renew(lease)

    def note_alive(self) -> None:
        """Records that the event loop runs. Call it once a second."""
        self._alive_at = self._clock()

    def _drop(self, lease: str | None = None) -> str | None:
        """Gives up the current lease, if it is `lease` (None: any); returns its id, or None."""
        with self._changing:
            if self._lease is None or lease not in (None, self._lease):
                return None
            self._ended.set()
            dropped, self._lease = self._lease, None
            return dropped

    def _keep(self, lease: str, ended: threading.Event) -> None:
        while not ended.wait(BEAT):
            silent = self._clock() - self._alive_at
            if self._patience is not None and silent > self._patience:
                self._give_up(lease)
                return
            if silent > STUCK:
                continue
            if not self._renew(lease):
                return

    def _renew(self, lease: str) -> bool:
        """Renews this lease, or drops it when that is impossible; returns whether it is ours."""
        problem = None
        try:
            if answers.renew(self._root, lease):
                return True
        except (OSError, answers.UnsafeError) as error:
            problem = f"Not armed any more: {error}."
        if self._drop(lease) is not None:
            self.problem = problem
            if self._on_lost is not None:
                self._on_lost()
        return False

    def _give_up(self, lease: str) -> None:
        """Gives this lease back, since nobody gives a sign of life."""
        if self._drop(lease) is None:
            return
        with contextlib.suppress(OSError, answers.UnsafeError):  # it then expires by itself
            answers.disarm(self._root, lease)
        if self._on_lost is not None:
            self._on_lost()
