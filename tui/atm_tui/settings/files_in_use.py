"""Which settings files hold ours: the copied hook files may go only when none does."""

from pathlib import Path

from atm_tui.settings.document import Document
from atm_tui.settings.editing import has_ours
from atm_tui.settings.errors import JsonError
from atm_tui.settings.read import read_bytes
from atm_tui.settings.receipt import Receipts


def file_contains_ours(path: Path) -> bool:
    """Whether a settings file holds entries of ours; one that can't be read counts as holding some."""
    try:
        return contains_our_entries(read_bytes(path))
    except FileNotFoundError:
        return False
    except OSError:
        return True


def contains_our_entries(data: bytes) -> bool:
    """Whether settings hold entries of ours; True where they can't be read."""
    try:
        return has_ours(Document(data).root, {})
    except JsonError:
        return True


def list_files_in_use(receipts: Receipts, config_dir: Path) -> list[Path]:
    """The files that we once wrote, and the config folder's own, as far as they hold ours now."""
    return [
        path
        for path in dict.fromkeys([*receipts.list_targets(), config_dir / "settings.json"])
        if file_contains_ours(path)
    ]
