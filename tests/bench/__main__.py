"""Prints one table: what takes how long, beside its aim. `python -m tests.bench [NAME …]`; without names, all.

Names: commands, usage, rest, start. The other scripts in this folder print tables of their own.
"""

import sys

from tests.bench import bench_commands, bench_quiet, bench_usage

BENCHES = {
    "commands": bench_commands.measure,
    "usage": bench_usage.measure,
    "rest": bench_quiet.measure,
    "start": bench_quiet.measure_start,
}


def main() -> None:
    for name in sys.argv[1:] or BENCHES:
        for row in BENCHES[name]():
            print(row, flush=True)


if __name__ == "__main__":
    main()
