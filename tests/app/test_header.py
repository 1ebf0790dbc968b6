"""The header's figures: limits of one account or several, old ones dim, spending today, at every width."""

import pytest
from rich.cells import cell_len

from atm_tui.config import Config
from atm_tui.cost.limits import find_accounts
from atm_tui.messages import FleetChanged
from atm_tui.model.session import Limit, Limits, Session
from tests.support.effort import sample
from tests.support.fleet_parts import LIMITS
from tests.support.fleets import NOW, make_busy_fleet


def make_limited(
    at: float = NOW - 20, five: float = 71.0, resets: float | None = NOW + 7_800, folder: str = "/c"
) -> Session:
    limits = Limits(five_hour=Limit(percent=five, resets_at=resets), at=at)
    return Session(session_id=f"{folder}{at}{five}", name="s", config_dir=folder, limits=limits)


def test_the_newest_limit_window_counts_even_if_an_idle_session_repeats_an_old_one() -> None:
    (account,) = find_accounts(
        [make_limited(at=NOW - 60, five=40.0), make_limited(at=NOW, five=22.0), Session(session_id="none")]
    )
    assert account.five_hour is not None
    assert (account.five_hour.percent, account.five_hour.at) == (40.0, NOW - 60)
    (account,) = find_accounts([make_limited(five=95.0, resets=NOW - 100), make_limited(five=3.0, resets=NOW + 17_900)])
    assert account.five_hour is not None
    assert account.five_hour.percent == 3.0
    assert account.seven_day is None


def test_each_config_folder_is_an_account() -> None:
    assert [each.config_dir for each in find_accounts([make_limited(folder="/b"), make_limited(folder="/a")])] == [
        "/a",
        "/b",
    ]
    assert find_accounts([Session(session_id="s")]) == ()


async def test_the_header_shows_limits_with_gauge_and_reset(drive) -> None:
    async with drive(make_busy_fleet(), size=(120, 30)) as app:
        line = " ".join(app.lines[0].split())
        assert "5h ━━━━━━━─── 71% ↻2h10 7d" in line
        assert "34% ↻3d total $23.90" in line
        await app.tick(120)
        assert "71% ↻2h08" in app.lines[0]


async def test_stale_and_expired_limits_are_dim_with_their_age(drive) -> None:
    async with drive([make_limited(at=NOW - 580)], size=(120, 30)) as app:
        assert "71% ↻2h10" in app.lines[0]
        await app.tick(60)
        assert "71% 10m ago" in app.lines[0]
    async with drive([make_limited(resets=NOW + 5)], size=(120, 30)) as app:
        await app.tick(6)
        assert "71%" not in app.lines[0]
        assert "5h reset 1s ago" in app.lines[0]
        (dim,) = [
            segment.style
            for strip in app.app.screen._compositor.render_strips()[:1]
            for segment in strip
            if "ago" in segment.text
        ]
        assert dim.color.get_truecolor().hex == app.app.get_css_variables()["foreground-disabled"].lower()


async def test_several_accounts_get_their_own_line(drive) -> None:
    fleet = [make_limited(folder="/home/user/.claude"), make_limited(folder="/home/user/.claude-work", five=12.0)]
    async with drive(fleet, size=(100, 30)) as app:
        assert "5h" not in app.lines[0]
        assert app.lines[1].startswith(" ~/.claude  5h ━━━━━╸── 71% ↻2h10     ~/.claude-work  5h ━─────── 12%")
        await app.put(fleet[0])
        assert "5h" in app.lines[0]
        assert "5h" not in app.lines[1]


async def test_counts_and_cost_are_shown_at_every_width(drive) -> None:
    async with drive(make_busy_fleet(), size=(30, 24)) as app:
        for width in sample([40, 50, 60, 70, 80, 90, 100, 120, 160], 40, 50, 160):
            await app.resize((width, 24))
            assert cell_len(app.lines[0]) == width
            assert "● 3" in app.lines[0], width
            assert "$23.90" in app.lines[0], width
            assert "…" not in app.lines[0], width
            assert ("71%" in app.lines[0]) == (width >= 50), width


async def test_the_cost_of_today_replaces_the_sum_and_is_coloured_over_the_budget(drive) -> None:
    def find_colour(app) -> str:
        strip = app.app.screen._compositor.render_strips()[0]
        (style,) = [segment.style for segment in strip if "$41.20" in segment.text]
        return style.color.get_truecolor().hex

    async with drive(make_busy_fleet(), config=Config(budget_day=50.0)) as app:
        app.monitor.usd_today = 41.20
        await app.app._budgets.count(app.app._stop)
        await app.wait_until(lambda: "today $41.20" in app.lines[0])
        quiet = find_colour(app)
        assert quiet != app.app.get_css_variables()["warning"].lower()
    async with drive(make_busy_fleet(), config=Config(budget_day=41.0)) as app:
        app.monitor.usd_today = 41.20
        await app.app._budgets.count(app.app._stop)
        await app.wait_until(lambda: "today $41.20" in app.lines[0])
        assert find_colour(app) == app.app.get_css_variables()["warning"].lower()


async def test_ascii_limits(drive) -> None:
    session = Session(session_id="s", name="s", limits=LIMITS)
    async with drive([session], size=(120, 30), config=Config(ascii=True)) as app:
        assert "5h [######--] 71% in 2h10" in app.lines[0]
        assert app.text.isascii()


async def test_the_prompt_cache_counts_down_on_a_quiet_screen(drive) -> None:
    session = Session(session_id="s", name="s", since=NOW - 4_000, cache_until=NOW + 3)
    async with drive([session]) as app:
        for words in ("warm 3s", "warm 2s", "warm 1s", "cold"):
            assert f"cache   {words}" in app.text
            await app.tick(1)


@pytest.mark.parametrize("width", sample([120, 80], 80))
async def test_a_limit_that_will_be_full_before_its_reset_says_when(drive, width: int) -> None:
    async with drive([make_limited()], size=(width, 24)) as app:
        assert "full in" not in app.lines[0]
        app.monitor.fleet.limits_full_at = {("/c", "five_hour"): NOW + 2_400}
        app.app.post_message(FleetChanged())
        await app.wait_until(lambda: "71% ↻2h10 full in 40m" in app.lines[0])
        app.monitor.fleet.limits_full_at = {("/c", "five_hour"): NOW + 24_000}
        app.app.post_message(FleetChanged())
        await app.wait_until(lambda: "full in" not in app.lines[0])
