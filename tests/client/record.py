"""Records what the real client does: `python -m tests.client.record OUT.jsonl --in PROJECT [-- ARGUMENTS]`.

Starts the client in this terminal, with hooks that only write down what they get, and watches its records of processes
and its transcripts. When it has ended, OUT.jsonl holds one line for each thing that happened.

`python -m tests.client.record --compare VERSION-OR-PROGRAM` compares a version with the recorded one (see compare.py).
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from atm_hooks.payload import EVENTS

POLL = 0.05
"""Seconds between two looks at the files of the client."""
SETTLE = 2.0
"""Seconds after the end of the client in which its last hooks may still write."""
HOME = "/home/user"
"""What stands in a recording in place of the home folder."""

WRITE_DOWN = """\
import json, os, sys, time
line = {"t": time.time(), "kind": sys.argv[2], "data": json.load(sys.stdin)}
out = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
os.write(out, json.dumps(line).encode() + b"\\n")
"""

Line = dict[str, Any]
"""`t` (epoch seconds, in a recording seconds since its start), `kind`, `data`, and the `path` of a file."""


def make_settings(spool: Path, events: Iterable[str] = EVENTS) -> Line:
    """Settings for the client: each of these events, and each sample of the statusLine, becomes a line of `spool`."""

    def command(kind: str) -> str:
        return shlex.join([sys.executable, "-I", "-S", "-c", WRITE_DOWN, str(spool), kind])

    hook = {"type": "command", "command": command("hook"), "timeout": 5}
    return {
        "hooks": {event: [{"hooks": [hook]}] for event in sorted(events)},
        "statusLine": {"type": "command", "command": command("statusline")},
    }


def read_lines(path: Path, offset: int = 0) -> tuple[list[Line], int]:
    """The whole lines of a file behind an offset, and the offset behind them. Without the file, none."""
    try:
        data = path.read_bytes()[offset:]
    except FileNotFoundError:
        return [], offset
    whole = data[: data.rfind(b"\n") + 1]
    return [json.loads(line) for line in whole.splitlines() if line.strip()], offset + len(whole)


class Watcher:
    """Sees each change of the client's records of processes, and each line that its transcripts get."""

    def __init__(self, config_dir: Path, spool: Path) -> None:
        self._registry = config_dir / "sessions"
        self._spool = spool
        self._records: dict[Path, Line | None] = dict(self._read_records())
        self._offsets: dict[Path, int] = {}
        self.found: list[Line] = []

    def read_changes(self) -> None:
        """Adds what is new to `found`."""
        now = time.time()
        records = dict(self._read_records())
        for path in {*self._records, *records}:
            if records.get(path) != self._records.get(path):
                self.found.append({"t": now, "kind": "registry", "path": str(path), "data": records.get(path)})
        self._records = dict(records)
        for path in self._find_transcripts():
            lines, self._offsets[path] = read_lines(path, self._offsets.get(path, 0))
            self.found += [{"t": now, "kind": "transcript", "path": str(path), "data": line} for line in lines]

    def _read_records(self) -> Iterator[tuple[Path, Line]]:
        for path in self._registry.glob("*.json"):
            try:
                yield path, json.loads(path.read_text("utf-8"))
            except (OSError, ValueError):  # half written, or gone: the next look sees it
                continue

    def _find_transcripts(self) -> set[Path]:
        events, _ = read_lines(self._spool)
        main = {Path(str(each["data"]["transcript_path"])) for each in events if each["data"].get("transcript_path")}
        return main | {path for each in main for path in each.with_suffix("").glob("subagents/*.jsonl")}


@contextmanager
def follow(config_dir: Path, spool: Path) -> Iterator[list[Line]]:
    """Records in a thread of its own until the block ends; then the list has all lines, in time order, from 0 on."""
    watcher, over = Watcher(config_dir, spool), threading.Event()
    started, lines = time.time(), list[Line]()

    def watch() -> None:
        while not over.wait(POLL):
            watcher.read_changes()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield lines
        time.sleep(SETTLE)
    finally:
        over.set()
        thread.join()
        watcher.read_changes()
        heard, _ = read_lines(spool)
        sessions = {line["data"].get("session_id") for line in heard}
        records = {line["path"] for line in watcher.found if (line["data"] or {}).get("sessionId") in sessions}
        seen = [line for line in watcher.found if line["kind"] != "registry" or line["path"] in records]
        ordered = sorted([*heard, *seen], key=lambda line: float(line["t"]))
        lines += [{**line, "t": round(line["t"] - started, 3)} for line in ordered]


def record(command: list[str], project: Path, config_dir: Path) -> list[Line]:
    """Runs the client in `project` until it ends; what its sessions did, in time order, from 0 on."""
    with tempfile.TemporaryDirectory(prefix="atm-record-") as folder:
        spool, settings = Path(folder) / "spool.jsonl", Path(folder) / "settings.json"
        settings.write_text(json.dumps(make_settings(spool)), "utf-8")
        with follow(config_dir, spool) as lines:
            subprocess.run([command[0], "--settings", str(settings), *command[1:]], cwd=project, check=False)
    return lines


def write_recording(lines: list[Line], out: Path, home: Path) -> None:
    """Writes a recording, with HOME in place of the home folder."""
    text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
    folder = "/projects/" + str(home).replace("/", "-")
    text = text.replace(folder, f"/projects/{HOME.replace('/', '-')}").replace(str(home), HOME)
    out.write_text(text, "utf-8")


def main() -> None:
    """Reads the command line, records, and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="the file to write")
    parser.add_argument(
        "--in", dest="project", type=Path, default=Path.cwd(), help="the folder that the client starts in"
    )
    given = sys.argv[1:]
    if given[:1] == ["--compare"]:
        from tests.client.compare import main as compare  # which imports this module

        sys.exit(compare(given[1:]))
    end = given.index("--") if "--" in given else len(given)
    args = parser.parse_args(given[:end])
    home = Path.home()
    config_dir = Path(os.environ.get("CLAUDE_CONFIG_DIR") or home / ".claude")
    lines = record([os.environ.get("ATM_CLAUDE") or "claude", *given[end + 1 :]], args.project, config_dir)
    write_recording(lines, args.out, home)
    print(f"{len(lines)} lines in {args.out}. Read it before you share it: it holds all that was said.")


if __name__ == "__main__":
    main()
