"""Measures, and prints one table: each figure with its reference, its aim, and whether it is met.

Nothing is asserted: machines differ. References are measured in the same run. ATM_BENCH_PEERS=1 measures other programs as well.
"""

import argparse
import contextlib
import datetime
import shlex
import signal
import subprocess
import sys
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from atm_tui import __version__
from tests.bench import table
from tests.bench.machine import describe_machine, read_load
from tests.bench.options import FULL, QUICK, Options
from tests.bench.parts import PARTS, Part
from tests.bench.row import Row

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "performance.md"


def parse_arguments(words: Sequence[str] | None) -> tuple[argparse.Namespace, Options]:
    """Returns the arguments, and what follows from them for the measurements."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("part", nargs="*", help=f"what to measure: {', '.join(PARTS)} (default: all)")
    parser.add_argument("--quick", action="store_true", help="few runs of smaller things, for a rough look")
    parser.add_argument("--history-mb", type=int, metavar="N", help="size of the transcripts of months in MB")
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="print one JSON object")
    output.add_argument("--write", action="store_true", help=f"also write the table into {DOCUMENT.name}")
    args = parser.parse_args(words)
    if unknown := set(args.part) - set(PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    if args.write and (args.part or args.quick):
        parser.error("--write needs a thorough run of all parts")
    options = QUICK if args.quick else FULL
    return args, replace(options, history_mb=args.history_mb) if args.history_mb else options


def measure_part(part: Part, options: Options) -> Iterator[Row]:
    """Yields the rows of a part; what goes wrong becomes a row, so that the other parts are still measured."""
    try:
        yield from part.measure(options)
    except Exception as error:  # noqa: BLE001
        traceback.print_exception(error)
        yield Row(part.title, None, note=describe_failure(error))


def describe_failure(error: Exception) -> str:
    """Returns what failed, and why, in one line: of a command also what it said last."""
    frames = traceback.extract_tb(error.__traceback__)[1:]  # the first is that of `measure_part`
    place = " > ".join(each.name for each in frames if Path(each.filename).is_relative_to(ROOT / "tests"))
    reason = str(error).partition("\n")[0] or type(error).__name__
    if isinstance(error, subprocess.CalledProcessError):
        command = error.cmd if isinstance(error.cmd, str) else shlex.join(map(str, error.cmd))
        said = error.stderr.decode("utf-8", "replace") if isinstance(error.stderr, bytes) else error.stderr or ""
        last = said.strip().rpartition("\n")[2] or "nothing"
        reason = f"`{command}` ended with exit code {error.returncode} and said: {last}"
    return f"failed in {place}: {reason}"


def main(words: Sequence[str] | None = None) -> None:
    """Runs the parts one after the other, and prints each row once it is known. `words`: None for those of the command line."""
    args, options = parse_arguments(words)
    rows: dict[str, list[Row]] = {}
    before = read_load()
    machine = f"{describe_machine()}, load average {before:.1f}"
    if not args.json:
        print(f"{machine}\n{table.format_line(table.COLUMNS)}")
    for part in (PARTS[name] for name in args.part or PARTS):
        found = rows[part.title] = []
        if not args.json:
            print(f"\n{part.title}", flush=True)
        for row in measure_part(part, options):
            found.append(row)
            if not args.json:
                print(table.format_line(table.format_cells(row)), flush=True)
    after = read_load()
    if args.json:
        print(table.format_json(rows, describe_machine(), (before, after)))
        return
    print(f"\nload average {before:.1f} before, {after:.1f} after")
    if args.write:
        today = datetime.datetime.now(tz=datetime.UTC).strftime("%-d %B %Y")
        heading = f"atm-tui {__version__}, {today}, on {machine} before and {after:.1f} after:"
        lines = table.format_markdown({title: found for title, found in rows.items() if found}, heading)
        DOCUMENT.write_text(table.replace_table(DOCUMENT.read_text("utf-8"), lines), "utf-8")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that scratch folders are removed
    with contextlib.suppress(KeyboardInterrupt):
        main()
