"""What the wizard works on: the files that can be chosen, the installer, and the checks. All of it can be replaced in tests."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from atm_tui import paths
from atm_tui.cli.doctor import all_checks, known_folders
from atm_tui.settings.check import Check
from atm_tui.settings.installer import Installer
from atm_tui.settings.locations import Scope
from atm_tui.settings.options import Options
from atm_tui.settings.survey import Target, targets


@dataclass(frozen=True)
class Setup:
    """picked: what is chosen at first; home: shown as ~; checks: those of the doctor, one by one."""

    installer: Installer
    targets: Sequence[Target]
    picked: frozenset[Path]
    options: Options
    home: str
    checks: Callable[[], Iterator[Check]]

    @classmethod
    def here(
        cls, config_dirs: Sequence[str] = (), scope: Scope = Scope.USER, options: Options | None = None
    ) -> "Setup":
        """For the shell's folders, or those that are named; picks their files of that scope."""
        folders, project = known_folders(list(config_dirs)), Path.cwd()
        installer = Installer.here()
        found = targets(folders, project)
        named = folders if config_dirs else folders[:1]
        wanted = [each for each in found if each.scope is scope]
        picked = [each.path for each in wanted if scope is not Scope.USER or each.path.parent in named]
        checks = partial(all_checks, folders, installer.commands.state, project)
        return cls(installer, found, frozenset(picked), options or Options(), str(paths.home()), checks)
