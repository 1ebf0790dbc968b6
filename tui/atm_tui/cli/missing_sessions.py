"""Says that sessions are missing, where none was found and the state folder can't be listed. Loads nothing else."""

from atm_tui.monitor.live import LiveMonitor
from atm_tui.text import clean


def describe_missing_sessions(monitor: LiveMonitor) -> str:
    """Returns why sessions are missing and what to do; empty where the state folder can be listed."""
    problem = monitor.reader.states.error
    return f"Sessions are missing: {clean(problem)}; see `atm-tui doctor`." if problem else ""
