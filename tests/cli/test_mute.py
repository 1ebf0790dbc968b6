"""`atm-tui mute` mutes the notifications of all apps until a time."""

import argparse
import time
from pathlib import Path

import pytest

from atm_tui.cli.mute import parse_mute_time, run_mute
from atm_tui.sources.mute import read_mute


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
