"""Entry point of the statusLine command: records a sample when it changed, and prints one line.

usage: python3 -I -S statusline.py STATE_DIR [--wrap COMMAND]

With --wrap the user's own command gets the same stdin, and its output and exit code are those of ours, whatever
becomes of our part.
"""

import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from atm_hooks.codec import Object

_started = round(time.time(), 4)
PATIENCE = 0.3
"""Seconds to wait for the session's lock: somebody waits for this line."""
SIZE = 4 * 1024 * 1024
"""Bytes of a sample that are looked at."""


def main(arguments: list[str]) -> int:
    """Prints the status line; the exit code is that of a wrapped command, else 0."""
    import posix

    if len(arguments) > 3 and arguments[2] == "--wrap":
        child, feed, close = _start(arguments[3])
        raw = _read(feed)
        close()
        _record(arguments[1], raw)
        return _wait_for(child)
    line = _line(_record(arguments[1], _read()))
    posix.write(1, (line + "\n").encode("utf-8", "replace"))
    return 0


def _read(feed: "Callable[[bytes], None] | None" = None) -> bytes:
    """The first SIZE bytes of stdin; `feed` gets all of it. Nothing of ours that fails keeps a byte from the user's command."""
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


def _start(command: str) -> "tuple[int, Callable[[bytes], None], Callable[[], None]]":
    """Starts the user's command: its pid, what gives it more input, and what ends that. It inherits stdout, stderr and
    environment.
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
    is_heard = True

    def feed(chunk: bytes) -> None:
        nonlocal is_heard
        try:
            while chunk and is_heard:
                chunk = chunk[posix.write(writes, chunk) :]
        except OSError:  # it does not read its input
            is_heard = False

    return child, feed, lambda: posix.close(writes)


def _wait_for(child: int) -> int:
    """The exit code of the user's command, as a shell gives it."""
    import posix

    code = posix.waitstatus_to_exitcode(posix.waitpid(child, 0)[1])
    return code if code >= 0 else 128 - code


def _record(root: str, raw: bytes) -> "Object":
    """Appends the sample to the journal unless it says nothing new; the state after it, {} when that can't be had."""
    try:
        from atm_hooks import journal, payload, sample

        root = root.rstrip("/")
        journal.prepare(root)
        try:
            event = sample.parse(raw, _started, journal.environ())
            state = journal.load(root, event["session_id"])
            if state is None or not _same(state, event):
                journal.record(root, event, PATIENCE)
                state = journal.load(root, event["session_id"])
            return state or {}
        except payload.RefusedError as error:
            journal.log(root, _started, f"refused: {error}")
        except Exception as error:
            journal.log(root, _started, f"statusLine: {type(error).__name__}: {error}")
    except Exception:
        pass
    return {}


def _same(state: "Object", event: "Object") -> bool:
    """Whether a sample repeats the last one; durations grow all the time and do not count."""
    passing = ("at", "duration_ms", "api_duration_ms")
    old, new = (
        {key: value for key, value in each.items() if key not in passing}
        for each in (state.get("metrics") or {}, event["metrics"])
    )
    return old == new and all(
        state.get(key) == event[key] for key in ("model", "title", "version", "cwd") if key in event
    )


def _line(state: "Object") -> str:
    """Model, context, cost and running agents, as far as they are known; no character that a terminal would obey or hide."""
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
