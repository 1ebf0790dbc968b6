"""The conversation of a session whose transcript is large: how soon its end stands on the screen, and what a search takes."""

import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from atm_hooks import journal, payload
from tests.bench.bench_history import SETTLE, SIZE, wait_until_calm
from tests.bench.options import Options
from tests.bench.processes import make_environ
from tests.bench.pty_screen import Screen
from tests.bench.row import Aim, Row, summarize
from tests.bench.transcripts import write_lines, write_transcript

SMALL = 100_000
"""Bytes of the small transcript."""
END = "conversationends"
RARE = "unheardof"
COUNT = r"(1 of 1 match)"
"""What stands beside the text that was searched, once all of it is."""


def measure(options: Options) -> Iterator[Row]:
    """Measures from the key until the end of the conversation stands on the screen, and from Enter until all is searched."""
    size = 1_000_000 * options.conversation_mb
    opened: dict[int, list[float]] = {size: [], SMALL: []}
    searched = []
    with tempfile.TemporaryDirectory() as folder:
        homes = {each: Path(folder, str(each)) for each in opened}
        for each, home in homes.items():
            write_home(home, each)
        for _ in range(options.starts):
            for each, home in homes.items():
                opened[each].append(time_conversation(home)[0])
            searched.append(time_conversation(homes[size], search=True)[1])
    name = f"conversation of {options.conversation_mb} MB"
    small = f"{SMALL // 1000} kB"
    large, few = ([1e3 * seconds for seconds in opened[each]] for each in (size, SMALL))
    yield summarize(f"{name}, key to its end", large, "ms", few, reference=small, aim=Aim(1000, "figure"))
    yield summarize(f"{name}, a search to its count", searched, "s")


def write_home(home: Path, size: int) -> None:
    """Writes a home with one session, whose transcript has so many bytes."""
    environ = make_environ(str(home))
    state = Path(environ["ATM_STATE_DIR"])
    path = Path(environ["CLAUDE_CONFIG_DIR"]) / "projects" / "-w" / "large.jsonl"
    write_transcript(path, size, write_lines(random.Random(4), "large"))
    with path.open("a") as file:
        for text in (RARE, END):
            content = [{"type": "text", "text": text}]
            file.write(json.dumps({"type": "assistant", "message": {"role": "assistant", "content": content}}) + "\n")
    journal.prepare_folders(str(state))
    event = {"hook_event_name": "SessionStart", "session_id": "large", "source": "startup", "cwd": "/"}
    given = json.dumps(event | {"transcript_path": str(path)}).encode()
    journal.record_event(str(state), payload.parse_event(given, time.time(), {}))
    (state / "app").mkdir(exist_ok=True)
    (state / "app" / "told.json").write_text('{"greeted": 1.0}')


def time_conversation(home: Path, *, search: bool = False) -> tuple[float, float]:
    """Returns the seconds until the end of the conversation is shown, and those until all of it was searched."""
    pattern = COUNT if search else ""
    screen = Screen([sys.executable, "-m", "atm_tui"], make_environ(str(home)), SIZE, pattern)
    try:
        screen.want("quit")
        screen.wait("quit")
        time.sleep(SETTLE)
        wait_until_calm(psutil.Process(screen.pid))
        os.write(screen.fd, b"j")
        screen.want(END)
        pressed = time.perf_counter()
        os.write(screen.fd, b"o")
        opened = screen.wait(END, 60) - pressed
        if not search:
            return opened, 0.0
        wait_until_calm(psutil.Process(screen.pid))
        os.write(screen.fd, b"/" + RARE.encode())
        seconds = screen.press(b"\r", 120)
        if seconds is None:
            raise TimeoutError(f"the search for {RARE!r} did not end in 120 s")
        return opened, seconds
    finally:
        screen.close()
