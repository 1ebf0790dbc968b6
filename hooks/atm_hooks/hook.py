"""Entry point of every hook: reads one event from stdin and records it. Always exits 0, never prints.

usage: python3 -I -S hook.py STATE_DIR [--tmux] [--notify PYTHON] [--answers]

One exception: with --answers, and while an app is armed, a PermissionRequest waits for a person's answer and prints it.
"""

# Each run compiles this file, so it is short. The installer puts the bytecode of its imports beside it (bundle.py).

import marshal
import posix
import sys
import time

if __name__ == "__main__":
    try:
        started = time.time()
        try:
            file = posix.open(__file__ + "." + sys.implementation.cache_tag, posix.O_RDONLY)
            loader, parts = marshal.loads(posix.read(file, 1 << 20))  # noqa: S302
            names: dict = {}  # type: ignore[type-arg]  # each run compiles this
            exec(loader, names)  # noqa: S102  our own code, compiled by the installer
            names["load_modules"](__file__, parts)
        except Exception:  # missing or damaged: all modules are imported from their own files
            sys.path.append(__file__.rpartition("/")[0].rpartition("/")[0])
        from atm_hooks import hook_command

        hook_command.run(sys.argv, started)
    finally:
        # skips the interpreter's shutdown, which could print or fail
        posix._exit(0)  # noqa: SLF001  public as os._exit, but os costs time
