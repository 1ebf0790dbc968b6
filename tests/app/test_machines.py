"""Sessions of other machines in the app, over a real sshd: three machines with homes of their own, on loopback."""

import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from atm_tui.app import AtmApp
from atm_tui.model.host import Host
from atm_tui.model.machine import LinkState
from atm_tui.model.stream import PROTOCOL
from atm_tui.monitor.live import LiveMonitor
from atm_tui.monitor.machines import Machines
from atm_tui.sources.followed_config import FollowedConfig
from tests.support.app_files import HomeOnDisk
from tests.support.machines import Net, There, Wire
from tests.support.machines_app import MachinesDriver, run_machines_app
from tests.support.waiting import PATIENCE

AN_HOUR_AHEAD = (
    "import time, runpy; now = time.time; time.time = lambda: now() + 3600; "
    "runpy.run_module('atm_tui', run_name='__main__')"
)


class Driver(MachinesDriver):
    """The app, with what the machines are."""

    def get_link(self, name: str) -> LinkState:
        return next(each.link for each in self.app._monitor.fleet.machines if each.name == name)

    def says(self, name: str, words: str) -> bool:
        """Whether it is known why a machine is not shown."""
        return any(words in each.problem for each in self.app._monitor.fleet.machines if each.name == name)


@asynccontextmanager
async def run_app(disk: HomeOnDisk, *names: str) -> AsyncIterator[Driver]:
    machines = Machines({name: Host(ssh=name) for name in names}, disk.clock)
    async with run_machines_app(disk, machines, Driver) as driver:
        yield driver


async def test_sessions_of_two_machines_a_change_and_a_cut(disk: HomeOnDisk, net: Net) -> None:
    disk.start("here-1")
    for name in ("gpu", "box"):
        net.add(name).record(f"{name}-1", "SessionStart", source="startup", session_title=f"on {name}\x1b[31m")
    async with run_app(disk, "gpu", "box") as app:
        await app.wait_for_text("on gpu")
        await app.wait_for_text("on box")
        rows = [row.id for row in app.tree.rows if row.id[0] in ("machine", "session")]
        assert rows == [
            ("machine", ""),
            ("session", "here-1"),
            ("machine", "gpu"),
            ("session", "gpu:gpu-1"),
            ("machine", "box"),
            ("session", "box:box-1"),
        ]
        net.machines["gpu"].ask("gpu-1", "npm test")
        await app.wait_for_row("● on gpu", "permission Bash npm test")
        await app.wait_for_row("gpu:app/on gpu", "npm test")  # the queue says where it is

        # what can't be done from here says so
        app.tree.select(("session", "gpu:gpu-1"), by_user=True)
        await app.pilot.press("a")
        await app.wait_for_text("it runs on gpu: answer it there")
        await app.pilot.press("e")
        await app.wait_for_text("its folder is on gpu")

        # a closer look goes through the stream: the whole request, what happened, and what was said
        long = f"npm run {'x' * 300} END"
        said = net.machines["gpu"].start_transcript("gpu-1")
        said.prompt("Make it green.")
        said.call("t1", "Bash", command=long)
        net.machines["gpu"].ask("gpu-1", long)
        await app.wait_for_row("● on gpu", "permission Bash npm run")
        await app.pilot.press("space")
        await app.wait_for_text("END")
        await app.pilot.press("escape", "o")
        await app.wait_for_text("Make it green.")
        said.reply("All is green now.")
        await app.wait_for_text("All is green now.")
        await app.pilot.press("escape", "L")
        await app.wait_for_text("permission Bash npm test")  # the first request, which the tree no longer has
        await app.pilot.press("u")
        await app.wait_for_row("by machine", "by project")
        await app.wait_until(lambda: any("gpu" in line and "$0.01" in line and "100%" in line for line in app.lines))
        await app.pilot.press("escape", "t")

        # the filter
        await app.pilot.press("/", *"machine:box")
        await app.wait_until(
            lambda: ("session", "box:box-1") in {row.id for row in app.tree.rows} and len(app.tree.rows) < 5
        )
        await app.pilot.press("escape")
        await app.wait_until(lambda: len(app.tree.rows) > 5)

        # the link is cut: the last values stay, dim; then all comes back
        net.machines["gpu"].set_program("exit 1")  # tries go on failing until all was looked at
        net.signal_links("gpu", signal.SIGKILL)
        await app.wait_until(lambda: app.get_link("gpu") is LinkState.BROKEN)
        await app.wait_for_row("◌ gpu", "no word for", "next try in")
        assert app.is_old("gpu:gpu-1")
        assert not app.is_old("box:box-1")
        net.machines["gpu"].set_program('exec $REAL "$@"')
        net.machines["gpu"].record("gpu-2", "SessionStart", source="startup")
        await app.wait_until(lambda: app.get_link("gpu") is LinkState.LIVE and not app.is_old("gpu:gpu-1"))
        await app.wait_for_text("gpu-2")


