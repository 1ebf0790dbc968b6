"""How thoroughly is measured."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Options:
    """Numbers of runs, seconds, and sizes of what is measured."""

    runs: int = 15
    """Of each command."""
    hook_runs: int = 60
    starts: int = 7
    """Of the app."""
    rest_seconds: float = 30.0
    rest_spans: int = 5
    """How often so many seconds of an app at rest are measured."""
    calm_seconds: float = 150.0
    """For how long an idle fleet is shown before it is measured: minutes."""
    hosts_seconds: float = 60.0
    """For how long links to other machines are measured: they take little."""
    host_changes: int = 20
    fleet_machines: int = 200
    fleet_changes: int = 100
    load_seconds: float = 30.0
    load_sessions: int = 1000
    keys: int = 200
    events: int = 300
    """Hook processes, of which the text is awaited on the screen."""
    answers: int = 30
    wait_seconds: float = 25.0
    """For how long a hook is watched that waits for an answer."""
    command_mb: int = 56
    """Transcripts of the sessions that commands look at."""
    history_mb: int = 2000
    past_sessions: int = 20_000
    first_reads: int = 3
    follow_seconds: float = 10.0
    conversation_mb: int = 100
    days: int = 9
    """Of the simulation: two to warm up, and a week."""
    steps: int = 100
    """Of a simulated day."""


FULL = Options()
QUICK = Options(
    runs=3,
    hook_runs=8,
    starts=2,
    rest_seconds=5.0,
    rest_spans=1,
    calm_seconds=5.0,
    hosts_seconds=5.0,
    host_changes=5,
    fleet_machines=20,
    fleet_changes=20,
    load_seconds=5.0,
    load_sessions=100,
    keys=20,
    events=40,
    answers=3,
    wait_seconds=3.0,
    command_mb=10,
    history_mb=60,
    past_sessions=1000,
    first_reads=1,
    follow_seconds=2.0,
    conversation_mb=10,
    days=3,
    steps=10,
)
