"""Reads stdin without waiting for an end that never comes."""

import posix

from atm_hooks.codec import decode

STDIN_SECONDS = 5
"""Seconds without a byte on stdin after which reading stops. The client writes at once and closes stdin."""


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def read_stdin(limit: int, copy: "Callable[[bytes], None] | None" = None, patience: int = STDIN_SECONDS) -> bytes:
    """Reads stdin to its end, or to the end of its JSON object when its writer never closes it.

    Returns about `limit` bytes at most; the rest is read too, so that its writer does not fail, and dropped. `patience`
    seconds without a byte count as the end. `copy` is called with each chunk; then all is read, also after the object.
    """
    import _signal  # type: ignore[import-not-found]  # `signal` pulls in enum

    data, is_open = bytearray(), False
    before = _signal.signal(_signal.SIGALRM, _end_wait)
    try:
        while True:
            _signal.alarm(patience)
            try:
                chunk = posix.read(0, 65536)
            except BlockingIOError:
                if _is_object(data):
                    break
                posix.set_blocking(0, True)
                continue
            _signal.alarm(0)
            if not chunk:
                break
            if len(data) <= limit:
                data += chunk
            if copy is not None:
                copy(chunk)
            elif chunk.rstrip().endswith(b"}") and not posix.isatty(0):
                # stdin is mostly at its end now; if not, a complete object ends the reading
                posix.set_blocking(0, False)
                is_open = True
    except TimeoutError:
        pass
    finally:
        _signal.alarm(0)
        _signal.signal(_signal.SIGALRM, before)
        if is_open:
            posix.set_blocking(0, True)
    return bytes(data)


def _end_wait(*_: object) -> None:
    raise TimeoutError


def _is_object(data: bytearray) -> bool:
    """Whether these bytes are a complete JSON object."""
    try:
        return isinstance(decode(data.decode("utf-8", "replace")), dict)
    except (ValueError, RecursionError):
        return False
