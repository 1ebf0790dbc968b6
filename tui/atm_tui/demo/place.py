"""The folder of the demo: a home with a config folder of Claude Code, a state folder of ours, and three repositories."""

from pathlib import Path

from atm_hooks import journal

REPOSITORIES = {"shop-api": "main", "shop-web": "main", "infra": "main"}
"""Repositories: folder under work/, and branch."""
WORKTREES = {"shop-api-search": ("shop-api", "search-index"), "shop-web-login": ("shop-web", "fix/login")}
"""Worktrees: folder under work/, repository, and branch."""


class Place:
    """The folders of the demo."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.state_dir = home / "state"
        self.config_dir = home / ".claude"
        self.registry = self.config_dir / "sessions"

    def build(self) -> None:
        """Creates the folders, and the files of `.git` that name repository and branch."""
        journal.prepare_folders(str(self.state_dir))
        self.registry.mkdir(parents=True)
        for name, branch in REPOSITORIES.items():
            git = self.home / "work" / name / ".git"
            git.mkdir(parents=True)
            _write_head(git, branch)
        for name, (repository, branch) in WORKTREES.items():
            git = self.home / "work" / repository / ".git" / "worktrees" / name
            git.mkdir(parents=True)
            _write_head(git, branch)
            (git / "commondir").write_text("../..\n", "utf-8")
            tree = self.home / "work" / name
            tree.mkdir()
            (tree / ".git").write_text(f"gitdir: {git}\n", "utf-8")
            (git / "gitdir").write_text(f"{tree / '.git'}\n", "utf-8")

    def find_transcript(self, session: str, cwd: str, agent: str | None = None) -> Path:
        """Returns the path of a session's or an agent's transcript, where the client would write it."""
        folder = self.config_dir / "projects" / "".join(c if c.isascii() and c.isalnum() else "-" for c in cwd)
        return folder / session / "subagents" / f"agent-{agent}.jsonl" if agent else folder / f"{session}.jsonl"


def _write_head(git: Path, branch: str) -> None:
    (git / "HEAD").write_text(f"ref: refs/heads/{branch}\n", "utf-8")
