"""The writer: each step may fail, others may write at the same time; the user's file is whole, old or new, never half."""

import errno
import os
import shutil
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from atm_tui.settings import apply as apply_module
from atm_tui.settings import backups as backups_module
from atm_tui.settings import swap as swap_module
from atm_tui.settings.apply import apply, read_settings
from atm_tui.settings.backups import KEEP, list_backups
from atm_tui.settings.errors import SettingsError
from atm_tui.settings.installer import Installer
from atm_tui.settings.options import Options
from atm_tui.settings.plan import Plan, plan_install, plan_uninstall
from tests.support.installing import COMMANDS

ORIGINAL = b'{\n  "model": "opus"\n}\n'
NOON = datetime(2026, 11, 27, 12, 0, 0, tzinfo=UTC)


class TargetFile:
    """One settings file with its receipts, and a clock that moves one second at each look."""

    def __init__(self, path, receipts):
        self.path, self.receipts, self.at = path, receipts, NOON

    def now(self):
        self.at += timedelta(seconds=1)
        return self.at

    def installer(self):
        return Installer(COMMANDS, self.receipts, self.path.parent, self.path.parent / "plugin", self.now)

    def plan(self, before):
        return plan_install(self.path, before, Options(), COMMANDS, self.receipts.load(self.path))

    def install(self):
        return apply(self.plan(read_settings(self.path)), self.plan, self.receipts, self.now)

    def uninstall(self):
        def plan(before):
            return plan_uninstall(self.path, before, self.receipts.load(self.path))

        return apply(plan(read_settings(self.path)), plan, self.receipts, self.now)


@pytest.fixture
def target(home: Path, receipts):
    path = home / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_bytes(ORIGINAL)
    path.chmod(0o640)
    return TargetFile(path, receipts)


def list_left_over(folder: Path) -> list[str]:
    return [each.name for each in folder.iterdir() if each.name.endswith(".tmp")]


def test_install_writes_backs_up_and_keeps_the_mode(target):
    applied = target.install()
    assert applied.backup.name == "settings.json.2026-11-27T12-00-01.atm.bak"
    assert applied.backup.read_bytes() == ORIGINAL
    assert stat.S_IMODE(target.path.stat().st_mode) == stat.S_IMODE(applied.backup.stat().st_mode) == 0o640
    assert b"atm_hooks/hook.py" in target.path.read_bytes()
    assert not list_left_over(target.path.parent)
    assert target.install().backup is None
    target.uninstall()
    assert target.path.read_bytes() == ORIGINAL
    assert target.receipts.load(target.path) is None


def test_ten_backups_are_kept_and_any_can_be_put_back(target):
    for number in range(KEEP + 4):
        target.path.write_bytes(b'{"n": %d}' % number)
        target.install()
    found = list_backups(target.path)
    assert [each.read_bytes() for each in found] == [b'{"n": %d}' % number for number in range(13, 3, -1)]
    installer = target.installer()
    installer.restore(installer.plan_restore(target.path, found[3]))
    assert target.path.read_bytes() == b'{"n": 10}'
    backup = target.install().backup
    assert backup is not None
    assert backup.read_bytes() == b'{"n": 10}'


def test_two_backups_in_one_second_do_not_overwrite_each_other(target):
    made = [backups_module.make_backup(target.path, bytes([65 + n]), 0o600, NOON) for n in range(12)]
    assert [each.read_bytes() for each in made] == [bytes([65 + n]) for n in range(12)]
    assert list_backups(target.path) == made[::-1]


def test_only_our_backups_of_this_file_are_counted(target):
    for name in ("settings.json.bak", "settings.json.2026-11-27.atm.bak", "other.json.2026-11-27T12-00-01.atm.bak"):
        (target.path.parent / name).write_text("x")
    assert list_backups(target.path) == []


def fail(monkeypatch, module, name, when, number=errno.EIO):
    """Make the n-th call (from 1) of a function raise."""
    real, calls = getattr(module, name), []

    def broken(*args, **kwargs):
        calls.append(args)
        if len(calls) == when:
            raise OSError(number, os.strerror(number))
        return real(*args, **kwargs)

    monkeypatch.setattr(module, name, broken)
    return calls


