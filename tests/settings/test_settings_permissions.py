"""Folders and files that may not be written: nothing is forbidden to root, so root becomes nobody for these."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from atm_tui.settings.apply import apply, read_settings
from atm_tui.settings.backups import list_backups
from atm_tui.settings.errors import SettingsError
from atm_tui.settings.plan import plan_uninstall
from atm_tui.settings.receipt import Receipts
from tests.support.nobodys_files import ORIGINAL, drop_privileges, install


def uninstall(place: Path, path: Path) -> None:
    receipts = Receipts(place / "data")

    def plan(before: bytes | None):
        return plan_uninstall(path, before, receipts.load(path))

    apply(plan(read_settings(path)), plan, receipts, lambda: datetime.now(UTC))


def list_folders(place: Path, *names: str) -> None:
    for name in names:
        (place / name).mkdir()


def test_a_read_only_folder_is_reported_and_nothing_is_left(place):
    with drop_privileges():
        list_folders(place, "c")
        file = place / "c/settings.json"
        file.write_bytes(ORIGINAL)
        file.parent.chmod(0o555)
        with pytest.raises(SettingsError, match=r"settings\.json: can't write it: no permission .*\n  Next:"):
            install(place, file)
        assert file.read_bytes() == ORIGINAL
        assert [each.name for each in file.parent.iterdir()] == ["settings.json"]
        assert not list((place / "data").glob("*.json"))


def test_link_whose_middle_folder_is_read_only(place):
    with drop_privileges():
        list_folders(place, "rw", "ro", "c")
        (place / "rw/s.json").write_bytes(ORIGINAL)
        (place / "ro/mid").symlink_to(place / "rw/s.json")
        (place / "c/settings.json").symlink_to(place / "ro/mid")
        (place / "ro").chmod(0o555)
        install(place, place / "c/settings.json")
        assert (place / "ro/mid").is_symlink()
        assert (place / "c/settings.json").readlink() == place / "ro/mid"
        assert b"atm_hooks" in (place / "rw/s.json").read_bytes()
        uninstall(place, place / "c/settings.json")
        assert (place / "rw/s.json").read_bytes() == ORIGINAL


def test_read_only_link_folder_puts_the_backup_beside_the_real_file(place):
    with drop_privileges():
        list_folders(place, "rw", "c")
        (place / "rw/s.json").write_bytes(ORIGINAL)
        (place / "c/settings.json").symlink_to(place / "rw/s.json")
        (place / "c").chmod(0o555)
        install(place, place / "c/settings.json")
        (backup,) = list_backups(place / "c/settings.json")
        assert backup.parent == place / "rw"
        assert backup.read_bytes() == ORIGINAL


def test_link_into_a_read_only_store_names_the_real_file(place):
    with drop_privileges():
        list_folders(place, "store", "c")
        file = place / "store/s.json"
        file.write_bytes(ORIGINAL)
        file.chmod(0o444)
        file.parent.chmod(0o555)
        (place / "c/settings.json").symlink_to(file)
        with pytest.raises(SettingsError, match=r"store/s\.json: the file is write-protected.*\n.*--dry-run"):
            install(place, place / "c/settings.json")
        assert [each.name for each in (place / "c").iterdir()] == ["settings.json"]


def test_an_unreadable_file_is_reported(place):
    with drop_privileges():
        list_folders(place, "c")
        file = place / "c/settings.json"
        file.write_bytes(ORIGINAL)
        file.chmod(0o200)
        with pytest.raises(SettingsError, match="can't read it"):
            install(place, file)


def test_data_folder_that_cannot_be_written_stops_before_the_settings(place):
    with drop_privileges():
        list_folders(place, "c", "data")
        file = place / "c/settings.json"
        file.write_bytes(ORIGINAL)
        (place / "data").chmod(0o555)
        with pytest.raises(SettingsError, match="data"):
            install(place, file)
        assert file.read_bytes() == ORIGINAL
