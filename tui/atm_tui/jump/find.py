"""Which session a person means by a few characters of its id or name."""

from collections.abc import Iterable

import msgspec

from atm_tui.model.session import Session

_HEX = frozenset("0123456789abcdef")


class Named(msgspec.Struct, frozen=True, kw_only=True):
    """A session that can be found."""

    session_id: str
    names: tuple[str, ...] = ()
    live: bool = False


def named(session: Session) -> Named:
    """A session of the fleet, by its name and its title."""
    names = tuple(dict.fromkeys(each for each in (session.name, session.title) if each))
    return Named(session_id=session.session_id, names=names, live=session.liveness == "live")


def matches(text: str, sessions: Iterable[Named], least: int = 1) -> tuple[Named, ...]:
    """The sessions that `text` can mean; one when it is clear.

    A whole id or name goes before the start of one, and a live session before those that are over. An id may be
    written without its dashes, and needs `least` hexadecimal digits; case does not matter.
    """
    wanted = text.strip().casefold()
    digits = wanted.replace("-", "")
    by_id = len(digits) >= least and _HEX.issuperset(digits)
    known = list({each.session_id: each for each in sessions}.values())

    def starts(each: Named) -> bool:
        at_id = by_id and each.session_id.casefold().replace("-", "").startswith(digits)
        return at_id or any(name.casefold().startswith(wanted) for name in each.names)

    def whole(each: Named) -> bool:
        return wanted in (each.session_id.casefold(), *(name.casefold() for name in each.names))

    found = [each for each in known if wanted and starts(each)]
    for prefer in (whole, lambda each: each.live):
        found = [each for each in found if prefer(each)] or found
    return tuple(found)