STEPS = {
    "backup open": (os, "open", 1),
    "backup write": (os, "fdopen", 1),
    "backup fsync": (os, "fsync", 1),
    "backup mode": (os, "fchmod", 1),
    "temporary open": (apply_module.tempfile, "mkstemp", 1),
    "temporary write": (os, "fdopen", 2),
    "temporary mode": (os, "fchmod", 2),
    "temporary fsync": (os, "fsync", 2),
    "receipt": (Path, "write_bytes", 1),
    "receipt rename": (Path, "replace", 1),
    "exchange": (swap_module, "_find_exchange", 1),
    "look at what was replaced": (swap_module, "_stays_equal", 1),
}


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_failure_at_each_step_leaves_the_old_file_and_no_litter(step, target, monkeypatch):
    plan = target.plan(ORIGINAL)
    with monkeypatch.context() as patch:
        module, name, when = STEPS[step]
        calls = fail(patch, module, name, when, errno.ENOSPC)
        with pytest.raises(SettingsError, match=r"(?i)nothing was changed.*\n.*Next:|disk is full") as caught:
            apply(plan, target.plan, target.receipts, target.now)
    assert len(calls) >= when
    assert str(target.path.parent) in str(caught.value) or str(target.receipts.folder) in str(caught.value)
    assert target.path.read_bytes() == ORIGINAL
    assert [each.name for each in target.path.parent.iterdir()] == ["settings.json"]
    target.install()
    target.uninstall()
    assert target.path.read_bytes() == ORIGINAL


def test_a_failed_read_back_is_reported_and_the_new_file_is_complete(target, monkeypatch):
    plan = target.plan(ORIGINAL)
    with monkeypatch.context() as patch:
        fail(patch, apply_module, "read_bytes", 3)
        with pytest.raises(SettingsError, match=r"written, but it can't be read back.*\n.*atm\.bak"):
            apply(plan, target.plan, target.receipts, target.now)
    assert target.path.read_bytes() == plan.after


def test_a_folder_that_cannot_be_synced_is_tolerated(target, monkeypatch):
    fail(monkeypatch, os, "fsync", 3)
    assert target.install().plan.after == target.path.read_bytes()


def test_a_file_that_changed_since_the_plan_is_planned_again(target):
    plan = target.plan(ORIGINAL)
    target.path.write_bytes(b'{"other": 1}')
    applied = apply(plan, target.plan, target.receipts, target.now)
    assert target.path.read_bytes().startswith(b'{"other": 1, "hooks": {')
    assert "changed in the meantime" in applied.notes[0]
    assert applied.backup.read_bytes() == b'{"other": 1}'


def test_a_file_that_changes_while_we_write_is_never_overwritten(target, monkeypatch):
    real, writes = apply_module.make_backup, []

    def meddle(*args):
        made = real(*args)
        if len(writes) < 2:
            writes.append(1)
            target.path.write_bytes(b'{"write": %d}' % len(writes))
        return made

    monkeypatch.setattr(apply_module, "make_backup", meddle)
    target.install()
    assert target.path.read_bytes().startswith(b'{"write": 2, "hooks": {')
    assert len(list_backups(target.path)) == 1


def test_a_file_that_keeps_changing_is_left_alone(target, monkeypatch):
    real, writes = apply_module.make_backup, []

    def meddle(*args):
        writes.append(1)
        made = real(*args)
        target.path.write_bytes(b'{"write": %d}' % len(writes))
        return made

    monkeypatch.setattr(apply_module, "make_backup", meddle)
    with pytest.raises(SettingsError, match="keeps writing this file"):
        target.install()
    assert target.path.read_bytes() == b'{"write": %d}' % len(writes)
    assert list_backups(target.path) == []


def test_a_write_by_another_program_right_after_ours_is_reported_and_stays(target, monkeypatch):
    real = apply_module.prune

    def meddle(path):
        target.path.write_bytes(b'{"theirs": 1}')
        real(path)

    monkeypatch.setattr(apply_module, "prune", meddle)
    with pytest.raises(SettingsError, match="another program wrote it"):
        target.install()
    assert target.path.read_bytes() == b'{"theirs": 1}'


