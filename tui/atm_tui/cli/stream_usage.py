"""Carries out the command `usage` of a stream: reads what the sessions of this machine used, a little at each request."""

import time
from collections.abc import Iterator

from atm_tui.cli.stream_served import Served
from atm_tui.cli.stream_views import take_page
from atm_tui.cost.report import Progress, UsageSource
from atm_tui.model.stream_commands import UsageRequest, UsageResult

STEP = 0.3
"""Seconds of reading for one request: other commands wait for so long."""


class _Reading:
    """What is being read, or was, since a moment."""

    def __init__(self, source: UsageSource, since: float | None) -> None:
        self.source = source
        self.since = since
        self.progress = Progress()
        self.is_complete = False
        self._steps: Iterator[Progress] = source.read(since)

    def read_on(self) -> None:
        """Reads for STEP seconds, or to the end."""
        until = time.monotonic() + STEP
        for progress in self._steps:
            self.progress = progress
            if time.monotonic() > until:
                return
        self.is_complete = True


def list_usage(asked: UsageRequest, served: Served) -> UsageResult:
    """Returns how much has been read or, once all is, a page of the sums. Raises OSError when it can't be read."""
    reading: _Reading | None = served.kept.get("usage")
    if reading is None or reading.since != asked.since or (reading.is_complete and not asked.begin):
        reading = served.kept["usage"] = _Reading(served.monitor.spending.open_own(), asked.since)
    if not reading.is_complete:
        reading.read_on()
    progress = reading.progress
    if not reading.is_complete:
        return UsageResult(done_bytes=progress.done_bytes, total_bytes=progress.total_bytes)
    history = reading.source.result
    page = tuple(take_page(history.buckets[asked.begin :]))
    ids, roots = {each.session_id for each in page}, {each.project for each in page}
    return UsageResult(
        is_complete=True,
        done_bytes=progress.done_bytes,
        total_bytes=progress.total_bytes,
        buckets=page,
        begin=asked.begin,
        total=len(history.buckets),
        titles={key: title[:200] for key, title in history.titles.items() if key in ids},
        project_names={root: name for root, name in history.project_names.items() if root in roots},
        unreadable=() if asked.begin else history.unreadable[:20],
    )
