"""Says that sessions are missing: the state folder can't be listed, or a machine is not reached.

Loads nothing else.
"""

from atm_tui.cli.output import write_error
from atm_tui.monitor.live import LiveMonitor
from atm_tui.text import clean


def warn_of_missing_sessions(monitor: LiveMonitor) -> None:
    """Writes a line to stderr for each machine whose sessions are missing."""
    if monitor.fleet.machines and (missing := describe_missing_sessions(monitor)):
        write_error(missing)


def describe_missing_sessions(monitor: LiveMonitor, text: str = "") -> str:
    """Returns why sessions are missing and what to do, in lines; empty where all are known. `text`: what was looked for."""
    problem = monitor.reader.states.error
    lines = [f"Sessions are missing: {clean(problem)}; see `atm-tui doctor`."] if problem else []
    if machines := monitor.fleet.machines:
        from atm_tui.view.machine_text import list_broken_links  # most users have one machine

        lines += [f"Sessions are missing of {line}." for line in list_broken_links(machines, monitor.now())]
    name, separator, _ = text.partition(":")
    if separator and name in monitor.config.hosts and name not in {each.name for each in machines}:
        lines.append(f"{name} is another machine: give --host {name} before the command.")
    return "\n".join(lines)
