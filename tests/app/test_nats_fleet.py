"""Machines that publish through a real nats-server, in the app: they appear, change, and are never live when nobody knows."""

import asyncio
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path

import msgspec
import pytest

from atm_tui.app import AtmApp
from atm_tui.model.fleet_server import FleetServer, Level
from atm_tui.model.machine import LinkState, Machine
from atm_tui.model.published import BEAT, BUCKET, MachineRecord, make_key
from atm_tui.model.session import Session
from atm_tui.model.stream import PROTOCOL, Hello, SessionLine
from atm_tui.monitor.live import LiveMonitor
from atm_tui.monitor.machines import Machines
from atm_tui.sources.followed_config import FollowedConfig
from tests.support.app_files import HomeOnDisk
from tests.support.machines import There
from tests.support.machines_app import MachinesDriver, run_machines_app
from tests.support.nats_server import NatsServer, run_nats_server
from tests.support.waiting import PATIENCE


@pytest.fixture
def server(tmp_path: Path) -> Iterator[NatsServer]:
    with run_nats_server(tmp_path / "nats") as server:
        yield server


@contextmanager
def publish(there: There, server: NatsServer, *words: str) -> "Iterator[subprocess.Popen[str]]":
    """Runs `atm-tui publish` on a machine, until the test ends it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "atm_tui", "publish", "--nats", server.url, *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=there.environ,
        cwd=there.home,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


class Driver(MachinesDriver):
    """The app, with what the machines are."""

    def find_machine(self, name: str) -> Machine | None:
        return next((each for each in self.app._monitor.fleet.machines if each.name == name), None)

    def is_live(self, name: str) -> bool:
        found = self.find_machine(name)
        return found is not None and found.link is LinkState.LIVE and found.silent_since is None

    def list_events(self, session_id: str) -> set[str]:
        """The events and prompts that are known of a session, of which newer ones are asked for."""
        events = self.app._monitor.contents.follow_elsewhere(session_id) or ()
        return {word for each in events for word in (each.event, each.prompt)}


@asynccontextmanager
async def run_app(disk: HomeOnDisk, server: NatsServer) -> AsyncIterator[Driver]:
    from atm_tui.monitor.nats_link import NatsLink

    machines = Machines(
        {}, disk.clock, make_fleet=lambda hint: NatsLink(FleetServer(nats=server.url), disk.clock, hint)
    )
    async with run_machines_app(disk, machines, Driver) as driver:
        yield driver


def list_records(machine: str) -> dict[str, bytes]:
    """Returns what a machine with one session puts into the bucket, by key."""
    hello = Hello(protocol=PROTOCOL, at=time.time(), version="1", machine=machine, heartbeat=BEAT)
    record = MachineRecord(hello=hello, level=Level.FULL)
    line = SessionLine(session=Session(session_id="s1", name=f"on {machine}"), at=time.time())
    return {
        make_key(machine): msgspec.json.encode(record),
        make_key(machine, "s1"): msgspec.json.encode(line),
    }


async def test_a_fleet_appears_changes_and_is_never_shown_as_live_without_its_server(
    disk: HomeOnDisk, server: NatsServer, tmp_path: Path
) -> None:
    there = There(tmp_path / "gpu")
    there.record("gpu-1", "SessionStart", source="startup", session_title="on gpu\x1b]52;c;eA==\x07 > *.[red]")
    there.record("gpu-1", "UserPromptSubmit", prompt="go", prompt_id="p")
    with publish(there, server, "--machine", "gpu.lab", "--level", "full") as publisher:
        async with run_app(disk, server) as app:
            await app.wait_for_row("◐ on gpu", "thinking")
            await app.wait_for_text("> *.[red]")
            await app.wait_until(lambda: app.is_live("gpu.lab"))
            there.ask("gpu-1", "npm test")
            await app.wait_for_row("● on gpu", "permission Bash npm test")
            assert not app.is_old("gpu.lab:gpu-1")

            app.tree.select(("session", "gpu.lab:gpu-1"), by_user=True)
            await app.pilot.press("a")
            await app.wait_for_text("it runs on gpu.lab: answer it there")

            await app.wait_until(lambda: "PermissionRequest" in app.list_events("gpu.lab:gpu-1"))
            assert "go" in app.list_events("gpu.lab:gpu-1")

            server.kill()
            await app.wait_for_row("◌ gpu.lab", "no word for")
            assert app.is_old("gpu.lab:gpu-1")
            await app.wait_for_text("NATS server nats://127.0.0.1")
            assert "What it had before is shown as it last was" in "".join(app.app._monitor.fleet.notices)
            there.record("gpu-1", "SessionEnd", reason="logout")
            there.record("gpu-2", "SessionStart", source="startup", session_title="the second")
            there.record("gpu-2", "UserPromptSubmit", prompt="go", prompt_id="p")
            assert app.is_old("gpu.lab:gpu-1")
            server.start()
            await app.wait_for_row("◐ the second", "thinking")
            await app.wait_until(lambda: app.is_live("gpu.lab") and not app.is_old("gpu.lab:gpu-2"))
            await app.wait_until(lambda: app.app._monitor.fleet.sessions["gpu.lab:gpu-1"].ended_at)
            await app.wait_until(lambda: "NATS server" not in app.text)

            publisher.send_signal(signal.SIGTERM)
            await app.wait_for_row("◌ gpu.lab", "no word for", "it stopped publishing")
            assert app.is_old("gpu.lab:gpu-2")
            assert publisher.wait(PATIENCE) == 0


async def test_the_server_of_the_configuration_comes_and_goes_while_the_app_runs(
    disk: HomeOnDisk, server: NatsServer, tmp_path: Path
) -> None:
    import nats

    disk.start("here-1")
    path = tmp_path / "config.toml"
    path.write_text("")
    followed = FollowedConfig(path)
    followed.read()
    monitor = LiveMonitor(disk.state, [disk.config_dir], followed.config, now=disk.clock, portion=1 << 20)
    make = partial(AtmApp, monitor, followed.config, followed=followed)
    client = await nats.connect(server.url)
    bucket = await client.jetstream().create_key_value(bucket=BUCKET, history=1)
    for key, value in list_records("gpu").items():
        await bucket.put(key, value)
    async with disk.run_app((130, 40), app=make) as driver:
        app = Driver(driver.app, driver.pilot)
        await app.wait_for_text("here-1")
        screen = app.app.fleet_screen
        path.write_text(f"[fleet]\nnats = '{server.url}'\n")
        await app.wait_for_text("on gpu")
        machines = monitor._machines
        assert machines is not None
        link = machines._fleet
        path.write_text(f"[fleet]\nnats = '{server.url}'\nlevel = 'counts'\n")  # that is for what is published
        await app.wait_until(lambda: app.app.configuring.config.fleet.level is Level.COUNTS)
        assert machines._fleet is link
        path.write_text("")
        await app.wait_until(lambda: "on gpu" not in app.text and "here-1" in app.text)
        assert link is not None
        link.join(PATIENCE)
        assert not link._thread.is_alive()
        assert monitor.fleet.machines == ()
        path.write_text(f"[fleet]\nnats = '{server.url}'\n")
        await app.wait_for_text("on gpu")
        assert app.app.fleet_screen is screen  # nothing of it had to be made anew
    await client.close()


@pytest.mark.long
async def test_what_the_bucket_forgets_is_gone_from_server_and_screen(disk: HomeOnDisk, server: NatsServer) -> None:
    import nats
    from nats.js.errors import KeyNotFoundError

    client = await nats.connect(server.url)
    bucket = await client.jetstream().create_key_value(bucket=BUCKET, history=1, ttl=3.0)

    async def put(machine: str) -> None:
        for key, value in list_records(machine).items():
            await bucket.put(key, value)

    async def has(key: str) -> bool:
        try:
            return bool(await bucket.get(key))
        except KeyNotFoundError:
            return False

    running = ["alive", "gone"]

    async def beat() -> None:
        while True:
            for machine in running:
                await put(machine)
            await asyncio.sleep(0.5)

    beating = asyncio.create_task(beat())
    try:
        async with run_app(disk, server) as app:
            await app.wait_until(lambda: "on alive" in app.text and "on gone" in app.text)
            running.remove("gone")
            await app.wait_until(lambda: app.find_machine("gone") is None and "on gone" not in app.text)
            await app.wait_until(lambda: set(app.app._monitor.fleet.sessions) == {"alive:s1"} and app.is_live("alive"))
            async with asyncio.timeout(PATIENCE):  # the server looks for what is too old from time to time
                while await has(make_key("gone")) or await has(make_key("gone", "s1")):  # noqa: ASYNC110  it says nothing
                    await asyncio.sleep(0.1)
    finally:
        beating.cancel()
        await client.close()
