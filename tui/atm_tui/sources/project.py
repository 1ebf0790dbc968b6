"""Finds the repository, worktree and branch of a folder, from `.git` and without running git."""

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from atm_hooks.regular_file import read_start
from atm_tui.model.session import Project
from atm_tui.sources.app_file import AppFile
from atm_tui.sources.exists import is_folder, list_folder

_LONGEST_PATH = 4096
"""Largest length of a folder's path."""
_MAX_SIZE = 4096
"""Number of bytes of a file in .git that are read."""
_MOST_FOLDERS = 1000
"""Largest number of cached folders and roots; the oldest are dropped first."""
_MOST_WORKTREES = 1000
"""Largest number of stored worktrees; the oldest are dropped first."""


def _join(folder: str, name: str) -> str:
    """Returns the path of a name, or of a relative or absolute path, in a folder; Path would take five times as long."""
    return os.path.join(folder, name)  # noqa: PTH118


def _read_line(path: str) -> str | None:
    try:
        return read_start(path, _MAX_SIZE).decode("utf-8", "replace").strip()
    except OSError:
        return None


def _find_git_dir(folder: str) -> str | None:
    """Returns the git folder of a working tree: `.git` itself, or the folder that a file `.git` names."""
    git = _join(folder, ".git")
    if is_folder(git):
        return git
    text = _read_line(git)
    if text is None or not text.startswith("gitdir:"):
        return None
    return _find_real_path(_join(folder, text.removeprefix("gitdir:").strip()))


def _read_branch(git_dir: str) -> str | None:
    head = _read_line(_join(git_dir, "HEAD"))
    if not head:
        return None
    if head.startswith("ref:"):
        return head.removeprefix("ref:").strip().removeprefix("refs/heads/")
    return head[:8]


def _read_work_tree(git_dir: str) -> str | None:
    """Returns the working tree named in the configuration of a git folder, as for a submodule."""
    text = _read_line(_join(git_dir, "config")) or ""
    for line in text.splitlines():
        key, _, value = line.partition("=")
        if key.strip().lower() == "worktree" and value.strip():
            return os.path.normpath(_join(git_dir, value.strip().strip('"')))
    return None


def _is_bare_repository(folder: str) -> bool:
    is_named_so = folder.endswith(".git") and not folder.endswith("/.git")
    return is_named_so and is_folder(_join(folder, "objects")) and is_folder(_join(folder, "refs"))


def _find_root(shared: str) -> str:
    """Returns the folder that identifies a repository, from the git folder that its worktrees share.

    That is the folder of the main working tree, or the parent of a hidden bare repository, such as `.bare`, or a bare
    repository itself.
    """
    above, name = os.path.split(shared)
    if name.startswith(".") or _find_git_dir(above) == shared:
        return above
    return _read_work_tree(shared) or shared


def find_project(cwd: str) -> tuple[Project, str | None]:
    """Returns the project of a folder, and the HEAD file that names its branch (None outside a repository).

    All worktrees of a repository share one root: the folder of the main worktree, or the bare repository. The root is a
    real path, so that links and other spellings of a folder lead to the same one.
    """
    if len(cwd) > _LONGEST_PATH:
        return Project(root=cwd, name=Path(cwd).name or cwd), None
    folder = _find_real_path(cwd)
    for top in _list_upwards(folder):
        git_dir = _find_git_dir(top)
        if git_dir is None and not _is_bare_repository(top):
            continue
        git_dir = git_dir or top
        common = _read_line(_join(git_dir, "commondir"))
        shared = _find_real_path(_join(git_dir, common)) if common else git_dir
        root = _find_root(shared) if common is not None else top
        project = Project(
            root=root,
            name=_find_name(root).removesuffix(".git") or root,
            branch=_read_branch(git_dir),
            worktree=_find_name(top) if common is not None else None,
        )
        return project, _join(git_dir, "HEAD")
    return Project(root=folder, name=_find_name(folder) or cwd), None


def _list_upwards(folder: str) -> Iterator[str]:
    """Yields a folder and all folders that it is in."""
    yield folder
    while (above := os.path.split(folder)[0]) not in (folder, ""):
        yield above
        folder = above


def _find_name(folder: str) -> str:
    return folder.rpartition("/")[2]


def _find_real_path(path: str) -> str:
    """Returns the path without links, `.`, `..` and a final slash; links are resolved as far as the path exists."""
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return path


