"""Owner, group, access control list and attributes of a settings file stay as they are, or the file is left alone."""

import errno
import os
import stat
import struct
import subprocess
import sys

import pytest

from atm_tui.settings import attributes
from atm_tui.settings.apply import read_settings
from atm_tui.settings.attributes import ACCESS_LIST
from atm_tui.settings.errors import SettingsError
from atm_tui.settings.hookfiles import copy_hooks
from atm_tui.settings.installer import Installer
from atm_tui.settings.options import Options
from tests.support.nobodys_files import ORIGINAL, drop_privileges, install
from tests.support.privileges import OTHER_USER

USER_OBJECT, USER, GROUP_OBJECT, MASK, OTHER = 0x01, 0x02, 0x04, 0x10, 0x20
NO_ID = 0xFFFFFFFF

needs_attributes = pytest.mark.skipif(not hasattr(os, "setxattr"), reason="extended attributes are set otherwise here")


def read_access_list(*entries: tuple[int, int, int]) -> bytes:
    """The attribute's bytes: version 2, then (tag, permissions, id) each."""
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


SHARED = read_access_list(
    (USER_OBJECT, 6, NO_ID), (USER, 6, 12345), (GROUP_OBJECT, 0, NO_ID), (MASK, 6, NO_ID), (OTHER, 0, NO_ID)
)
"""One other user may read and write; the group may do nothing, though the mode shows its bits as the mask."""


@pytest.fixture
def settings(place):
    path = place / "settings.json"
    path.write_bytes(ORIGINAL)
    path.chmod(0o600)
    return path


@needs_attributes
def test_an_acl_is_kept_and_the_group_gains_no_access(place, settings):
    os.setxattr(settings, ACCESS_LIST, SHARED)
    before = os.getxattr(settings, ACCESS_LIST)
    assert stat.S_IMODE(settings.stat().st_mode) == 0o660
    install(place, settings)
    assert b"atm_hooks" in settings.read_bytes()
    assert os.getxattr(settings, ACCESS_LIST) == before
    assert stat.S_IMODE(settings.stat().st_mode) == 0o660
    (backup,) = place.glob("settings.json.*.atm.bak")
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600


@needs_attributes
def test_a_default_acl_of_the_folder_does_not_apply_to_the_file(place, settings):
    entries = read_access_list(
        (USER_OBJECT, 7, NO_ID), (USER, 7, 12345), (GROUP_OBJECT, 7, NO_ID), (MASK, 7, NO_ID), (OTHER, 5, NO_ID)
    )
    os.setxattr(place, "system.posix_acl_default", entries)
    install(place, settings)
    assert ACCESS_LIST not in os.listxattr(settings)
    assert stat.S_IMODE(settings.stat().st_mode) == 0o600


@needs_attributes
def test_extended_attributes_are_kept(place, settings):
    os.setxattr(settings, "user.origin", b"dotfiles \xff")
    install(place, settings)
    assert os.getxattr(settings, "user.origin") == b"dotfiles \xff"


@needs_attributes
@pytest.mark.parametrize("name", ["user.origin", ACCESS_LIST])
def test_a_file_whose_attributes_cannot_be_kept_is_left_alone(place, settings, monkeypatch, name):
    os.setxattr(settings, name, SHARED if name == ACCESS_LIST else b"x")

    def refuse(*_):
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    with monkeypatch.context() as patch:
        patch.setattr(attributes.os, "setxattr", refuse)
        with pytest.raises(SettingsError, match=r"can't be kept .*Nothing was changed"):
            install(place, settings)
    assert settings.read_bytes() == ORIGINAL
    assert {each.name for each in place.iterdir()} <= {"settings.json", "data"}


def test_a_group_that_is_not_the_folders_is_kept(place, settings):
    """In a setgid folder a new file gets the folder's group."""
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    os.chown(place, 0, OTHER_USER)
    place.chmod(0o2755)
    os.chown(settings, 0, 4321)
    settings.chmod(0o640)
    install(place, settings)
    info = settings.stat()
    assert (info.st_uid, info.st_gid, stat.S_IMODE(info.st_mode)) == (0, 4321, 0o640)


