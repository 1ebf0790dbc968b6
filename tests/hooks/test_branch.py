"""The branch of a folder, read from `.git`."""

from pathlib import Path

from atm_hooks.branch import read_branch


def test_branches_of_repositories_worktrees_and_other_folders(tmp_path: Path) -> None:
    deep = tmp_path / "repo" / "a" / "b"
    deep.mkdir(parents=True)
    assert read_branch(str(deep)) == ""
    git = tmp_path / "repo" / ".git"
    (git / "worktrees" / "wt").mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/fix/login\n")
    assert read_branch(str(deep)) == read_branch(f"{tmp_path}/repo/") == "fix/login"
    (git / "worktrees" / "wt" / "HEAD").write_text("0123456789abcdef\n")
    tree = tmp_path / "tree"
    tree.mkdir()
    for link in (f"{git}/worktrees/wt", "../repo/.git/worktrees/wt"):
        (tree / ".git").write_text(f"gitdir: {link}\n")
        assert read_branch(str(tree)) == "01234567"
    assert read_branch("") == read_branch("relative") == read_branch("/\0") == ""
