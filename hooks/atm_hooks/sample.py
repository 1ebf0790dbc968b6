"""What the statusLine command is told, as an event: cost, context, limits, model, version, lines. Names of the client's fields
are known here and in payload.py only.
"""

from atm_hooks.codec import Object, decode
from atm_hooks.payload import RefusedError, client_pid, level, name, number, path, session_key, text

_USAGE = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def parse(raw: bytes, at: float, environ: dict[str, str]) -> Object:
    """A sample from the stdin of the statusLine command that started at `at` (epoch seconds).

    Raises RefusedError when the bytes are no JSON object with a usable session id.
    """
    try:
        data = decode(raw.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise RefusedError(f"statusLine: no JSON: {type(error).__name__}") from None
    if not isinstance(data, dict):
        raise RefusedError("statusLine: no JSON object")
    model, cost, window = _object(data.get("model")), _object(data.get("cost")), _object(data.get("context_window"))
    usage = _object(window.get("current_usage"))
    event: Object = {
        "at": at,
        "session_id": session_key(data.get("session_id")),
        "event": "Sample",
        "cwd": path(data.get("cwd")),
        "transcript_path": path(data.get("transcript_path")),
        "title": text(data.get("session_name")),
        "version": name(data.get("version")),
        "model": name(model.get("id")),
        "effort": level(data.get("effort")),
        "pid": client_pid(environ),
    }
    metrics = {
        "cost_usd": number(cost.get("total_cost_usd")),
        "lines_added": number(cost.get("total_lines_added")),
        "lines_removed": number(cost.get("total_lines_removed")),
        "duration_ms": number(cost.get("total_duration_ms")),
        "api_duration_ms": number(cost.get("total_api_duration_ms")),
        "window_tokens": number(window.get("context_window_size")),
        "used_percent": number(window.get("used_percentage")),
        "usage": {key: number(usage.get(key)) for key in _USAGE} if usage else None,
        "model_name": name(model.get("display_name")),
        "limits": _limits(data.get("rate_limits")),
    }
    event["metrics"] = {key: value for key, value in metrics.items() if value not in ("", None)}
    return {key: value for key, value in event.items() if value not in ("", None)}


def _object(value: object) -> Object:
    return value if isinstance(value, dict) else {}


def _limits(given: object) -> Object | None:
    found = {}
    for key in ("five_hour", "seven_day"):
        window = _object(_object(given).get(key))
        percent, resets = number(window.get("used_percentage")), number(window.get("resets_at"))
        if percent is not None:
            found[key] = {"percent": percent} if resets is None else {"percent": percent, "resets_at": resets}
    return found or None
