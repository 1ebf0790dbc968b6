"""Makes transcripts like those of Claude Code, the same ones from the same seed: of one session, and of months."""

import base64
import json
import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

NOW = 1_767_000_000.0
"""Epoch seconds at which the first line was written, unless another time is given."""
STEP = 7
"""Seconds from one line to the next."""
PROJECTS = 12
LARGEST = 60_000_000
"""Bytes of a transcript."""
_CODE = 'def total(rows):\n    """Sum of \\"price\\" over rows."""\n    return sum(row["price"] for row in rows)\n\n'


def write_lines(chance: random.Random, session: str, began: float = NOW, agent: str = "") -> Iterator[str]:
    """Yields endless lines: prompts, answers in several blocks, large results of tools, images, bookkeeping.

    Of a session, or of one of its subagents.
    """
    own = f"{session}{agent}"
    shared = {"isSidechain": False, "userType": "external", "cwd": "/home/user/work/web", "sessionId": session}
    number = 0
    while True:
        number += 1
        stamp = format_stamp(began + number * STEP)
        common = shared | {"parentUuid": f"{own}-{number - 1}", "version": "2.1.332", "timestamp": stamp}
        usage = {
            "input_tokens": 12,
            "output_tokens": chance.randrange(2_000),
            "cache_creation_input_tokens": chance.randrange(9_000),
            "cache_read_input_tokens": chance.randrange(150_000),
            "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
            "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
            "service_tier": "standard",
        }
        answer = {"id": f"msg_{own}_{number}", "role": "assistant", "model": "claude-opus-5-5", "usage": usage}
        blocks: list[dict[str, object]] = [
            {"type": "text", "text": "Let me look at that. " * chance.randrange(1, 40)},
            {"type": "tool_use", "id": f"toolu_{number}", "name": "Edit", "input": {"new_string": _CODE * 4}},
        ]
        for i, block in enumerate(blocks[: chance.randrange(1, 3)]):
            message = answer | {"content": [block], "stop_reason": "tool_use"}
            record = common | {"message": message, "requestId": f"req_{own}_{number}", "type": "assistant"}
            yield json.dumps(record | {"uuid": f"{own}-{number}-{i}"}) + "\n"
        size = chance.choice([1, 2, 5, 10, 40, 150])
        content: object = _CODE * size
        if chance.random() < 0.02:
            image = base64.b64encode(chance.randbytes(chance.choice([150_000, 700_000]))).decode()
            content = [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": image}}]
        result = {"tool_use_id": f"toolu_{number}", "type": "tool_result", "content": content}
        record = common | {
            "type": "user",
            "message": {"role": "user", "content": [result]},
            "uuid": f"{own}-{number}",
        }
        yield json.dumps(record | {"toolUseResult": {"stdout": content}}) + "\n"
        if chance.random() < 0.2:
            yield json.dumps(common | {"type": "user", "message": {"role": "user", "content": "Go on"}}) + "\n"
            yield json.dumps({"type": "permission-mode", "permissionMode": "default", "sessionId": session}) + "\n"
            yield json.dumps(common | {"type": "system", "subtype": "turn_duration", "durationMs": 900}) + "\n"


def write_history(folder: Path, megabytes: int, seed: int = 1) -> list[Path]:
    """Writes the transcripts of months below a config folder, and returns their paths.

    Most sessions are short, few are very long, as those of people are; every third has subagents.
    """
    chance = random.Random(seed)
    left, number, paths = megabytes * 1_000_000, 0, []
    while left > 0:
        number += 1
        session = f"session-{number}"
        place = folder / "projects" / f"-home-user-work-{number % PROJECTS}"
        size = min(left, LARGEST, int(chance.lognormvariate(14.5, 1.2)))
        agents = [f"a{number}x{n}" for n in range(0 if number % 3 else 3)]
        paths.append(place / f"{session}.jsonl")
        left -= write_transcript(paths[-1], size // 2 if agents else size, write_lines(chance, session))
        for agent in agents:
            paths.append(place / session / "subagents" / f"agent-{agent}.jsonl")
            left -= write_transcript(paths[-1], size // 6, write_lines(chance, session, agent=agent))
    return paths


def write_transcript(path: Path, size: int, lines: Iterator[str]) -> int:
    """Writes lines until there are so many bytes, at least one line; returns how many bytes it wrote."""
    path.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    with path.open("w") as out:
        while written <= size:
            written += out.write(next(lines))
    return written


def write_past_sessions(folder: Path, count: int, now: float) -> None:
    """Writes so many short transcripts, of which the last one ended at `now` (epoch seconds) and the others in a week before."""
    chance = random.Random(3)
    for number in range(count):
        session = f"past-{number:05}"
        path = folder / "projects" / f"-home-user-work-{number % PROJECTS}" / f"{session}.jsonl"
        ended = now - (count - 1 - number) * 7 * 24 * 3600 / count
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = write_lines(chance, session, ended - STEP)
        prompt = {
            "type": "user",
            "cwd": "/home/user/work/web",
            "sessionId": session,
            "timestamp": format_stamp(ended - STEP),
        }
        message = {"role": "user", "content": f"past work {number:05}"}
        with path.open("w") as out:
            out.write(json.dumps({**prompt, "uuid": f"{session}-0", "parentUuid": None, "message": message}) + "\n")
            out.write(next(lines))
        os.utime(path, (ended, ended))


def format_stamp(at: float) -> str:
    """Returns a time (epoch seconds) as transcripts have it."""
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(at))
