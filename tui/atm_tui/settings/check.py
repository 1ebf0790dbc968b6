"""The value of one finding of `atm-tui doctor`."""

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """BROKEN: something that is installed does not work; exit code 1. WARNING: worth a look. OK: checked, fine."""

    OK = "ok"
    WARNING = "warning"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Check:
    """One finding. `name`: stable, for scripts; `where`: file or folder; `advice`: what to do, empty when fine."""

    name: str
    level: Level
    where: str
    text: str
    advice: str = ""
    ms: float | None = None
