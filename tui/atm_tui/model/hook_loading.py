"""Advises what to do with a live session without hook events: clients differ in when they load hooks. Pure."""

import re
from collections.abc import Iterable

from atm_tui.model.session import Session

_LOADS_BY_ITSELF = (2, 1, 119)
"""The first version that is known to load new hooks while it runs."""


def loads_hooks_by_itself(version: str | None) -> bool:
    """Whether a client of this version loads hooks that are installed while it runs; False when unknown."""
    numbers = re.match(r"(\d+)\.(\d+)\.(\d+)", version or "")
    return numbers is not None and tuple(map(int, numbers.groups())) >= _LOADS_BY_ITSELF


def advise_without_hooks(sessions: Iterable[Session]) -> str:
    """Returns the advice for sessions without hook events: what makes their hooks report."""
    old = [not loads_hooks_by_itself(session.version) for session in sessions]
    itself = "no restart is needed, their hooks report from the next prompt on. If not, see atm-tui doctor"
    if not any(old):
        return itself
    return "restart to see more" if all(old) else f"restart the older clients; of the others, {itself}"
