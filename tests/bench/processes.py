"""Times whole processes in turn with a bare interpreter, so that a ratio holds although the machine's speed drifts."""

import os
import subprocess
import sys
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass

from tests.bench.row import Aim, Row, summarize

BARE = (sys.executable, "-I", "-S", "-c", "pass")
"""A bare interpreter."""
START = "import sys; from atm_tui.__main__ import main; sys.argv[0] = 'atm-tui'; sys.exit(main())"
"""What the installed script does."""
OURS = (sys.executable, "-c", START)
"""The command `atm-tui`."""
_LAUNCHER = """
import os, sys, time
begun = time.perf_counter()
pid = os.fork()
if not pid:
    null = os.open(os.devnull, os.O_RDWR)
    for fd in 0, 1, 2:
        os.dup2(null, fd)
    os.execvp(sys.argv[1], sys.argv[1:])
_, status, used = os.wait4(pid, 0)
print(time.perf_counter() - begun, used.ru_utime + used.ru_stime, used.ru_maxrss, os.waitstatus_to_exitcode(status))
"""
"""A small process that starts the measured one: the memory of a process is at least that of the one that started it."""


@dataclass(frozen=True)
class ResourceUsage:
    """What a process took with all that it waited for."""

    seconds: float
    """From its start to its end."""
    processor: float
    """Seconds."""
    memory: int
    """The most it had, in bytes."""


def run(command: Sequence[str], environ: Mapping[str, str], codes: Container[int] = (0,)) -> ResourceUsage:
    """Runs a command to its end. Raises RuntimeError when it ends with none of these exit codes."""
    launched = [sys.executable, "-I", "-S", "-c", _LAUNCHER, *command]
    output = subprocess.run(launched, env=environ, check=True, capture_output=True, text=True).stdout
    seconds, processor, memory, code = output.split()
    if int(code) not in codes:
        raise RuntimeError(f"{command[-1]} ended with exit code {code}")
    return ResourceUsage(float(seconds), float(processor), int(memory) * (1 if sys.platform == "darwin" else 1024))


def measure_command(
    name: str,
    command: Sequence[str],
    environ: Mapping[str, str],
    runs: int,
    *,
    aim: Aim | None = None,
    codes: Container[int] = (0,),
    prepare: Callable[[], object] = lambda: None,
) -> Row:
    """Measures the processor time of a command, as a multiple of a bare interpreter that is run in turn with it.

    `prepare` is called before each run.
    """
    run(command, environ, codes)
    pairs = []
    for _ in range(runs):
        prepare()
        pairs.append((run(command, environ, codes), run(BARE, environ)))
    times, bare = ([1e3 * used.processor for used in side] for side in zip(*pairs, strict=True))
    return summarize(name, times, "ms", bare, reference="bare interpreter", aim=aim)


def make_environ(home: str) -> dict[str, str]:
    """Makes the environment of measured processes: all folders are below a scratch folder, with Claude Code's at `.claude`."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": home,
        "ATM_STATE_DIR": f"{home}/state",
        "ATM_DATA_DIR": f"{home}/data",
        "CLAUDE_CONFIG_DIR": f"{home}/.claude",
        "XDG_CACHE_HOME": f"{home}/cache",
        "TMUX_TMPDIR": home,  # no tmux of the user's is asked
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "LANG": "C.UTF-8",
        # the code that is measured is the one that this process has
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
    }