async def test_machines_of_the_configuration_come_and_go_while_it_runs(disk: HomeOnDisk, tmp_path: Path) -> None:
    disk.start("here-1")
    gpu, box = There(tmp_path / "gpu"), There(tmp_path / "box")
    for name, there in (("gpu", gpu), ("box", box)):
        there.record(f"{name}-1", "SessionStart", source="startup", session_title=f"on {name}")
    path = tmp_path / "config.toml"
    path.write_text("")

    def follow(**machines: There) -> None:
        path.write_text(
            "".join(
                f"[hosts.{name}]\nexec = ['env']\ncommand = '{there.bin}/atm-tui'\n" for name, there in machines.items()
            )
        )

    followed = FollowedConfig(path)
    followed.read()
    monitor = LiveMonitor(disk.state, [disk.config_dir], followed.config, now=disk.clock, portion=1 << 20)
    make = partial(AtmApp, monitor, followed.config, followed=followed)
    async with disk.run_app((130, 40), app=make) as driver:
        app = Driver(driver.app, driver.pilot)
        await app.wait_for_text("here-1")
        screen = app.app.fleet_screen
        follow(gpu=gpu)
        await app.wait_for_text("on gpu")
        follow(box=box, gpu=gpu)  # the link to gpu goes on
        await app.wait_for_text("on box")
        machines = monitor._machines
        assert machines is not None
        (_, link) = machines._links
        assert [each.name for each in app.app._monitor.fleet.machines] == ["box", "gpu"]
        follow(box=gpu)  # the same name for another machine
        await app.wait_until(lambda: "on gpu" in app.text and "on box" not in app.text)
        assert ("session", "box:gpu-1") in [row.id for row in app.tree.rows]
        assert link._stop.is_set()
        link.join(PATIENCE)
        assert link._process is not None
        assert link._process.poll() is not None
        follow()
        await app.wait_until(lambda: "on gpu" not in app.text and "here-1" in app.text)
        assert [row.id[0] for row in app.tree.rows] == ["project", "session"]
        assert app.app.fleet_screen is screen  # nothing of it had to be made anew


@pytest.mark.long
async def test_a_machine_whose_clock_is_an_hour_ahead_shows_true_ages(disk: HomeOnDisk, net: Net) -> None:
    there = net.add("gpu")
    there.set_program(f'exec {net.python} -c "{AN_HOUR_AHEAD}" "$@"')
    there.record("gpu-1", "SessionStart", source="startup", later=3600)
    there.record("gpu-1", "UserPromptSubmit", prompt="go", prompt_id="p", later=3600)
    async with run_app(disk, "gpu") as app:
        await app.wait_for_text("thinking")
        session = app.app._monitor.fleet.sessions["gpu:gpu-1"]
        assert abs(session.since - disk.clock()) < 120
        [machine] = app.app._monitor.fleet.machines
        assert 3000 < machine.ahead < 3600  # the app's own clock is 300 s ahead
        app.tree.select(("machine", "gpu"), by_user=True)
        await app.wait_for_text("m ahead; ages are")


