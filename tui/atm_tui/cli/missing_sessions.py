"""Says that sessions are missing, where none was found: the state folder can't be listed, or a machine is not reached.

Loads nothing else.
"""

from atm_tui.monitor.live import LiveMonitor
from atm_tui.text import clean


def describe_missing_sessions(monitor: LiveMonitor) -> str:
    """Returns why sessions are missing and what to do, in lines; empty where all are known."""
    problem = monitor.reader.states.error
    lines = [f"Sessions are missing: {clean(problem)}; see `atm-tui doctor`."] if problem else []
    if machines := monitor.fleet.machines:
        from atm_tui.view.machine_text import list_broken_links  # most users have one machine

        lines += [f"Sessions are missing of {line}." for line in list_broken_links(machines, monitor.now())]
    return "\n".join(lines)
