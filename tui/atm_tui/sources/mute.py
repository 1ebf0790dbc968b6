"""Stores the time until which notifications are muted. All apps share the file."""

from pathlib import Path

from atm_tui.sources.times_file import TimesFile

_KEY = "until"


def read_mute(state_dir: Path) -> float:
    """Returns until when notifications are muted, epoch seconds; 0 if they are not."""
    file = TimesFile(state_dir, "mute.json")
    file.refresh()
    return file.find(_KEY)


def write_mute(state_dir: Path, until: float) -> None:
    """Mutes notifications until a time (epoch seconds); 0 ends that. Raises nothing, even if it can't be stored."""
    TimesFile(state_dir, "mute.json").record(_KEY, until)
