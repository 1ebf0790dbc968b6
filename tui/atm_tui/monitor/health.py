"""Describes whether hooks are installed and report, and what is wrong, with the next step. Pure."""

from collections.abc import Iterable, Mapping

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
) -> Health:
    """Describes the health of a monitor. `reports`: by config folder; `problems`: of sources and watcher, None for none.

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
        last_event_at=max((session.updated_at for session in sessions if session.is_reported), default=None),
        without_hooks=without_hooks,
        notices=(*notices, *(problem for problem in problems if problem)),
    )
