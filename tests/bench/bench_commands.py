"""One-shot commands with 54 live sessions, transcripts and hooks: the second call, as a multiple of a bare interpreter.

Second calls begin once all files are older than what a kept result is made of; while a session works, they are not.
"""

import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from atm_tui.cli.exit_codes import ExitCode
from atm_tui.sources.kept_result import MARGIN
from tests.bench.busy_fleet import BusyFleet, name
from tests.bench.options import Options
from tests.bench.processes import BARE, OURS, make_environ, measure_command, run
from tests.bench.row import Aim, Row, summarize
from tests.bench.transcripts import write_lines

SESSIONS = 54
AIMS: dict[tuple[str, ...], float] = {
    ("--version",): 3.5,
    ("--help",): 3.5,
    ("status", "--tmux"): 6,
    ("status",): 8,
    ("next", "--print"): 8,
    ("status", "--json"): 9,
}
IN_MOTION = ("status", "--tmux")
"""The command that repeats an earlier result while nothing changes: it is measured with changes, too."""
CODES = (ExitCode.DONE, ExitCode.NOT_POSSIBLE)
"""`next` finds the session that waits, of which no terminal is known."""


def write_transcripts(fleet: BusyFleet, megabytes: int) -> None:
    """Adds answers, results of tools and pictures to the transcripts of a fleet, the same number of bytes to each."""
    chance, size = random.Random(5), megabytes * 1_000_000 // fleet.sessions
    for number in range(fleet.sessions):
        left = size
        with fleet.transcript(number).open("a") as out:
            for line in write_lines(chance, name(number)):
                if len(line) <= left:
                    left -= out.write(line)
                elif left < 20_000:
                    break


def measure(options: Options) -> Iterator[Row]:
    """Measures each command."""
    with tempfile.TemporaryDirectory() as folder:
        fleet = BusyFleet(Path(folder), SESSIONS)
        try:
            fleet.fill()
            fleet.settle(waiting=SESSIONS // 3, working=SESSIONS // 3)
            write_transcripts(fleet, options.command_mb)
            environ = make_environ(folder)
            run([*OURS, "install", "--yes"], environ)
            first, bare = run([*OURS, "status"], environ), run(BARE, environ)
            took = [1e3 * used.processor for used in (first, bare)]
            yield summarize("status, first call", took[:1], "ms", took[1:], reference="bare interpreter")
            time.sleep(MARGIN + 0.5)
            for words, aim in AIMS.items():
                title = f"{' '.join(words)}, second call"
                yield measure_command(title, [*OURS, *words], environ, options.runs, aim=Aim(aim), codes=CODES)
            title, aim = f"{' '.join(IN_MOTION)}, while a session works", AIMS[IN_MOTION]
            yield measure_command(title, [*OURS, *IN_MOTION], environ, options.runs, aim=Aim(aim), prepare=fleet.work)
        finally:
            fleet.close()
