"""What install found in the places that it filled, so that uninstall can restore each byte: `[]`, `null`, or nothing.

A small file for each settings file in the data folder. Without it uninstall still removes all of our entries, and
assumes that we created the containers that are empty then.
"""

import hashlib
import os
from pathlib import Path

import msgspec

from atm_hooks.journal import make_folder
from atm_tui.model.decoding import decode_json
from atm_tui.settings.errors import SettingsError
from atm_tui.settings.read import read_bytes
from atm_tui.settings.scanner import scan
from atm_tui.sources.exists import list_folder


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """`target`: the settings file; `created`: we created it; `found`: path in it -> previous text, None: nothing."""

    target: str
    created: bool = False
    found: dict[str, str | None] = msgspec.field(default_factory=dict)


def _decode(data: bytes) -> Receipt:
    """Returns the receipt in a file. Raises ValueError for content that no install writes."""
    try:
        receipt = decode_json(data, Receipt)
    except RecursionError as error:
        raise ValueError("nested too deep") from error
    if not Path(receipt.target).is_absolute() or "\0" in receipt.target:
        raise ValueError("its target is no path")
    for path, text in receipt.found.items():
        if text is not None and (path or text):  # of a blank file the root is ""
            scan(text)  # uninstall puts it into the settings as it is
    return receipt


class Receipts:
    """The receipts in a folder, by the real path of the settings file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get_path(self, target: Path) -> Path:
        """Returns the path of the receipt of a settings file."""
        digest = hashlib.sha256(os.path.realpath(target).encode("utf-8", "surrogateescape")).hexdigest()
        return self.folder / f"{digest[:16]}.json"

    def load(self, target: Path) -> Receipt | None:
        """Returns the receipt of a settings file; None if there is no readable one."""
        try:
            return _decode(read_bytes(self.get_path(target)))
        except (OSError, ValueError):
            return None

    def list_targets(self) -> list[Path]:
        """Returns all settings files that have a receipt."""
        found = []
        for path in list_folder(self.folder, "*.json"):
            try:
                found.append(Path(_decode(read_bytes(path)).target))
            except (OSError, ValueError):
                continue
        return found

    def save(self, target: Path, receipt: Receipt | None) -> None:
        """Writes a receipt, or removes it if None. Raises SettingsError if the folder can't be written."""
        path = self.get_path(target)
        try:
            if receipt is None:
                path.unlink(missing_ok=True)
                return
            make_folder(str(self.folder))
            new = path.with_suffix(".new")
            new.touch(mode=0o600)
            new.write_bytes(msgspec.json.encode(receipt))
            new.replace(path)
        except OSError as error:
            raise SettingsError(
                f"{path}: {error.strerror}; nothing was changed.\n"
                f"  Next: make {self.folder} writable, or set ATM_DATA_DIR."
            ) from None
