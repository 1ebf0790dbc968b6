"""Files of nobody: root becomes nobody where something is to be forbidden, and installs there."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from atm_tui.settings.apply import apply, read_settings
from atm_tui.settings.options import Options
from atm_tui.settings.plan import plan_install
from atm_tui.settings.receipt import Receipts
from tests.support.installing import COMMANDS
from tests.support.privileges import OTHER_USER

ORIGINAL = b'{"model": "opus"}\n'


@contextmanager
def drop_privileges() -> Iterator[None]:
    if os.geteuid() != 0:
        yield
        return
    os.setegid(OTHER_USER)
    os.seteuid(OTHER_USER)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


def install(place: Path, path: Path) -> None:
    receipts = Receipts(place / "data")

    def plan(before: bytes | None):
        return plan_install(path, before, Options(), COMMANDS, receipts.load(path))

    apply(plan(read_settings(path)), plan, receipts, lambda: datetime.now(UTC))
