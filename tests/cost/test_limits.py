"""Rate limits: figures that can't be true, windows that are over, and when a limit will be reached."""

import json
from pathlib import Path

import msgspec
import pytest

from atm_hooks import journal, sample
from atm_tui.config import Config
from atm_tui.cost.limits import Gauge, LimitSample, find_accounts, forecast_full
from atm_tui.model.limit_check import check_limits
from atm_tui.model.session import Context, Limit, Limits, Session
from atm_tui.monitor.live import LiveMonitor
from atm_tui.view.explain import explain
from atm_tui.view.limits import write_limits
from atm_tui.view.limits_table import list_limits
from atm_tui.view.limits_text import describe_window
from atm_tui.view.present import UNICODE
from atm_tui.view.status_json import build_status_json

NOW = 1_795_860_000.0
MINUTE, HOUR = 60.0, 3600.0


@pytest.mark.parametrize(
    ("percent", "resets_at", "expected"),
    [
        (71.0, NOW + HOUR, (71.0, NOW + HOUR, "")),
        (100.4, NOW - HOUR, (100.4, NOW - HOUR, "")),
        (0.0, None, (0.0, None, "")),
        (NOW, NOW + HOUR, (None, NOW + HOUR, "1795860000 % is no share")),
        (-5.0, None, (None, None, "-5 % is no share")),
        (140.0, None, (None, None, "140 % is no share")),
        (50.0, (NOW + HOUR) * 1000, (50.0, None, "no window of 5 hours ends at 1795863600000")),
        (50.0, NOW + 7 * HOUR, (50.0, None, f"no window of 5 hours ends at {NOW + 7 * HOUR:.0f}")),
        (50.0, 0.0, (50.0, None, "no window of 5 hours ends at 0")),
    ],
)
def test_figures_that_cannot_be_true_are_left_out_with_the_reason(
    percent: float, resets_at: float | None, expected: tuple[float | None, float | None, str]
) -> None:
    limit = check_limits(Limits(five_hour=Limit(percent=percent, resets_at=resets_at)), NOW).five_hour
    assert limit is not None
    assert (limit.percent, limit.resets_at, limit.problem) == expected


def test_a_plausible_figure_of_another_session_beats_an_impossible_one() -> None:
    given = [Limit(percent=None, resets_at=NOW + HOUR), Limit(percent=40.0, resets_at=NOW + HOUR)]
    for order in (given, given[::-1]):
        sessions = [Session(session_id=str(n), limits=Limits(five_hour=each, at=NOW)) for n, each in enumerate(order)]
        (account,) = find_accounts(sessions)
        assert account.five_hour is not None
        assert account.five_hour.percent == 40.0


def make_samples(
    *shares: float, step: float = 10 * MINUTE, resets_at: float | None = NOW + 2 * HOUR
) -> list[LimitSample]:
    """Samples that end now."""
    begin = NOW - step * (len(shares) - 1)
    return [LimitSample(at=begin + step * n, percent=each, resets_at=resets_at) for n, each in enumerate(shares)]


@pytest.mark.parametrize(
    ("samples", "minutes"),
    [
        (make_samples(40, 50, 60, 70), 30),
        (make_samples(40, 40, 70, 70), 30),
        (make_samples(96, 98, 100), 0),
        (make_samples(40, 70, 45, 70), 30),  # an idle session repeats an old share
        (make_samples(90, 95, resets_at=NOW - HOUR) + make_samples(1, 2, 3), 970),  # only the newest window counts
        (make_samples(40, 41, 41, 41), None),  # hardly any use
        (make_samples(40, 70), None),  # two samples
        (make_samples(40, 50, 60, step=4 * MINUTE), None),  # eight minutes
        (make_samples(40, 50, 60, step=40 * MINUTE), None),  # too long ago
        ([], None),
    ],
)
def test_a_forecast_needs_enough_data(samples: list[LimitSample], minutes: float | None) -> None:
    full_at = forecast_full(samples, NOW)
    assert (None if full_at is None else round((full_at - NOW) / MINUTE)) == minutes


