"""One finding of `atm-tui doctor`, as a value."""

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """BROKEN: something that was installed does not work, and the exit code is 1. WARNING: worth a look. OK: seen, fine."""

    OK = "ok"
    WARNING = "warning"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Check:
    """One finding. name: stable, for scripts; where: the file or folder; advice: what to do, empty when fine."""

    name: str
    level: Level
    where: str
    text: str
    advice: str = ""
    ms: float | None = None
