"""Screenshots make lines of 8 MB; all figures are right, and the memory of two readers grows by less than 50 MB."""

import json
import subprocess
import sys
import time
from pathlib import Path

from atm_hooks import journal, payload

SESSION = "3f0e4b12-0000-4000-8000-000000000003"
READS_ALL = """
import re, resource, sys, threading
from pathlib import Path
from atm_tui.config import Config
from atm_tui.monitor.live import LiveMonitor

def measure_peak():  # in MB; the figure of getrusage is that of the parent, where it is larger
    if sys.platform == "darwin":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 2**10

folder = Path(sys.argv[1])
monitor = LiveMonitor(folder / "state", [folder / "claude"], Config())
before = measure_peak()
readers = [threading.Thread(target=monitor.refresh), threading.Thread(target=lambda: list(monitor.spending.count_today()))]
for reader in readers:
    reader.start()
for reader in readers:
    reader.join()
usage = monitor.spending.open()
for _ in usage.read():
    pass
(session,) = monitor.fleet.sessions.values()
print(session.context.used_tokens, sum(each.tokens.total for each in usage.result.buckets), end=" ")
print(measure_peak() - before)
"""


def test_screenshots_in_a_transcript_do_not_stay_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "claude" / "projects" / "-w" / f"{SESSION}.jsonl"
    path.parent.mkdir(parents=True)
    picture = {"type": "tool_result", "content": [{"type": "image", "source": {"data": "A" * 8_000_000}}]}
    large = json.dumps({"type": "user", "cwd": "/w", "message": {"role": "user", "content": [picture]}})
    now = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    with path.open("w") as file:
        for number in range(6):
            file.write(f"{large}\n")
            usage = {"input_tokens": 100, "output_tokens": 10}
            message = {
                "id": f"m{number}",
                "role": "assistant",
                "model": "claude-opus-4-8",
                "content": [],
                "usage": usage,
            }
            file.write(
                json.dumps({"type": "assistant", "timestamp": now, "requestId": f"r{number}", "message": message})
            )
            file.write("\n")
    journal.prepare_folders(str(tmp_path / "state"))
    start = {"hook_event_name": "SessionStart", "session_id": SESSION, "source": "startup", "cwd": "/w"}
    raw = json.dumps(start | {"transcript_path": str(path)}).encode()
    journal.record_event(str(tmp_path / "state"), payload.parse_event(raw, time.time(), {}))
    done = subprocess.run([sys.executable, "-c", READS_ALL, str(tmp_path)], capture_output=True, text=True, check=True)
    context, tokens, grown = done.stdout.split()
    assert (context, tokens) == ("100", "660")
    assert float(grown) < 50
