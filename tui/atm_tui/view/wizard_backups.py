"""Writes the backups of a settings file, newest first."""

from collections.abc import Sequence
from pathlib import Path

from atm_tui.settings.backup_copies import BackupCopy
from atm_tui.settings.backups import SUFFIX
from atm_tui.text import format_count, format_tokens
from atm_tui.view.list_line import ListLine, make_list_line
from atm_tui.view.present import Part, spread
from atm_tui.view.wizard_text import format_path


def format_date(copy: BackupCopy) -> str:
    """Returns date and time of a backup, from its name."""
    match = SUFFIX.search(copy.path.name)
    stamp = match[0].removeprefix(".").split(".")[0] if match else copy.path.name
    day, _, time = stamp.partition("T")
    return f"{day}  {time.replace('-', ':')}"


def write_backups(width: int, *, path: Path, found: Sequence[BackupCopy], home: str) -> list[ListLine]:
    """Writes a line for each backup: date, size, whether it has our hooks."""
    result = [
        make_list_line(
            (f"{format_count(len(found), 'copy').replace('copys', 'copies')} of {format_path(path, home)}", "muted")
        ),
        make_list_line(),
    ]
    for each in found:
        aside: list[Part] = [("with our hooks" if each.has_ours else "without our hooks", "muted")]
        figure = format_tokens(each.size)
        size = (f"{figure} B" if figure.isdigit() else f"{figure[:-1]} {figure[-1]}B").rjust(9)
        result.append(
            make_list_line(*spread([(format_date(each), "plain"), (size, "faint")], aside, width), key=each.path)
        )
    if not found:
        result.append(make_list_line(("None yet: the first is made before the first change.", "muted")))
    return result
