"""Writes what was spent as aligned tables of text, for `atm-tui usage`."""

from collections.abc import Iterable
from typing import Any

from atm_tui.text import format_age, format_count

NAMED = 5
"""Most unreadable files that are named."""


def format_usage(report: dict[str, Any]) -> str:
    """Returns the report as aligned tables; unprintable characters in names are replaced."""
    kinds = ("input", "output", "cache_write_5m", "cache_write_1h", "cache_read")
    heads = ("Model", "Cost", "Input", "Output", "Cache write 5m", "Cache write 1h", "Cache read", "Searches")
    models = [
        (m["model"] or "?", _format_usd(m["usd"]), *(f"{m[f'{k}_tokens']:,}" for k in kinds), f"{m['web_searches']:,}")
        for m in report["models"]
    ]
    parts = [f"Since {report['since'] or 'the beginning'}: {_format_usd(report['total_usd'])}\n"]
    if not models:
        parts.append("No requests in this time.\n")
    else:
        parts += ["\n", _format_table([heads, *models])]
        if any(each["machine"] for each in report["machines"]):
            rows = [(each["machine"] or "this machine", _format_usd(each["usd"])) for each in report["machines"]]
            parts += ["\n", _format_table([("Machine", "Cost"), *rows])]
        parts += [
            "\n",
            _format_table(
                [("Project", "Cost"), *((p["project"] or "unknown", _format_usd(p["usd"])) for p in report["projects"])]
            ),
        ]
        parts += [
            "\n",
            _format_table([("Day", "Cost"), *((d["day"] or "unknown", _format_usd(d["usd"])) for d in report["days"])]),
        ]
    if report["unpriced_tokens"]:
        parts.append(
            f"\n{report['unpriced_tokens']:,} tokens of models without a known price are in no sum; "
            "prices can be added in the configuration.\n"
        )
    if report["skipped_lines"]:
        parts.append(
            f"\n{format_count(report['skipped_lines'], 'damaged line')}: only in part, or not at all, in the sums.\n"
        )
    if report["unreadable"]:
        listed = [f"  {each['path']}: {each['problem']}\n" for each in report["unreadable"][:NAMED]]
        more = len(report["unreadable"]) - len(listed)
        parts += ["\nThe sums lack what can't be read:\n", *listed, f"  +{more} more\n" if more else ""]
        are_here = {each["path"].startswith("/") for each in report["unreadable"]}
        advisers = [name for name, where in (("doctor", True), ("hosts", False)) if where in are_here]
        says = "says" if len(advisers) == 1 else "say"
        parts.append(f"  {' and '.join(f'atm-tui {name}' for name in advisers)} {says} what to do.\n")
    waited = report["waited_today"]
    parts.append(f"\nWaited on you today: {format_age(waited['seconds'])}\n")
    if len(waited["projects"]) > 1:
        rows = [(each["project"] or "unknown", format_age(each["seconds"])) for each in waited["projects"]]
        parts += ["\n", _format_table([("Project", "Waited"), *rows])]
    return "".join(parts)


def _format_usd(usd: float | None) -> str:
    return "unpriced" if usd is None else f"${usd:,.2f}"


def _format_table(rows: Iterable[tuple[str, ...]]) -> str:
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
