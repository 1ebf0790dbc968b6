"""The install wizard, in four steps: files, options, changes, checks. Nothing is written before `apply` in the third step.

`forward` goes to the next step but never writes, so that a held key does no harm.
"""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.events import Resize
from textual.timer import Timer
from textual.widgets import ContentSwitcher, Static

from atm_tui import commands
from atm_tui.keys.table import CommandKeys
from atm_tui.screens.dialog_screen import DialogScreen
from atm_tui.settings.apply import Applied
from atm_tui.settings.backup_copies import read_copies
from atm_tui.settings.check import Check
from atm_tui.settings.setup import Setup
from atm_tui.settings.setup_steps import (
    VERBS,
    Mode,
    Outcome,
    Planned,
    Request,
    apply_plans,
    find_changed,
    list_survey_files,
    plan_changes,
    undo_changes,
)
from atm_tui.settings.survey import Found
from atm_tui.view.present import Glyphs, Part, make_content, spread
from atm_tui.view.wizard_change import Preview
from atm_tui.view.wizard_checks import format_verdict
from atm_tui.view.wizard_keys import Able, list_keys
from atm_tui.view.wizard_options import toggle_choice
from atm_tui.view.wizard_text import fit_remark, format_path
from atm_tui.widgets.wizard_backups import BackupsPage
from atm_tui.widgets.wizard_change import ChangePage
from atm_tui.widgets.wizard_checks import ChecksPage, DonePage
from atm_tui.widgets.wizard_files import FilesPage
from atm_tui.widgets.wizard_footer import WizardFooter
from atm_tui.widgets.wizard_lines import WizardLines
from atm_tui.widgets.wizard_options import OptionsPage
from atm_tui.widgets.wizard_page import WizardPage

VIEWS = {"files": "where", "options": "how", "change": "what will change", "done": ""}
FIX_FIRST = "fix that file, then look again: <wizard_again>"
PICK_FIRST = "pick a file first: <wizard_choose>"
MESSAGE_TIME = 4.0
"""Seconds for which a message replaces the keys."""


