"""`atm-tui answers`: who answered what from here, and what became of it, as the hooks wrote it down."""

import argparse
import sys
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from atm_hooks import answer_log
from atm_hooks.journal import UnsafeError
from atm_tui import paths
from atm_tui.text import age, clean

_BY = {"app": "in the app", "shell": "from a shell"}


def add_answers_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `answers`."""
    parser.add_argument("--json", action="store_true", help="as a JSON list, oldest first")


def run_answers(args: argparse.Namespace) -> int:
    """Prints the log of answers, newest last; 1 when it can't be read."""
    root = str(paths.state_dir())
    try:
        lines = answer_log.read(root)
    except (OSError, UnsafeError) as error:
        sys.stderr.write(f"atm-tui: the log of answers in {root}/answers can't be used: {error}\n")
        return 1
    if args.json:
        sys.stdout.write(f"{msgspec.json.format(msgspec.json.encode(lines)).decode()}\n")
        return 0
    for line in lines:
        sys.stdout.write(f"{words(line)}\n")
    if not lines:
        sys.stdout.write("Nothing was answered from here yet.\n")
    return 0


def words(line: Mapping[str, Any]) -> str:
    """One answer in a line: when, which session, what was decided, for what, with which words, and what became of it."""

    def said(key: str) -> str:
        value = line.get(key)
        return clean(value) if isinstance(value, str) else ""

    at, after = line.get("at"), line.get("after")
    known = isinstance(at, (int, float)) and 0 <= at < 1e11
    when = datetime.fromtimestamp(float(at or 0)).astimezone().strftime("%Y-%m-%d %H:%M:%S") if known else "?"
    took = f"after {age(after, 600.0)}" if isinstance(after, (int, float)) else ""
    outcome = said("outcome")
    parts = (
        when,
        said("session_id")[:8],
        f"{said('decision') or 'nothing'} {said('tool')}".strip(),
        said("summary"),
        f"“{said('message')}”" if said("message") else "",
        " ".join(part for part in (_BY.get(said("by"), ""), took) if part),
        "" if outcome == "given" else outcome,
    )
    return "  ".join(part for part in parts if part)
