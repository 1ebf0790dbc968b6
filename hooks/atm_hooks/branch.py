"""Reads the branch of a folder from `.git`, without running git."""

from atm_hooks.regular_file import read_start

_SIZE = 4096
_DEEPEST = 40
"""Number of parent folders that are searched for `.git`."""


def read_branch(folder: str) -> str:
    """Returns the branch, or eight digits of a commit that is checked out without one; "" outside a repository."""
    for _ in range(_DEEPEST):
        if not folder.startswith("/"):
            return ""
        head = _read_line(f"{folder}/.git/HEAD")
        if head is None:
            link = _read_line(f"{folder}/.git")
            if link is not None and link.startswith("gitdir:"):
                place = link[len("gitdir:") :].strip()
                head = _read_line(f"{place if place.startswith('/') else f'{folder}/{place}'}/HEAD")
        if head:
            return head[4:].strip().removeprefix("refs/heads/") if head.startswith("ref:") else head[:8]
        folder = folder.rstrip("/").rpartition("/")[0]
    return ""


def _read_line(path: str) -> str | None:
    try:
        return read_start(path, _SIZE).decode("utf-8", "replace").strip()
    except OSError:
        return None
