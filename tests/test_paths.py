"""The locations of files, as set by the environment."""

import os
from pathlib import Path

import pytest

from atm_tui import paths

FOLDERS = {
    "XDG_STATE_HOME": (paths.find_state_dir, ".local/state/atm-tui"),
    "XDG_DATA_HOME": (paths.find_data_dir, ".local/share/atm-tui"),
    "XDG_CONFIG_HOME": (paths.find_config_file, "config.toml"),
    "XDG_CACHE_HOME": (paths.find_cache_dir, "atm-tui"),
}


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*FOLDERS, "ATM_STATE_DIR", "ATM_DATA_DIR", "ATM_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.mark.parametrize("variable", FOLDERS)
def test_an_absolute_folder_is_used_and_a_relative_one_ignored(variable, tmp_path, monkeypatch):
    """The XDG specification: a relative path is invalid and to be ignored."""
    find, end = FOLDERS[variable]
    default = find()
    assert str(default).startswith(str(tmp_path))
    assert str(default).endswith(end)
    monkeypatch.setenv(variable, "relative/folder")
    assert find() == default
    monkeypatch.setenv(variable, str(tmp_path / "elsewhere"))
    assert find().is_relative_to(tmp_path / "elsewhere")


def test_without_any_home_the_error_says_so(monkeypatch):
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(os, "getuid", lambda: 2**31 - 7)  # a user whom the system does not know
    for find in (paths.find_home, paths.find_state_dir, paths.find_claude_config_dir):
        with pytest.raises(FileNotFoundError, match="HOME is not set"):
            find()
