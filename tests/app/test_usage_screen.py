"""The usage screen: its figures, its states, its keys; and that they are the command's figures."""

import argparse
import json
import threading
from collections.abc import Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from rich.cells import cell_len

from atm_tui.app import AtmApp
from atm_tui.cli.usage import add_usage_arguments, run_usage
from atm_tui.config import Config
from atm_tui.cost.pricing import load_default_table
from atm_tui.cost.report import SPANS, Progress, UsageHistory, UsagePart, make_report, narrow_history
from atm_tui.model.tokens import Bucket, Tokens
from atm_tui.monitor.live import LiveMonitor
from atm_tui.screens.usage import UsageScreen
from atm_tui.text import format_money
from atm_tui.text import format_tokens as compact
from atm_tui.view import usage as usage_text
from atm_tui.view.day_bars import sum_bars
from atm_tui.view.present import UNICODE, shorten_model
from tests.support.effort import sample
from tests.support.fleets import NOW, make_busy_fleet
from tests.support.memory_monitor import InventedUsage
from tests.support.waiting import comes_true


@asynccontextmanager
async def open_usage(drive, spending: object, *, size: tuple[int, int] = (120, 40), **others: object):
    async with drive(make_busy_fleet(), size=size, **others) as app:
        app.monitor.usage = spending
        await app.press("u")
        yield app


async def test_the_usage_screen_opens_with_today_and_switches_spans(drive) -> None:
    spending = InventedUsage()
    async with open_usage(drive, spending) as app:
        await app.wait_until(lambda: "by project" in app.text)
        sums = {}
        for span in SPANS:
            since, before = span.find_bounds(NOW)
            report = make_report(spending.result, spending.table, since, NOW, before=before)
            sums[span.name] = report
            assert f"{span.name} {format_money(report.total.usd)}" in app.lines[1]
        assert "▌today" in app.lines[1]
        assert "per hour" in app.text
        for key, name in (("right", "yesterday"), ("l", "7 days"), ("right", "30 days"), ("right", "today"),
                          ("left", "30 days")):  # fmt: skip
            await app.press(key)
            assert f"▌{name}" in app.lines[1]
            assert ("per day" in app.text) == ("days" in name)
            for project, total in sums[name].projects:
                assert format_money(total.usd) in app.line_with(project.replace("/home/user", "~"))
            assert f"{sums[name].total.requests:,}" in app.line_with("requests")
        for text in ("opus 5.5", "refactor-db", "cache hits", "92%"):
            assert text in app.text


async def test_a_wide_screen_has_long_bars(drive) -> None:
    async with open_usage(drive, InventedUsage(), size=(120, 40)) as app:
        await app.wait_until(lambda: "by project" in app.text)
        lengths = []
        for width in (80, 120, 200):
            await app.resize((width, 40))
            line = app.line_with("~/src/shop-api").split("$")[0]
            lengths.append(sum(line.count(each) for each in "━╸─"))
        assert lengths == [16, 11, 31]


async def test_closing_the_usage_screen_returns_to_the_previous_view(drive) -> None:
    async with open_usage(drive, InventedUsage()) as app:
        await app.wait_until(lambda: isinstance(app.app.screen, UsageScreen))
        await app.press("escape")
        assert app.app.screen is app.main
        await app.press("u")
        await app.wait_until(lambda: isinstance(app.app.screen, UsageScreen))
        await app.press("u")
        assert app.app.screen is app.main


async def test_every_size_is_filled_exactly(drive) -> None:
    async with open_usage(drive, InventedUsage(), size=(40, 12)) as app:
        await app.wait_until(lambda: "per hour" in app.text)
        for size in sample([(40, 12), (60, 24), (84, 30), (120, 40), (200, 60)], (40, 12), (120, 40)):
            await app.resize(size)
            assert {cell_len(line) for line in app.lines} == {size[0]}
            await app.press("j", "j", "k", "left")
            assert "▌30 days" in app.lines[1], size
            await app.press("right")
            assert "▌30 days" not in app.lines[1], size


