"""Which session a person means by the start of its id or of its name."""

from collections.abc import Iterable

from atm_tui.model.session import Session


class NotFoundError(Exception):
    """No session, or more than one, is meant; the text lists what there is."""


def find_session(sessions: Iterable[Session], wanted: str) -> Session:
    """The one session whose id or name is `wanted`, or begins with it; dashes and case do not matter.

    Raises NotFoundError when none or several fit.
    """
    everyone = list(sessions)
    key = _plain(wanted)
    exact = [s for s in everyone if key in (_plain(s.session_id), _plain(s.name))]
    fitting = exact or [s for s in everyone if _plain(s.session_id).startswith(key) or _plain(s.name).startswith(key)]
    if len(fitting) == 1 and key:
        return fitting[0]
    listed = "\n".join(f"  {s.session_id[:8]}  {s.name}" for s in (fitting if key and fitting else everyone)[:20])
    if fitting and key:
        raise NotFoundError(f'"{wanted}" can mean {len(fitting)} sessions:\n{listed}')
    raise NotFoundError(f'no session begins with "{wanted}"' + (f"; there are:\n{listed}" if listed else ""))


def _plain(text: str) -> str:
    return text.casefold().replace("-", "")