@pytest.mark.long
async def test_machines_that_can_not_be_shown_say_what_is_missing_there(disk: HomeOnDisk, net: Net) -> None:
    net.add("good").record("good-1", "SessionStart", source="startup")
    net.add("bare").set_program("exit 127")
    net.add("old").set_program("echo 'atm-tui: error: unknown command \"stream\"' >&2; exit 2")
    net.add("new").set_program(f'echo \'{{"change":"hello","protocol":{PROTOCOL + 1}}}\'; sleep 600')
    net.add("mad").set_program("exec tr '\\\\0' x </dev/zero")
    net.add("rude").set_program("exec yes \"$(printf '\\033]52;c;eA==\\007')\"")
    async with run_app(disk, *net.machines, "nowhere") as app:
        await app.wait_for_text("good-1")
        for name, words in (
            ("bare", "there is no atm-tui: install it there"),
            ("old", "update atm-tui there"),
            ("new", "update atm-tui here"),
            ("mad", "no stream of atm-tui"),
            ("rude", "something else than a stream"),
            ("nowhere", "Could not resolve hostname"),
        ):
            app.tree.select(("machine", name), by_user=True)
            await app.wait_until(partial(app.says, name, words))
            await app.wait_for_row(f"◌ {name}")
        net.machines["good"].ask("good-1", "make")
        await app.wait_for_text("permission Bash make")


@pytest.mark.long
async def test_a_link_that_hangs_is_shown_and_made_anew(disk: HomeOnDisk, net: Net) -> None:
    there = net.add("gpu")
    there.set_program('exec $REAL "$@" --heartbeat 0.5')
    there.record("gpu-1", "SessionStart", source="startup")
    async with run_app(disk, "gpu") as app:
        await app.wait_for_text("gpu-1")
        [before] = net.list_links("gpu")
        net.signal_links("gpu", signal.SIGSTOP)
        await app.wait_until(lambda: app.get_link("gpu") is LinkState.SILENT)
        await app.wait_for_row("◌ gpu", "no word for")
        assert app.is_old("gpu:gpu-1")
        there.ask("gpu-1", "make")
        await app.wait_until(lambda: app.get_link("gpu") is LinkState.LIVE)
        await app.wait_for_text("permission Bash make")
        assert before not in net.list_links("gpu")


@pytest.mark.long
@pytest.mark.parametrize("how", ["a network that swallows", "a shared connection that hangs", "a stopped sshd"])
async def test_a_link_that_is_gone_without_a_word_is_made_anew(disk: HomeOnDisk, net: Net, how: str) -> None:
    wire = Wire(net.port)
    shared = f" ControlMaster auto\n ControlPath {net.folder}/shared\n ControlPersist 600\n"
    there = net.add("gpu", port=wire.port, more=shared if "shared" in how else "")
    there.set_program('exec $REAL "$@" --heartbeat 0.5')
    there.record("gpu-1", "SessionStart", source="startup")
    async with run_app(disk, "gpu") as app:
        await app.wait_for_text("gpu-1")
        if "sshd" in how:
            net.signal_servers("gpu", signal.SIGSTOP)
        else:
            wire.swallow()
        await app.wait_until(lambda: app.get_link("gpu") is LinkState.SILENT)
        await app.wait_for_row("◌ gpu", "no word for")
        assert app.is_old("gpu:gpu-1")
        there.record("gpu-2", "SessionStart", source="startup")
        there.ask("gpu-1", "make")
        await app.wait_until(lambda: app.get_link("gpu") is LinkState.LIVE)
        await app.wait_for_text("permission Bash make")
        await app.wait_for_text("gpu-2")
        assert not app.is_old("gpu:gpu-1")
    wire.close()


@pytest.mark.long
async def test_the_hooks_that_are_installed_on_three_machines(disk: HomeOnDisk, net: Net) -> None:
    for name in ("gpu", "box", "cloud"):
        net.add(name).install()
        net.machines[name].send_hook(f"{name}-1", "SessionStart", source="startup", session_title=f"on {name}")
    async with run_app(disk, *net.machines) as app:
        for name, there in net.machines.items():
            await app.wait_for_row(f"○ on {name}", "new")
            there.send_hook(f"{name}-1", "UserPromptSubmit", prompt="go", prompt_id="p1")
            await app.wait_for_row(f"◐ on {name}", "thinking")
            tool = {"tool_name": "Bash", "tool_input": {"command": "make"}, "prompt_id": "p1"}
            there.send_hook(f"{name}-1", "PermissionRequest", **tool)
            await app.wait_for_row(f"● on {name}", "permission Bash make")
            there.send_hook(f"{name}-1", "SessionEnd", reason="logout")
            await app.wait_until(
                lambda there=there, name=name: app.app._monitor.fleet.sessions[f"{name}:{name}-1"].ended_at
            )
        assert "3 need you" not in app.text
