"""Entry point of every hook: reads one event from stdin and records it. Always exits 0, never prints.

usage: python3 -I -S hook.py STATE_DIR [--tmux] [--answers]

One exception: with --answers, and while an app is armed, a PermissionRequest waits for a person's answer and prints it.
"""

import sys
import time

_started = round(time.time(), 4)


def main(arguments: list[str]) -> None:
    """Records the event that stands on stdin, in the state folder that the command names."""
    import gc
    import posix

    gc.disable()  # collecting garbage would scan a large state again and again
    sys.path.insert(0, __file__.rpartition("/")[0].rpartition("/")[0] or ".")
    from atm_hooks import journal, payload

    root = arguments[1].rstrip("/")
    journal.prepare_folders(root)
    posix.umask(0o077)
    try:
        raw = journal.read_stdin(payload.SIZE)
        event = payload.parse_event(raw, _started, journal.read_environ())
        if event["event"] in ("SessionStart", "UserPromptSubmit"):
            from atm_hooks import proc

            event.update(proc.read_facts(event, journal.load_state(root, event["session_id"])))
        if not journal.record_event(root, event):
            late = f"the lock of {event['session_id']} was not free in time"
            journal.write_log(root, _started, f"{late}; {event['event']} is folded with the next event")
        if "--tmux" in arguments[2:]:
            from atm_hooks import panes

            panes.set_options(event, journal.read_environ())
        if (
            event["event"] == "PermissionRequest"
            and "--answers" in arguments[2:]
            and posix.access(f"{root}/answers/lease", posix.F_OK)
        ):
            from atm_hooks import answer_wait

            answer_wait.ask_app(root, raw, event)
    except payload.RefusedError as error:
        journal.write_log(root, _started, f"refused: {error}")
    except Exception as error:
        journal.write_log(root, _started, f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    try:
        main(sys.argv)
    except BaseException:
        pass
    finally:
        import posix

        # skips the interpreter's shutdown, which could print or fail
        posix._exit(0)  # noqa: SLF001  public as os._exit, but os costs time
