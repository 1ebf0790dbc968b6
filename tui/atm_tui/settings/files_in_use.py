"""Finds the settings files with our entries: the copied hook files may be removed only when there are none."""

from pathlib import Path

from atm_tui.settings.document import Document
from atm_tui.settings.editing import has_ours
from atm_tui.settings.errors import JsonError
from atm_tui.settings.read import read_bytes
from atm_tui.settings.receipt import Receipts


def file_contains_ours(path: Path) -> bool:
    """Returns whether a settings file has our entries; True for an unreadable file."""
    try:
        return contains_our_entries(read_bytes(path))
    except FileNotFoundError:
        return False
    except OSError:
        return True


def contains_our_entries(data: bytes) -> bool:
    """Returns whether settings have our entries; True if they can't be read."""
    try:
        return has_ours(Document(data).root, {})
    except JsonError:
        return True


def list_files_in_use(receipts: Receipts, config_dir: Path) -> list[Path]:
    """Returns the files with our entries, among those that we once wrote and the config folder's own."""
    return [
        path
        for path in dict.fromkeys([*receipts.list_targets(), config_dir / "settings.json"])
        if file_contains_ours(path)
    ]
