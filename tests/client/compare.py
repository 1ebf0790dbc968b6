"""Compares a version of the client with the recorded one: `python -m tests.client.record --compare VERSION-OR-PROGRAM`.

Leads it through all scenarios, and through every price, on a scripted API on loopback. A version is fetched with npm
into a scratch folder.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.client.charges import describe_charges, list_models
from tests.client.sandbox import Sandbox
from tests.client.scenarios import SCENARIOS, play_scenario
from tests.client.shape import (
    add_scenarios,
    compare_shapes,
    describe_events,
    find_events,
    merge_runs,
    read_shape,
    write_shape,
)
from tests.support.needs import CLIENT_VERSION, find_tmux, read_client_version

SHAPES = Path(__file__).parents[1] / "data" / "clients"
"""What versions did: one file for each."""
PACKAGE = "@anthropic-ai/claude-code"
PRICES = "prices"
TITLES = {
    "played": "Scenarios",
    "stopped": "Scenarios",
    "known": "Events that it knows",
    "event": "Events",
    "hook": "Fields of hooks",
    "statusline": "Fields of the statusLine",
    "registry": "Fields of the registry",
    "transcript": "Lines of transcripts",
    "result": "Fields of the result of -p",
    "word": "Words",
    "alias": "Short names of models",
    "window": "Windows",
    "price": "Prices",
}
VALUES = ("price ", "window ", "alias ")
"""Lines that end with a value."""
MOST = 4
"""Kinds that are named where one field changed in many."""


def fetch_client(version: str, folder: Path) -> Path:
    """Installs a version from the registry of npm, and returns its program. Raises CalledProcessError."""
    options = ("--no-audit", "--no-fund", "--loglevel=error")
    subprocess.run(["npm", "install", "--prefix", str(folder), *options, f"{PACKAGE}@{version}"], check=True)
    return folder / "node_modules" / ".bin" / "claude"


def observe(program: Path, scenarios: Iterable[str], folder: Path, tmux: str) -> frozenset[str]:
    """The shape of a client: what it does in these scenarios, and, with "prices", what it charges."""
    events = find_events(program.resolve())
    shape = set(describe_events(events))
    for name in scenarios:
        print(f"{name} …", file=sys.stderr, flush=True)
        if name == PRICES:
            sandbox = Sandbox(folder / name, str(program.resolve()), tmux)
            try:
                shape |= set(describe_charges(sandbox, list_models()))
            finally:
                sandbox.close()
        else:
            shape |= play_scenario(name, folder / name, str(program.resolve()), tmux, events)
    return frozenset(shape)


def find_shape(version: str) -> Path:
    """The file with what a version did."""
    return SHAPES / f"{version}.txt"


def summarize(lines: Iterable[str]) -> Iterator[str]:
    """Differences under a title for each part of the client; a field that many kinds share is told once."""
    by_title: dict[str, list[str]] = defaultdict(list)
    for line in lines:
        by_title[TITLES[line.split(" ", 1)[0].rstrip(":")]].append(line)
    for title in dict.fromkeys(TITLES.values()):
        if title in by_title:
            yield f"  {title}"
            yield from (f"    {line}" for line in _join_kinds(by_title[title]))


def _join_kinds(lines: Iterable[str]) -> Iterator[str]:
    kinds: dict[str, list[str]] = defaultdict(list)
    for line in lines:
        found = re.fullmatch(r"(hook|transcript|event|price|window) (.+?): (.+)", line)
        if found and found[1] in ("hook", "transcript", "event"):
            kinds[found[3]].append(found[2])
        elif found:
            kinds[f"{found[2]}: {found[3]}"].append("")
        else:
            kinds[re.sub(r"^(registry|statusline|result|known event|word|alias):? ", "", line)].append("")
    for text, names in kinds.items():
        named = [name for name in names if name]
        more = f" and {len(named) - MOST} more" if len(named) > MOST else ""
        yield f"{text} ({', '.join(named[:MOST])}{more})" if named else text


def pair_values(new: Iterable[str], gone: Iterable[str]) -> tuple[list[str], list[str]]:
    """The same, with both values in one line where a price, window or short name has another value."""
    before = {_find_key(line): line for line in gone if line.startswith(VALUES)}
    paired = []
    for line in new:
        old = before.pop(_find_key(line), None) if line.startswith(VALUES) else None
        paired.append(f"{line}, not {old.removeprefix(_find_key(old)).strip()}" if old else line)
    return paired, [line for line in gone if not line.startswith(VALUES) or line in before.values()]


def _find_key(line: str) -> str:
    """What a value in a line belongs to: of a price the model and kind, else what stands before the colon."""
    return line.rpartition(" ")[0] if line.startswith("price ") else line.partition(":")[0] + ":"


def print_differences(version: str, shape: Iterable[str], *, is_whole: bool = True) -> int:
    """Prints what a version does that the recorded one does not, and, of a whole run, what it lacks; 1 if there is any."""
    new, gone = compare_shapes(read_shape(find_shape(CLIENT_VERSION)), shape)
    new, gone = pair_values(new, gone if is_whole else [])
    if not new and not gone:
        print(f"{version} does nothing that {CLIENT_VERSION} did not{', and all that it did' if is_whole else ''}.")
    for lines, words in (
        (new, f"{version} does, {CLIENT_VERSION} did not"),
        (gone, f"{CLIENT_VERSION} did, {version} does not"),
    ):
        if lines:
            print(f"{words} ({len(lines)}):")
            print("\n".join(summarize(lines)))
    return int(bool(new or gone))


def main(arguments: list[str]) -> int:
    """Reads the command line, observes a client, prints the differences; 1 if there are any."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.client.record --compare",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("client", help="a version, which npm fetches, or the path of a client's program")
    parser.add_argument("--only", nargs="+", metavar="SCENARIO", choices=(*SCENARIOS, PRICES), help="not all scenarios")
    parser.add_argument("--kept", action="store_true", help="compare what was kept of a version, without running it")
    parser.add_argument(
        "--keep",
        action="store_true",
        help="keep what it did; of two whole runs, chance is marked",
    )
    args = parser.parse_args(arguments)
    if args.kept:
        if not find_shape(args.client).is_file():
            parser.error(f"nothing was kept of {args.client}")
        return print_differences(args.client, read_shape(find_shape(args.client)))
    os.environ.setdefault("TZ", "UTC")  # which sandboxes hand on
    tmux = find_tmux()
    if tmux is None:
        parser.error("tmux is not installed")
    with tempfile.TemporaryDirectory(prefix="atm-compare-", ignore_cleanup_errors=True) as scratch:
        folder = Path(scratch)
        is_version = re.fullmatch(r"\d+\.\d+\.\d+", args.client)
        program = fetch_client(args.client, folder / "client") if is_version else Path(args.client)
        version = read_client_version(str(program))
        if not version:
            parser.error(f"{program} does not tell its version")
        shape = observe(program, args.only or (*SCENARIOS, PRICES), folder, tmux)
    recorded, kept = find_shape(CLIENT_VERSION), find_shape(version)
    code = print_differences(version, shape, is_whole=not args.only) if recorded.is_file() else 0
    if args.keep:
        before = read_shape(kept) if kept.is_file() else shape
        write_shape(kept, add_scenarios(before, shape) if args.only else merge_runs(before, shape))
    return code
