"""How fast transcripts are read: a large history, first and second start; many sessions that grow; one that is large.

usage: python tests/bench/bench_transcripts.py [--mb 100] [--seconds 10]

Aims: 300 MB/s, less than 100 MB of memory, less than 3 % of a core for 54 sessions that write 20 lines a second in all.
"""

import argparse
import base64
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

SESSIONS = 54
LINES_PER_SECOND = 20
POLLS_PER_SECOND = 4
_CODE = 'def total(rows):\n    """Sum of \\"price\\" over rows."""\n    return sum(row["price"] for row in rows)\n\n'


def lines(chance: random.Random, session: str, start: int = 0) -> Iterator[str]:
    """Endless lines of a session: prompts, answers in several blocks, large results of tools, images, bookkeeping."""
    shared = {"isSidechain": False, "userType": "external", "cwd": "/home/user/work/web", "sessionId": session}
    number = start
    while True:
        number += 1
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(1_767_000_000 + number * 7))
        common = shared | {"parentUuid": f"{session}-{number - 1}", "version": "2.1.332", "timestamp": stamp}
        usage = {
            "input_tokens": 12,
            "output_tokens": chance.randrange(2_000),
            "cache_creation_input_tokens": chance.randrange(9_000),
            "cache_read_input_tokens": chance.randrange(150_000),
            "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
            "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
            "service_tier": "standard",
        }
        answer = {"id": f"msg_{session}_{number}", "role": "assistant", "model": "claude-opus-5-5", "usage": usage}
        blocks: list[dict[str, object]] = [
            {"type": "text", "text": "Let me look at that. " * chance.randrange(1, 40)},
            {"type": "tool_use", "id": f"toolu_{number}", "name": "Edit", "input": {"new_string": _CODE * 4}},
        ]
        for i, block in enumerate(blocks[: chance.randrange(1, 3)]):
            message = answer | {"content": [block], "stop_reason": "tool_use"}
            record = common | {"message": message, "requestId": f"req_{session}_{number}", "type": "assistant"}
            yield json.dumps(record | {"uuid": f"{session}-{number}-{i}"}) + "\n"
        size = chance.choice([1, 2, 5, 10, 40, 150])
        content: object = _CODE * size
        if chance.random() < 0.02:
            image = base64.b64encode(chance.randbytes(chance.choice([150_000, 700_000]))).decode()
            content = [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": image}}]
        result = {"tool_use_id": f"toolu_{number}", "type": "tool_result", "content": content}
        record = common | {
            "type": "user",
            "message": {"role": "user", "content": [result]},
            "uuid": f"{session}-{number}",
        }
        yield json.dumps(record | {"toolUseResult": {"stdout": content}}) + "\n"
        if chance.random() < 0.2:
            yield json.dumps(common | {"type": "user", "message": {"role": "user", "content": "Go on"}}) + "\n"
            yield json.dumps({"type": "permission-mode", "permissionMode": "default", "sessionId": session}) + "\n"
            yield json.dumps(common | {"type": "system", "subtype": "turn_duration", "durationMs": 900}) + "\n"


def generate(folder: Path, megabytes: int) -> int:
    """Write sessions of about 5 MB into project folders; the bytes written."""
    chance = random.Random(1)
    written = session = 0
    while written < megabytes * 1_000_000:
        session += 1
        path = folder / "projects" / f"-home-user-work-{session % 12}" / f"session-{session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        size = 0
        with path.open("w") as out:
            for line in lines(chance, f"s{session}"):
                size += out.write(line)
                if size > 5_000_000:
                    break
        written += size
    return written


_READ = """
import resource, sys, time
from pathlib import Path
from atm_tui.cost.pricing import load_default_table
from atm_tui.sources.usage import UsageReader
base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
reader = UsageReader([Path(sys.argv[1])], Path(sys.argv[2]), load_default_table())
for progress in reader.read():
    pass
seconds = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
requests = sum(b.requests for b in reader.result.buckets)
print(seconds, base / 1024, peak / 1024, requests)
"""


def history(folder: Path, megabytes: int) -> None:
    """Print speed and memory of the first and the second start, each in a process of its own."""
    written = generate(folder, megabytes) / 1_000_000
    for start in ("first", "second"):
        command = [sys.executable, "-c", _READ, str(folder), str(folder / "cache")]
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        seconds, base, peak, requests = map(float, out)
        print(
            f"{start} start: {written:.0f} MB in {seconds:.2f} s = {written / seconds:.0f} MB/s;"
            f" peak {peak:.0f} MB (of these {base:.0f} before reading); {requests:.0f} requests"
        )


def tailing(folder: Path, seconds: float) -> None:
    """Print the share of a core that following the sessions takes."""
    from atm_tui.cost.figures import (
        compute_agent_context,
        compute_agent_cost,
        compute_session_context,
        compute_session_cost,
    )
    from atm_tui.cost.pricing import load_default_table
    from atm_tui.sources.transcript import TranscriptReader

    chance, table = random.Random(2), load_default_table()
    sources = [lines(chance, f"live{n}") for n in range(SESSIONS)]
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
    spent, changes, due = 0.0, 0, 0.0
    begin = time.monotonic()
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
                changes += 1
                compute_session_cost(reader.facts, None, table)
                compute_session_context(reader.facts, None, table)
                for agent in reader.facts.agents:
                    compute_agent_cost(reader.facts, agent.agent_id, table)
                    compute_agent_context(agent, table)
        after = resource.getrusage(resource.RUSAGE_SELF)
        spent += after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        time.sleep(max(0.0, begin + (poll + 1) / POLLS_PER_SECOND - time.monotonic()))
    took = time.monotonic() - begin
    print(
        f"tailing {SESSIONS} sessions (and {3 * SESSIONS} agents), {LINES_PER_SECOND} lines/s, {POLLS_PER_SECOND} looks/s,"
        f" with cost and context: {100 * spent / took:.1f} % of a core; {changes} changes in {took:.0f} s"
    )


def first_look(folder: Path, megabytes: int = 50) -> None:
    """Print how long the first look at one large transcript takes, in portions as the app reads and in one go."""
    from atm_hooks import journal, payload
    from atm_tui.cli.main import PORTION
    from atm_tui.config import Config
    from atm_tui.monitor.live import LiveMonitor

    path = folder / "large.jsonl"
    source, size = lines(random.Random(3), "large"), 0
    with path.open("w") as out:
        while size < megabytes * 1_000_000:
            size += out.write(next(source))
    state = folder / "state"
    journal.prepare_folders(str(state))
    event = {
        "hook_event_name": "SessionStart",
        "session_id": "large",
        "source": "startup",
        "transcript_path": str(path),
    }
    journal.record_event(str(state), payload.parse_event(json.dumps(event | {"cwd": "/"}).encode(), time.time(), {}))
    for portion in (PORTION, None):
        app, looks, longest, begin = (
            LiveMonitor(state, [folder], Config(), portion=portion),
            0,
            0.0,
            time.perf_counter(),
        )
        while not looks or app.fleet.sessions["large"].cost.usd is None:
            start = time.perf_counter()
            app.refresh()
            longest, looks = max(longest, time.perf_counter() - start), looks + 1
        print(
            f"{megabytes} MB in one transcript, {f'{portion >> 20} MB at a time' if portion else 'in one go'}: first figures"
            f" after {1e3 * (time.perf_counter() - begin):.0f} ms; {looks} looks, the longest {1e3 * longest:.0f} ms"
        )


def main() -> None:
    """Run all, and print what they took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--mb", type=int, default=100, help="size of the generated history (default: 100)")
    parser.add_argument("--seconds", type=float, default=10, help="how long sessions are followed (default: 10)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        history(Path(name), options.mb)
    with tempfile.TemporaryDirectory() as name:
        tailing(Path(name), options.seconds)
    with tempfile.TemporaryDirectory() as name:
        first_look(Path(name))


if __name__ == "__main__":
    main()
