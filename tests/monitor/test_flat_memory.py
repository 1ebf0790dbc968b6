"""Memory stays flat: the monitor keeps nothing of sessions whose files were removed."""

import types
from collections.abc import Iterator
from pathlib import Path

import pytest

from atm_hooks import journal
from tests.bench.busy_fleet import BusyFleet
from tests.bench.simulated_days import DAY, SimulatedMonitor, Simulation

CONTAINERS = (dict, list, tuple, set, frozenset)
STEPS = 2


def list_children(holder: object) -> Iterator[object]:
    """What an object of ours or a container holds."""
    if isinstance(holder, dict):
        yield from holder
        yield from holder.values()
    elif isinstance(holder, CONTAINERS):
        yield from holder
    elif isinstance(holder, types.MethodType):
        yield holder.__self__
    elif type(holder).__module__.startswith(("atm_tui.", "tests.")) and not isinstance(holder, type):
        yield from getattr(holder, "__dict__", {}).values()
        for name in (*getattr(holder, "__struct_fields__", ()), *getattr(holder, "__slots__", ())):
            yield getattr(holder, name, None)


def list_reachable(root: object) -> list[object]:
    """All objects of ours, containers and texts that a root holds, directly or not."""
    found, waiting = {id(root): root}, [root]
    while waiting:
        for child in list_children(waiting.pop()):
            if id(child) not in found:
                found[id(child)] = child
                waiting.append(child)
    return list(found.values())


def list_sessions(fleet: BusyFleet) -> set[str]:
    """The sessions that have a state file."""
    return {path.stem for path in (fleet.state / "sessions").iterdir()}


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[BusyFleet]:
    fleet = BusyFleet(tmp_path, 4, 1)
    try:
        fleet.fill()
        yield fleet
    finally:
        fleet.close()


def test_nothing_is_kept_of_sessions_that_are_gone(fleet: BusyFleet) -> None:
    monitor, simulation = SimulatedMonitor(fleet.state.parent), Simulation(fleet)

    def pass_day() -> None:
        for _ in range(STEPS):
            monitor.time += DAY / STEPS
            simulation.step(monitor.time)
            monitor.refresh()
        simulation.replace_half(monitor.time)
        monitor.refresh()

    begun = list_sessions(fleet)
    for _ in range(4):
        pass_day()
    left, texts = list_sessions(fleet), {each for each in list_reachable(monitor) if isinstance(each, str)}
    assert left
    assert not begun & left
    assert left <= texts, "what the monitor knows is found"
    assert [text for text in texts if any(session in text for session in begun)] == []
    files = {path.name.partition(".")[0] for name in journal.FOLDERS for path in (fleet.state / name).iterdir()}
    assert files == left
