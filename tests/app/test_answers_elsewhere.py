"""Answers to sessions of another machine: the app here, and over a real sshd the installed hooks there, which wait."""

import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from atm_tui.model.host import Host
from atm_tui.model.request import Arming
from atm_tui.monitor.machines import Machines
from atm_tui.monitor.risk_checker import PENDING
from tests.support.app_answers import Clock
from tests.support.app_files import AppDriver, HomeOnDisk
from tests.support.machines import Net, There
from tests.support.machines_app import run_machines_app
from tests.support.waiting import PATIENCE

RULE = {
    "type": "addRules",
    "rules": [{"toolName": "Bash", "ruleContent": "npm test:*"}],
    "behavior": "allow",
    "destination": "session",
}


class Driver(AppDriver):
    """The app, its keys' clock, and what it knows of machines."""

    clock: Clock

    def get_arming(self, name: str) -> Arming | None:
        return next(each.arming for each in self.app._monitor.fleet.machines if each.name == name)

    async def wait_until_open(self, count: int) -> None:
        await self.wait_until(lambda: len(self.app._monitor.fleet.requests) == count)

    async def wait_until_asked(self) -> None:
        """Waits until one request is open, is checked for dangers, stands in its session's row, and that for a second."""
        fleet = self.app._monitor.fleet

        def is_ready() -> bool:
            for request in fleet.requests.values():
                session = fleet.sessions.get(request.session_id)
                waits = any(each.key == request.key for each in session.waits) if session else False
                return waits and PENDING not in fleet.dangers[request.nonce] and "a allow" in self.text
            return False

        await self.wait_until(is_ready)
        self.let_second_pass()

    def let_second_pass(self) -> None:
        """Lets a second pass without a key press."""
        self.clock.advance(1.0, self.app.arming.keys)


@asynccontextmanager
async def run_app(disk: HomeOnDisk, *names: str) -> AsyncIterator[Driver]:
    machines = Machines({name: Host(ssh=name, answers=True) for name in names}, disk.clock)
    clock = Clock()
    async with run_machines_app(disk, machines, Driver, clock) as driver:
        driver.clock = clock
        yield driver


def start(there: There, session_id: str = "gpu-1") -> None:
    there.record(session_id, "SessionStart", source="startup", session_title=f"on {session_id}")
    there.record(session_id, "UserPromptSubmit", prompt="go", prompt_id="p1")


async def test_a_request_elsewhere_is_shown_whole_and_answered_by_keys(disk: HomeOnDisk, net: Net) -> None:
    """This machine has no hooks at all, and its clock is an hour ahead. A harmless request takes one key; one that looks dangerous
    takes its dialog and a second yes.
    """
    disk.ahead = 3600.0
    there = net.add("gpu")
    there.take_answers()
    start(there)
    async with run_app(disk, "gpu") as app:
        await app.wait_for_text("on gpu-1")
        await app.wait_until(lambda: app.get_arming("gpu") is Arming.OFF)
        assert not there.lease.exists()
        app.tree.select(("session", "gpu:gpu-1"), by_user=True)
        await app.press("A")
        await app.wait_for_text("armed: what sessions ask")
        await app.wait_until(there.lease.exists)
        await app.wait_until(lambda: app.get_arming("gpu") is Arming.ON)

        with there.wait_for_answer("gpu-1", "Bash", {"command": "npm test"}, permission_suggestions=[RULE]) as hook:
            await app.wait_until_asked()
            await app.wait_until(
                lambda: app.app.fleet_screen.shows_whole(next(iter(app.app._monitor.fleet.requests.values())))
            )
            await app.press("a")
            await app.wait_for_text("allowed here")
            assert hook.read_decision() == {"behavior": "allow"}
        assert [(each["by"], each["outcome"]) for each in there.answers] == [("stream", "given")]

        await app.wait_until_open(0)
        app.let_second_pass()
        with there.wait_for_answer("gpu-1", "Bash", {"command": "rm -r ~/old\x1b]52;c;eA==\x07"}) as hook:
            await app.wait_until_asked()
            await app.press("a")
            await app.wait_for_text("⚠ deletes files")
            assert "machine gpu" in app.text
            assert "\x1b" not in app.text
            app.let_second_pass()
            await app.press("a")
            await app.wait_for_text("y yes")
            assert hook.is_waiting
            app.let_second_pass()
            await app.press("y")
            assert hook.read_decision() == {"behavior": "allow"}
        await app.wait_until_open(0)
        app.let_second_pass()
        await app.press("A")
        await app.wait_until(lambda: not there.lease.exists())


@pytest.mark.long
async def test_a_cut_between_showing_and_yes_answers_nothing(disk: HomeOnDisk, net: Net) -> None:
    there = net.add("gpu")
    there.take_answers(installs=True)
    start(there)
    async with run_app(disk, "gpu") as app:
        await app.wait_until(lambda: app.get_arming("gpu") is Arming.OFF)
        app.tree.select(("session", "gpu:gpu-1"), by_user=True)
        await app.press("A")
        await app.wait_until(there.lease.exists)
        with there.wait_for_answer("gpu-1", "Bash", {"command": "rm -r ~/old"}) as hook:
            await app.wait_until_asked()
            await app.press("a")
            await app.wait_for_text("⚠ deletes files")
            there.set_program("exit 1")
            net.signal_links("gpu", signal.SIGKILL)
            await app.wait_for_text("nothing was answered")
            app.let_second_pass()
            await app.press("a", "y")
            assert hook.end() == b""
        assert there.answers == []
        await app.wait_until(lambda: not there.lease.exists())
        # back: armed again, without a key
        there.take_answers(installs=True)
        await app.wait_until(lambda: app.get_arming("gpu") is Arming.ON, seconds=2 * PATIENCE)
        with there.wait_for_answer("gpu-1", "Bash", {"command": "npm test"}) as hook:
            await app.wait_until_asked()
            await app.press("d")
            app.let_second_pass()
            await app.press("enter")
            assert hook.read_decision() == {"behavior": "deny"}


@pytest.mark.long
async def test_a_yes_into_a_link_that_hangs_never_counts_later(disk: HomeOnDisk, net: Net) -> None:
    there = net.add("gpu")
    there.take_answers()
    start(there)
    async with run_app(disk, "gpu") as app:
        await app.wait_until(lambda: app.get_arming("gpu") is Arming.OFF)
        app.tree.select(("session", "gpu:gpu-1"), by_user=True)
        await app.press("A")
        await app.wait_until(there.lease.exists)
        with there.wait_for_answer("gpu-1", "Bash", {"command": "rm -r ~/old"}) as hook:
            await app.wait_until_asked()
            await app.press("a")
            await app.wait_for_text("⚠ deletes files")
            app.let_second_pass()
            await app.press("a")
            await app.wait_for_text("y yes")
            app.let_second_pass()
            net.signal_links("gpu", signal.SIGSTOP)
            await app.wait_until(lambda: not there.lease.exists())
            await app.press("y")
            await app.wait_for_text("may have counted or not")
            assert hook.end() == b""
            net.signal_links("gpu", signal.SIGCONT)
            await app.wait_until(lambda: app.get_arming("gpu") is Arming.ON and there.lease.exists())
            assert there.answers == []
        await app.press("escape")
        with there.wait_for_answer("gpu-1", "Bash", {"command": "npm test"}) as hook:
            await app.wait_until_asked()
            await app.press("d")
            app.let_second_pass()
            await app.press("enter")
            assert hook.read_decision() == {"behavior": "deny"}
