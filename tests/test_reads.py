"""Files are read only through atm_hooks.regular_file: no other module opens a file for reading."""

import ast
import errno
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from atm_hooks.regular_file import NotRegularError, TooLargeError, open_regular, read_end, read_regular, read_start
from tests.support.source_search import find_calls, parse_sources
from tests.support.waiting import PATIENCE

ALLOWED = {
    "hooks/atm_hooks/regular_file.py:open_regular": "the one way",
    "hooks/atm_hooks/private.py:open_folder": "folders; looked at once open",
    "hooks/atm_hooks/private.py:_open_checked": "files of answers: never blocks, looked at once open, read with a bound",
    "hooks/atm_hooks/private.py:write_new_in": "writes",
    "hooks/atm_hooks/journal.py:_append": "writes",
    "hooks/atm_hooks/journal.py:_append_without_lock": "writes",
    "hooks/atm_hooks/journal.py:_replace_state": "writes",
    "hooks/atm_hooks/journal.py:take_lock": "a lock",
    "hooks/atm_hooks/journal.py:write_log": "writes",
    "hooks/atm_hooks/line_settings.py:_keep": "writes",
    "hooks/atm_hooks/notifier.py:open_lock": "a lock",
    "hooks/atm_hooks/notifier.py:_write_mark": "writes",
    "hooks/atm_hooks/bundle.py:compile_module": "files of the package",
    "hooks/atm_hooks/bundle.py:write_bundles": "writes",
    "hooks/atm_hooks/hook.py:<module>": "a file of the package, as the installer wrote it",
    "hooks/atm_hooks/statusline.py:load_bundle": "a file of the package, as the installer wrote it",
    "hooks/atm_hooks/answer_log.py:_open_locked": "writes",
    "hooks/atm_hooks/proc.py:read_stat_fields": "/proc",
    "tui/atm_tui/cli/clean_stream.py:_lead_nowhere": "/dev/null",
    "tui/atm_tui/cli/quick_finder.py:get_code": "files of the package, as Python itself does",
    "tui/atm_tui/cli/report.py:_write_new": "a folder",
    "tui/atm_tui/notify/terminals.py:_write": "writes",
    "tui/atm_tui/settings/doctor_disk.py:_try_to_write": "a folder",
    "tui/atm_tui/settings/doctor_machine.py:_list_in_use": "/proc",
    "tui/atm_tui/settings/doctor_machine.py:check_inotify": "/proc",
    "tui/atm_tui/settings/apply.py:_sync_folder": "a folder",
    "tui/atm_tui/settings/apply.py:write_temporary": "writes",
    "tui/atm_tui/settings/backups.py:_write_copy": "writes",
    "tui/atm_tui/settings/installer.py:hold_lock": "a lock",
    "tui/atm_tui/sources/caller.py:has_controlling_terminal": "/dev/tty, from which nothing is read",
    "tui/atm_tui/sources/mirror.py:_write": "writes",
    "tui/atm_tui/sources/new_file.py:write_new_file": "writes",
    "tui/atm_tui/sources/transcript_tail.py:_read_range": "memory, without a file",
    "tui/atm_tui/demo/stage.py:_append_to_transcript": "writes",
}
"""Functions that open files by themselves, and why."""
MODE = re.compile(r"[rwaxbt+]{1,3}")
HINT = r"\b(open|FileIO|fdopen|mmap|read_bytes|read_text|open_code)\b"
"""Where none of these words is, no file is opened."""


def _opens(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yields the name of the enclosing function and the line of each call that opens a file."""
    return find_calls(tree, lambda node: isinstance(node, ast.Call) and _is_open(node))


def _is_open(call: ast.Call) -> bool:
    function = call.func
    if isinstance(function, ast.Name):
        return function.id in ("open", "FileIO", "fdopen", "mmap")
    if not isinstance(function, ast.Attribute):
        return False
    if function.attr == "read_bytes":
        return True
    if function.attr in ("read_text", "FileIO", "fdopen", "open_code", "mmap"):
        return True
    if function.attr != "open":
        return False
    texts = [each.value for each in call.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    receiver = ast.unparse(function.value)
    is_module = receiver in ("os", "posix", "io", "_io", "codecs", "gzip", "bz2", "lzma", "tokenize")
    return is_module or "path" in receiver.lower() or any(MODE.fullmatch(text) for text in texts)


def test_no_other_module_opens_files() -> None:
    found = {}
    for name, tree in parse_sources(HINT):
        for function, line in _opens(tree):
            found[f"{name}:{function}"] = line
    assert {name: line for name, line in found.items() if name not in ALLOWED} == {}
    assert set(ALLOWED) - set(found) == set(), "no longer there"


@pytest.mark.parametrize(
    "call", ["open(p)", "Path(p).open()", "path.read_bytes()", "os.open(p, 0)", "f.open('rb')", "FileIO(p)"]
)
def test_the_search_knows_each_way_to_open_a_file(call: str) -> None:
    assert re.search(HINT, call)
    assert list(_opens(ast.parse(f"def f(p):\n    {call}"))) == [("f", 2)]


def test_files_are_read_fully_or_partly(tmp_path: Path) -> None:
    path = str(tmp_path / "file")
    Path(path).write_bytes(b"0123456789" * 300_000)
    assert read_regular(path) == b"0123456789" * 300_000
    assert read_start(path, 4) == b"0123"
    assert read_end(path, 4) == b"6789"
    assert read_regular(path, 3_000_000) == read_end(path, 10_000_000)
    link = tmp_path / "link"
    link.symlink_to(path)
    assert read_start(str(link), 1) == b"0"


def test_irregular_files_are_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "device").symlink_to("/dev/zero")
    begun = time.monotonic()
    for name, kind in (("fifo", "a FIFO"), ("device", "a device")):
        with pytest.raises(NotRegularError) as raised:
            read_regular(str(tmp_path / name))
        assert raised.value.strerror == f"Not a regular file but {kind}"
        assert raised.value.filename == str(tmp_path / name)
    with pytest.raises(IsADirectoryError):
        read_regular(str(tmp_path))
    with pytest.raises(FileNotFoundError):
        read_regular(str(tmp_path / "none"))
    assert time.monotonic() - begun < PATIENCE


def test_a_file_above_the_size_limit_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(TooLargeError) as raised:
        read_regular(str(path))
    assert raised.value.errno == errno.EFBIG
    assert read_end(str(path), 3) == b"\0\0\0"


@pytest.mark.parametrize("path", ["a\0b", "a\ud800b", "x" * 300, "/dev/null/x"])
def test_an_impossible_path_is_an_os_error(path: str) -> None:
    with pytest.raises(OSError):  # noqa: PT011
        open_regular(path)
