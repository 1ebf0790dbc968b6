"""The usage of several machines adds up: both ends of the stream, joined without a link."""

from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from atm_tui.cli.stream_served import Served
from atm_tui.cli.stream_usage import list_usage
from atm_tui.cost.report import UsagePart, UsageSource, make_report, narrow_history
from atm_tui.model.machine import LinkState, Machine
from atm_tui.model.stream_commands import UsageRequest, UsageResult
from atm_tui.monitor.asking import AskError
from atm_tui.monitor.usage_elsewhere import UsageOfMachines
from tests.support.fleets import NOW
from tests.support.memory_monitor import InventedUsage


class Net:
    """Machines by name, each with the usage that its stream sends."""

    def __init__(self, **usage: UsageSource) -> None:
        self.served = {name: self._serve(each) for name, each in usage.items()}
        self.asked: list[tuple[str, int]] = []

    def _serve(self, usage: UsageSource) -> Served:
        monitor: Any = SimpleNamespace(spending=SimpleNamespace(open_own=lambda: usage))
        return Served(monitor)

    def ask(self, name: str, command: str, kind: type, **fields: Any) -> Any:
        if name not in self.served:
            raise AskError(f"the link to {name} was cut")
        self.asked.append((name, fields["begin"]))
        request = UsageRequest(id=1, command=command, **fields)
        sent = msgspec.json.encode(list_usage(request, self.served[name]))
        return msgspec.convert(msgspec.json.decode(sent), kind)


def join(net: Net, own: UsageSource, *machines: Machine) -> UsageOfMachines:
    return UsageOfMachines(own, lambda: machines, net.ask)


def live(name: str, **fields: Any) -> Machine:
    return Machine(name=name, link=LinkState.LIVE, **fields)


def test_sums_of_all_machines_add_up_and_each_can_be_looked_into() -> None:
    net = Net(gpu=InventedUsage(days=300), box=InventedUsage(days=3))
    joined = join(net, InventedUsage(), live("gpu"), live("box"), Machine(name="off", problem="there is no atm-tui"))
    list(joined.read(None))
    report = make_report(joined.result, joined.table, None, NOW)
    single = {}
    for name, days in (("", 30), ("gpu", 300), ("box", 3)):
        own = InventedUsage(days=days)
        list(own.read())
        single[name] = make_report(own.result, own.table, None, NOW)
    assert {name: each.tokens for name, each in report.machines} == {
        name: each.total.tokens for name, each in single.items()
    }
    assert {name: each.usd for name, each in report.machines} == {
        name: pytest.approx(each.total.usd) for name, each in single.items()
    }
    assert report.total.usd == pytest.approx(sum(each.total.usd or 0 for each in single.values()))
    assert report.total.tokens.total == sum(each.total.tokens.total for each in single.values())
    assert len([begin for name, begin in net.asked if name == "gpu"]) > 1, "it came in pages"

    gpu = make_report(narrow_history(joined.result, [UsagePart("machine", "gpu")]), joined.table, None, NOW)
    assert gpu.total.usd == pytest.approx(single["gpu"].total.usd)
    assert [model for model, _ in gpu.models] == [model for model, _ in single["gpu"].models]
    assert [project for project, _ in gpu.projects] == [f"gpu:{project}" for project, _ in single["gpu"].projects]
    assert joined.result.titles["gpu:0a11"] == joined.result.titles["0a11"] == "my-feature"
    assert [(each.path, each.problem) for each in joined.result.unreadable] == [("off", "there is no atm-tui")]


def test_a_second_reading_sees_what_is_new_and_a_cut_link_is_named() -> None:
    net = Net(gpu=InventedUsage(days=1))
    joined = join(net, InventedUsage(), live("gpu"), live("gone"))
    list(joined.read(None))
    before = len(joined.result.buckets)
    assert [each.problem for each in joined.result.unreadable] == ["the link to gone was cut"]
    net.served["gpu"].monitor.spending.open_own = lambda: InventedUsage(days=2)  # type: ignore[method-assign]
    list(joined.read(None))
    assert len(joined.result.buckets) == before + 6


def test_quarters_of_an_hour_are_those_of_our_clock_and_what_is_damaged_is_left_out() -> None:
    own = InventedUsage(days=1)
    joined = join(Net(gpu=InventedUsage(days=1)), own, live("gpu", ahead=3600.0))
    list(joined.read(NOW - 86_400))
    slots = sorted(each.slot or 0 for each in joined.result.buckets if each.session_id.startswith("gpu:"))
    assert slots == sorted((each.slot or 0) - 3600 for each in own.result.buckets)

    good = msgspec.to_builtins(own.result.buckets[0])
    damaged = UsageResult(
        is_complete=True, total=3, buckets=(good, {"project": 1}, good | {"tokens": {"input": 1e300}})
    )
    joined = UsageOfMachines(InventedUsage(days=1), lambda: (live("gpu"),), lambda *_, **__: damaged)
    list(joined.read(None))
    assert len([each for each in joined.result.buckets if each.session_id.startswith("gpu:")]) == 1
