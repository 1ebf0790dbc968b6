"""Entry point of every hook: reads one event from stdin and records it. Always exits 0, never prints.

usage: python3 -I -S hook.py STATE_DIR
"""

import sys
import time

_started = time.time()


def main(arguments: list[str]) -> None:
    """Records the event on stdin under the state folder that the command names."""
    import posix
    from _io import FileIO

    sys.path.insert(0, __file__.rpartition("/")[0].rpartition("/")[0] or ".")
    from atm_hooks import journal, payload

    root = arguments[1].rstrip("/")
    journal.prepare(root)
    posix.umask(0o077)
    environ = {key.decode("utf-8", "replace"): value.decode("utf-8", "replace") for key, value in posix.environ.items()}
    try:
        event = payload.parse(FileIO(0, closefd=False).readall() or b"", _started, environ)
        if event["event"] == "SessionStart" and "pid" in event:
            from atm_hooks.proc import start_ticks

            event["pid_start"] = start_ticks(event["pid"])
        if not journal.record(root, event):
            journal.log(
                root,
                _started,
                f"lock of {event['session_id']} not had in time; {event['event']} will be folded by the next event",
            )
    except payload.RefusedError as error:
        journal.log(root, _started, f"refused: {error}")
    except Exception as error:
        journal.log(root, _started, f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    try:
        main(sys.argv)
    except BaseException:
        pass
    finally:
        import posix

        # skips the interpreter's own end: nothing of it may print or fail
        posix._exit(0)