@pytest.mark.parametrize(
    ("gauge", "words"),
    [
        (Gauge(percent=71.0, at=NOW), "71%"),
        (Gauge(percent=71.0, at=NOW, resets_at=NOW + 2 * HOUR), "71%, resets in 2h00"),
        (
            Gauge(percent=71.0, at=NOW, resets_at=NOW + 2 * HOUR, full_at=NOW + HOUR),
            "71%, full in 1h00 at this pace, resets in 2h00",
        ),
        (
            Gauge(percent=71.0, at=NOW, resets_at=NOW + 2 * HOUR, full_at=NOW + 3 * HOUR),
            "71%, lasts at this pace, resets in 2h00",
        ),
        (Gauge(percent=92.0, at=NOW - HOUR, resets_at=NOW - 5 * MINUTE, full_at=NOW), "–, reset 5m ago"),
        (Gauge(percent=None, at=NOW, resets_at=NOW + HOUR), "–, resets in 1h00"),
        (
            Gauge(percent=40.0, at=NOW - HOUR, resets_at=NOW + HOUR, full_at=NOW),
            "40%, as of 1h00 ago, resets in 1h00",
        ),
    ],
)
def test_a_window_in_words(gauge: Gauge, words: str) -> None:
    assert describe_window(gauge, NOW) == words


def make_sample(state_dir: Path, at: float, percent: float, resets_at: float, cost: float) -> None:
    given = {"session_id": "s", "cwd": "/w", "cost": {"total_cost_usd": cost},
             "rate_limits": {"five_hour": {"used_percentage": percent, "resets_at": resets_at}}}  # fmt: skip
    journal.prepare_folders(str(state_dir))
    journal.record_event(str(state_dir), sample.parse_sample(json.dumps(given).encode(), at, {}))


def test_status_usage_and_header_say_when_a_limit_will_be_reached(tmp_path: Path) -> None:
    for minute, percent in ((30, 40), (20, 50), (10, 60), (0, 70)):
        make_sample(tmp_path, NOW - minute * MINUTE, percent, NOW + 2 * HOUR, percent)
    monitor = LiveMonitor(tmp_path, [tmp_path / "claude"], Config(), now=lambda: NOW)
    monitor.refresh()
    (limit,) = build_status_json(monitor.fleet, NOW)["limits"]
    assert (limit["window"], limit["percent"], limit["resets_at"]) == ("5h", 70, NOW + 2 * HOUR)
    assert limit["full_at"] == pytest.approx(NOW + 30 * MINUTE)
    assert limit["full_before_reset"] is True
    assert list_limits(monitor.fleet, NOW) == ["", "Limit 5h: 70%, full in 30m at this pace, resets in 2h00"]
    (account,) = find_accounts(monitor.fleet.sessions.values(), monitor.fleet.limits_full_at)
    assert "".join(text for text, _ in write_limits(account, NOW, UNICODE, 0)) == "5h 70% ↻2h00 full in 30m"
    make_sample(tmp_path, NOW + MINUTE, 71, NOW + 2 * HOUR, 71)
    assert monitor.refresh()


def test_explain_says_why_there_is_no_share_of_the_context(tmp_path: Path) -> None:
    make_sample(tmp_path, NOW, 40, NOW + 2 * HOUR, 1)
    monitor = LiveMonitor(tmp_path, [tmp_path / "claude"], Config(), now=lambda: NOW)
    monitor.refresh()
    session = msgspec.structs.replace(monitor.fleet.sessions["s"], context=Context(problem="5 tokens are more than 2"))
    lines = explain(monitor.reader.facts["s"], session, [], NOW)
    assert "  context: –; not shown: 5 tokens are more than 2" in lines


def test_explain_says_why_a_figure_is_missing(tmp_path: Path) -> None:
    make_sample(tmp_path, NOW, 1_779_124_800, NOW + 2 * HOUR, 1)
    monitor = LiveMonitor(tmp_path, [tmp_path / "claude"], Config(), now=lambda: NOW)
    monitor.refresh()
    lines = explain(monitor.reader.facts["s"], monitor.fleet.sessions["s"], [], NOW)
    assert any("limit 5h: –" in line and "not shown: 1779124800 % is no share" in line for line in lines)
