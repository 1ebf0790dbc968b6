"""Entry point of the statusLine command: records a sample when it changed, and prints one line.

usage: python3 -I -S statusline.py STATE_DIR [--wrap COMMAND]

With --wrap the user's own command gets the same stdin, and its output is printed instead of ours.
"""

import sys
import time

_started = time.time()


def main(arguments: list[str]) -> int:
    """Prints the status line; the exit code is that of a wrapped command, else 0."""
    import posix
    from _io import FileIO

    raw = FileIO(0, closefd=False).readall() or b""
    if len(arguments) > 3 and arguments[2] == "--wrap":
        code = _wrapped(arguments[3], raw)
        _record(arguments[1], raw)
        return code
    line = _line(_record(arguments[1], raw))
    posix.write(1, (line + "\n").encode("utf-8", "replace"))
    return 0


def _wrapped(command: str, raw: bytes) -> int:
    import subprocess

    return subprocess.run(["/bin/sh", "-c", command], input=raw, check=False).returncode  # noqa: S603  the user's own command


def _record(root: str, raw: bytes) -> dict[str, object]:
    """Appends the sample to the journal unless it says nothing new; the state after it, {} when that can't be had."""
    import posix

    sys.path.insert(0, __file__.rpartition("/")[0].rpartition("/")[0] or ".")
    try:
        from atm_hooks import journal, payload

        root = root.rstrip("/")
        journal.prepare(root)
        posix.umask(0o077)
        environ = {
            key.decode("utf-8", "replace"): value.decode("utf-8", "replace") for key, value in posix.environ.items()
        }
        event = payload.parse_sample(raw, _started, environ)
        session = str(event["session_id"])
        state = journal.load(root, session)
        if state is None or not _same(state, event):
            journal.record(root, event)
            state = journal.load(root, session)
        return state or {}
    except payload.RefusedError as error:
        journal.log(root, _started, f"refused: {error}")
    except Exception as error:
        try:
            journal.log(root, _started, f"statusLine: {type(error).__name__}: {error}")
        except Exception:
            pass
    return {}


def _same(state: dict[str, object], event: dict[str, object]) -> bool:
    """Whether a sample repeats the last one; durations grow all the time and do not count."""
    passing = ("at", "duration_ms", "api_duration_ms")
    old, new = dict(state.get("metrics") or {}), dict(event["metrics"])  # type: ignore[call-overload]
    for key in passing:
        old.pop(key, None)
        new.pop(key, None)
    return old == new and all(
        state.get(key) == event[key] for key in ("model", "title", "version", "cwd") if key in event
    )


def _line(state: dict[str, object]) -> str:
    """Model, context, cost and running agents, as far as they are known."""
    metrics = state.get("metrics") or {}
    parts = [str(metrics.get("model_name") or state.get("model") or "")]
    percent = metrics.get("used_percent")
    if percent is not None:
        filled = min(10, max(0, round(percent / 10)))
        parts.append("▰" * filled + "▱" * (10 - filled) + f" {percent:.0f}%")
    cost = metrics.get("cost_usd")
    if cost is not None:
        parts.append(f"${cost:.2f}")
    agents = [agent for agent in (state.get("agents") or {}).values() if agent["state"] in ("working", "needs_you")]
    if agents:
        parts.append(f"{len(agents)} agent{'s' if len(agents) > 1 else ''}")
    return " · ".join(part for part in parts if part)


if __name__ == "__main__":
    result = 0
    try:
        result = main(sys.argv)
    except BaseException:
        pass
    finally:
        import posix

        posix._exit(result)
