"""Which repository, worktree and branch a folder belongs to, read from `.git` without running git."""

import os
from pathlib import Path

from atm_hooks.regular_file import read_start
from atm_tui.model.session import Project
from atm_tui.sources.exists import is_folder

_LONGEST_PATH = 4096
"""Characters beyond which no folder has such a path."""
_MAX_SIZE = 4096
"""Bytes of a file under .git that are read."""


def _read_line(path: Path) -> str | None:
    try:
        return read_start(str(path), _MAX_SIZE).decode("utf-8", "replace").strip()
    except OSError:
        return None


def _find_git_dir(folder: Path) -> Path | None:
    """The git folder of a working tree: `.git` itself, or the folder that a file `.git` names."""
    git = folder / ".git"
    if is_folder(git):
        return git
    text = _read_line(git)
    if text is None or not text.startswith("gitdir:"):
        return None
    return Path(os.path.normpath(folder / text.removeprefix("gitdir:").strip()))


def _read_branch(git_dir: Path) -> str | None:
    head = _read_line(git_dir / "HEAD")
    if not head:
        return None
    if head.startswith("ref:"):
        return head.removeprefix("ref:").strip().removeprefix("refs/heads/")
    return head[:8]


def find_project(cwd: str) -> tuple[Project, Path | None]:
    """Returns the project of a folder, and the HEAD file that names its branch (None outside a repository).

    All worktrees of a repository share one root: the folder of the main worktree, or the bare repository.
    """
    folder = Path(cwd)
    if len(cwd) > _LONGEST_PATH:
        return Project(root=cwd, name=folder.name or cwd), None
    for top in (folder, *folder.parents):
        git_dir = _find_git_dir(top)
        if git_dir is None:
            continue
        common = _read_line(git_dir / "commondir")
        shared = Path(os.path.normpath(git_dir / common)) if common else git_dir
        linked = common is not None
        root = (shared.parent if shared.name == ".git" else shared) if linked else top
        project = Project(
            root=str(root),
            name=root.name.removesuffix(".git") or str(root),
            branch=_read_branch(git_dir),
            worktree=top.name if linked else None,
        )
        return project, git_dir / "HEAD"
    return Project(root=cwd, name=folder.name or cwd), None


class ProjectCache:
    """Projects by folder, looked up once and again when the branch may have changed."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Project, Path | None, tuple[int, int] | None]] = {}

    def find(self, cwd: str) -> Project:
        """Returns the project of a folder."""
        if not cwd:
            return Project()
        known = self._known.get(cwd)
        if known is None or known[2] != self._stamp(known[1], cwd):
            project, head = find_project(cwd)
            known = self._known[cwd] = (project, head, self._stamp(head, cwd))
        return known[0]

    @staticmethod
    def _stamp(head: Path | None, cwd: str) -> tuple[int, int] | None:
        """A value that changes when HEAD does or, outside a repository, when the folder becomes one."""
        try:
            found = os.stat(head or f"{cwd}/.git")  # noqa: PTH116  at every refresh, for every session
        except (OSError, ValueError):
            return None
        return found.st_ino, found.st_mtime_ns
