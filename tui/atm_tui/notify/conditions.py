"""Finds the current conditions that give a notification, in sessions, budgets and limits."""

from collections.abc import Iterator

from atm_tui.config import Config
from atm_tui.cost.budgets import find_reached_budgets
from atm_tui.cost.limits import find_accounts
from atm_tui.model.activity import ActivityKind
from atm_tui.model.fleet import Fleet
from atm_tui.model.notification import Condition, NotifyReason
from atm_tui.model.session import Session, State
from atm_tui.text import clean, format_money
from atm_tui.view.status_text import describe_activity, describe_wait

LIMIT_PERCENT = 90
"""Used percentage of a rate limit that gives a notification."""
_LONGEST = 200
"""Largest length of a text."""


def find_conditions(fleet: Fleet, config: Config, now: float) -> tuple[Condition, ...]:
    """Returns the conditions at `now` (epoch seconds) for the reasons in the configuration. Snoozed sessions have none."""
    found = [
        condition
        for session in fleet.list_noted()
        if session.session_id not in fleet.snoozed
        for condition in _find_in_session(session, config.notify_finished_after)
    ]
    found += [*_find_budgets(fleet, config, now), *_find_limits(fleet, now)]
    return tuple(each for each in found if each.reason in config.notify_for)


def _find_in_session(session: Session, finished_after: float) -> Iterator[Condition]:
    if session.activity.kind is ActivityKind.FAILED:
        yield _make(
            session, NotifyReason.FAILED, str(session.since), describe_activity(session.activity), session.since
        )
    elif session.state is State.NEEDS_YOU:
        if not session.waits:
            words = f"needs you: {describe_activity(session.activity)}"
            yield _make(session, NotifyReason.NEEDS_YOU, str(session.since), words, session.since)
        for wait in session.waits:
            about = describe_wait(wait)
            words = f"{about.sentence}: {about.summary}" if about.summary else about.sentence
            yield _make(session, NotifyReason.NEEDS_YOU, f"{wait.key} {wait.since}", words, wait.since)
    elif session.activity.kind is ActivityKind.FINISHED and session.last_prompt_at is not None:
        took = session.since - session.last_prompt_at
        if took > finished_after:
            yield _make(session, NotifyReason.FINISHED, str(session.since), "has finished", session.since)


def _make(session: Session, reason: NotifyReason, key: str, words: str, since: float) -> Condition:
    text = f"{clean(session.name)} {words}"
    return Condition(
        key=f"{reason} {session.session_id} {key}",
        reason=reason,
        text=text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…",
        since=since,
        session_id=session.session_id,
    )


def _find_budgets(fleet: Fleet, config: Config, now: float) -> Iterator[Condition]:
    for each in find_reached_budgets(fleet, now, config.budget_day, config.budget_session):
        name = f"{clean(each.session.name)} has cost" if each.session else "spent today:"
        yield Condition(
            key=f"budget {each.key}",
            reason=NotifyReason.BUDGET,
            text=f"{name} {format_money(each.usd)}, over your budget",
            session_id=each.session.session_id if each.session else "",
        )


def _find_limits(fleet: Fleet, now: float) -> Iterator[Condition]:
    for account in find_accounts(fleet.list_limited()):
        for name, gauge in account.windows:
            if gauge.percent is not None and gauge.percent >= LIMIT_PERCENT and not gauge.is_over(now):
                yield Condition(
                    # the end of a window differs by seconds between samples
                    key=f"limit {account.config_dir} {name} {round((gauge.resets_at or 0.0) / 600)}",
                    reason=NotifyReason.LIMIT,
                    text=f"{gauge.percent:.0f} % of the {name} limit is used",
                )
