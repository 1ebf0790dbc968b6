"""Entry point of every hook: reads one event from stdin and records it. Always exits 0, never prints.

usage: python3 -I -S hook.py STATE_DIR [--tmux] [--notify PYTHON] [--answers]

One exception: with --answers, and while an app is armed, a PermissionRequest waits for a person's answer and prints it.
"""

# This file is short since it is compiled with each run; what it imports is not.

import sys
import time

_started = round(time.time(), 4)


def main(arguments: list[str]) -> None:
    """Records the event that stands on stdin, in the state folder that the command names."""
    import gc

    gc.disable()  # collecting garbage would scan a large state again and again
    folder = __file__.rpartition("/")[0] or "."
    sys.path.append(folder.rpartition("/")[0] or ".")
    if "atm_hooks" not in sys.modules:
        try:
            _load_bundle(folder)
        except (OSError, ValueError, EOFError, TypeError):
            pass  # all modules are imported from their own files then
    from atm_hooks import hook_command

    hook_command.run(arguments[1].rstrip("/"), arguments[2:], _started)


def _load_bundle(folder: str) -> None:
    """Loads the modules of the file that bundle.py made: quicker than importing each. Raises OSError or ValueError without it."""
    import marshal
    import posix

    file = posix.open(f"{folder}/__pycache__/bundle.{sys.implementation.cache_tag}", posix.O_RDONLY | posix.O_CLOEXEC)
    for name, path, code in marshal.loads(posix.read(file, 1 << 20)):  # noqa: S302
        module = sys.modules[name] = type(sys)(name)
        module.__file__, module.__path__ = path, [folder]
        exec(code, module.__dict__)  # noqa: S102  our own code, compiled by the installer


if __name__ == "__main__":
    try:
        main(sys.argv)
    except BaseException:
        pass
    finally:
        import posix

        # skips the interpreter's shutdown, which could print or fail
        posix._exit(0)  # noqa: SLF001  public as os._exit, but os costs time
