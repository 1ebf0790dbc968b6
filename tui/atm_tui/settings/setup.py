"""The context of an installation: the settings files to choose from, the installer and the checks."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from atm_tui import paths
from atm_tui.settings.all_checks import ReadSessions, find_config_dirs, run_all_checks
from atm_tui.settings.check import Check
from atm_tui.settings.installer import Installer
from atm_tui.settings.locations import Scope
from atm_tui.settings.options import Options
from atm_tui.settings.survey import Target, list_targets


@dataclass(frozen=True)
class Setup:
    """The context of an installation; tests replace single fields."""

    installer: Installer
    targets: Sequence[Target]
    """The settings files to choose from."""
    picked: frozenset[Path]
    """The files that are picked at first."""
    options: Options
    home: str
    """The home folder, shown as ~."""
    checks: Callable[[], Iterator[Check]]
    """Runs the doctor's checks; yields each as soon as it has run."""
    old: tuple[Path, ...] = ()
    """The files whose hooks are of an older version: to be renewed first of all."""

    @classmethod
    def create(
        cls,
        read_sessions: ReadSessions,
        config_dirs: Sequence[str] = (),
        scope: Scope = Scope.USER,
        options: Options | None = None,
    ) -> "Setup":
        """Creates it for the given config folders, else those of this shell; picks their settings files of `scope`.

        Without `options`, those of what is installed; and old hooks are renewed.
        """
        folders, project = find_config_dirs(list(config_dirs)), Path.cwd()
        installer = Installer.create()
        found = list_targets(folders, project)
        named = folders if config_dirs else folders[:1]
        wanted = [each for each in found if each.scope is scope]
        picked = [each.path for each in wanted if scope is not Scope.USER or each.path.parent in named]
        checks = partial(run_all_checks, folders, installer.commands.state, project, read_sessions)
        old = tuple(installer.list_files_in_use()) if options is None and installer.needs_renewal() else ()
        options = options or installer.find_options(old or picked)
        return cls(installer, found, frozenset(picked), options, str(paths.find_home()), checks, old)