class ManySessions(InventedUsage):
    """Has more sessions and days than there is room for."""

    def _make_buckets(self) -> Iterator[Bucket]:
        for number, each in enumerate(super()._make_buckets()):
            yield msgspec.structs.replace(each, session_id=f"s{number % 40}")


async def test_lists_have_as_many_entries_as_fit(drive) -> None:
    async with open_usage(drive, InventedUsage(), size=(200, 60)) as app:
        await app.wait_until(lambda: "by project" in app.text)
        await app.press("left")
        screen = app.app.screen
        body, plot, lists = (screen.query_one(name) for name in ("#usage-body", "#plot", "#usage-tables"))
        for size in sample([(200, height) for height in (60, 58, 70, 44, 61, 52)], (200, 60), (200, 52)):
            await app.resize(size)
            assert body.max_scroll_y == 0, app.text
            free = body.size.height - lists.size.height - plot.outer_size.height - 2
            assert free == 0 or " more " not in app.text, (size, app.text)


async def test_opening_a_list_leaves_the_others_as_long_as_they_were(drive) -> None:
    async with open_usage(drive, ManySessions(), size=(120, 60)) as app:
        await app.wait_until(lambda: "by project" in app.text)
        await app.press("left", *["j"] * 90)
        sessions, days = (line for line in app.lines if " more " in line)
        assert "▌+" in days
        await app.press("enter")
        assert [line for line in app.lines if " more " in line] == [sessions]


async def test_ascii(drive) -> None:
    async with open_usage(drive, InventedUsage(), config=Config(ascii=True)) as app:
        await app.wait_until(lambda: "by project" in app.text)
        for _ in SPANS:
            assert app.text.isascii(), sorted({each for each in app.text if not each.isascii()})
            assert "###" in app.text
            await app.press("right")


