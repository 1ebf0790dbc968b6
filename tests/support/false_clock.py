"""A system clock of a test's own for processes that it starts: libfaketime moves it, but not the clock of the time awake."""

from pathlib import Path

import pytest


class FalseClock:
    """The clock of all processes with `env`: the real one, moved by what was set last."""

    def __init__(self, folder: Path) -> None:
        """Skips the test without libfaketime. `folder`: where it keeps its file."""
        found = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
        if not found:
            pytest.skip("libfaketime is not installed")
        self._file = folder / "clock"
        self.move("+0")
        self.env = {
            "LD_PRELOAD": str(found[0]),
            "FAKETIME_TIMESTAMP_FILE": str(self._file),
            "FAKETIME_CACHE_DURATION": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "NO_FAKE_STAT": "1",
        }

    def move(self, by: str) -> None:
        """Moves the clock against the real one: "+8h", "-3h"."""
        self._file.write_text(f"{by}\n")
