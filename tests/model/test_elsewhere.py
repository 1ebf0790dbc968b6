"""A session of another machine becomes one of ours: times corrected, texts and lists bounded, and no word of files here."""

import typing
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from atm_tui.cost.limits import find_accounts
from atm_tui.model.elsewhere import BEGINS, LONGEST, MOST, SPANS, TIMES, adopt, bound
from atm_tui.model.host import Host
from atm_tui.model.pid_domain import Place
from atm_tui.model.session import (
    Agent,
    Cost,
    Limit,
    Limits,
    Project,
    ServingProcess,
    Session,
    Terminal,
)
from atm_tui.model.team import Membership
from atm_tui.model.wait import Wait

GPU = Host(ssh="gpu")
NO_TIMES = {
    "percent", "resets_at", "window_tokens", "used_tokens", "duration", "usd", "inherited_usd", "turns", "minutes",
    "limit_tokens", "by_model", "by_agent", "by_kind",
}  # fmt: skip
"""The fields with fractions that are no times of the machine's clock."""


def list_structs(kind: Any, seen: set[Any]) -> Iterator[type[msgspec.Struct]]:
    for part in typing.get_args(kind):
        yield from list_structs(part, seen)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and kind not in seen:
        seen.add(kind)
        yield kind
        for hint in typing.get_type_hints(kind).values():
            yield from list_structs(hint, seen)


def test_each_field_that_may_be_a_time_is_known_as_one_or_as_none() -> None:
    fields = {
        name
        for kind in list_structs(Session, set())
        for name, hint in typing.get_type_hints(kind).items()
        if "float" in str(hint)
    }
    assert fields - TIMES - SPANS - BEGINS - NO_TIMES == set()


def make_session(**fields: Any) -> Session:
    return Session(session_id="s1", **fields)


def test_times_are_shifted_and_unknown_ones_stay() -> None:
    given = make_session(
        since=5000.0,
        started_at=4000.0,
        ended_at=None,
        waits=(Wait(since=4900.0),),
        waited=((4100.0, 4200.0),),
        agents=(Agent(agent_id="a", since=0.0, started_at=4500.0),),
        cost=Cost(usd=1.0, recent=((4000.0, 0.5),)),
        limits=Limits(five_hour=Limit(percent=20.0, resets_at=9000.0), at=4800.0),
        context=msgspec.convert(
            {"samples": [{"at": 4700.0, "tokens": 3, "turn": 1}]}, type=type(make_session().context)
        ),
    )
    ours = adopt(given, "gpu", GPU, ahead=1000.0, silent_since=None)
    assert (ours.since, ours.started_at, ours.ended_at, ours.waits[0].since) == (4000.0, 3000.0, None, 3900.0)
    assert (ours.waited, ours.cost.recent, ours.cost.usd) == (((3100.0, 3200.0),), ((3000.0, 0.5),), 1.0)
    assert (ours.agents[0].since, ours.agents[0].started_at) == (0.0, 3500.0)
    assert ours.context.samples[0].at == 3700.0
    assert ours.limits is not None
    assert ours.limits.five_hour is not None
    assert (ours.limits.at, ours.limits.five_hour.resets_at) == (3800.0, 9000.0)


def test_nothing_of_it_stands_for_a_process_file_or_pane_here() -> None:
    terminal = Terminal(kind="tmux", socket="/tmp/tmux-0/default", pane="%3")
    given = make_session(
        pid=12,
        terminal=terminal,
        processes=(ServingProcess(pid=12, terminal=terminal),),
        transcript_path="/etc/passwd",
        config_dir="/home/user/.claude",
        cwd="/home/user/app",
        project=Project(root="/home/user/app", name="app"),
        membership=Membership(lead="s0"),
        unseen=True,
        since=50.0,
    )
    ours = adopt(given, "gpu", GPU, ahead=0.0, silent_since=7.0)
    assert (ours.session_id, ours.root, ours.config_dir) == ("gpu:s1", "gpu:/home/user/app", "gpu:/home/user/.claude")
    assert (ours.pid, ours.transcript_path, ours.terminal, ours.place) == (None, None, Terminal(), Place.MACHINE)
    assert (ours.processes[0].pid, ours.processes[0].terminal) == (None, Terminal())
    assert ours.elsewhere is not None
    assert (ours.elsewhere.session_id, ours.elsewhere.pid, ours.elsewhere.terminal) == ("s1", 12, terminal)
    assert (ours.machine, ours.is_silent, ours.unseen) == ("gpu", True, True)
    assert ours.membership is not None
    assert ours.membership.is_of("gpu:s0")
    assert not adopt(given, "gpu", GPU, ahead=0.0, silent_since=None, seen_at=60.0).unseen


