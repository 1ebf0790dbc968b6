"""`atm-tui mute` mutes the notifications of all apps until a time."""

import argparse
import time
from pathlib import Path

import pytest

from atm_tui.cli.command_error import CommandError
from atm_tui.cli.mute import parse_mute_time, run_mute
from atm_tui.sources.mute import read_mute, write_mute


@pytest.mark.parametrize(
    ("given", "seconds"), [("30m", 1800), ("2h", 7200), ("90s", 90), ("5", 300), ("off", 0), ("7h", 25200)]
)
def test_times(given: str, seconds: int) -> None:
    assert parse_mute_time(given) == seconds


@pytest.mark.parametrize("given", ["", "0", "0m", "-5m", "1d", "999999h", "on", "٣m", "1.5h"])
def test_an_invalid_time_is_an_error(given: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="is no time"):
        parse_mute_time(given)


def test_notifications_are_muted_until_the_time_or_until_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ATM_STATE_DIR", str(tmp_path))
    for given, is_muted in ((None, False), (3600.0, True), (None, True), (0.0, False), (None, False)):
        before = time.time()
        assert run_mute(argparse.Namespace(time=given)) == 0
        assert (read_mute(tmp_path) > before) is is_muted


@pytest.mark.parametrize("given", [3600.0, 0.0])
def test_in_a_folder_of_a_newer_version_a_time_that_is_not_stored_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: float
) -> None:
    monkeypatch.setenv("ATM_STATE_DIR", str(tmp_path))
    until = time.time() + 60
    write_mute(tmp_path, until)
    (tmp_path / "schema").write_text("99\n")
    with pytest.raises(CommandError, match="is of a newer atm-tui"):
        run_mute(argparse.Namespace(time=given))
    assert read_mute(tmp_path) == until
