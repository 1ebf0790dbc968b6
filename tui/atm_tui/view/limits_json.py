"""Builds the limits of all accounts as JSON, for `status --json` and `usage --json`."""

from typing import Any

from atm_tui.cost.limits import find_accounts
from atm_tui.model.fleet import Fleet


def build_limits_json(fleet: Fleet, now: float) -> list[dict[str, Any]]:
    """Returns one object for each window of each account; values that are unknown or outdated at `now` (epoch seconds) are None."""
    return [
        {
            "config_dir": account.config_dir or None,
            "window": name,
            "percent": None if window.is_over(now) else window.percent,
            "resets_at": window.resets_at,
            "full_at": window.find_full_time(now),
            "full_before_reset": window.is_full_before_reset(now),
            "at": window.at,
        }
        for account in find_accounts(fleet.list_limited(), fleet.limits_full_at)
        for name, window in account.windows
    ]
