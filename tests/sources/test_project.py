"""Repositories, worktrees and branches, read from `.git` and compared with what git itself says."""

import os
import subprocess
from pathlib import Path

import pytest

from atm_tui.sources.project import ProjectCache, find_project


def git(folder: Path, *words: str) -> str:
    environ = {
        **os.environ,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@example.org",
    }
    done = subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True, text=True, env=environ)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "shop api"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    return folder


def test_a_folder_inside_belongs_to_its_repository(repository: Path) -> None:
    inside = repository / "a" / "b"
    inside.mkdir(parents=True)
    project, _ = find_project(str(inside))
    assert (project.root, project.name, project.branch, project.worktree) == (str(repository), "shop api", "main", None)


def test_worktrees_share_the_root_and_have_their_own_branch(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "-q", "-b", "wt/db", str(tmp_path / "db tree"))
    project, _ = find_project(str(tmp_path / "db tree"))
    assert (project.root, project.name, project.branch, project.worktree) == (
        str(repository),
        "shop api",
        "wt/db",
        "db tree",
    )


def test_worktrees_of_a_bare_repository_share_it(repository: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(repository), "shop.git")
    git(tmp_path / "shop.git", "worktree", "add", "-q", str(tmp_path / "one"), "main")
    project, _ = find_project(str(tmp_path / "one"))
    assert (project.root, project.name, project.branch) == (str(tmp_path / "shop.git"), "shop", "main")


def test_a_submodule_is_a_repository_of_its_own(repository: Path, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q", "-b", "trunk")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repository), "sub")
    project, _ = find_project(str(outer / "sub"))
    assert (project.root, project.name, project.branch) == (str(outer / "sub"), "sub", "main")


def test_a_detached_head_is_named_by_its_commit(repository: Path) -> None:
    git(repository, "checkout", "-q", "--detach")
    project, _ = find_project(str(repository))
    assert project.branch == git(repository, "rev-parse", "HEAD")[:8]


def test_outside_a_repository_the_folder_is_the_project(tmp_path: Path) -> None:
    project, head = find_project(str(tmp_path / "gone" / "away"))
    assert (project.root, project.name, project.branch, head) == (str(tmp_path / "gone" / "away"), "away", None, None)


@pytest.mark.parametrize("text", ["", "gitdir:", "nonsense", "gitdir: /nowhere/at/all"])
def test_a_broken_git_file_is_no_crash(tmp_path: Path, text: str) -> None:
    (tmp_path / ".git").write_text(text)
    project, _ = find_project(str(tmp_path))
    assert project.branch is None


def test_a_new_branch_and_a_new_repository_are_noticed(repository: Path, tmp_path: Path) -> None:
    source = ProjectCache()
    assert source.find(str(repository)).branch == "main"
    git(repository, "checkout", "-q", "-b", "feature/x")
    assert source.find(str(repository)).branch == "feature/x"
    plain = tmp_path / "plain"
    plain.mkdir()
    assert source.find(str(plain)).branch is None
    git(plain, "init", "-q", "-b", "fresh")
    assert source.find(str(plain)).branch == "fresh"


def test_no_folder_is_no_project() -> None:
    assert ProjectCache().find("").root == ""
