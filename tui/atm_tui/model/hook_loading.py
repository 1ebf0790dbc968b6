"""What helps a live session that no hook has spoken of: clients differ in when they load hooks. Pure."""

import re
from collections.abc import Iterable

from atm_tui.model.session import Session

_LOADS_BY_ITSELF = (2, 1, 119)
"""From this version on, clients are known to load hooks while they run."""


def loads_hooks_by_itself(version: str | None) -> bool:
    """Whether a client of this version loads hooks that were installed while it runs; False where that is not known."""
    numbers = re.match(r"(\d+)\.(\d+)\.(\d+)", version or "")
    return numbers is not None and tuple(map(int, numbers.groups())) >= _LOADS_BY_ITSELF


def advise_without_hooks(sessions: Iterable[Session]) -> str:
    """What to do so that these sessions, of which no hook has spoken, are told in full."""
    old = [not loads_hooks_by_itself(session.version) for session in sessions]
    itself = "no restart is needed, their hooks report from the next prompt on. If not, see atm-tui doctor"
    if not any(old):
        return itself
    return "restart to see more" if all(old) else f"restart the older clients; of the others, {itself}"
