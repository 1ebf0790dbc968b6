"""Makes a session of another machine one of ours: in bounds, by our clock, and with nothing that stands for files here. Pure."""

from collections.abc import Iterable
from operator import is_
from typing import Any, TypeVar

import msgspec

from atm_tui.model.checked import LATEST
from atm_tui.model.host import Host
from atm_tui.model.pid_domain import Place
from atm_tui.model.session import Elsewhere, Session, Terminal

T = TypeVar("T")

TIMES = frozenset(
    {"at", "since", "started_at", "ended_at", "updated_at", "last_prompt_at", "cache_until", "silent_since"}
)
"""The fields that are times of that machine's clock. When a limit resets comes from the API, by the API's clock."""
SPANS = frozenset({"waited"})
"""Fields with pairs of such times."""
BEGINS = frozenset({"recent"})
"""Fields with pairs whose first part is such a time."""
LONGEST = 4000
"""Most characters of a text."""
MOST = 1000
"""Most items of a list."""
LARGEST = 10**15
"""Largest figure."""
_MADE = frozenset(
    {
        "session_id",
        "project",
        "membership",
        "config_dir",
        "transcript_path",
        "unseen",
        "pid",
        "place",
        "terminal",
        "processes",
        "elsewhere",
    }
)
"""The fields of which `adopt` makes something else."""


def bound(value: T, ahead: float = 0.0) -> T:
    """Returns a value with all its texts, lists and figures in bounds, and its times by our clock.

    `ahead`: seconds by which the clock that made the times is ahead of ours.
    """
    found: T = _bound(value, -ahead, "")
    return found


def _bound(value: Any, shift: float, name: str) -> Any:
    if isinstance(value, msgspec.Struct):
        return _bound_struct(value, shift)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return value if len(value) <= LONGEST else value[:LONGEST]
    if isinstance(value, int | float):
        return _bound_number(value, shift if name in TIMES else 0.0, is_time=name in TIMES)
    if isinstance(value, tuple):
        return _bound_tuple(value, shift, name)
    if isinstance(value, dict):
        items = list(value.items())[:MOST]
        new = {_bound(key, 0.0, ""): _bound(each, 0.0, "") for key, each in items}
        return value if new == value else new
    return value


def _bound_struct(value: msgspec.Struct, shift: float) -> msgspec.Struct:
    """Bounds all fields. A fleet sends hundreds of sessions a second, with hundreds of values each: usual ones cost no call."""
    changed = _bound_fields(zip(value.__struct_fields__, msgspec.structs.astuple(value), strict=True), shift)
    return msgspec.structs.replace(value, **changed) if changed else value


def _bound_fields(fields: Iterable[tuple[str, Any]], shift: float) -> dict[str, Any]:
    """Returns those of the fields whose values are out of bounds or are shifted, with their new values."""
    changed = {}
    for field, each in fields:
        kind = type(each)
        if kind is str:
            if len(each) <= LONGEST:
                continue
        elif kind is float or kind is int:
            if field not in TIMES:
                if -LARGEST <= each <= LARGEST:
                    continue
            elif not shift and 0 <= each < LATEST:
                continue
        elif each is None or kind is bool or (not each and (kind is tuple or kind is dict)):
            continue
        if (new := _bound(each, shift, field)) is not each:
            changed[field] = new
    return changed


def _bound_differences(value: Session, ahead: float, before: tuple[Session, Session]) -> Session:
    """As `bound`, but takes over what is the same as before. `before`: what was given, and what `adopt` made of it."""
    every = zip(value.__struct_fields__, *map(msgspec.structs.astuple, (value, *before)), strict=True)
    kept, differing = {}, []
    for field, given, old, ours in every:
        if field in _MADE or given != old:
            differing.append((field, given))
        elif ours is not old:  # else it was in bounds, and one copy of it is enough
            kept[field] = ours
    kept |= _bound_fields(differing, -ahead)
    return msgspec.structs.replace(value, **kept) if kept else value


def _bound_tuple(value: tuple[Any, ...], shift: float, name: str) -> tuple[Any, ...]:
    kept = value if len(value) <= MOST else value[-MOST:]
    if name in SPANS:
        new = tuple([(_bound(a, shift, "at"), _bound(b, shift, "at")) for a, b in kept])
    elif name in BEGINS:
        new = tuple([(_bound(at, shift, "at"), _bound(each, 0.0, "")) for at, each in kept])
    else:
        new = tuple([_bound(each, shift, "") for each in kept])
    return value if len(new) == len(value) and all(map(is_, new, value)) else new


def _bound_number(value: float, shift: float, *, is_time: bool) -> float:
    if not -LARGEST <= value <= LARGEST:
        return 0 if is_time or value != value else LARGEST if value > 0 else -LARGEST  # noqa: PLR0124  only NaN differs
    if not is_time or value == 0:  # 0 stands for an unknown time
        return value
    shifted = value + shift
    return shifted if 0 < shifted < LATEST else 0.0


def adopt(
    session: Session,
    machine: str,
    host: Host,
    *,
    ahead: float,
    silent_since: float | None,
    seen_at: float = 0.0,
    unknown: dict[str, Any] | None = None,
    before: tuple[Session, Session] | None = None,
) -> Session:
    """Returns a session of a machine, which is reached by `host`, as one of ours.

    `ahead`: seconds by which its clock is ahead; `silent_since`: when the last word came, None while the link is live;
    `seen_at`: when the user looked at it from here. The last two are epoch seconds of our clock. `unknown`: the unknown
    fields of its line. `before`: what was given of the same session before, by the same clock, and what this function made of it.
    """
    given = bound(session, ahead) if before is None else _bound_differences(session, ahead, before)
    member = given.membership
    return msgspec.structs.replace(
        given,
        session_id=f"{machine}:{given.session_id}",
        project=msgspec.structs.replace(
            given.project,
            root=f"{machine}:{given.root}",
            name=f"{machine}:{given.project.name}" if given.project.name else "",
        ),
        membership=msgspec.structs.replace(member, lead=f"{machine}:{member.lead}")
        if member and member.lead
        else member,
        config_dir=f"{machine}:{given.config_dir or ''}",
        transcript_path=None,
        unseen=given.unseen and given.since > seen_at,
        pid=None,
        place=Place.MACHINE,
        terminal=Terminal(),
        processes=tuple(
            msgspec.structs.replace(each, pid=None, place=Place.MACHINE, terminal=Terminal())
            for each in given.processes
        ),
        elsewhere=Elsewhere(
            machine=machine,
            host=host,
            session_id=given.session_id,
            cwd=given.cwd,
            pid=given.pid,
            terminal=given.terminal,
            silent_since=silent_since,
            unknown=unknown or {},
        ),
    )