class BlockedUsage(InventedUsage):
    """Tells that it is half through, and waits."""

    def __init__(self) -> None:
        super().__init__()
        self.go_on = threading.Event()

    def read(self, since: float | None = None) -> Iterator[Progress]:
        for done in (50_000_000, 100_000_000, 150_000_000):
            yield Progress(done_bytes=done, total_bytes=200_000_000, done_files=done // 5_000_000, total_files=40)
            self.go_on.wait(0.06)
        self.go_on.wait(5)
        yield from super().read(since)


async def test_progress_is_shown_while_the_history_loads_and_keys_work(drive) -> None:
    held = BlockedUsage()
    async with open_usage(drive, held) as app:
        await app.wait_until(lambda: "of 200 MB" in app.text)
        assert "of 40 files" in app.text
        assert "today –" in app.lines[1]
        assert "by project" not in app.text
        await app.press("right")
        held.go_on.set()
        await app.wait_until(lambda: "by project" in app.text)
        assert "▌yesterday" in app.lines[1]


async def test_the_usage_screen_can_be_closed_while_it_reads(drive) -> None:
    held = BlockedUsage()
    async with open_usage(drive, held) as app:
        await app.wait_until(lambda: "Reading transcripts" in app.text)
        await app.press("escape")
        assert app.app.screen is app.main
        held.go_on.set()
        await app.tick(1)


class FailingUsage(InventedUsage):
    """Reads at the second try."""

    tries = 0

    def read(self, since: float | None = None) -> Iterator[Progress]:
        self.tries += 1
        if self.tries == 1:
            raise PermissionError(13, "Permission denied", "/home/user/.claude/projects/[/]")
        yield from super().read(since)


async def test_a_read_error_is_shown_and_can_be_retried(drive) -> None:
    async with open_usage(drive, FailingUsage()) as app:
        await app.wait_until(lambda: "can't be read" in app.text)
        assert "projects/[/]" in app.text
        await app.press("r")
        await app.wait_until(lambda: "by project" in app.text)


async def test_missing_costs_and_missing_history_are_shown(drive) -> None:
    async with open_usage(drive, InventedUsage(days=0)) as app:
        await app.wait_until(lambda: "Nothing was spent in the last 30 days" in app.text)
        assert "/home/user/.claude/projects" in " ".join(app.text.split())
    async with open_usage(drive, None) as app:
        await app.wait_until(lambda: "No usage in a recording" in app.text)


async def test_looking_inside_narrows_all_figures_and_escape_goes_back(drive) -> None:
    spending = InventedUsage()
    async with open_usage(drive, spending, size=(120, 60)) as app:
        await app.wait_until(lambda: "by project" in app.text)
        await app.press("left")
        since, _ = SPANS[3].find_bounds(NOW)
        whole = make_report(spending.result, spending.table, since, NOW)
        (project, total), *_ = whole.projects
        header = app.lines[0]
        assert "▌" in app.line_with(project.replace("/home/user", "~"))
        await app.press("enter")
        await app.wait_until(lambda: "Esc back" in app.text)
        assert format_money(total.usd) in app.line_with("project ~")
        assert "by project" not in app.text
        narrowed = narrow_history(spending.result, [UsagePart("project", project)])
        report = make_report(narrowed, spending.table, since, NOW)
        assert report.total.usd == total.usd
        for model, part in report.models:
            assert format_money(part.usd) in app.line_with(shorten_model(model))
        # a model of the project
        await app.press("enter")
        await app.wait_until(lambda: "by model" not in app.text)
        assert format_money(report.models[0][1].usd) in app.line_with("project ~")
        # a session of both has its main thread
        await app.press("enter")
        await app.wait_until(lambda: "main thread" in app.text)
        assert app.lines[0] == header
        for gone in ("by session", "by model", "by project"):
            await app.press("escape")
            await app.wait_until(lambda gone=gone: gone in app.text)
        assert "▌" in app.line_with(project.replace("/home/user", "~"))
        # the days that are not listed at first, and one of them
        await app.press(*["j"] * 40)
        assert "▌+6" in app.line_with(" more ")  # 24 fit
        await app.press("enter", "j", "enter")
        await app.wait_until(lambda: "per hour" in app.text)
        day = next(key for key, _ in whole.days[::-1][24:])
        assert "day " in app.line_with(str(day))
        sums = make_report(narrow_history(spending.result, [UsagePart("day", str(day))]), spending.table, None, NOW)
        assert format_money(sums.total.usd) in app.line_with(str(day))
        await app.press("right")
        assert str(day) not in app.text
        # by clicks: the first selects, the second looks inside
        await app.press("left")
        row = next(n for n, line in enumerate(app.lines) if "haiku 5.5" in line)
        column = app.lines[row].index("haiku 5.5")
        for _ in range(2):
            await app.pilot.click(offset=(column, row))
        await app.wait_until(lambda: "model haiku 5.5" in app.text)
        await app.press("escape", "escape")
        assert app.app.screen is app.main


def make_bucket(at: float, usd: float = 1.0, **fields: object) -> Bucket:
    given = {"project": "p", "session_id": "s", "agent_id": "", "model": "claude-opus-5-5", "speed": "", "region": "",
             "long_prompt": False, "slot": at, "tokens": Tokens(input=round(usd * 250_000)), "requests": 1}  # fmt: skip
    return Bucket(**given | fields)


def join_text(lines: list[usage_text.Line]) -> str:
    return "\n".join("".join(part for part, _ in line).rstrip() for line in lines)


def test_hostile_and_long_names_are_cut_and_the_rest_is_summed() -> None:
    buckets = [make_bucket(NOW, n + 1.0, project=f"/p/{'x' * 80}{n}", session_id=f"s{n}") for n in range(12)]
    report = make_report(UsageHistory(buckets=tuple(buckets)), load_default_table(), None, NOW)
    lines = usage_text.write_tables(report, {"s11": "[/]\x1b]52;c;x\x07\u202e"}, "/home/user", 120, UNICODE).lines
    said = join_text(lines)
    assert "\x1b" not in said
    assert "\u202e" not in said
    assert "[/]" in said
    assert "+4 more" in said
    assert "$10.00" in next(line for line in said.splitlines() if "+4 more" in line)
    assert {sum(cell_len(part) for part, _ in line) for line in lines if line} <= {120, 120 - 58}


def test_models_without_a_price_are_named() -> None:
    report = make_report(UsageHistory(buckets=(make_bucket(NOW, model="glm-5.1"),)), load_default_table(), None, NOW)
    said = join_text(usage_text.write_tables(report, {}, "", 60, UNICODE).lines)
    assert "unpriced" in next(line for line in said.splitlines() if "glm-5.1" in line)
    assert "without a known price, not in the sums" in said
    assert "$0" not in said


def test_bars_cover_every_local_day_or_hour() -> None:
    noon = datetime.fromtimestamp(NOW).astimezone().replace(hour=12, minute=0).timestamp()
    found = sum_bars(
        [make_bucket(noon), make_bucket(noon, 2.0), make_bucket(noon - 86_400)], load_default_table(), SPANS[0], NOW
    )
    assert len(found) == 24
    assert found[12] == ("12h", 3.0)
    assert sum(usd for _, usd in found) == 3.0
    week = sum_bars(
        [make_bucket(noon), make_bucket(noon - 86_400), make_bucket(noon - 8 * 86_400)],
        load_default_table(),
        SPANS[2],
        NOW,
    )
    assert [usd for _, usd in week] == [0, 0, 0, 0, 0, 1.0, 1.0]


async def test_the_screen_shows_the_same_figures_as_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    config = tmp_path / "claude"
    now = datetime.now(UTC)
    for n, model in enumerate(("claude-opus-5-5", "claude-haiku-4-5", "glm-5.1", "claude-sonnet-5-5")):
        folder = config / "projects" / f"-home-user-work-{n % 2}"
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / f"s{n}.jsonl").open("w") as out:
            for days in (0, 1, 3, 20, 60):
                usage = {
                    "input_tokens": 1_000_000 * (days + 1),
                    "output_tokens": 70_000,
                    "cache_read_input_tokens": 999,
                }
                record = {
                    "type": "assistant", "timestamp": (now - timedelta(days=days)).isoformat(), "requestId": f"r{days}",
                    "cwd": f"/home/user/work/{n % 2}", "message": {"id": f"m{n}{days}", "model": model, "usage": usage},
                }  # fmt: skip
                out.write(json.dumps(record) + "\n")
    parser = argparse.ArgumentParser()
    add_usage_arguments(parser)
    printed = {}
    for name, days in (("today", 1), ("7 days", 7), ("30 days", 30)):
        assert run_usage(parser.parse_args(["--config-dir", str(config), "--json", "--days", str(days)])) == 0
        printed[name] = json.loads(capsys.readouterr().out)
    monitor = LiveMonitor(tmp_path / "state", [config], Config(), cache_dir=tmp_path / "cache" / "atm-tui")
    app = AtmApp(monitor, Config())
    async with app.run_test(size=(120, 40)) as pilot:

        def read_lines() -> list[str]:
            return [strip.text for strip in app.screen._compositor.render_strips()]

        await pilot.press("u")
        assert await comes_true(lambda: any("by project" in line for line in read_lines()))
        for name in ("today", None, "7 days", "30 days"):
            if name:
                whole = printed[name]
                total = f"▌{name} {format_money(whole['total_usd'])}"
                assert await comes_true(lambda total=total: total in "\n".join(read_lines()[:3])), (
                    f"{total}: {read_lines()}"
                )
                for project in whole["projects"]:
                    line = next(
                        line for line in read_lines() if project["project"].replace(str(Path.home()), "~") in line
                    )
                    assert format_money(project["usd"]) in line
                models = {m["model"]: m["usd"] for m in whole["models"]}
                assert format_money(models["claude-haiku-4-5"]) in next(
                    line for line in read_lines() if "haiku 4.5" in line
                )
                assert models["glm-5.1"] is None
                assert "unpriced" in next(line for line in read_lines() if "glm-5.1" in line)
                tokens = sum(m["input_tokens"] for m in whole["models"])
                assert compact(tokens) in next(line for line in read_lines() if " input " in line)
            await pilot.press("right")
            await pilot.pause()