class WorktreeFile:
    """Stores the repositories of known linked worktrees, so that a deleted one stays with its repository.

    For separate git folders (`--separate-git-dir`) it stores the main working tree, which nothing in them names.
    """

    def __init__(self, state_dir: Path) -> None:
        self._file = AppFile(state_dir, "worktrees.json", dict[str, Project])
        self._known: dict[str, Project] = {}
        self.writes = False
        """Whether to write the file. A command that reads once leaves that to the app."""

    def find(self, folder: str) -> Project | None:
        """Returns the stored project of a worktree or git folder; None if there is none."""
        if (kept := self._file.read()) is not None:
            self._known = {**kept, **self._known}
        return self._known.get(folder)

    def record(self, folder: str, project: Project) -> None:
        """Stores the project of an existing worktree or git folder."""
        if self.find(folder) == project:
            return
        self._known.pop(folder, None)
        self._known[folder] = project
        if self.writes:
            self._known = dict(list(self._known.items())[-_MOST_WORKTREES:])
            self._file.write(self._known)


class ProjectCache:
    """Projects by folder, looked up once and again when the branch may have changed.

    A folder with several names, as with a bind mount, is one project.
    """

    def __init__(self, worktrees: WorktreeFile | None = None) -> None:
        self._known: dict[str, tuple[Project, str | None, tuple[int, int] | None]] = {}
        self._roots: dict[tuple[int, int], Project] = {}
        self._worktrees = worktrees
        self._pass: set[str] | None = None
        """The folders that were looked at since `begin_pass`; None if it is never called."""

    def begin_pass(self) -> None:
        """Makes each folder be looked at once until the next call."""
        self._pass = set()

    def find(self, cwd: str) -> Project:
        """Returns the project of a folder. A folder that was deleted keeps the project that it had."""
        if not cwd:
            return Project()
        known = self._known.get(cwd)
        if known is not None and self._pass is not None:
            if cwd in self._pass:
                return known[0]
            self._pass.add(cwd)
        if known is None or known[2] != self._make_stamp(known[1], cwd):
            deleted = not is_folder(cwd)
            if known is not None and deleted:
                return known[0]
            project, head = find_project(cwd)
            self._record_main_tree(project, head)
            project = (self._find_deleted(cwd) if deleted else None) or self._use_known_root(project)
            if deleted and not project.worktree:
                return project  # its repository may become known later
            if self._worktrees and project.worktree and not deleted:
                self._worktrees.record(cwd, project)
            known = self._known[cwd] = (project, head, self._make_stamp(head, cwd))
            if len(self._known) > _MOST_FOLDERS:
                del self._known[next(iter(self._known))]
            if len(self._roots) > _MOST_FOLDERS:
                del self._roots[next(iter(self._roots))]
        return known[0]

    def _record_main_tree(self, project: Project, head: str | None) -> None:
        """Stores the working tree of a separate git folder: its worktrees only name the git folder."""
        if head is None or project.worktree or head.startswith(_join(project.root, "")) or self._worktrees is None:
            return
        git_dir = os.path.split(head)[0]
        main = msgspec.structs.replace(project, branch=None)
        if self._worktrees.find(git_dir) != main:
            self._worktrees.record(git_dir, main)
            self._known = {cwd: known for cwd, known in self._known.items() if known[0].root != git_dir}

    def _find_deleted(self, cwd: str) -> Project | None:
        """Returns the project of a deleted worktree, as stored here or listed in a known repository; None if unknown."""
        if self._worktrees and (kept := self._worktrees.find(cwd)):
            return kept
        around = [cwd, *map(str, Path(cwd).parents)]
        for known in {project.root: project for project, head, _ in self._known.values() if head}.values():
            on_record = _list_worktrees(known.root)
            if top := next((folder for folder in around if folder in on_record), None):
                return msgspec.structs.replace(known, branch=None, worktree=Path(top).name)
        return None

    def _use_known_root(self, project: Project) -> Project:
        """Returns the project with the name and root by which its folder is known already."""
        if project.worktree and self._worktrees and (main := self._worktrees.find(project.root)):
            project = msgspec.structs.replace(project, root=main.root, name=main.name)
        try:
            found = os.stat(project.root)  # noqa: PTH116  as below
        except (OSError, ValueError):
            return project
        known = self._roots.setdefault((found.st_dev, found.st_ino), project)
        return msgspec.structs.replace(project, root=known.root, name=known.name)

    @staticmethod
    def _make_stamp(head: str | None, cwd: str) -> tuple[int, int] | None:
        """Returns a value that changes with HEAD or, outside a repository, when the folder becomes one."""
        try:
            found = os.stat(head or f"{cwd}/.git")  # noqa: PTH116  at every refresh, for every session
        except (OSError, ValueError):
            return None
        return found.st_ino, found.st_mtime_ns


def _list_worktrees(root: str) -> frozenset[str]:
    """Returns the folders of the worktrees that a repository still lists, including deleted ones."""
    git_dir = _find_git_dir(root) or root
    lines = ((each, _read_line(str(each / "gitdir"))) for each in list_folder(_join(git_dir, "worktrees")))
    return frozenset(os.path.dirname(os.path.normpath(each / line)) for each, line in lines if line)  # noqa: PTH120
