"""A confirmation is a separate decision: neither a click in the same place nor a held key confirms, at any size."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import product

import pytest
from textual.app import App, ComposeResult

from atm_tui.app import AtmApp
from atm_tui.config import Config
from atm_tui.model.request import Arming, Request
from atm_tui.screens.answer_keys import QUIET, SETTLED, AnswerKeys
from atm_tui.screens.request import RequestScreen
from atm_tui.view.request_footer import Key
from atm_tui.widgets.request_footer import RequestFooter
from tests.app.conftest import MemoryAppDriver
from tests.support import fleets
from tests.support.app_answers import Clock
from tests.support.effort import LONG, sample
from tests.support.memory_monitor import MemoryMonitor
from tests.support.mouse import click

SIZES = [(120, 40), (80, 24), (60, 20), (40, 10), (30, 12)]
DELAYS = [0.0, SETTLED, QUIET - 0.05, QUIET + 0.05, 1.5]
SPOTS = sample(
    product(SIZES, DELAYS),
    *(((120, 40), delay) for delay in (0.0, QUIET - 0.05, QUIET + 0.05)),
    ((30, 12), 1.5),
)
"""Sizes of the screen (cells), and seconds between two clicks."""
DANGEROUS = ("deletes files",)
WIDE = {"type": "setMode", "mode": "bypassPermissions", "destination": "session"}


class DialogDriver(MemoryAppDriver):
    """A running app on which sessions ask, and a clock for keys and clicks."""

    clock: Clock

    def advance(self, seconds: float) -> None:
        """Time goes by, and the app is awake meanwhile."""
        for _ in range(round(seconds / 0.05 + 0.1)):
            self.clock.seconds += 0.05
            self.app.arming.keys.update()

    @property
    def mode(self) -> str:
        """The state of the dialog; empty: it shows the request."""
        assert isinstance(self.app.screen, RequestScreen), self.text
        return self.app.screen._mode

    @property
    def yeses(self) -> list[str]:
        return [decision.kind for _, decision, _ in self.monitor.answers if decision.kind != "deny"]

    def find(self, text: str) -> tuple[int, int]:
        """The cell in which a button of the dialog begins, or of the footer below the sessions."""
        foot = self.app.screen._footer if isinstance(self.app.screen, RequestScreen) else self.main.footer
        for y in range(foot.region.y, foot.region.bottom):
            if (x := self.lines[y].find(text, foot.region.x)) >= 0:
                return x, y
        pytest.fail(f"{text!r} is not in the footer:\n{self.text}")

    async def click(self, at: tuple[int, int]) -> None:
        await click(self.pilot, *at)

    async def resize(self, size: tuple[int, int]) -> None:
        await self.pilot.resize_terminal(*size)
        await self.wait_until(lambda: len(self.lines) == size[1])

    async def open(self) -> None:
        """Opens the dialog, or goes back to its first state, and lets time go by."""
        self.advance(1.0)
        if not isinstance(self.app.screen, RequestScreen):
            await self.press("d")
        if self.mode:
            await self.press("escape")
        self.advance(1.0)


def make_request(command: str, nonce: str = "n", **more: object) -> Request:
    return Request(
        nonce=nonce,
        session_id="0a11",
        key=f"main||Bash|{nonce}",
        digest="0" * 64,
        at=fleets.NOW - 9,
        until=fleets.NOW + 600,
        tool="Bash",
        input={"command": command},
        permission_mode="default",
        **more,  # type: ignore[arg-type]
    )


@asynccontextmanager
async def open_dialogs(
    *requests: Request, dangers: tuple[str, ...] = DANGEROUS, size: tuple[int, int] = (120, 40)
) -> AsyncIterator[DialogDriver]:
    monitor = MemoryMonitor()
    monitor.put(fleets.make_busy_fleet()[:1], health=fleets.HEALTHY)
    risks = {each.nonce: (DANGEROUS,) * len(each.suggestions) for each in requests}
    monitor.fleet.update_requests(requests, {each.nonce: dangers for each in requests}, Arming.ON, risks)
    clock = Clock()
    app = AtmApp(monitor, Config())
    app.arming.keys = AnswerKeys(clock)
    async with app.run_test(size=size) as pilot:
        driver = DialogDriver(app, monitor, pilot)
        driver.clock = clock
        await driver.wait_until(lambda: driver.main.is_loaded)
        await driver.main.go_to("0a11")
        await driver.wait_until(lambda: driver.main.selection.request is not None)
        yield driver


async def test_two_clicks_in_one_place_allow_at_most_once() -> None:
    async with open_dialogs(make_request("rm -rf src", suggestions=(WIDE,))) as app:
        for size, delay in SPOTS:
            await app.resize(size)
            await app.open()
            spot = app.find("a allow")
            await app.click(spot)
            assert app.mode == "confirm"
            app.advance(delay)
            await app.click(spot)
            assert app.mode == ("" if delay >= QUIET else "confirm"), (size, delay)
            app.advance(delay)
            await app.click(spot)
            assert app.yeses == [], (size, delay)


async def test_a_lasting_permission_is_confirmed_in_another_place_or_by_another_key() -> None:
    async with open_dialogs(make_request("rm -rf src", suggestions=(WIDE,))) as app:
        for size, delay in sample(product([(120, 40), (40, 18)], DELAYS), ((120, 40), 0.0), ((40, 18), QUIET + 0.05)):
            await app.resize(size)
            await app.open()
            await app.press("w")
            app.advance(1.0)
            spot = app.find("1 allow")
            await app.click(spot)
            assert app.mode == "confirm"
            for _ in range(2):
                app.advance(delay)
                await app.click(spot)
                assert app.yeses == [], (size, delay)


@pytest.mark.parametrize("size", sample(SIZES, (40, 10)))
async def test_clicks_in_a_single_place_never_allow_a_dangerous_request(size: tuple[int, int]) -> None:
    async with open_dialogs(make_request("rm -rf src", suggestions=(WIDE,)), size=size) as app:
        await app.open()
        foot = app.app.screen._footer.region  # type: ignore[attr-defined]
        for row in range(foot.y, foot.bottom):
            for column in range(foot.x, foot.right, 1 if LONG else 5):
                await app.open()
                for _ in range(3):
                    await app.click((column, row))
                    app.advance(0.8)
                    if not isinstance(app.app.screen, RequestScreen):
                        break
                assert app.yeses == [], (column, row)


async def test_the_second_click_must_be_elsewhere_and_later() -> None:
    async with open_dialogs(make_request("rm -rf src")) as app:
        await app.open()
        first = app.find("a allow")
        await app.click(first)
        second = app.find("y yes")
        assert second[0] > first[0] + 20
        assert app.find("Esc back") == first
        await app.click(second)
        assert app.yeses == []
        app.advance(0.6)
        await app.click(second)
        assert app.yeses == []
        app.advance(1.0)
        await app.click(second)
        assert app.yeses == ["allow"]


@pytest.mark.parametrize("size", sample([(120, 40), (40, 12)], (40, 12)))
async def test_clicking_show_more_does_not_allow(size: tuple[int, int]) -> None:
    command = "\n".join(f"echo step {number}" for number in range(2 * size[1]))
    async with open_dialogs(make_request(command), dangers=(), size=size) as app:
        await app.open()
        spot = app.find("show more")
        while "not seen yet" in app.text:
            await app.click(spot)
            app.advance(1.0)
        for _ in range(3):
            await app.click(spot)
            app.advance(1.0)
        assert app.yeses == []


async def test_repeated_clicks_do_not_answer_a_second_request() -> None:
    async with open_dialogs(make_request("ls", "n1"), make_request("pwd", "n2"), dangers=()) as app:
        await app.open()
        spot = app.find("a allow")
        await app.click(spot)
        for _ in range(20):
            app.advance(0.1)
            await app.click(spot)
        assert app.yeses == ["allow"]


async def test_clicks_on_the_main_footer_only_open_the_dialog() -> None:
    async with open_dialogs(make_request("rm -rf src"), size=(40, 10)) as app:
        app.advance(1.0)
        spot = app.find("a allow")
        for _ in range(10):
            await app.click(spot)
            app.advance(0.1)
        assert app.mode == ""
        assert app.yeses == []


async def test_a_held_key_allows_at_most_once() -> None:
    async with open_dialogs(make_request("rm -rf src")) as app:
        for key in ("a", "y", "enter"):
            await app.open()
            await app.press("a")
            for _ in range(15):
                app.advance(0.1)
                await app.press(key)
            assert app.yeses == [], key
            assert app.mode == "confirm"


class NarrowFooterApp(App[None]):
    """The footer of the dialog where no place is left for a button to move to."""

    CSS = "#request-foot { width: 12; height: 2; }"

    def __init__(self) -> None:
        super().__init__()
        self.foot = RequestFooter(ascii_only=False)
        self.done: list[str] = []

    def compose(self) -> ComposeResult:
        yield self.foot

    def on_mount(self) -> None:
        self.screen.action_allow = lambda: self.done.append("allow")  # type: ignore[attr-defined]
        self.screen.action_sure = lambda: self.done.append("sure")  # type: ignore[attr-defined]


async def test_when_buttons_cannot_move_a_second_click_in_the_same_place_does_not_confirm() -> None:
    app = NarrowFooterApp()
    async with app.run_test(size=(20, 4)) as pilot:
        app.foot.show(("", "plain"), (Key("a", "allow all", "allow"),))
        await click(pilot, 8, 1)
        app.foot.show(("", "plain"), (Key("y", "yes", "sure", is_apart=True),))
        for column in (8, 8, 10):
            await click(pilot, column, 1)
        assert app.done == ["allow"]
        assert "another" in str(app.foot.render())
        await click(pilot, 8, 0)
        await click(pilot, 8, 1)
        assert app.done == ["allow", "sure"]
