"""A file is put in the place of another one, and no update of a third program is undone, whenever it comes."""

import os
import subprocess
import sys

import pytest

from atm_tui.settings import swap
from atm_tui.settings.swap import put_in_place, remove_file
from tests.support.effort import examples


@pytest.fixture
def files(tmp_path):
    real, temporary = tmp_path / "settings.json", tmp_path / ".settings.json.1.atm.tmp"
    real.write_bytes(b"before")
    temporary.write_bytes(b"ours")
    return real, temporary


def replace_by(path, data):
    """As other programs write: a new file, renamed over the old one."""
    new = path.with_name("theirs")
    new.write_bytes(data)
    new.replace(path)


def return_once(path, data):
    """A read_bytes that once shows what the file held a moment ago: the update comes right after that look."""
    real, shown = swap.read_bytes, []

    def read_bytes(self):
        if self == path and not shown:
            shown.append(data)
            return data
        return real(self)

    return read_bytes


def test_the_file_is_replaced_and_nothing_is_left_over(files):
    real, temporary = files
    assert put_in_place(temporary, real, b"before")
    assert [(each.name, each.read_bytes()) for each in real.parent.iterdir()] == [("settings.json", b"ours")]


def test_an_earlier_update_stays(files):
    real, temporary = files
    replace_by(real, b"theirs")
    assert not put_in_place(temporary, real, b"before")
    assert (real.read_bytes(), temporary.read_bytes()) == (b"theirs", b"ours")


def test_an_update_between_check_and_exchange_stays(files, monkeypatch):
    real, temporary = files
    replace_by(real, b"theirs")
    monkeypatch.setattr(swap, "read_bytes", return_once(real, b"before"))
    assert not put_in_place(temporary, real, b"before")
    assert (real.read_bytes(), temporary.read_bytes()) == (b"theirs", b"ours")


def test_an_update_while_the_files_are_exchanged_back_stays(files, monkeypatch):
    real, temporary = files
    replace_by(real, b"theirs")
    exchange, calls = swap._find_exchange(), []

    def meddle(*paths):
        calls.append(paths)
        if len(calls) == 2:
            replace_by(real, b"newer still")
        return exchange(*paths)

    monkeypatch.setattr(swap, "_find_exchange", lambda: meddle)
    monkeypatch.setattr(swap, "read_bytes", return_once(real, b"before"))
    assert not put_in_place(temporary, real, b"before")
    assert real.read_bytes() == b"newer still"


def test_a_concurrent_write_into_the_old_file_stays(files, monkeypatch):
    """A program that had opened the file before, and writes in place."""
    real, temporary = files
    with real.open("r+b", buffering=0) as theirs:
        monkeypatch.setattr(swap.time, "sleep", lambda _: theirs.write(b"theirs"))
        assert not put_in_place(temporary, real, b"before")
    assert real.read_bytes() == b"theirs"


def test_a_file_created_meanwhile_stays(files):
    real, temporary = files
    assert not put_in_place(temporary, real, None)
    assert real.read_bytes() == b"before"
    real.unlink()
    assert put_in_place(temporary, real, None)
    assert real.read_bytes() == b"ours"
    assert not temporary.exists()


def test_a_file_removed_meanwhile_is_not_created_again(files):
    real, temporary = files
    real.unlink()
    assert not put_in_place(temporary, real, b"before")
    assert not real.exists()


def test_removal_checks_the_file_that_it_removes(files):
    real, _ = files
    assert not remove_file(real, b"other")
    assert real.read_bytes() == b"before"
    assert remove_file(real, b"before")
    assert not real.exists()
    assert not remove_file(real, b"before")


@pytest.mark.parametrize("function", ["put_in_place", "remove_file"])
def test_an_error_leaves_the_old_file_in_its_place(files, monkeypatch, function):
    real, temporary = files

    def fail(*_):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(swap, "_stays_equal", fail)
    with pytest.raises(OSError, match="Input/output"):
        put_in_place(temporary, real, b"before") if function == "put_in_place" else remove_file(real, b"before")
    assert real.read_bytes() == b"before"


@pytest.mark.parametrize("what", ["renameat2", "link"])
def test_file_systems_without_exchange_are_supported(files, monkeypatch, what):
    real, temporary = files
    before: bytes | None = b"before"
    if what == "link":
        before = None
        real.unlink()

        def refuse(*_):
            raise PermissionError(1, "Operation not permitted")

        monkeypatch.setattr(os, "link", refuse)
    else:
        monkeypatch.setattr(swap, "_find_exchange", lambda: None)
        assert not put_in_place(temporary, real, b"other")
    assert put_in_place(temporary, real, before)
    assert real.read_bytes() == b"ours"


WRITER = """
import os, sys, time
path, count = sys.argv[1], int(sys.argv[2])
for number in range(count):
    with open(path + ".theirs", "wb") as file:
        file.write(b"%d" % number)
    os.replace(path + ".theirs", path)
    time.sleep(0.0005)
"""


def test_no_update_of_a_busy_writer_is_undone(tmp_path):
    """Each text begins with the number of the newest update that it is built on: that number never falls."""
    real, count = tmp_path / "settings.json", examples(1000)
    real.write_bytes(b"0")
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(real), str(count)])
    seen = done = 0
    while writer.poll() is None or not done:
        before = real.read_bytes()
        assert int(before.split()[0]) >= seen
        seen = int(before.split()[0])
        temporary = tmp_path / ".settings.json.2.atm.tmp"
        temporary.write_bytes(before + b" and ours")
        done += put_in_place(temporary, real, before)
        temporary.unlink(missing_ok=True)
    assert writer.returncode == 0
    assert int(real.read_bytes().split()[0]) == count - 1
