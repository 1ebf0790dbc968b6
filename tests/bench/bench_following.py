"""Transcripts that grow: what following those of 54 sessions takes, and how long the app's first look at a large one."""

import json
import random
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from atm_hooks import journal, payload
from atm_tui.cli.main import PORTION
from atm_tui.config import Config
from atm_tui.cost.figures import (
    compute_agent_context,
    compute_agent_cost,
    compute_session_context,
    compute_session_cost,
)
from atm_tui.cost.pricing import load_default_table
from atm_tui.monitor.live import LiveMonitor
from atm_tui.sources.transcript import TranscriptReader
from tests.bench.options import Options
from tests.bench.row import Aim, Row
from tests.bench.transcripts import write_lines, write_transcript

SESSIONS = 54
LINES_PER_SECOND = 20
POLLS_PER_SECOND = 4
LARGE = 50_000_000
"""Bytes of the large transcript."""


def measure(options: Options) -> Iterator[Row]:
    """Measures both."""
    with tempfile.TemporaryDirectory() as folder:
        share = 100 * measure_share(Path(folder), options.follow_seconds)
        name = f"{SESSIONS} transcripts that grow by {LINES_PER_SECOND} lines/s: share of a core"
        yield Row(name, share, "%", aim=Aim(3, "figure"))
    with tempfile.TemporaryDirectory() as folder:
        whole, longest = measure_first_look(Path(folder))
        name = f"a transcript of {LARGE // 1_000_000} MB: first figures"
        yield Row(name, 1e3 * whole, "ms")
        yield Row(f"{name}, the longest step", 1e3 * longest, "ms")


def measure_share(folder: Path, seconds: float) -> float:
    """Returns the share of a core that following the sessions takes, with their costs and contexts."""
    chance, table = random.Random(2), load_default_table()
    sources = [write_lines(chance, f"live{n}") for n in range(SESSIONS)]
    paths = [folder / f"live{n}.jsonl" for n in range(SESSIONS)]
    for path, source in zip(paths, sources, strict=True):
        path.write_text("".join(next(source) for _ in range(2_000)))
        agents = path.with_suffix("") / "subagents"
        agents.mkdir(parents=True)
        for n in range(3):
            (agents / f"agent-a{n}.jsonl").write_text("".join(next(source) for _ in range(50)))
            (agents / f"agent-a{n}.meta.json").write_text('{"agentType": "Explore"}')
    readers = [TranscriptReader(str(path)) for path in paths]
    for reader in readers:
        reader.read()
    pending = [[next(source) for _ in range(int(seconds) * 2)] for source in sources]
    spent, due = 0.0, 0.0
    begun = time.monotonic()
    for poll in range(int(seconds * POLLS_PER_SECOND)):
        due += LINES_PER_SECOND / POLLS_PER_SECOND
        while due >= 1:
            due -= 1
            n = chance.randrange(SESSIONS)
            if pending[n]:
                with paths[n].open("a") as out:
                    out.write(pending[n].pop())
        before = resource.getrusage(resource.RUSAGE_SELF)
        for reader in readers:
            if reader.read():
                compute_session_cost(reader.facts, None, table)
                compute_session_context(reader.facts, None, table)
                for agent in reader.facts.agents:
                    compute_agent_cost(reader.facts, agent.agent_id, table)
                    compute_agent_context(agent, table)
        after = resource.getrusage(resource.RUSAGE_SELF)
        spent += after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        time.sleep(max(0.0, begun + (poll + 1) / POLLS_PER_SECOND - time.monotonic()))
    return spent / (time.monotonic() - begun)


def measure_first_look(folder: Path) -> tuple[float, float]:
    """Returns the seconds until the cost of a session with a large transcript is known, and those of the longest step."""
    path, state = folder / "large.jsonl", folder / "state"
    write_transcript(path, LARGE, write_lines(random.Random(3), "large"))
    journal.prepare_folders(str(state))
    event = {"hook_event_name": "SessionStart", "session_id": "large", "source": "startup", "cwd": "/"}
    given = json.dumps(event | {"transcript_path": str(path)}).encode()
    journal.record_event(str(state), payload.parse_event(given, time.time(), {}))
    monitor = LiveMonitor(state, [folder], Config(), portion=PORTION)
    longest, begun, looks = 0.0, time.perf_counter(), 0
    while not looks or monitor.fleet.sessions["large"].cost.usd is None:
        start = time.perf_counter()
        monitor.refresh()
        longest, looks = max(longest, time.perf_counter() - start), looks + 1
    return time.perf_counter() - begun, longest
