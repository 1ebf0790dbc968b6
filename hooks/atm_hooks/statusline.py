"""Entry point of the statusLine command: records a sample when it changed, and prints one line.

usage: python3 -I -S statusline.py STATE_DIR [--config FILE] [--width CELLS] [--no-color] [--no-unicode] [--wrap COMMAND]

--config: the user's configuration, which chooses the segments. --width: cells of the line, instead of what COLUMNS leaves.
With --wrap the user's own command gets the same stdin, and its output and exit code become ours, whatever happens in our part.
"""

# Each run compiles this file, so it is short. The installer puts the bytecode of its imports beside it (bundle.py).

import marshal
import posix
import sys
import time


def load_bundle() -> None:
    """Loads our modules from the file that the installer wrote; without it, or when it is damaged, they are imported as usual."""
    try:
        file = posix.open(__file__ + "." + sys.implementation.cache_tag, posix.O_RDONLY)
        loader, parts = marshal.loads(posix.read(file, 1 << 20))  # noqa: S302
        names: dict = {}  # type: ignore[type-arg]  # each run compiles this
        exec(loader, names)  # noqa: S102  our own code, compiled by the installer
        names["load_modules"](__file__, parts)
    except Exception:
        pass


def become_command(command: str) -> None:
    """Replaces this process with the user's own command, when our package is gone."""
    import _signal  # type: ignore[import-not-found]  # `signal` pulls in enum

    for ignored_by_python in (_signal.SIGPIPE, _signal.SIGXFSZ):
        _signal.signal(ignored_by_python, _signal.SIG_DFL)
    posix.execv("/bin/sh", ["sh", "-c", command])


if __name__ == "__main__":
    code = 0
    try:
        started = round(time.time(), 4)
        sys.path.append(__file__.rpartition("/")[0].rpartition("/")[0])
        if "--wrap" in sys.argv[2:-1]:
            wrapped = sys.argv[sys.argv.index("--wrap") + 1]
            try:
                from atm_hooks import wrapped_command

                code = wrapped_command.run(sys.argv[1], wrapped, started, load_bundle)
            except ImportError:
                become_command(wrapped)
        else:
            load_bundle()
            from atm_hooks import statusline_command

            statusline_command.run(sys.argv[1], sys.argv[2:], started)
    finally:
        # skips the interpreter's shutdown, which could print or fail
        posix._exit(code)  # noqa: SLF001  public as os._exit, but os costs time
