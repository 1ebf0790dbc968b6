"""Describes whether hooks are installed and report, and what is wrong, with the next step. Pure."""

from collections.abc import Collection, Iterable, Mapping

from atm_tui.model.fleet import Health
from atm_tui.model.hook_loading import advise_without_hooks
from atm_tui.model.session import Liveness, Session
from atm_tui.settings.hook_report import HookReport, HookStatus


def describe_health(
    sessions: Iterable[Session],
    reports: Mapping[str, HookReport],
    problems: Iterable[str | None],
    *,
    alarms: Iterable[str | None] = (),
    heard_at: float | None = None,
) -> Health:
    """Describes the health of a monitor. `reports`: by config folder; `problems`: of sources and watcher, None for none.

    `sessions`: at least those that live; `heard_at`: when hooks last reported one of the others, epoch seconds.
    `alarms`: problems that come before all others, since something is lost or under attack.
    """
    sessions = list(sessions)
    live = [session for session in sessions if session.liveness is Liveness.LIVE]
    silent = [session for session in live if not session.is_reported]
    without_hooks = len(silent)
    status, notices = HookStatus.INSTALLED, [alarm for alarm in alarms if alarm]
    for folder, report in reports.items():
        if report.status is HookStatus.INSTALLED:
            continue
        if status is HookStatus.INSTALLED:
            status = report.status
        notices.append(f"{folder}: {report.message}")
    if without_hooks:
        some = f"{without_hooks} of {len(live)} live sessions" if len(live) > 1 else "The live session"
        notices.append(
            f"{some} started before the hooks were installed, or may not run them: {advise_without_hooks(silent)}."
        )
    return Health(
        hooks=status.value,
        last_event_at=max(
            (*(each.updated_at for each in sessions if each.is_reported), *(() if heard_at is None else (heard_at,))),
            default=None,
        ),
        without_hooks=without_hooks,
        notices=(*notices, *(problem for problem in problems if problem)),
    )


class ShownSessions:
    """What the health depends on: the live sessions, and the last event of all. Looks only at those that changed."""

    def __init__(self) -> None:
        self.live: dict[str, Session] = {}
        """The live sessions by id."""
        self.heard_at: float | None = None
        """When hooks last reported any of them, epoch seconds."""
        self._hidden: Collection[str] = frozenset()

    def update(self, sessions: Mapping[str, Session], changed: Iterable[str], hidden: Collection[str]) -> None:
        """Brings it up to date. `changed`: ids of those that differ since the last call, came or went; `hidden`: as in Fleet."""
        if hidden != self._hidden:
            self.live, self.heard_at, self._hidden, changed = {}, None, hidden, sessions
        for key in changed:
            session = sessions.get(key)
            if session is None or session.kind in hidden or session.liveness is not Liveness.LIVE:
                self.live.pop(key, None)
            else:
                self.live[key] = session
            if session is not None and session.is_reported and session.kind not in hidden:
                self.heard_at = max(self.heard_at or session.updated_at, session.updated_at)
