"""The limits of all accounts as lines of text, for `atm-tui usage`. Pure."""

from atm_tui.cost.limits import find_accounts
from atm_tui.model.fleet import Fleet
from atm_tui.text import clean
from atm_tui.view.limits_text import describe_window


def list_limits(fleet: Fleet, now: float) -> list[str]:
    """A line for each window, after an empty one; the account is named where there are several. Empty without limits."""
    accounts = find_accounts(fleet.sessions.values(), fleet.limits_full_at)
    lines = [
        f"Limit {name}: {describe_window(window, now)}"
        + (f"  ({clean(account.config_dir)})" if len(accounts) > 1 else "")
        for account in accounts
        for name, window in account.windows
    ]
    return ["", *lines] if lines else []
