"""Only atm_tui.sources.exists checks what is at a path: Path's own methods raise for some paths."""

import ast
import os
import socket
from pathlib import Path

import pytest

from atm_tui.sources import exists
from tests.support.source_search import find_calls, parse_sources

METHODS = {
    *("exists", "is_dir", "is_file", "is_symlink", "is_socket", "is_fifo", "is_mount", "samefile"),
    *("glob", "rglob", "iterdir", "resolve", "expanduser", "isdir", "isfile", "islink", "lexists"),
}
"""Methods of Path, and functions of os.path: some raise for a path that is too long, or that may not be entered; some only in
some versions of Python; and each of them has a sibling in sources/exists.py, or in os, that says what it does."""
ALLOWED = {
    "tui/atm_tui/sources/exists.py": "the one way",
    "tui/atm_tui/sources/listing.py:refresh": "an entry of a listing, under its guard",
    "tui/atm_tui/sources/folder_usage.py:_leads_to_folder": "the same",
    "tui/atm_tui/sources/folder_usage.py:_list_transcripts": "the same; whether an entry is a link raises nothing",
    "tui/atm_tui/cost/": "names of models, no paths",
    "tui/atm_tui/paths.py": "os.path.expanduser raises nothing",
}


def _asks(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in METHODS
        and ast.unparse(node.func.value) not in ("ast", "exists")
    )


def test_no_other_module_checks_what_is_at_a_path() -> None:
    found = []
    for name, tree in parse_sources(rf"\.\s*({'|'.join(METHODS)})\b"):
        for function, line in find_calls(tree, _asks):
            if not any(f"{name}:{function}".startswith(each) for each in ALLOWED):
                found.append(f"{name}:{line}")
    assert found == []


ASKED = [
    *(exists.is_folder, exists.is_file, exists.exists, exists.is_link, exists.is_socket, exists.is_executable),
    exists.is_readable,
]


@pytest.mark.parametrize("path", ["a\0b", "a\ud800b", "x" * 300, "/dev/null/x", "y/" * 3000, "", "/proc/self/fd/999/x"])
def test_an_inaccessible_path_counts_as_missing(path: str) -> None:
    for ask in ASKED:
        assert not ask(path)
    assert exists.list_folder(path) == []
    assert exists.list_tree(path) == []


def test_the_kind_of_file_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the name of a socket must be short
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "inside.json").write_text("")
    (tmp_path / "folder" / "other.txt").write_text("")
    (tmp_path / "link").symlink_to("folder")
    (tmp_path / "lost").symlink_to("nowhere")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
    inside = tmp_path / "folder" / "inside.json"
    assert [exists.is_folder(tmp_path / name) for name in ("folder", "link", "lost", "none")] == [
        True,
        True,
        False,
        False,
    ]
    assert [exists.is_link(tmp_path / name) for name in ("folder", "link", "lost")] == [False, True, True]
    assert [exists.exists(tmp_path / name) for name in ("folder", "lost", "none")] == [True, False, False]
    assert exists.is_file(inside)
    assert exists.is_socket(tmp_path / "socket")
    assert not exists.is_socket(inside)
    assert exists.is_executable("/bin/sh")
    assert not exists.is_executable(inside)
    assert not exists.is_executable(tmp_path)
    assert exists.is_readable(inside)
    assert exists.is_readable("/dev/null")
    assert not exists.is_readable(tmp_path)
    assert exists.list_folder(tmp_path / "folder", "*.json") == [inside]
    assert exists.list_folder(tmp_path / "folder") == [inside, inside.with_name("other.txt")]
    tree = {str(path.relative_to(tmp_path)) for path in exists.list_tree(tmp_path)}
    assert tree == {"folder", "folder/inside.json", "folder/other.txt", "link", "lost", "socket"}


@pytest.mark.parametrize("error", [PermissionError, OSError])
def test_a_folder_that_cannot_be_listed_is_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[OSError]
) -> None:
    def refuse(*_: object) -> None:
        raise error(5, "no")

    monkeypatch.setattr(os, "listdir", refuse)
    monkeypatch.setattr(os, "scandir", refuse)
    assert exists.list_folder(tmp_path) == []
    assert exists.list_tree(tmp_path) == []
