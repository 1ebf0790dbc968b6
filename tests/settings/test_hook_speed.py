"""Whether a hook is slow is judged by an empty Python program on the same machine, at the same time."""

import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from atm_tui import paths
from atm_tui.settings import doctor
from atm_tui.settings.check import Check, Level
from atm_tui.settings.doctor import check_settings
from atm_tui.settings.hook_speed import describe_slow_hook, format_ratio, is_slow, measure_empty_program
from atm_tui.settings.trial import Recording, Trial

PYTHON = Path("/usr/bin/python3")


@pytest.mark.parametrize(
    ("ms", "empty_ms", "slow"),
    [
        (45.0, 30.0, False),
        (110.0, 25.0, False),  # more than four times as long, but that little may be chance
        (180.0, 30.0, True),
        (200.0, 150.0, False),
        (260.0, 200.0, True),  # felt, whatever the reason
        (249.0, 0.0, False),
        (251.0, 0.0, True),
    ],
)
def test_a_hook_is_slow_above_the_limits(ms: float, empty_ms: float, slow: bool) -> None:
    assert is_slow(ms, empty_ms) is slow


def test_the_advice_distinguishes_a_slow_python_from_a_slow_hook() -> None:
    text, advice = describe_slow_hook(300.0, 30.0, PYTHON, "Look at the disk.")
    assert (text, advice) == ("takes 300 ms, 10.0 times an empty Python program (30 ms)", "Look at the disk.")
    text, advice = describe_slow_hook(300.0, 200.0, PYTHON, "Look at the disk.")
    assert text.startswith("takes 300 ms, 1.5 times")
    assert "Python itself starts slowly" in advice
    assert "/usr/bin/python3" in advice
    assert describe_slow_hook(300.0, 0.0, PYTHON, "Look.") == ("takes 300 ms", "Look.")
    assert format_ratio(45.0, 0.0) == ""


def test_the_time_of_an_empty_program_is_measured_or_unknown(tmp_path: Path) -> None:
    assert measure_empty_program(Path(sys.executable)) > 0.0
    assert measure_empty_program(tmp_path / "gone") == 0.0
    assert measure_empty_program(Path("nul\0")) == 0.0


def find(checks: Iterable[Check], name: str) -> Check:
    return next(each for each in checks if each.name == name)


def test_doctor_names_a_slow_hook_with_its_time_and_the_next_step(
    config_dir: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "measure_empty_program", lambda _: 30.0)  # on a busy machine, Python itself is slow
    script = home / "data/atm-tui/hooks/atm_hooks/hook.py"
    script.write_text(f"import time; time.sleep(0.5)\n{script.read_text()}")
    check = find(check_settings(config_dir, paths.find_state_dir()), "hook")
    assert check.level is Level.WARNING
    assert "times an empty Python program" in check.text
    assert check.ms is not None
    assert check.ms > 500
    assert check.advice == "Run `atm-tui install`."


@pytest.mark.parametrize(
    ("empty_ms", "recording_ms", "words"),
    [(30.0, 300.0, "Look at the disk of /the/state"), (280.0, 300.0, "Python itself starts slowly"), (30.0, 45.0, "")],
)
def test_the_cause_of_slow_recording_is_named(
    config_dir: Path, monkeypatch: pytest.MonkeyPatch, empty_ms: float, recording_ms: float, words: str
) -> None:
    """The trial in a scratch folder is fast: what is slow is the state folder, or Python."""
    monkeypatch.setattr(doctor, "measure_empty_program", lambda _: empty_ms)
    monkeypatch.setattr(doctor, "try_command", lambda *_, **__: Trial(45.0))
    monkeypatch.setattr(doctor, "try_recording", lambda _: Recording("/the/state", ms=recording_ms))
    check = find(check_settings(config_dir, paths.find_state_dir()), "recording")
    assert check.level is (Level.WARNING if words else Level.OK)
    assert f"{recording_ms / empty_ms:.1f} times an empty Python program" in check.text
    assert words in check.advice
