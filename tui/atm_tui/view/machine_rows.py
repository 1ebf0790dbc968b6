"""Builds the rows of machines in the tree: a level above the projects when there is more than one machine."""

from collections.abc import Iterator, Sequence

from atm_tui.model.costs import sum_costs
from atm_tui.model.fleet import Fleet
from atm_tui.model.machine import LinkState, Machine
from atm_tui.model.request import Arming
from atm_tui.model.sorting import Groups
from atm_tui.text import clean, format_count
from atm_tui.view.machine_text import describe_counts, describe_link
from atm_tui.view.present import Glyphs
from atm_tui.view.project_rows import ProjectRows
from atm_tui.view.row import Row
from atm_tui.view.urgency import describe_most_urgent

MACHINE_INDENT = "  "
"""What stands before the rows of projects below a machine."""
HERE = Machine(name="", link=LinkState.LIVE)
"""This machine."""


def place_below_machines(fleet: Fleet, groups: Groups, whole: bool) -> Iterator[tuple[Machine | None, Groups]]:
    """Yields each machine with its groups, this one first; without other machines, None with all groups.

    `whole`: whether machines without groups are there as well.
    """
    if not fleet.machines:
        yield None, groups
        return
    members: dict[str, list[int]] = {}
    for place, (_, sessions) in enumerate(groups):
        members.setdefault(sessions[0].machine, []).append(place)
    for machine in (HERE, *fleet.machines):
        found = tuple(groups[place] for place in members.get(machine.name, ()))
        if found or (whole and machine is not HERE):
            yield machine, found


def write_machine_row(
    machine: Machine, projects: Sequence[ProjectRows], glyphs: Glyphs, now: float, *, folded: bool
) -> Row:
    """Returns the row of a machine: its name and, where that is not live, the state of the link. `now`: epoch seconds."""
    count = sum(len(each.sessions) for each in projects)
    counted = machine.counts.cost_usd if machine.counts is not None else None
    link = tuple(describe_link(machine, now))
    armed = ((f"{glyphs.armed} armed ", "armed"),) if machine.arming is Arming.ON else ()
    counts = tuple(describe_counts(machine.counts)) if machine.counts is not None else ()
    urgent = describe_most_urgent([each for found in projects for each in found.sessions], glyphs) if folded else ()
    none = () if count else (("no sessions listed", "muted"),)
    return Row(
        id=("machine", machine.name),
        parent=None,
        indent="",
        folded=folded if count else None,
        glyph=None if machine.link is LinkState.LIVE else (glyphs.lost, "notice"),
        name=(clean(machine.name) or "this machine", "strong"),
        note=(format_count(count, "session"), "muted") if folded else ("", "muted"),
        words=(*armed, *(link or counts or urgent or none)),
        cost=sum_costs((*(each.cost for each in projects), counted)),
        has_cost=bool(count) or machine.counts is not None,
        spans=bool(link),
    )
