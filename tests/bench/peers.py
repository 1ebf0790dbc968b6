"""Installs other monitors of Claude Code from their registries into a scratch folder, in versions that are known to work."""

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_NEWEST = 14
"""Minor version of the newest Python that is looked for."""
_PATIENCE = 300
"""Seconds that an installation may take."""


class MissingPeerError(Exception):
    """A program can't be installed here; says why in a few words."""


@dataclass(frozen=True)
class Peer:
    """A program, and where it is from."""

    package: str
    version: str
    program: str
    registry: str = "PyPI"
    """Or npm."""
    python: tuple[int, int] = (3, 11)
    """The oldest Python that it runs on."""

    def install(self, folder: Path) -> Path:
        """Installs it below a folder, and returns the path of its program. Raises MissingPeerError."""
        place = folder / self.package
        if self.registry == "npm":
            npm = shutil.which("npm")
            if npm is None:
                raise MissingPeerError("needs npm")
            options = ["--no-audit", "--no-fund", "--loglevel=error"]
            self._run([npm, "install", "--prefix", str(place), *options, f"{self.package}@{self.version}"])
            return place / "node_modules" / ".bin" / self.program
        self._run([self._find_python(), "-m", "venv", str(place)])
        self._run([str(place / "bin" / "pip"), "install", "-q", f"{self.package}=={self.version}"])
        return place / "bin" / self.program

    def _find_python(self) -> str:
        if sys.version_info[:2] >= self.python:
            return sys.executable
        for program in _list_pythons(self.python[1]):
            with contextlib.suppress(MissingPeerError):  # a shim may be there for a Python that is not
                self._run([program, "-c", ""])
                return program
        raise MissingPeerError(f"needs Python {'.'.join(map(str, self.python))}")

    def _run(self, command: list[str]) -> None:
        try:
            subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=_PATIENCE)
        except (OSError, subprocess.SubprocessError) as error:
            raise MissingPeerError("can't be installed") from error


def _list_pythons(oldest: int) -> Iterator[str]:
    """Yields what may be a Python 3 of this minor version or a newer one: on the PATH, then pyenv's."""
    versions = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser() / "versions"
    for minor in range(_NEWEST, oldest - 1, -1):
        yield f"python3.{minor}"
        yield from (str(each) for each in versions.glob(f"3.{minor}.*/bin/python3"))


AGENTS_TREE = Peer("agents-tree", "1.2.0", "agents-tree")
BUSY_MONITOR = Peer("claude-busy-monitor", "1.0.6", "claude-busy-monitor")
CCTOP = Peer("claude-cctop", "0.2.2", "cctop", python=(3, 12))
CCUSAGE = Peer("ccusage", "20.0.24", "ccusage", registry="npm")
