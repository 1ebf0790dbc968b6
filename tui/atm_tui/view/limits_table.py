"""Writes the limits of all accounts as lines of text, for `atm-tui usage`."""

from atm_tui.cost.limits import find_accounts
from atm_tui.model.fleet import Fleet
from atm_tui.text import clean
from atm_tui.view.limits_text import describe_window


def list_limits(fleet: Fleet, now: float) -> list[str]:
    """Returns an empty line, then one for each window; names the account where there are several. Empty without limits."""
    accounts = find_accounts(fleet.list_limited(), fleet.limits_full_at)
    lines = [
        f"Limit {name}: {describe_window(window, now)}"
        + (f"  ({clean(account.config_dir)})" if len(accounts) > 1 else "")
        for account in accounts
        for name, window in account.windows
    ]
    return ["", *lines] if lines else []