class WizardScreen(DialogScreen[tuple[Applied, ...]]):
    """Dismissed with what was written and not undone; empty if nothing was."""

    CSS_PATH = "wizard.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [*commands.make_bindings("wizard")]

    def __init__(self, setup: Setup, glyphs: Glyphs, keys: CommandKeys) -> None:
        super().__init__()
        self._keys = keys
        self._setup = setup
        self._glyphs = glyphs
        self._files = FilesPage(glyphs, setup.home)
        self._choices = OptionsPage(glyphs, setup.home)
        self._change = ChangePage(glyphs, setup.home)
        self._done = DonePage(glyphs, setup.home)
        self._doctor = ChecksPage(glyphs, setup.home)
        self._backups = BackupsPage(glyphs, setup.home)
        self._views: dict[str, WizardPage] = {
            str(view.id): view
            for view in (self._files, self._choices, self._change, self._done, self._doctor, self._backups)
        }
        self._switcher = ContentSwitcher(*self._views.values(), initial="files")
        self._heading = Static(id="wizard-head")
        self._footer = WizardFooter(glyphs, keys)
        self._history: list[str] = []
        self._found: Sequence[Found] = ()
        self._wanted = set(setup.picked)
        self._options = setup.options
        self._request = Request(Mode.INSTALL, ())
        self._planned = Planned(Mode.INSTALL)
        self._policy: Sequence[str] = ()
        self._written: tuple[Applied, ...] = ()
        """What the last step wrote, which can be undone."""
        self._before: tuple[Applied, ...] = ()
        """What earlier steps wrote."""
        self._is_writing = False
        self._timer: Timer | None = None
        self._remark: Part = ("", "muted")
        self._done_word = "done"

    def compose(self) -> ComposeResult:
        """Composes the heading, the pages and the keys."""
        yield self._heading
        yield Static(id="wizard-line")
        yield self._switcher
        yield self._footer

    def on_mount(self) -> None:
        """Reads the files."""
        self.set_class(self._glyphs.ascii, "-ascii")
        self._choices.show(self._options)
        self._show_page("files")
        self._survey_files()
        if self._setup.old:
            self._plan_request(Request(Mode.RENEW, self._setup.old))

    # Views

    @property
    def _page(self) -> str:
        return self._switcher.current or "files"

    def _show_page(self, name: str, aside: Part | None = None) -> None:
        self._switcher.current = name
        self._remark = aside or ("" if self._has_written else "nothing is written yet", "muted")
        self._views[name].main.focus()
        self._render_heading()

    def _go_to_page(self, name: str, aside: Part | None = None) -> None:
        """Goes to another page, from which `back` returns."""
        if self._page != name:
            self._history.append(self._page)
        self._show_page(name, aside)

    def _render_heading(self) -> None:
        mode = (
            "Doctor" if self._page == "doctor" else "Restore" if self._page == "backups" else self._planned.mode.value
        )
        words = (VIEWS | {"doctor": "every check", "backups": "which copy", "done": self._done_word})[self._page]
        is_step = mode == Mode.INSTALL.value
        count = f"{list(VIEWS).index(self._page) + 1} of 4" if is_step else ""
        left: list[Part] = [
            (mode, "title"),
            (f" · {count}" if count else "", "muted"),
            (" · ", "muted"),
            (words, "strong"),
        ]
        width = self.size.width - 2
        room = width - sum(cell_len(text) for text, _ in left) - 2
        if width > 0:
            aside = [(fit_remark(self._remark[0], room), self._remark[1])]
            self._heading.update(make_content(*spread(left, aside, width)), layout=False)
        self._footer.show(self._list_keys())

    def on_resize(self, _: Resize) -> None:
        """Writes the heading for the new width."""
        self._render_heading()

    def _list_keys(self) -> list[Able]:
        """Returns the keys that work on this page."""
        chosen = self._files.chosen
        return list_keys(
            self._page,
            self._planned,
            has_ours=any(each.ours for each in self._found),
            has_backups=chosen is not None and bool(chosen.backups),
            has_written=self._has_written,
            can_undo=bool(self._written),
            is_whole=self._change.is_whole,
        )

    def _show_message(self, word: str) -> None:
        """Shows a message in place of the keys for MESSAGE_TIME."""
        self._footer.show(self._list_keys(), self._keys.spell(word))
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(MESSAGE_TIME, self._render_heading)

    # Work, off the event loop

    def _survey_files(self) -> None:
        """Reads the files again."""

        async def survey() -> None:
            found, policy = await asyncio.to_thread(list_survey_files, self._setup, self._options)
            self._found, self._policy = found, policy
            self._files.show(found, self._picked, policy)
            self._render_heading()

        self.run_worker(survey(), group="look", exclusive=True)

    def _plan_request(self, request: Request, notice: str = "") -> None:
        """Plans a request, and shows what it would change. `notice`: a line above the summary."""
        self._request = request

        async def plan() -> None:
            self._planned = await asyncio.to_thread(plan_changes, self._setup, request, self._options)
            names = [format_path(path, self._setup.home) for path in request.files]
            if self._planned.trouble is not None:
                self._change.show_trouble(self._planned.trouble)
                names = [format_path(self._planned.where, self._setup.home)]
            else:
                stamp = self._setup.installer.now().strftime("%Y-%m-%dT%H-%M-%S")
                others = sum(each.others for each in self._found if each.target.path in request.files)
                backup = f"{request.files[0].name}.{stamp}.atm.bak"
                self._change.show(Preview(self._planned.diffs, others, backup, notice, self._planned.renewal))
            self._go_to_page("change", (names[0] if len(names) == 1 else f"{len(names)} files", "muted"))

        self.run_worker(plan(), group="plan", exclusive=True)

    def _apply(self) -> None:
        """Writes the plans that are shown; if a file changed meanwhile, shows the new diff instead."""
        planned, request = self._planned, self._request

        async def apply() -> None:
            stale = await asyncio.to_thread(find_changed, planned)
            if stale:
                names = ", ".join(format_path(path, self._setup.home) for path in stale)
                self._plan_request(request, f"{names} changed while you read: this is the new diff.")
                return
            outcome = await self._run_write("writing", apply_plans, self._setup, planned, self._options)
            self._before, self._written = (*self._before, *self._written), outcome.done
            self._show_outcome(outcome, VERBS[planned.mode], "applied" if planned.is_needed else "nothing to do")
            if planned.mode.installs and outcome.trouble is None:
                self._run_checks(self._done)

        self.run_worker(apply(), group="write", exclusive=True)

    async def _run_write(self, word: str, function: Callable[..., Outcome], *given: object) -> Outcome:
        """Runs a function that writes; ignores keys until it ends."""
        self._is_writing = True
        self._footer.show((), word)
        try:
            return await asyncio.to_thread(function, *given)
        finally:
            self._is_writing = False

    def _show_outcome(self, outcome: Outcome, verb: str, word: str) -> None:
        self._done.show_done(outcome.done, verb, outcome.trouble, outcome.more)
        self._done.show_no_checks()
        self._history.clear()
        self._done_word = "stopped" if outcome.trouble else word
        self._show_page("done", ("", "muted"))

    def _run_checks(self, view: ChecksPage) -> None:
        """Runs the doctor's checks; shows each as soon as it is made."""

        async def check_all() -> None:
            found: list[Check] = []
            view.show_checks(found, running=True)
            checks = self._setup.checks()
            while (check := await asyncio.to_thread(next, checks, None)) is not None:
                found.append(check)
                view.show_checks(found, running=True)
            view.show_checks(found, running=False)
            if view is self._done:
                self._done_word = "applied and checked" if self._written else "checked"
            self._remark = format_verdict(found, self._glyphs)
            self._render_heading()

        self.run_worker(check_all(), group="check", exclusive=True)

    # Keys

    def action_forward(self) -> None:
        """Goes to the next step; on the third one, shows which key writes."""
        match self._page:
            case "files":
                self._planned = Planned(Mode.INSTALL)
                if self._has_picked():
                    self._go_to_page("options")
            case "options":
                self._plan_request(Request(Mode.INSTALL, tuple(self._picked)))
            case "change" if self._planned.is_needed:
                self._show_message("<wizard_forward> writes nothing here: press <wizard_apply>")
            case "change" if self._planned.trouble is None:
                self._apply()
            case "backups" if self._backups.chosen is not None and self._files.chosen is not None:
                self._plan_request(Request(Mode.RESTORE, (self._files.chosen.target.path,), self._backups.chosen))
            case "done":
                self.action_leave()

    def action_apply(self) -> None:
        """Writes the plans that are shown."""
        if self._page == "change" and self._planned.is_needed and not self._is_writing:
            self._apply()

    def action_choose(self) -> None:
        """Picks a file, or gives an option its next value."""
        chosen = self._files.chosen
        if self._page == "files" and chosen is not None:
            if chosen.trouble is not None:
                self._show_message("this file can't be changed as it is")
                return
            self._wanted ^= {chosen.target.path}
            self._files.show(self._found, self._picked, self._policy)
        elif self._page == "options" and self._choices.main.cursor is not None:  # None: it was not laid out yet
            self._options = toggle_choice(self._options, str(self._choices.main.cursor))
            self._choices.show(self._options)
        self._render_heading()

    def on_wizard_lines_clicked(self, message: WizardLines.Clicked) -> None:
        """Chooses the clicked line, if that writes nothing."""
        if message.lines in (self._files.main, self._choices.main):
            self.action_choose()

    def on_wizard_lines_moved(self, _: WizardLines.Moved) -> None:
        """Updates the keys."""
        self._render_heading()

    def action_back(self) -> None:
        """Goes to the previous page; from the last step, to the first."""
        if self._is_writing:
            return
        self.workers.cancel_group(self, "check")
        if self._page == "done":
            self._survey_files()
            self._show_page("files")
        elif self._history:
            self._show_page(self._history.pop())

    def action_events(self) -> None:
        """Goes to the list of events in the options."""
        if self._page == "change" and self._planned.mode is Mode.INSTALL and self._planned.trouble is None:
            self._history.clear()
            self._history.append("files")
            self._choices.go_to_events()
            self._show_page("options")

    def action_details(self) -> None:
        """Shows the diff in full, or cut and folded."""
        if self._page == "change" and self._planned.trouble is None:
            self._change.toggle_details()
            self._render_heading()

    def action_undo(self) -> None:
        """Undoes what was just written."""
        if self._page != "done" or not self._written or self._is_writing:
            return
        self.workers.cancel_group(self, "check")

        async def undo() -> None:
            outcome = await self._run_write("undoing", undo_changes, self._setup, self._written)
            if outcome.trouble is None:
                self._written = ()
            self._show_outcome(outcome, "as before", "undone")

        self.run_worker(undo(), group="write", exclusive=True)

    def action_doctor(self) -> None:
        """Goes to the page of all checks."""
        if self._page in {"files", "done"}:
            self._go_to_page("doctor", ("", "muted"))
            self._run_checks(self._doctor)

    def action_again(self) -> None:
        """Reads again what this page shows."""
        if self._page == "files":
            self._survey_files()
        elif self._page == "doctor":
            self._run_checks(self._doctor)
        elif self._page == "change":
            self._plan_request(self._request)

    def action_uninstall(self) -> None:
        """Plans to remove our hooks from the picked files."""
        if self._page == "files" and self._has_picked():
            self._plan_request(Request(Mode.UNINSTALL, tuple(self._picked)))

    def action_backups(self) -> None:
        """Lists the backups of the file under the cursor."""
        chosen = self._files.chosen
        if self._page != "files" or chosen is None:
            return
        path = chosen.target.path

        async def list_backups() -> None:
            self._backups.show(path, await asyncio.to_thread(read_copies, path))
            self._go_to_page("backups", (format_path(path, self._setup.home), "muted"))

        self.run_worker(list_backups(), group="look", exclusive=True)

    def action_leave(self) -> None:
        """Closes the wizard, unless it is writing."""
        if not self._is_writing:
            self.workers.cancel_node(self)
            self.dismiss((*self._before, *self._written))

    @property
    def _has_written(self) -> bool:
        return bool(self._before or self._written)

    @property
    def _picked(self) -> list[Path]:
        """The picked files that can be changed."""
        return [each.target.path for each in self._found if each.target.path in self._wanted and each.trouble is None]

    def _has_picked(self) -> bool:
        if not self._picked:
            self._show_message(FIX_FIRST if self._wanted else PICK_FIRST)
        return bool(self._picked)