class TestLinks:
    """The file that is written is the real one; every link on the way stays a link."""

    def link(self, target, place: Path, *hops: Path):
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(target.path, place)
        previous = place
        for hop in hops:
            hop.parent.mkdir(parents=True, exist_ok=True)
            hop.symlink_to(previous)
            previous = hop
        target.path.symlink_to(os.path.relpath(previous, target.path.parent))

    def round_trip(self, target, real: Path):
        link = target.path.readlink()
        inode = real.stat().st_ino
        target.install()
        assert target.path.readlink() == link
        assert real.stat().st_ino != inode
        assert b"atm_hooks/hook.py" in real.read_bytes()
        target.uninstall()
        assert real.read_bytes() == ORIGINAL
        assert not list_left_over(real.parent)

    def test_link_into_a_dotfiles_folder(self, target, home):
        self.link(target, home / "dot/claude.json")
        self.round_trip(target, home / "dot/claude.json")

    def test_link_to_a_link(self, target, home):
        self.link(target, home / "rw/s.json", home / "mid/s.json", home / "far/s.json")
        self.round_trip(target, home / "rw/s.json")

    def test_linked_folder_as_stow_makes_it(self, target, home):
        shutil.move(target.path.parent, home / "stow")
        (home / ".claude").symlink_to("stow")
        target.install()
        target.uninstall()
        assert (home / "stow/settings.json").read_bytes() == ORIGINAL
        assert (home / ".claude").is_symlink()

    @pytest.mark.parametrize("place", ["later.json", "unmounted/s.json"])
    def test_a_dangling_link_is_reported_and_its_target_not_created(self, target, home, place):
        target.path.unlink()
        target.path.symlink_to(home / place)
        with pytest.raises(SettingsError, match=r"a link to .*which does not exist\. Nothing was changed\.\n  Next:"):
            target.install()
        assert not (home / place).parent.joinpath("later.json").exists()
        assert target.path.is_symlink()

    def test_a_config_folder_with_a_dangling_link_is_reported(self, target, home):
        shutil.move(target.path.parent, home / "away")
        (home / ".claude").symlink_to("gone")
        with pytest.raises(SettingsError, match=r"\.claude: a link to gone, which does not exist"):
            target.install()
        assert not (home / "gone").exists()

    def test_a_loop_of_links_is_refused(self, target):
        target.path.unlink()
        target.path.symlink_to(target.path)
        with pytest.raises(SettingsError, match="links form a loop"):
            target.install()

    def test_another_hard_link_is_mentioned(self, target, home):
        os.link(target.path, home / "other")
        assert "hard link" in target.install().notes[0]


def test_missing_folder_is_made_private(home, receipts):
    target = TargetFile(home / "new/deep/settings.json", receipts)
    target.install()
    assert stat.S_IMODE(target.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(target.path.parent.stat().st_mode) == 0o700
    target.uninstall()
    assert not target.path.exists()


def test_write_protected_file_is_refused_even_for_root(target):
    target.path.chmod(0o444)
    with pytest.raises(SettingsError, match=r"write-protected \(mode 0444\).*\n.*chmod u\+w"):
        target.install()
    assert target.path.read_bytes() == ORIGINAL
    assert list_backups(target.path) == []


def test_folder_fifo_and_huge_file_are_refused(target):
    target.path.unlink()
    target.path.mkdir()
    with pytest.raises(SettingsError, match="not a regular file"):
        target.install()
    target.path.rmdir()
    os.mkfifo(target.path)
    with pytest.raises(SettingsError, match="not a regular file"):
        target.install()
    target.path.unlink()
    with target.path.open("wb") as file:
        file.truncate(apply_module.MAX_SIZE + 1)
    with pytest.raises(SettingsError, match="more than settings can be"):
        target.install()


def test_owner_is_kept_when_we_are_root(target):
    if os.geteuid() != 0:
        pytest.skip("only root can give a file to another owner")
    os.chown(target.path, 65534, 65534)
    target.install()
    assert target.path.stat().st_uid == 65534


def test_restore_of_a_backup_that_is_gone_is_refused(target):
    with pytest.raises(SettingsError, match="no such backup"):
        target.installer().plan_restore(target.path, target.path.with_name("x"))


def test_a_plan_that_needs_nothing_writes_nothing(target):
    plan = Plan(target.path, ORIGINAL, ORIGINAL, (), (), None)
    before = target.path.stat()
    assert apply(plan, target.plan, target.receipts, target.now).backup is None
    assert target.path.stat() == before
