"""`atm-tui usage`: what was spent, by model, project and day, as a table or as JSON."""

import argparse
import json
import sys
import time
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from atm_tui import paths
from atm_tui.config import read_config
from atm_tui.cost.pricing import PriceTable
from atm_tui.cost.report import Report, UsageHistory, make_report
from atm_tui.model.fleet import Fleet
from atm_tui.model.spans import find_midnight
from atm_tui.monitor.live import LiveMonitor
from atm_tui.sources.usage import UsageReader
from atm_tui.text import age

SCHEMA = 1
DAYS = 30
_MB = 1_000_000


def add_usage_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `atm-tui usage`."""
    span = parser.add_mutually_exclusive_group()
    span.add_argument(
        "--days", type=_days, default=DAYS, metavar="N", help=f"today and the N-1 days before it (default: {DAYS})"
    )
    span.add_argument("--all", action="store_true", help="everything that transcripts still tell")
    parser.add_argument(
        "--config-dir",
        type=Path,
        action="append",
        metavar="DIR",
        help="config folder of Claude Code (default: $CLAUDE_CONFIG_DIR or ~/.claude); may be given again",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def _days(text: str) -> int:
    try:
        days = int(text)
    except ValueError:
        days = 0
    if not 0 < days < 100_000:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of days; give 1 for today alone")
    return days


def run_usage(args: argparse.Namespace, table: PriceTable | None = None) -> int:
    """Print the usage that `args` ask for; the exit code: 0, or 2 when a config folder is missing."""
    path = paths.config_file()
    config = read_config(path)
    table = table or config.prices(str(path))
    given: list[Path] = args.config_dir or getattr(args, "watch", None) or [paths.claude_config_dir()]
    folders = [folder.expanduser().absolute() for folder in given]
    for folder in folders:
        if not folder.is_dir():
            sys.stderr.write(
                f"atm-tui: {folder}: no such folder. Name the config folder of Claude Code with --config-dir.\n"
            )
            return 2
    now = time.time()
    since = None if args.all else find_midnight(now, args.days - 1)
    history = _read(UsageReader(folders, paths.cache_dir(), table), since)
    shown = usage_json(make_report(history, table, since, now), history.skipped_lines)
    monitor = LiveMonitor(paths.state_dir(), folders, config, table=table)
    monitor.refresh()
    shown["waited_today"] = waited_json(monitor.fleet, monitor.now())
    sys.stdout.write(json.dumps(shown, indent=2) + "\n" if args.json else as_text(shown))
    return 0


def _read(reader: UsageReader, since: float | None) -> UsageHistory:
    shown = 0.0
    tells = sys.stderr.isatty()
    for progress in reader.read(since):
        if tells and time.monotonic() - shown > 0.2:
            shown = time.monotonic()
            sys.stderr.write(f"\rreading {progress.done_bytes // _MB} of {progress.total_bytes // _MB} MB ")
            sys.stderr.flush()
    if tells and shown:
        sys.stderr.write("\r\x1b[K")
    return reader.result


def usage_json(report: Report, skipped_lines: int) -> dict[str, Any]:
    """The JSON object of `--json`: `usd` is null where no price is known; parts add up to their totals.

    A report of everything counts requests without a time too; their day is null.
    """
    return {
        "schema": SCHEMA,
        "since": None if report.since is None else _iso(report.since),
        "until": _iso(report.until),
        "total_usd": report.total.usd,
        "unpriced_tokens": report.total.unpriced_tokens,
        "models": [
            {
                "model": model,
                "usd": t.usd,
                "input_tokens": t.tokens.input,
                "output_tokens": t.tokens.output,
                "cache_write_5m_tokens": t.tokens.cache_write_5m,
                "cache_write_1h_tokens": t.tokens.cache_write_1h,
                "cache_read_tokens": t.tokens.cache_read,
                "web_searches": t.web_searches,
            }
            for model, t in report.models
        ],
        "projects": [{"project": project, "usd": t.usd} for project, t in report.projects],
        "days": [{"day": day, "usd": t.usd} for day, t in report.days],
        "skipped_lines": skipped_lines,
    }


def waited_json(fleet: Fleet, now: float) -> dict[str, Any]:
    """How long sessions waited for a person since midnight, in seconds, whatever time the rest of the report is of."""
    projects = [{"project": root, "seconds": round(each, 1)} for root, each in fleet.waited_by_project(now).items()]
    return {"seconds": round(fleet.waited(now), 1), "projects": projects}


def _iso(at: float) -> str:
    return datetime.fromtimestamp(at).astimezone().isoformat(timespec="seconds")


def as_text(report: dict[str, Any]) -> str:
    """The report as aligned tables. Names come from outside: what can't be printed is replaced."""
    kinds = ("input", "output", "cache_write_5m", "cache_write_1h", "cache_read")
    heads = ("Model", "Cost", "Input", "Output", "Write 5m", "Write 1h", "Read", "Searches")
    models = [
        (m["model"] or "?", _usd(m["usd"]), *(f"{m[f'{k}_tokens']:,}" for k in kinds), f"{m['web_searches']:,}")
        for m in report["models"]
    ]
    parts = [f"Since {report['since'] or 'the beginning'}: {_usd(report['total_usd'])}\n"]
    if not models:
        parts.append("No transcript tells of any request in this time.\n")
    else:
        parts += ["\n", _table([heads, *models])]
        parts += ["\n", _table([("Project", "Cost"), *((p["project"], _usd(p["usd"])) for p in report["projects"])])]
        parts += ["\n", _table([("Day", "Cost"), *((d["day"] or "unknown", _usd(d["usd"])) for d in report["days"])])]
    if report["unpriced_tokens"]:
        parts.append(
            f"\n{report['unpriced_tokens']:,} tokens of models without a known price are in no sum; "
            "prices can be added in the configuration.\n"
        )
    if report["skipped_lines"]:
        parts.append(f"\n{report['skipped_lines']:,} damaged lines were skipped.\n")
    waited = report["waited_today"]
    parts.append(f"\nWaited on you today: {age(waited['seconds'])}\n")
    if len(waited["projects"]) > 1:
        rows = [(each["project"] or "unknown", age(each["seconds"])) for each in waited["projects"]]
        parts += ["\n", _table([("Project", "Waited"), *rows])]
    return "".join(parts)


def _usd(usd: float | None) -> str:
    return "unpriced" if usd is None else f"${usd:,.2f}"


def _table(rows: Iterable[tuple[str, ...]]) -> str:
    clean = [tuple("".join(c if c.isprintable() else "�" for c in cell) for cell in row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*clean, strict=True)]
    return "".join(
        "  ".join(
            cell.rjust(width) if i else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        + "\n"
        for row in clean
    )
