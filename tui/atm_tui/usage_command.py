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
from atm_tui.model.pricing import PriceTable
from atm_tui.model.usage import Total, day_of, midnight, total, totals
from atm_tui.sources.history import History, HistoryReader

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
        "--config-dir", type=Path, metavar="DIR", help="config folder of Claude Code (default: ~/.claude)"
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
    """Print the usage that `args` ask for; the exit code: 0, or 2 when the config folder is missing."""
    path = paths.config_file()
    table = table or read_config(path).prices(str(path))
    config_dir: Path = (args.config_dir or paths.claude_config_dir()).expanduser().absolute()
    if not config_dir.is_dir():
        sys.stderr.write(
            f"atm-tui: {config_dir}: no such folder. Name the config folder of Claude Code with --config-dir.\n"
        )
        return 2
    now = time.time()
    since = None if args.all else midnight(now, args.days - 1)
    history = _read(HistoryReader(config_dir, paths.cache_dir(), table), since)
    report = usage_report(history, table, since, now)
    sys.stdout.write(json.dumps(report, indent=2) + "\n" if args.json else as_text(report))
    return 0


def _read(reader: HistoryReader, since: float | None) -> History:
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


def usage_report(history: History, table: PriceTable, since: float | None, until: float) -> dict[str, Any]:
    """The JSON object of `--json`: `usd` is null where no price is known; parts add up to their totals.

    `since` (epoch seconds) None: from the first request on, those without a time too, whose day is null.
    """
    buckets = [b for b in history.buckets if since is None or (b.slot is not None and b.slot >= since)]
    begin = since if since is not None else min((b.slot for b in buckets if b.slot is not None), default=None)
    whole = total(buckets, table)
    return {
        "schema": SCHEMA,
        "since": None if begin is None else _iso(begin),
        "until": _iso(until),
        "total_usd": whole.usd,
        "unpriced_tokens": whole.unpriced_tokens,
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
            for model, t in _dearest(totals(buckets, table, lambda b: b.model))
        ],
        "projects": [
            {"project": project, "usd": t.usd} for project, t in _dearest(totals(buckets, table, lambda b: b.project))
        ],
        "days": [
            {"day": day, "usd": t.usd}
            for day, t in sorted(totals(buckets, table, day_of).items(), key=lambda pair: pair[0] or "")
        ],
        "skipped_lines": history.skipped_lines,
    }


def _iso(at: float) -> str:
    return datetime.fromtimestamp(at).astimezone().isoformat(timespec="seconds")


def _dearest(found: dict[str, Total]) -> list[tuple[str, Total]]:
    return sorted(found.items(), key=lambda pair: (-(pair[1].usd or 0.0), -pair[1].tokens.total, pair[0]))


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
