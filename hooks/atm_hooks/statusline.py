"""Entry point of the statusLine command: records a sample when it changed, and prints one line.

usage: python3 -I -S statusline.py STATE_DIR [--wrap COMMAND]

With --wrap the user's own command gets the same stdin, and its output and exit code become ours, whatever
happens in our part.
"""

import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from atm_hooks.codec import Object

_started = round(time.time(), 4)
LOCK_SECONDS = 0.3
"""Seconds to wait for the session's lock. They are few, since the client waits for this line."""
SIZE = 4 * 1024 * 1024
"""Bytes that are read of a sample."""


def main(arguments: list[str]) -> int:
    """Prints the status line; the exit code is that of a wrapped command, else 0."""
    import posix

    if len(arguments) > 3 and arguments[2] == "--wrap":
        child, feed, close = _start_command(arguments[3])
        raw = _read_stdin(feed)
        close()
        _record_sample(arguments[1], raw)
        return _wait_for_exit(child)
    line = _format_line(_record_sample(arguments[1], _read_stdin()))
    posix.write(1, (line + "\n").encode("utf-8", "replace"))
    return 0


def _read_stdin(feed: "Callable[[bytes], None] | None" = None) -> bytes:
    """Reads stdin; returns its first SIZE bytes. `feed` gets all of it, even when our own code fails."""
    try:
        sys.path.insert(0, __file__.rpartition("/")[0].rpartition("/")[0] or ".")
        from atm_hooks import journal

        return journal.read_stdin(SIZE, feed)[:SIZE]
    except Exception:
        import posix

        while chunk := posix.read(0, 65536):
            if feed is not None:
                feed(chunk)
        return b""


def _start_command(command: str) -> "tuple[int, Callable[[bytes], None], Callable[[], None]]":
    """Starts the user's command, with our stdout, stderr and environment.

    Returns its pid, a function that gives it more input, and one that closes its input.
    """
    import _signal  # type: ignore[import-not-found]  # `signal` pulls in enum
    import posix

    reads, writes = posix.pipe()
    child = posix.posix_spawn(
        "/bin/sh",
        ["sh", "-c", command],
        posix.environ,
        file_actions=((posix.POSIX_SPAWN_DUP2, reads, 0),),  # the pipe itself is closed at exec
        setsigdef=(_signal.SIGPIPE, _signal.SIGXFSZ),  # which Python ignores
    )
    _signal.signal(_signal.SIGTERM, lambda *_: posix.kill(child, _signal.SIGTERM))
    posix.close(reads)
    is_reading = True

    def feed(chunk: bytes) -> None:
        nonlocal is_reading
        try:
            while chunk and is_reading:
                chunk = chunk[posix.write(writes, chunk) :]
        except OSError:  # it does not read its input any more
            is_reading = False

    return child, feed, lambda: posix.close(writes)


def _wait_for_exit(child: int) -> int:
    """Waits for the user's command; returns its exit code as a shell does: 128 + N after signal N."""
    import posix

    code = posix.waitstatus_to_exitcode(posix.waitpid(child, 0)[1])
    return code if code >= 0 else 128 - code


def _record_sample(root: str, raw: bytes) -> "Object":
    """Appends the sample to the journal unless it repeats the last one; returns the state, {} when it can't be read."""
    try:
        from atm_hooks import journal, payload, sample

        root = root.rstrip("/")
        journal.prepare_folders(root)
        try:
            event = sample.parse_sample(raw, _started, journal.read_environ())
            state = journal.load_state(root, event["session_id"])
            if state is None or not _is_repeat(state, event):
                journal.record_event(root, event, LOCK_SECONDS)
                state = journal.load_state(root, event["session_id"])
            return state or {}
        except payload.RefusedError as error:
            journal.write_log(root, _started, f"refused: {error}")
        except Exception as error:
            journal.write_log(root, _started, f"statusLine: {type(error).__name__}: {error}")
    except Exception:
        pass
    return {}


def _is_repeat(state: "Object", event: "Object") -> bool:
    """Whether a sample repeats the last one; durations, which always grow, are not compared."""
    growing = ("at", "duration_ms", "api_duration_ms")
    old, new = (
        {key: value for key, value in each.items() if key not in growing}
        for each in (state.get("metrics") or {}, event["metrics"])
    )
    return old == new and all(
        state.get(key) == event[key] for key in ("model", "title", "version", "cwd") if key in event
    )


def _format_line(state: "Object") -> str:
    """Returns the status line: model, context, cost and number of running agents, without control characters."""
    metrics = state.get("metrics") or {}
    parts = [str(metrics.get("model_name") or state.get("model") or "")]
    percent = metrics.get("used_percent")
    if isinstance(percent, (int, float)):
        filled = min(10, max(0, round(percent / 10)))
        parts.append("▰" * filled + "▱" * (10 - filled) + f" {percent:.0f}%")
    cost = metrics.get("cost_usd")
    if isinstance(cost, (int, float)):
        parts.append(f"${cost:.2f}")
    agents = [agent for agent in (state.get("agents") or {}).values() if agent["state"] in ("working", "needs_you")]
    if agents:
        parts.append(f"{len(agents)} agent{'s' if len(agents) > 1 else ''}")
    line = " · ".join(part for part in parts if part)
    return line if line.isprintable() else "".join(each if each.isprintable() else "\ufffd" for each in line)


if __name__ == "__main__":
    result = 0
    try:
        result = main(sys.argv)
    except BaseException:
        pass
    finally:
        import posix

        posix._exit(result)  # noqa: SLF001  public as os._exit, but os costs time
