"""Runs the user's own statusLine command with the same stdin as ours, and leaves its output and exit code as they are."""

import _signal  # type: ignore[import-not-found]  # `signal` pulls in enum
import posix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def run(root: str, command: str, started: float, load_modules: "Callable[[], None]") -> int:
    """Runs the command, and records its sample meanwhile; returns its exit code, whatever happens in our part.

    `load_modules` loads what that part needs; the command does not wait for it.
    """
    child, feed, close = _start_command(command)
    try:
        load_modules()
        from atm_hooks import statusline_command

        raw = statusline_command.read_sample(feed)
    except Exception:
        while chunk := posix.read(0, 65536):
            feed(chunk)
        raw = b""
    close()
    if raw:
        statusline_command.record_sample(root, raw, started)
    return _wait_for_exit(child)


def _start_command(command: str) -> "tuple[int, Callable[[bytes], None], Callable[[], None]]":
    """Starts the user's command, with our stdout, stderr and environment.

    Returns its pid, a function that gives it more input, and one that closes its input.
    """
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
        except OSError:  # it no longer reads its input
            is_reading = False

    return child, feed, lambda: posix.close(writes)


def _wait_for_exit(child: int) -> int:
    """Waits for the user's command; returns its exit code as a shell does: 128 + N after signal N."""
    code = posix.waitstatus_to_exitcode(posix.waitpid(child, 0)[1])
    return code if code >= 0 else 128 - code
