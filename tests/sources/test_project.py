"""Repositories, worktrees and branches, read from `.git` and compared with what git itself says."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from atm_tui.sources.project import ProjectCache, WorktreeFile, find_project


def run_git(folder: Path, *words: str) -> str:
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
    run_git(folder, "init", "-q", "-b", "main")
    run_git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    return folder


def test_a_folder_inside_belongs_to_its_repository(repository: Path) -> None:
    inside = repository / "a" / "b"
    inside.mkdir(parents=True)
    project, _ = find_project(str(inside))
    assert (project.root, project.name, project.branch, project.worktree) == (str(repository), "shop api", "main", None)


def test_worktrees_share_the_root_and_have_their_own_branch(repository: Path, tmp_path: Path) -> None:
    run_git(repository, "worktree", "add", "-q", "-b", "wt/db", str(tmp_path / "db tree"))
    project, _ = find_project(str(tmp_path / "db tree"))
    assert (project.root, project.name, project.branch, project.worktree) == (
        str(repository),
        "shop api",
        "wt/db",
        "db tree",
    )


def test_worktrees_of_a_bare_repository_share_it(repository: Path, tmp_path: Path) -> None:
    run_git(tmp_path, "clone", "-q", "--bare", str(repository), "shop.git")
    run_git(tmp_path / "shop.git", "worktree", "add", "-q", str(tmp_path / "one"), "main")
    project, _ = find_project(str(tmp_path / "one"))
    assert (project.root, project.name, project.branch) == (str(tmp_path / "shop.git"), "shop", "main")


def test_a_submodule_is_a_repository_of_its_own(repository: Path, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    run_git(outer, "init", "-q", "-b", "trunk")
    run_git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repository), "sub")
    project, _ = find_project(str(outer / "sub"))
    assert (project.root, project.name, project.branch) == (str(outer / "sub"), "sub", "main")


def test_a_detached_head_is_named_by_its_commit(repository: Path) -> None:
    run_git(repository, "checkout", "-q", "--detach")
    project, _ = find_project(str(repository))
    assert project.branch == run_git(repository, "rev-parse", "HEAD")[:8]


def test_outside_any_repository_the_folder_is_the_project(tmp_path: Path) -> None:
    project, head = find_project(str(tmp_path / "gone" / "away"))
    assert (project.root, project.name, project.branch, head) == (str(tmp_path / "gone" / "away"), "away", None, None)


@pytest.mark.parametrize("text", ["", "gitdir:", "nonsense", "gitdir: /nowhere/at/all"])
def test_a_broken_git_file_is_tolerated(tmp_path: Path, text: str) -> None:
    (tmp_path / ".git").write_text(text)
    project, _ = find_project(str(tmp_path))
    assert project.branch is None


def test_a_new_branch_and_a_new_repository_are_noticed(repository: Path, tmp_path: Path) -> None:
    source = ProjectCache()
    assert source.find(str(repository)).branch == "main"
    run_git(repository, "checkout", "-q", "-b", "feature/x")
    assert source.find(str(repository)).branch == "feature/x"
    plain = tmp_path / "plain"
    plain.mkdir()
    assert source.find(str(plain)).branch is None
    run_git(plain, "init", "-q", "-b", "fresh")
    assert source.find(str(plain)).branch == "fresh"


def test_without_a_folder_there_is_no_project() -> None:
    assert ProjectCache().find("").root == ""


def test_a_folder_with_a_hidden_bare_repository_names_it_and_its_worktrees(repository: Path, tmp_path: Path) -> None:
    hub = tmp_path / "bareproj"
    hub.mkdir()
    run_git(tmp_path, "clone", "-q", "--bare", str(repository), "bareproj/.bare")
    (hub / ".git").write_text("gitdir: ./.bare\n")
    for name in ("main", "feat"):
        run_git(hub, "worktree", "add", "-q", *(["-b", "feat"] if name == "feat" else []), str(hub / name))
    found = {name: find_project(str(hub / name))[0] for name in ("", "main", "feat", ".bare")}
    assert {(each.root, each.name) for each in found.values()} == {(str(hub), "bareproj")}
    assert [found[name].worktree for name in ("", "main", "feat")] == [None, "main", "feat"]


def test_a_bare_repository_has_the_name_of_its_worktrees(repository: Path, tmp_path: Path) -> None:
    run_git(tmp_path, "clone", "-q", "--bare", str(repository), "tool.git")
    run_git(tmp_path / "tool.git", "worktree", "add", "-q", str(tmp_path / "one"), "main")
    names = [(each.root, each.name) for each, _ in map(find_project, (f"{tmp_path}/one", f"{tmp_path}/tool.git"))]
    assert names == [(str(tmp_path / "tool.git"), "tool")] * 2


def test_a_worktree_of_a_submodule_belongs_to_the_submodule(repository: Path, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    run_git(outer, "init", "-q", "-b", "trunk")
    run_git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repository), "sub")
    run_git(outer / "sub", "worktree", "add", "-q", "-b", "fix", str(tmp_path / "sub-fix"))
    assert find_project(str(tmp_path / "sub-fix"))[0].root == str(outer / "sub")


def test_every_spelling_of_a_folder_is_one_project(repository: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(repository)
    worktree = tmp_path / "fix"
    run_git(repository, "worktree", "add", "-q", "-b", "fix", str(worktree))
    (worktree / ".git").write_text(f"gitdir: {link}/.git/worktrees/fix\n")
    spellings = (f"{repository}", f"{repository}/", f"{repository}/../{repository.name}", f"{link}", f"{worktree}")
    assert {find_project(each)[0].root for each in spellings} == {str(repository)}
    plain = tmp_path / "plain"
    plain.mkdir()
    assert {find_project(each)[0].root for each in (f"{plain}", f"{plain}/", f"{plain}/.")} == {str(plain)}


@pytest.mark.parametrize("main_first", [True, False])
def test_worktrees_of_a_separate_git_folder_belong_to_the_working_tree(tmp_path: Path, main_first: bool) -> None:
    """`git init --separate-git-dir`: nothing in the git folder names the working tree, but that tree was seen."""
    main, linked = tmp_path / "shop", tmp_path / "shop-fix"
    (tmp_path / "data").mkdir()
    run_git(tmp_path, "init", "-q", "-b", "main", f"--separate-git-dir={tmp_path / 'data' / '123'}", str(main))
    run_git(main, "commit", "-q", "--allow-empty", "-m", "first")
    run_git(main, "worktree", "add", "-q", "-b", "fix", str(linked))
    worktrees = WorktreeFile(tmp_path / "state")
    worktrees.writes = True
    cache = ProjectCache(worktrees)
    for folder in (main, linked) if main_first else (linked, main):
        cache.find(str(folder))
    for known in (cache, ProjectCache(WorktreeFile(tmp_path / "state"))):
        found = known.find(str(linked))
        assert (found.root, found.name, found.branch, found.worktree) == (str(main), "shop", "fix", "shop-fix")
        assert known.find(str(main)).root == str(main)


def test_a_deleted_worktree_stays_with_its_repository(repository: Path, tmp_path: Path) -> None:
    kept = WorktreeFile(tmp_path / "state")
    kept.writes = True
    source = ProjectCache(kept)
    for name in ("wt1", "wt2"):
        run_git(repository, "worktree", "add", "-q", "-b", name, str(tmp_path / name))
        assert source.find(str(tmp_path / name)).worktree == name
    run_git(repository, "worktree", "remove", str(tmp_path / "wt1"))
    shutil.rmtree(tmp_path / "wt2")
    for reader in (source, ProjectCache(WorktreeFile(tmp_path / "state"))):
        for name in ("wt1", "wt2"):
            project = reader.find(str(tmp_path / name))
            assert (project.root, project.name, project.worktree) == (str(repository), "shop api", name)


def test_a_previously_deleted_worktree_is_found_in_the_records_of_its_repository(
    repository: Path, tmp_path: Path
) -> None:
    run_git(repository, "worktree", "add", "-q", "-b", "wt", str(tmp_path / "wt"))
    shutil.rmtree(tmp_path / "wt")
    source = ProjectCache()
    assert source.find(str(tmp_path / "wt")).root == str(tmp_path / "wt")
    source.find(str(repository))
    assert source.find(str(tmp_path / "wt")).name == "shop api"
    assert source.find(str(tmp_path / "wt")).worktree == "wt"
