"""Builds the JSON of `atm-tui usage --json`."""

from datetime import datetime
from typing import Any

from atm_tui.cost.report import Report, UsageHistory
from atm_tui.model.fleet import Fleet

SCHEMA = 1


def build_usage_json(report: Report, history: UsageHistory) -> dict[str, Any]:
    """Returns the JSON object. `usd` is null where no price is known; parts add up to their totals.

    A report without a start date also counts requests without a time; their day is null.
    """
    return {
        "schema": SCHEMA,
        "since": None if report.since is None else _format_time(report.since),
        "until": _format_time(report.until),
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
        "machines": [{"machine": machine or None, "usd": t.usd} for machine, t in report.machines],
        "projects": [{"project": project or None, "usd": t.usd} for project, t in report.projects],
        "days": [{"day": day, "usd": t.usd} for day, t in report.days],
        "skipped_lines": history.skipped_lines,
        "unreadable": [{"path": each.path, "problem": each.problem} for each in history.unreadable],
    }


def build_waited_json(fleet: Fleet, now: float) -> dict[str, Any]:
    """Returns how long sessions waited for a person since midnight, in seconds, independent of the report's time span."""
    projects = [
        {"project": root, "seconds": round(each, 1)} for root, each in fleet.measure_waited_by_project(now).items()
    ]
    return {"seconds": round(fleet.measure_waited(now), 1), "projects": projects}


def _format_time(at: float) -> str:
    return datetime.fromtimestamp(at).astimezone().isoformat(timespec="seconds")