@pytest.mark.parametrize("huge", [1e300, float("inf"), float("nan"), -1e300, 10**400])
def test_figures_and_times_stay_in_bounds(huge: float) -> None:
    given = make_session(since=huge, cost=Cost(usd=huge), turns=huge, queued=huge)
    ours = bound(given, ahead=-3600.0)
    assert ours.since == 0
    assert ours.cost.usd is not None
    assert sum([ours.cost.usd] * 9) < float("inf")
    assert abs(ours.turns) <= 10**15


def test_texts_and_lists_stay_in_bounds() -> None:
    given = make_session(
        name="x" * 10**6,
        agents=tuple(Agent(agent_id=str(n), description="y" * 10**4) for n in range(MOST + 5)),
        tools_used={f"{n}": n for n in range(MOST + 5)},
    )
    ours = bound(given)
    assert (len(ours.name), len(ours.agents), len(ours.tools_used)) == (LONGEST, MOST, MOST)
    assert len(ours.agents[0].description) == LONGEST
    assert bound(ours) == ours


def test_the_limits_of_an_account_that_several_machines_use_count_once() -> None:
    def make(machine: str, percent: float, ends: float) -> Session:
        limits = Limits(seven_day=Limit(percent=percent, resets_at=ends), at=1000.0)
        session = make_session(config_dir="/home/me/.claude", limits=limits)
        return adopt(session, machine, GPU, ahead=0.0, silent_since=None) if machine else session

    accounts = find_accounts([make("", 10.0, 5000.0), make("gpu", 12.0, 5000.0), make("box", 70.0, 6000.0)])
    found = {each.config_dir: each.seven_day.percent for each in accounts if each.seven_day}
    assert found == {"/home/me/.claude": 12.0, "box:/home/me/.claude": 70.0}


CHANGES: list[dict[str, Any]] = [
    {"turns": 2, "since": 7000.0},
    {"name": "x" * (LONGEST + 1), "queued": 10**17},
    {"agents": (Agent(agent_id="a", since=6500.0), Agent(agent_id="b"))},
    {"waits": (Wait(since=4900.0),), "waited": ((4100.0, 4300.0),)},
    {"project": Project(root="/other", name="other"), "membership": Membership(lead="s0")},
    {"processes": (ServingProcess(pid=4),), "pid": 4, "terminal": Terminal(kind="tmux", pane="%3")},
    {"unseen": True, "config_dir": "/home/user/.other", "cwd": "/other", "tools_used": {"Bash": 2}},
    {"cost": Cost(usd=2.0, recent=((4000.0, 0.5),)), "ended_at": 4700.0},
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: next(iter(change)))
@pytest.mark.parametrize("ahead", [0.0, 1000.0])
def test_what_is_taken_over_from_before_is_what_would_be_made_afresh(change: dict[str, Any], ahead: float) -> None:
    given: dict[str, Any] = {"ahead": ahead, "silent_since": None, "seen_at": 10.0}
    old = make_session(
        since=5000.0, started_at=4000.0, config_dir="/home/user/.claude", pid=3, last_prompt="go " * 2000
    )
    new = msgspec.json.decode(msgspec.json.encode(msgspec.structs.replace(old, **change)), type=Session)
    ours = adopt(old, "gpu", GPU, **given)
    found = adopt(new, "gpu", GPU, **given, before=(old, ours))
    assert found == adopt(new, "gpu", GPU, **given)
    assert found.last_prompt is ours.last_prompt
    back = adopt(old, "gpu", GPU, **given, before=(new, found))
    assert back == ours