def test_an_owner_that_cannot_be_kept_leaves_the_file_alone(place, settings):
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    os.chown(settings, 0, OTHER_USER)
    settings.chmod(0o666)
    with (
        drop_privileges(),
        pytest.raises(SettingsError, match=r"belongs to user 0 .*can't be given.*Nothing was changed"),
    ):
        install(place, settings)
    assert settings.read_bytes() == ORIGINAL
    assert settings.stat().st_uid == 0


def test_the_message_names_the_permission_that_is_missing(place, settings):
    os.chown(settings, OTHER_USER, OTHER_USER)
    settings.chmod(0)
    (place / "data").mkdir()
    os.chown(place / "data", OTHER_USER, OTHER_USER)
    with drop_privileges():
        with pytest.raises(SettingsError, match="can't read it: no permission to read"):
            read_settings(settings)
        settings.chmod(0o600)
        place.chmod(0o500)
        with pytest.raises(SettingsError, match="can't write it: no permission to write"):
            install(place, settings)


def test_temporary_files_of_an_install_that_was_killed_are_removed(place, settings):
    left = place / ".settings.json.abc123.atm.tmp"
    left.write_bytes(b"half")
    (place / ".settings.json.swp").write_bytes(b"an editor's")
    install(place, settings)
    assert not left.exists()
    assert (place / ".settings.json.swp").exists()


def test_hook_files_are_private_whatever_the_umask(tmp_path):
    """Another user who could write there could replace code that Claude Code runs."""
    link = tmp_path / "data" / "hooks" / "atm_hooks"
    before = os.umask(0)
    try:
        (tmp_path / "data").mkdir()
        copy_hooks(link, sys.executable)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) & 0o022 == 0
    for each in [link.parent, *link.parent.rglob("*"), *link.resolve().rglob("*")]:
        if not each.is_symlink():
            assert stat.S_IMODE(each.stat().st_mode) & (0o077 if each.is_dir() else 0o022) == 0, each
    assert subprocess.run([sys.executable, "-I", "-S", link / "hook.py"], input=b"", check=False).returncode == 0


def test_a_copy_that_others_could_write_is_made_private_by_the_next_install(tmp_path):
    link = tmp_path / "data" / "hooks" / "atm_hooks"
    copy_hooks(link, sys.executable)
    left = link.parent / "versions" / ".new-0000"
    left.mkdir()
    for each in (link.parent, link.parent / "versions", link.resolve(), link.resolve() / "hook.py"):
        each.chmod(0o777)
    (link / "hook.py").write_text("print('another version')\n")
    assert copy_hooks(link, sys.executable)
    assert stat.S_IMODE(link.parent.stat().st_mode) == 0o700
    assert all(
        stat.S_IMODE(each.stat().st_mode) & 0o022 == 0 for each in link.parent.rglob("*") if not each.is_symlink()
    )
    assert not left.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can write into the home of another user")
def test_root_leaves_no_root_owned_files_in_the_home_of_another_user(home, monkeypatch):
    for name in ("XDG_STATE_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name)
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_bytes(ORIGINAL)
    for each in (home, home / ".claude", home / ".claude" / "settings.json"):
        os.chown(each, OTHER_USER, OTHER_USER)
    installer = Installer.create()
    path, planner = home / ".claude" / "settings.json", installer.make_planner(Options())
    (applied,) = installer.install([planner(path, ORIGINAL)], planner, Options())
    assert "given to that user" in applied.notes[-1]
    assert applied.backup is not None
    foreign = [each for each in home.rglob("*") if each.lstat().st_uid != OTHER_USER]
    assert foreign == []
    (removed,), left = installer.uninstall([installer.plan_uninstall(path, path.read_bytes())])
    assert (path.read_bytes(), left) == (ORIGINAL, [])
    assert "given to that user" in removed.notes[-1]
    assert [each for each in home.rglob("*") if each.lstat().st_uid != OTHER_USER] == []
