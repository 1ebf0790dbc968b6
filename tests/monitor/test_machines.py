"""Links to other machines: silent, cut, back, mad, or not to be had. The machines here are shell scripts that print a stream."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from atm_tui.model.host import Host
from atm_tui.model.machine import LinkState, Machine
from atm_tui.model.session import Session, State
from atm_tui.model.stream import PROTOCOL, CompleteLine, FleetLine, Hello, SessionLine
from atm_tui.monitor import link
from atm_tui.monitor.machines import Machines
from tests.support.waiting import wait_until

NOW = 1_790_000_000.0
BEAT = """while sleep 0.2; do echo '{"change":"heartbeat"}'; done"""


def encode(*sessions: Session, protocol: int = PROTOCOL, heartbeat: float = 60.0) -> bytes:
    lines = [
        Hello(protocol=protocol, version="9.9", heartbeat=heartbeat),
        FleetLine(),
        *(SessionLine(session=each) for each in sessions),
        CompleteLine(sessions=len(sessions)),
    ]
    return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)


def make_session(key: str, **fields: Any) -> Session:
    return Session(session_id=key, **fields)


class Scripts:
    """Machines by name, each a shell script that is run in place of ssh."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.hosts: dict[str, Host] = {}

    def add(self, name: str, script: str) -> None:
        path = self.folder / f"{name}.sh"
        path.write_text(f"cd {self.folder}\necho $$ >{name}.pid\n{script}\n", "utf-8")
        self.hosts[name] = Host(exec=("sh", str(path)))

    def write(self, name: str, data: bytes) -> str:
        path = self.folder / name
        path.write_bytes(data)
        return str(path)

    def runs(self, name: str) -> bool:
        pid = int((self.folder / f"{name}.pid").read_text())
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        return True


class Follower:
    """Machines as an app follows them."""

    def __init__(self, machines: Machines) -> None:
        self.machines = machines
        self.hinted = threading.Event()
        machines.hint(self.hinted.set)
        machines.start()

    def wait_until(self, holds: Callable[[], object], what: str) -> None:
        def look() -> object:
            self.machines.refresh()
            return holds()

        wait_until(look, what)

    def get(self, name: str) -> Machine:
        return next(each for each in self.machines.machines if each.name == name)

    def list_keys(self, name: str) -> list[str]:
        return sorted(key for key in self.machines.sessions if key.startswith(f"{name}:"))


@contextmanager
def follow(scripts: Scripts) -> Iterator[Follower]:
    machines = Machines(scripts.hosts, lambda: NOW)
    try:
        yield Follower(machines)
    finally:
        machines.stop()


def test_each_machine_goes_its_own_way(tmp_path: Path) -> None:
    """Good, mad and broken machines at once: none delays another, and each says what is wrong with it."""
    scripts = Scripts(tmp_path)
    good = scripts.write("good", encode(make_session("s1")))
    scripts.add("good", f"cat {good}; while [ ! -e go ]; do sleep 0.05; done; cat more; exec sleep 600")
    scripts.add("yes", "exec yes")
    scripts.add("line", f"cat {good}; exec tr '\\0' x </dev/zero")
    storm = scripts.write("storm", encode(make_session("s1", turns=1)).split(b"\n")[2] + b"\n")
    scripts.add("storm", f"cat {good}; while :; do cat {storm} {storm} {storm}; done")
    scripts.add("mute", "exec sleep 600")
    scripts.add("later", f"cat {scripts.write('later', encode(protocol=PROTOCOL + 1))}; exec sleep 600")
    scripts.add("none", "exit 127")
    scripts.add("old", "echo 'atm-tui: error: unknown command \"stream\"' >&2; exit 2")
    scripts.add("shut", "printf 'first\\n\\033[31mkey refused\\n' >&2; exit 255")
    scripts.add("deaf", f"cat {good}")
    scripts.hosts["gone"] = Host(exec=("/no/such/program",))
    with follow(scripts) as follower:
        is_live = lambda name: follower.get(name).link is LinkState.LIVE  # noqa: E731
        follower.wait_until(lambda: is_live("good") and is_live("storm"), "the good ones")
        assert follower.list_keys("good") == ["good:s1"]
        assert follower.get("mute").link is LinkState.CONNECTING
        for name, link, words in (
            ("yes", LinkState.BROKEN, 'something else than a stream of atm-tui: "y"'),
            ("line", LinkState.BROKEN, "no stream of atm-tui"),
            ("later", LinkState.REFUSED, "update atm-tui here"),
            ("none", LinkState.REFUSED, "there is no atm-tui: install it there"),
            ("old", LinkState.REFUSED, "update atm-tui there"),
            ("shut", LinkState.BROKEN, "key refused"),
            ("deaf", LinkState.BROKEN, "is -i missing in `exec`?"),
            ("gone", LinkState.REFUSED, "/no/such/program: No such file"),
        ):
            follower.wait_until(lambda name=name, link=link: follower.get(name).link is link, f"{name}: {link}")
            assert words in follower.get(name).problem
            assert "\x1b" not in follower.get(name).problem
        assert any("later: it speaks protocol" in notice for notice in follower.machines.notices)
        scripts.write("more", msgspec.json.encode(SessionLine(session=make_session("s2"), change="new")) + b"\n")
        scripts.write("go", b"")
        follower.wait_until(
            lambda: follower.list_keys("good") == ["good:s1", "good:s2"], "a change beside mad machines"
        )
        follower.machines.stop()
        wait_until(lambda: not any(scripts.runs(name) for name in ("good", "storm", "mute")), "the end of all programs")


