"""Resolves only the sessions that may have changed since the last call: resolving a thousand would take too long."""

from collections.abc import Mapping

from atm_tui.model.resolve import Facts, ResolvedSession, resolve


class Resolver:
    """Resolves sessions, and keeps each result until new facts, or the time, can change it."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Facts, ResolvedSession]] = {}
        self._at = float("-inf")

    def resolve_all(self, facts: Mapping[str, Facts], now: float) -> dict[str, ResolvedSession]:
        """Returns all sessions as of `now` (epoch seconds). An unchanged session is the same object as before."""
        back, self._at = now < self._at, now
        known = self._known
        self._known = {
            key: was
            if (was := known.get(key)) is not None
            and not back
            and (was[1].recheck_at is None or now < was[1].recheck_at)
            and (was[0] is each or was[0] == each)
            else (each, _keep_equal_session(was, resolve(each, now)))
            for key, each in facts.items()
        }
        return {key: resolved for key, (_, resolved) in self._known.items()}


def _keep_equal_session(was: tuple[Facts, ResolvedSession] | None, resolved: ResolvedSession) -> ResolvedSession:
    if was is None or was[1].session != resolved.session:
        return resolved
    return ResolvedSession(session=was[1].session, recheck_at=resolved.recheck_at)
