"""The steps of an installation: survey, plan, apply, undo. Each function accesses files, so call it in a thread."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path

from atm_tui import __version__
from atm_tui.settings.apply import Applied, plan_when_stable, read_settings
from atm_tui.settings.errors import SettingsError
from atm_tui.settings.hook_version import describe_renewal
from atm_tui.settings.installer import Planner
from atm_tui.settings.locations import Scope
from atm_tui.settings.options import Options, Route
from atm_tui.settings.plan import Plan
from atm_tui.settings.plugin import describe_next_steps
from atm_tui.settings.setup import Setup
from atm_tui.settings.survey import Found, Trouble, find_policy, find_trouble, survey_target
from atm_tui.sources.exists import exists
from atm_tui.text import clean

TAB = 4
"""Width in cells of a tab in a diff."""

LOADED = "Running sessions load the hooks within a few seconds; older versions of Claude Code need a restart."


class Mode(StrEnum):
    """What to do with the files."""

    INSTALL = "Install"
    RENEW = "Renew"
    UNINSTALL = "Uninstall"
    RESTORE = "Restore"

    @property
    def installs(self) -> bool:
        """Whether our hooks are installed afterwards, as this version has them."""
        return self in (Mode.INSTALL, Mode.RENEW)


VERBS = {
    Mode.INSTALL: "written and verified",
    Mode.RENEW: "written and verified",
    Mode.UNINSTALL: "hooks removed",
    Mode.RESTORE: "put back",
}
"""What has been done with a file."""


@dataclass(frozen=True)
class Request:
    """What to do with which files. `backup`: the copy to restore."""

    mode: Mode
    files: tuple[Path, ...]
    backup: Path | None = None


@dataclass(frozen=True)
class Planned:
    """What would be written: each plan with the lines of its diff. `trouble`: why nothing can be, because of the file `where`.

    `renewal`: what happens to the copied hook files, if they are old.
    """

    mode: Mode
    diffs: tuple[tuple[Plan, list[str]], ...] = ()
    trouble: Trouble | None = None
    where: Path | None = None
    renewal: str = ""

    @property
    def plans(self) -> list[Plan]:
        """The plans without their diffs."""
        return [plan for plan, _ in self.diffs]

    @property
    def is_needed(self) -> bool:
        """Whether it would change anything."""
        return bool(self.renewal) or any(plan.is_needed for plan in self.plans)


@dataclass(frozen=True)
class Outcome:
    """What was written, and what stopped it early. `more`: further lines for the user."""

    done: tuple[Applied, ...] = ()
    trouble: Trouble | None = None
    more: str = ""


def make_diff_lines(plan: Plan) -> list[str]:
    """Returns the lines of a plan's diff, without the two that name the file; safe to print."""
    return [clean(line.expandtabs(TAB), lines=True) for line in plan.make_diff().split("\n")[2:-1]]


def list_survey_files(setup: Setup, options: Options) -> tuple[list[Found], list[str]]:
    """Returns the content of each settings file, and the lines of an administrator's policy."""
    planner = make_planner(setup, options)
    return [survey_target(target, planner, setup.installer.commands.state) for target in setup.targets], find_policy()


def make_planner(setup: Setup, options: Options) -> Planner:
    """Returns the function that plans an installation with these options."""
    shared = [target.path for target in setup.targets if target.scope is Scope.PROJECT]
    return setup.installer.make_planner(options, shared)


def plan_changes(setup: Setup, request: Request, options: Options) -> Planned:
    """Plans a request, with the diff of each file; a single file that can't be changed stops it."""
    installer = setup.installer
    planner = _choose_planner(setup, request.mode, options)
    diffs = []
    for path in request.files:
        try:
            if request.backup is not None:
                made = installer.plan_restore(path, request.backup)
            else:
                made = plan_when_stable(path, partial(planner, path))
        except SettingsError as error:
            return Planned(request.mode, trouble=find_trouble(error, _read_bytes(path)), where=path)
        diffs.append((made, make_diff_lines(made)))
    is_old = request.mode.installs and installer.needs_renewal()
    return Planned(request.mode, tuple(diffs), renewal=describe_renewal(installer.commands.hooks) if is_old else "")


def _choose_planner(setup: Setup, mode: Mode, options: Options) -> Planner:
    match mode:
        case Mode.INSTALL:
            return make_planner(setup, options)
        case Mode.RENEW:
            return setup.installer.make_renewer()
        case _:
            return setup.installer.plan_uninstall


def find_changed(planned: Planned) -> list[Path]:
    """Returns the files that changed since they were planned, or can no longer be read."""
    return [made.path for made in planned.plans if not _is_as_planned(made)]


def _is_as_planned(made: Plan) -> bool:
    try:
        return read_settings(made.path) == made.before
    except SettingsError:
        return False


def apply_plans(setup: Setup, planned: Planned, options: Options) -> Outcome:
    """Writes the plans file by file, up to the first failure; files that were written before it can be undone."""
    done: list[Applied] = []
    more = []
    for made in planned.plans:
        try:
            if planned.mode.installs:
                done += setup.installer.install([made], _choose_planner(setup, planned.mode, options), options)
            elif planned.mode is Mode.RESTORE:
                done.append(setup.installer.restore(made))
            else:
                applied, left = setup.installer.uninstall([made])
                done += applied
                more = [f"Still installed in {path}." for path in left] or ["The copied hook files are removed."]
        except SettingsError as error:
            return Outcome(tuple(done), find_trouble(error, _read_bytes(made.path)))
    if planned.mode.installs:
        more = [f"The copied hook files are those of {__version__} now."] if planned.renewal else []
        more += [LOADED] if done else []
        if options.route is Route.PLUGIN:
            plugin = setup.installer.plugin
            more = [f"The plugin is in {plugin}. Enable it yourself:", *describe_next_steps(plugin).split("\n")]
    return Outcome(tuple(done), None, "\n".join(more))


def undo_changes(setup: Setup, done: Sequence[Applied]) -> Outcome:
    """Restores the files as they were before `done`."""
    try:
        undone = tuple(setup.installer.undo(done))
        gone = not exists(setup.installer.commands.hooks)
        return Outcome(undone, None, "The copied hook files are removed." if gone else "")
    except SettingsError as error:
        return Outcome((), find_trouble(error, None))


def _read_bytes(path: Path) -> bytes | None:
    try:
        return read_settings(path)
    except SettingsError:
        return None
