"""Several processes read transcripts at once, and what they find is the same."""

import json
import subprocess
import sys
from pathlib import Path

from tests.bench.transcripts import write_history

RUN = """
import json, os, sys, time
from pathlib import Path
from atm_tui.cost.pricing import load_default_table
from atm_tui.sources import folder_usage
from atm_tui.sources.read_ahead import read_ahead
from atm_tui.sources.usage import UsageReader

scratch, config = map(Path, sys.argv[1:])
parent = os.getpid()

def note(path, folder):
    (scratch / folder / f"{os.getpid()}.{path}").touch()
    return 2

def read_shared(path):
    note(path, "shared")
    until = time.monotonic() + 60
    while time.monotonic() < until:  # another one does something, too
        if any(not name.startswith(f"{os.getpid()}.") for name in os.listdir(scratch / "shared")):
            break
        time.sleep(0.001)
    return 2

def read_alone(path):
    if os.getpid() != parent:
        os._exit(3)
    return note(path, "alone")

def read_slowly(path):
    note(path, "ended")
    time.sleep(0.01)
    return 2

for name in ("shared", "alone", "ended"):
    (scratch / name).mkdir()
paths = [f"{n:02}" for n in range(40)]
sums = list(read_ahead(paths, read_shared, 3))
few = list(read_ahead(paths, read_alone, 3))
left = read_ahead([str(n) for n in range(2000)], read_slowly, 3)
next(left)
left.close()
try:
    waited = os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    waited = None
folder_usage.MUCH = 0
results = []
for count in (1, 2):
    usage = UsageReader([config], scratch / f"cache{count}", load_default_table(), processes=count)
    progress = [(each.done_bytes, each.total_bytes) for each in usage.read()]
    results.append(usage.result)
is_rising = progress == sorted(progress) and progress[-1][0] == progress[-1][1]
print(json.dumps([sums, few[-1], waited, results[0] == results[1], len(results[0].buckets), is_rising]))
"""


def test_several_processes_do_each_task_once_and_leave_none_behind(tmp_path: Path) -> None:
    config, scratch = tmp_path / "claude", tmp_path / "scratch"
    scratch.mkdir()
    write_history(config, 1)
    command = [sys.executable, "-c", RUN, str(scratch), str(config)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    sums, few, waited, is_same, buckets, is_rising = json.loads(done.stdout)
    shared = [each.name.split(".") for each in (scratch / "shared").iterdir()]
    assert sorted(path for _, path in shared) == [f"{n:02}" for n in range(40)], "each one once"
    assert len({pid for pid, _ in shared}) > 1
    assert (sums[-1], sums) == (80, sorted(sums))
    assert len(list((scratch / "alone").iterdir())) * 2 == few, "what helpers left that ended is no result"
    assert 40 - 2 <= few / 2 <= 40
    assert waited is None, "no process is left"
    assert len(list((scratch / "ended").iterdir())) < 1000, "the others end with the reader"
    assert is_same
    assert buckets > 0
    assert is_rising
