"""Entry point of the statusLine command: records a sample when it changed, and prints one line.

usage: python3 -I -S statusline.py STATE_DIR [--config FILE] [--width CELLS] [--no-color] [--no-unicode] [--wrap COMMAND]

--config: the user's configuration, which chooses the segments. --width: cells of the line, instead of what COLUMNS leaves.
With --wrap the user's own command gets the same stdin, and its output and exit code become ours, whatever happens in our part.
"""

# This file is short since it is compiled with each run; what it imports is not.

import sys
import time

_started = round(time.time(), 4)


def main(arguments: list[str]) -> int:
    """Prints the status line; the exit code is that of a wrapped command, else 0."""
    wrapped = arguments[arguments.index("--wrap") + 1] if "--wrap" in arguments[2:-1] else None
    try:
        sys.path.insert(0, __file__.rpartition("/")[0].rpartition("/")[0] or ".")
        if wrapped is not None:
            from atm_hooks import wrapped_command

            return wrapped_command.run(arguments[1], wrapped, _started)
        from atm_hooks import statusline_command

        statusline_command.run(arguments[1], arguments[2:], _started)
    except ImportError:
        if wrapped is not None:
            _become_command(wrapped)
    return 0


def _become_command(command: str) -> None:
    """Replaces this process by the user's own command, when our package is gone."""
    import _signal  # type: ignore[import-not-found]  # `signal` pulls in enum
    import posix

    for ignored_by_python in (_signal.SIGPIPE, _signal.SIGXFSZ):
        _signal.signal(ignored_by_python, _signal.SIG_DFL)
    posix.execv("/bin/sh", ["sh", "-c", command])


if __name__ == "__main__":
    result = 0
    try:
        result = main(sys.argv)
    except BaseException:
        pass
    finally:
        import posix

        posix._exit(result)  # noqa: SLF001  public as os._exit, but os costs time
