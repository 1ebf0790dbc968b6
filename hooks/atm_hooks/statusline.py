"""Entry point of the statusLine command: records a sample when it changed, and prints one line.

usage: python3 -I -S statusline.py STATE_DIR [--config FILE] [--width CELLS] [--no-color] [--no-unicode] [--wrap COMMAND]

--config: the user's configuration, which chooses the segments. --width: cells of the terminal, instead of COLUMNS.
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

    options = _parse_options(arguments[2:])
    if "--wrap" in options:
        child, feed, close = _start_command(options["--wrap"])
        raw = _read_stdin(feed)
        close()
        _record_sample(arguments[1], raw)
        return _wait_for_exit(child)
    facts, state = _record_sample(arguments[1], _read_stdin())
    posix.write(1, (_format_line(arguments[1], facts, state, options) + "\n").encode("utf-8", "replace"))
    return 0


def _parse_options(words: list[str]) -> dict[str, str]:
    """Returns the options by name, with "" for those that take no value. What we don't know is ignored."""
    options = {}
    while words:
        name, words = words[0], words[1:]
        if name in ("--wrap", "--config", "--width") and words:
            options[name], words = words[0], words[1:]
        elif name in ("--no-color", "--no-unicode"):
            options[name] = ""
    return options


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


def _record_sample(root: str, raw: bytes) -> "tuple[Object, Object | None]":
    """Appends the sample to the journal unless it repeats the last one.

    Returns the sample, {} when there is none, and the state of its session, None when it has none. The sample has
    "unreadable" when there is a state that can't be read.
    """
    event: Object = {}
    try:
        from atm_hooks import journal, payload, sample

        root = root.rstrip("/")
        try:
            event = sample.parse_sample(raw, _started, journal.read_environ())
            journal.prepare_folders(root)
            state = journal.load_state(root, event["session_id"])
            if state is None:
                event["unreadable"] = journal.has_damaged_state(root, event["session_id"])
            if state is None or not _is_repeat(state, event):
                journal.record_event(root, {key: event[key] for key in event if key != "unreadable"}, LOCK_SECONDS)
                state = journal.load_state(root, event["session_id"])
            return event, state
        except payload.RefusedError as error:
            journal.prepare_folders(root)
            journal.write_log(root, _started, f"refused: {error}")
        except Exception as error:
            event["unreadable"] = True
            journal.write_log(root, _started, f"statusLine: {type(error).__name__}: {error}")
    except Exception:
        pass
    return event, None


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


def _format_line(root: str, facts: "Object", state: "Object | None", options: dict[str, str]) -> str:
    """Returns the status line for the terminal's width; "" when our own code fails."""
    try:
        from atm_hooks import journal, line_options

        return line_options.format_line(root.rstrip("/"), facts, state, options, journal.read_environ())
    except Exception:
        return ""


if __name__ == "__main__":
    result = 0
    try:
        result = main(sys.argv)
    except BaseException:
        pass
    finally:
        import posix

        posix._exit(result)  # noqa: SLF001  public as os._exit, but os costs time
