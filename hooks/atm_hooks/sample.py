"""Makes an event from the input of the statusLine command: cost, context, limits, model, version, lines. With payload.py the
only place that knows Claude Code's field names.
"""

from atm_hooks.codec import Object, decode
from atm_hooks.payload import (
    RefusedError,
    read_client_pid,
    read_effort,
    read_name,
    read_number,
    read_path,
    read_session_id,
    read_text,
)

_USAGE = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def parse_sample(raw: bytes, at: float, environ: dict[str, str]) -> Object:
    """Makes a sample from the stdin of a statusLine command that started at `at` (epoch seconds).

    Raises RefusedError when the bytes are no JSON object with a usable session id.
    """
    try:
        data = decode(raw.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise RefusedError(f"statusLine: no JSON: {type(error).__name__}") from None
    if not isinstance(data, dict):
        raise RefusedError("statusLine: no JSON object")
    model, cost, window = (
        _get_object(data.get("model")),
        _get_object(data.get("cost")),
        _get_object(data.get("context_window")),
    )
    usage = _get_object(window.get("current_usage"))
    event: Object = {
        "at": at,
        "session_id": read_session_id(data.get("session_id")),
        "event": "Sample",
        "cwd": read_path(data.get("cwd")),
        "transcript_path": read_path(data.get("transcript_path")),
        "title": read_text(data.get("session_name")),
        "version": read_name(data.get("version")),
        "model": read_name(model.get("id")),
        "effort": read_effort(data.get("effort")),
        "pid": read_client_pid(environ),
    }
    metrics = {
        "cost_usd": read_number(cost.get("total_cost_usd")),
        "lines_added": read_number(cost.get("total_lines_added")),
        "lines_removed": read_number(cost.get("total_lines_removed")),
        "duration_ms": read_number(cost.get("total_duration_ms")),
        "api_duration_ms": read_number(cost.get("total_api_duration_ms")),
        "window_tokens": read_number(window.get("context_window_size")),
        "used_percent": read_number(window.get("used_percentage")),
        "usage": {key: read_number(usage.get(key)) for key in _USAGE} if usage else None,
        "model_name": read_name(model.get("display_name")),
        "limits": _read_limits(data.get("rate_limits")),
        "cache": _read_cache(data.get("prompt_cache")),
    }
    event["metrics"] = {key: value for key, value in metrics.items() if value not in ("", None)}
    return {key: value for key, value in event.items() if value not in ("", None)}


def _get_object(value: object) -> Object:
    return value if isinstance(value, dict) else {}


def _read_cache(given: object) -> Object | None:
    """Returns the cache hits in percent of the input, and until when the cache is warm (epoch seconds)."""
    cache = _get_object(given)
    ratio, until = read_number(cache.get("hit_ratio")), read_number(cache.get("expires_at"))
    found = {"hit_percent": None if ratio is None else round(100 * ratio, 1), "warm_until": until}
    return {key: value for key, value in found.items() if value is not None} or None


def _read_limits(given: object) -> Object | None:
    found = {}
    for key in ("five_hour", "seven_day"):
        window = _get_object(_get_object(given).get(key))
        percent, resets = read_number(window.get("used_percentage")), read_number(window.get("resets_at"))
        if percent is not None:
            found[key] = {"percent": percent} if resets is None else {"percent": percent, "resets_at": resets}
    return found or None
