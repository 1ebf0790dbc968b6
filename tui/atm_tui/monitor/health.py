"""Describes whether hooks are installed and report, and what is wrong, with the next step."""

from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path

from atm_tui.model.fleet import Health
from atm_tui.model.hook_loading import advise_without_hooks
from atm_tui.model.session import Liveness, Session
from atm_tui.monitor.refused_attempts import RefusedAttempts
from atm_tui.monitor.state_access import StateAccess
from atm_tui.settings.hook_report import HookReport, HookStatus
from atm_tui.settings.kept_reports import HookReports


def describe_health(
    sessions: Iterable[Session],
    reports: Mapping[str, HookReport],
    problems: Iterable[str | None],
    *,
    alarms: Iterable[str | None] = (),
    heard_at: float | None = None,
) -> Health:
    """Describes the health of a monitor; pure. `reports`: by config folder; `problems`: of sources and watcher, None for none.

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


class HealthCheck:
    """Checks the health of a monitor whenever its sessions have been read."""

    def __init__(self, state_dir: Path, now: Callable[[], float], reports: HookReports | None) -> None:
        """`reports`: on the hooks of config folders; None: there are none to install, as in a demo."""
        self._now = now
        self._reports = reports
        self._shown = ShownSessions()
        self._attempts = RefusedAttempts(state_dir, now)
        self._state_access = StateAccess(state_dir)

    def update(self, sessions: Mapping[str, Session], changed: Iterable[str], hidden: Collection[str]) -> None:
        """As ShownSessions.update."""
        self._shown.update(sessions, changed, hidden)

    def describe(
        self,
        sessions: Mapping[str, Session],
        folders: Iterable[Path],
        given: Collection[Path],
        problems: Iterable[str | None],
        alarms: Iterable[str | None],
    ) -> Health:
        """As describe_health. `folders`: all config folders, of which those count that are used, or `given` by the user."""
        live = self._shown.live.values()
        self._state_access.refresh((each.session_id for each in live if each.is_reported), self._now())
        used = {session.config_dir for session in live}
        counted = [each for each in folders if each in given or str(each) in used] if self._reports else ()
        return describe_health(
            live,
            {str(each): self._reports.find(each) for each in counted} if self._reports else {},
            problems,
            alarms=[self._attempts.describe(sessions), self._state_access.problem, *alarms],
            heard_at=self._shown.heard_at,
        )
