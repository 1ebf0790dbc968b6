"""Describes other machines and the links to them."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from atm_tui.model.machine import LinkState, Machine, StreamTotals
from atm_tui.model.request import Arming
from atm_tui.text import clean, format_age

if TYPE_CHECKING:
    from atm_tui.model.session import Session

Part = tuple[str, str]
"""A text and its role, as in `present`, which loads what commands do without."""


def describe_link(machine: Machine, now: float, *, is_followed: bool = True) -> list[Part]:
    """Describes a link that is not live: since when there is no word, why, and, if it `is_followed`, when it is tried again.

    `now`: epoch seconds.
    """
    if machine.link is LinkState.LIVE:
        return []
    if machine.link is LinkState.CONNECTING:
        return [("connecting", "muted")]
    parts: list[Part] = []
    if machine.silent_since is not None:
        parts.append((_format_silence(machine.silent_since, now), "notice"))
    elif machine.link is LinkState.REFUSED:
        parts.append(("not shown", "notice"))
    else:
        parts.append(("no link", "notice"))
    if machine.link is LinkState.SILENT or not is_followed:
        return [*parts, (f" · {clean(machine.problem)}", "muted")] if machine.problem else parts
    if machine.retry_at is None:
        parts.append((" · trying now", "muted"))
    elif machine.link is LinkState.BROKEN:
        parts.append((f" · next try in {max(0.0, machine.retry_at - now):.0f}s", "muted"))
    return [*parts, (f" · {clean(machine.problem)}", "muted")] if machine.problem else parts


def describe_silence(session: "Session", now: float) -> str:
    """Describes for how long there was no word of a session's machine; "" while there is. `now`: epoch seconds."""
    silent = session.elsewhere.silent_since if session.elsewhere else None
    return _format_silence(silent, now) if silent is not None else ""


def _format_silence(since: float, now: float) -> str:
    return f"no word for {format_age(max(0.0, now - since))}"


def list_broken_links(machines: Iterable[Machine], now: float) -> list[str]:
    """Returns a line for each machine whose link is not live, for a command that ends. `now`: epoch seconds."""
    links = [(each.name, describe_link(each, now, is_followed=False)) for each in machines]
    return [f"{name}: {''.join(text for text, _ in link)}" for name, link in links if link]


def describe_answers(machine: Machine) -> str:
    """Describes whether requests there can be answered from here; "" when that is not asked for, or not known."""
    if machine.arming is None:
        return ""
    words = {Arming.ON: "armed", Arming.OFF: "open", Arming.ELSEWHERE: "armed elsewhere"}
    found = words.get(machine.arming, "closed")
    return f"{found}: {clean(machine.arming_problem)}" if machine.arming_problem else found


def describe_counts(counts: StreamTotals) -> list[Part]:
    """Describes the sessions of a machine that publishes only how many they are: 2 need you · 3 working · 9 idle."""
    parts = (
        [(f"{counts.needs_you} need{'s' if counts.needs_you == 1 else ''} you", "needs")] if counts.needs_you else []
    )
    parts += [(f"{counts.working} working", "plain")] if counts.working else []
    parts += [(f"{counts.idle} idle", "muted")] if counts.idle or not parts else []
    return [part for each in parts for part in ((" · ", "muted"), each)][1:]


def describe_clock(ahead: float) -> str:
    """Describes by how much a clock differs from ours, in seconds; "" when it does not."""
    if not ahead:
        return ""
    return f"{format_age(abs(ahead), 120.0)} {'ahead' if ahead > 0 else 'behind'}"