def test_a_link_that_breaks_keeps_the_last_values_and_comes_back_whole(tmp_path: Path) -> None:
    scripts = Scripts(tmp_path)
    scripts.write("1", encode(make_session("s1", state=State.WORKING, since=NOW - 100), make_session("s2")))
    scripts.write("2", encode(make_session("s2", turns=5), make_session("s3")))
    scripts.add(
        "gpu", f"if [ -e was ]; then cat 2; {BEAT}; fi; touch was; cat 1; while [ ! -e cut ]; do sleep 0.05; done"
    )
    with follow(scripts) as follower:
        follower.wait_until(lambda: follower.get("gpu").link is LinkState.LIVE, "the link")
        assert not follower.machines.sessions["gpu:s1"].is_silent
        scripts.write("cut", b"")
        follower.wait_until(lambda: follower.get("gpu").link is LinkState.BROKEN, "the cut")
        before = follower.machines.sessions["gpu:s1"]
        assert (before.is_silent, before.state, before.since) == (True, State.WORKING, NOW - 100)
        assert follower.get("gpu").silent_since == NOW
        follower.wait_until(lambda: follower.get("gpu").link is LinkState.LIVE, "the next link")
        assert follower.list_keys("gpu") == ["gpu:s2", "gpu:s3"]
        after = follower.machines.sessions["gpu:s2"]
        assert (after.is_silent, after.turns) == (False, 5)
        assert (follower.get("gpu").silent_since, follower.get("gpu").problem) == (None, "")


def test_a_machine_without_a_word_is_silent_and_then_cut(tmp_path: Path) -> None:
    scripts = Scripts(tmp_path)
    stream = scripts.write("stream", encode(make_session("s1"), heartbeat=0.5))
    scripts.add("gpu", f"cat {stream}; exec sleep 600")
    with follow(scripts) as follower:
        follower.wait_until(lambda: follower.get("gpu").link is LinkState.SILENT, "silence")
        assert follower.machines.sessions["gpu:s1"].is_silent
        assert scripts.runs("gpu")
        pid = (tmp_path / "gpu.pid").read_text()
        follower.wait_until(lambda: follower.get("gpu").link is LinkState.BROKEN, "the cut")
        assert "no word for" in follower.get("gpu").problem
        follower.wait_until(lambda: (tmp_path / "gpu.pid").read_text() not in ("", pid), "the next try")


def test_pauses_between_tries_grow_and_begin_anew_after_a_steady_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, seconds in (("FIRST_PAUSE", 0.05), ("LONGEST_PAUSE", 0.4), ("STEADY", 0.0)):
        monkeypatch.setattr(link, name, seconds)
    scripts = Scripts(tmp_path)
    stream = scripts.write("stream", encode(make_session("s1")))
    scripts.add("gpu", f"echo >>tries; [ $(wc -l <tries) = 6 ] && cat {stream}; exit 1")
    pauses: list[float] = []

    def note() -> None:  # in the thread of the link, at each change
        retry_at = tried.take().machine.retry_at
        if retry_at is not None:
            pauses.append(round(retry_at - NOW, 6))

    tried = link.Link("gpu", scripts.hosts["gpu"], lambda: NOW, note)
    tried.start()
    try:
        wait_until(lambda: len(pauses) > 6, "seven tries")
    finally:
        tried.stop()
    assert pauses[:4] == sorted(pauses[:4])
    assert pauses[3] > 2 * pauses[0]
    assert max(pauses) <= 0.4 * 1.2
    assert pauses[5] < 0.1, "the pause after the link that stood"


@pytest.mark.parametrize(("ahead", "shown"), [(3600.0, NOW - 3600), (-3600.0, NOW + 3600), (0.4, NOW)])
def test_a_clock_that_differs_is_measured_and_ages_are_corrected(tmp_path: Path, ahead: float, shown: float) -> None:
    scripts = Scripts(tmp_path)
    hello = msgspec.json.encode(Hello(protocol=PROTOCOL, at=NOW + ahead)) + b"\n"
    rest = encode(make_session("s1", since=NOW)).split(b"\n", 1)[1]
    scripts.add("gpu", f"cat {scripts.write('stream', hello + rest)}; exec sleep 600")
    with follow(scripts) as follower:
        follower.wait_until(lambda: "gpu:s1" in follower.machines.sessions, "the session")
        assert follower.machines.sessions["gpu:s1"].since == shown
        assert follower.get("gpu").ahead == (ahead if abs(ahead) > 1 else 0)


def test_what_was_looked_at_here_is_seen_here(tmp_path: Path) -> None:
    scripts = Scripts(tmp_path)
    stream = scripts.write("stream", encode(make_session("s1", unseen=True, since=NOW - 9)))
    scripts.add("gpu", f"cat {stream}; exec sleep 600")
    with follow(scripts) as follower:
        follower.wait_until(lambda: "gpu:s1" in follower.machines.sessions, "the session")
        assert follower.machines.sessions["gpu:s1"].unseen
        follower.machines.mark_seen("gpu:s1", NOW)
        assert follower.machines.refresh() == {"gpu:s1"}
        assert not follower.machines.sessions["gpu:s1"].unseen
