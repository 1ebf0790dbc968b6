"""The install wizard: where, how, what will change, applied and checked. Nothing is written before the third step's `a`.

The steps before it go on with Enter: that a held Enter walks through them must not write.
"""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Resize
from textual.screen import ModalScreen
from textual.timer import Timer
from textual.widgets import ContentSwitcher, Static

from atm_tui.settings.apply import Applied
from atm_tui.settings.backup_copies import read_copies
from atm_tui.settings.check import Check
from atm_tui.settings.setup import Setup
from atm_tui.settings.setup_steps import (
    Mode,
    Outcome,
    Planned,
    Request,
    apply_plans,
    find_changed,
    plan_changes,
    survey_files,
    undo_changes,
)
from atm_tui.settings.survey import Found
from atm_tui.view.present import Glyphs, Part, content, spread
from atm_tui.view.wizard_change import Preview
from atm_tui.view.wizard_checks import format_verdict
from atm_tui.view.wizard_keys import KEYS, Able
from atm_tui.view.wizard_options import toggle_choice
from atm_tui.view.wizard_text import cut_start, format_path
from atm_tui.widgets.wizard_backups import BackupsPage
from atm_tui.widgets.wizard_change import ChangePage
from atm_tui.widgets.wizard_checks import ChecksPage, DonePage
from atm_tui.widgets.wizard_files import FilesPage
from atm_tui.widgets.wizard_footer import WizardFooter
from atm_tui.widgets.wizard_lines import WizardLines
from atm_tui.widgets.wizard_options import OptionsPage
from atm_tui.widgets.wizard_page import WizardPage

VIEWS = {"files": "where", "options": "how", "change": "what will change", "done": ""}
SAID = 4.0
"""Seconds for which a word stays at the foot."""


class WizardScreen(ModalScreen[tuple[Applied, ...]]):
    """Dismissed with what was written and not undone; empty when nothing was."""

    CSS_PATH = "wizard.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(",".join(key.keys), key.action, key.title, show=False, id=f"wizard.{key.action}") for key in KEYS
    ]

    def __init__(self, setup: Setup, glyphs: Glyphs) -> None:
        super().__init__()
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
        self._head = Static(id="wizard-head")
        self._foot = WizardFooter(glyphs)
        self._trail: list[str] = []
        self._found: Sequence[Found] = ()
        self._wanted = set(setup.picked)
        self._options = setup.options
        self._request = Request(Mode.INSTALL, ())
        self._planned = Planned(Mode.INSTALL)
        self._policy: Sequence[str] = ()
        self._written: tuple[Applied, ...] = ()
        """By the last step that wrote: what can be undone."""
        self._before: tuple[Applied, ...] = ()
        """By those before it."""
        self._is_writing = False
        self._timer: Timer | None = None
        self._aside: Part = ("", "muted")
        self._done_word = "done"

    def compose(self) -> ComposeResult:
        """Head, one view, the keys."""
        yield self._head
        yield Static(id="wizard-line")
        yield self._switcher
        yield self._foot

    def on_mount(self) -> None:
        """Looks at the files."""
        self.set_class(self._glyphs.ascii, "-ascii")
        self._choices.show(self._options)
        self._open("files")
        self._look()

    # Views

    @property
    def _at(self) -> str:
        return self._switcher.current or "files"

    def _open(self, name: str, aside: Part | None = None) -> None:
        self._switcher.current = name
        self._aside = aside or ("" if self._has_written else "nothing is written yet", "muted")
        self._views[name].main.focus()
        self._paint()

    def _go(self, name: str, aside: Part | None = None) -> None:
        """To another view, from which `back` returns."""
        if self._at != name:
            self._trail.append(self._at)
        self._open(name, aside)

    def _paint(self) -> None:
        mode = "Doctor" if self._at == "doctor" else "Restore" if self._at == "backups" else self._planned.mode.value
        words = {"doctor": "every check", "backups": "which copy", "done": self._done_word}.get(self._at) or VIEWS[
            self._at
        ]
        is_step = mode == Mode.INSTALL.value
        count = f"{list(VIEWS).index(self._at) + 1} of 4" if is_step else ""
        left: list[Part] = [
            (mode, "title"),
            (f" · {count}" if count else "", "muted"),
            (" · ", "muted"),
            (words, "strong"),
        ]
        width = self.size.width - 2
        room = width - sum(cell_len(text) for text, _ in left) - 2
        if width > 0:
            aside = [(cut_start(self._aside[0], room), self._aside[1])] if room > 0 else []
            self._head.update(content(*spread(left, aside, width)), layout=False)
        self._foot.show(self._able())

    def on_resize(self, _: Resize) -> None:
        """The head fills the line."""
        self._paint()

    def _able(self) -> list[Able]:
        """The keys that do something here."""
        leave = ("leave", "leave" if self._has_written else "leave, nothing changed")
        match self._at:
            case "files":
                keys = [("forward", ""), ("choose", "pick"), ("doctor", "")]
                chosen = self._files.chosen
                keys += [("uninstall", "")] if any(each.ours for each in self._found) else []
                keys += [("backups", "")] if chosen is not None and chosen.backups else []
                return [*keys, ("again", ""), leave]
            case "options":
                return [("forward", ""), ("choose", "change"), ("back", ""), leave]
            case "change":
                if self._planned.trouble is not None:
                    return [("again", ""), ("back", ""), leave]
                write = ("apply", "") if self._planned.is_needed else ("forward", "check")
                events = [("events", "")] if self._planned.mode is Mode.INSTALL else []
                return [write, *events, ("details", ""), ("back", ""), leave]
            case "done":
                undo = [("undo", "")] if self._written else []
                return [("forward", "close"), *undo, ("doctor", "check all"), ("back", "start over")]
            case "doctor":
                return [("again", "check again"), ("back", ""), ("leave", "close")]
            case _:
                return [("forward", "look at it"), ("back", ""), leave]

    def _say(self, word: str) -> None:
        """A word in place of the keys, for a while."""
        self._foot.show(self._able(), word)
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(SAID, self._paint)

    # Work, off the event loop

    def _look(self) -> None:
        """Reads the files anew."""

        async def looking() -> None:
            found, policy = await asyncio.to_thread(survey_files, self._setup, self._options)
            self._found, self._policy = found, policy
            self._files.show(found, self._picked, policy)
            self._paint()

        self.run_worker(looking(), group="look", exclusive=True)

    def _plan(self, request: Request, notice: str = "") -> None:
        """Shows what a request would change. notice: to be said above the summary."""
        self._request = request

        async def planning() -> None:
            self._planned = await asyncio.to_thread(plan_changes, self._setup, request, self._options)
            names = [format_path(path, self._setup.home) for path in request.files]
            if self._planned.trouble is not None:
                self._change.show_trouble(self._planned.trouble)
                names = [format_path(self._planned.where, self._setup.home)]
            else:
                stamp = self._setup.installer.now().strftime("%Y-%m-%dT%H-%M-%S")
                others = sum(each.others for each in self._found if each.target.path in request.files)
                backup = f"{request.files[0].name}.{stamp}.atm.bak"
                self._change.show(Preview(self._planned.diffs, others, backup, notice))
            self._go("change", (names[0] if len(names) == 1 else f"{len(names)} files", "muted"))

        self.run_worker(planning(), group="plan", exclusive=True)

    def _apply(self) -> None:
        """Writes what is shown; where a file is no longer as it was read, shows the new diff instead."""
        planned, request = self._planned, self._request

        async def applying() -> None:
            stale = await asyncio.to_thread(find_changed, planned)
            if stale:
                names = ", ".join(format_path(path, self._setup.home) for path in stale)
                self._plan(request, f"{names} changed while you read: this is the new diff.")
                return
            outcome = await self._writing("writing", apply_plans, self._setup, planned, self._options)
            self._before, self._written = (*self._before, *self._written), outcome.done
            verb = {Mode.INSTALL: "written and verified", Mode.UNINSTALL: "hooks removed", Mode.RESTORE: "put back"}
            self._show_outcome(outcome, verb[planned.mode], "applied" if outcome.done else "nothing to do")
            if planned.mode is Mode.INSTALL and outcome.trouble is None:
                self._check(self._done)

        self.run_worker(applying(), group="write", exclusive=True)

    async def _writing(self, word: str, function: Callable[..., Outcome], *given: object) -> Outcome:
        """Runs what writes; until it is over nothing else can be done."""
        self._is_writing = True
        self._foot.show((), word)
        try:
            return await asyncio.to_thread(function, *given)
        finally:
            self._is_writing = False

    def _show_outcome(self, outcome: Outcome, verb: str, word: str) -> None:
        self._done.show_done(outcome.done, verb, outcome.trouble, outcome.more)
        self._done.show_no_checks()
        self._trail.clear()
        self._done_word = "stopped" if outcome.trouble else word
        self._open("done", ("", "muted"))

    def _check(self, view: ChecksPage) -> None:
        """The doctor's checks, each shown as soon as it is known."""

        async def checking() -> None:
            found: list[Check] = []
            view.show_checks(found, running=True)
            checks = self._setup.checks()
            while (check := await asyncio.to_thread(next, checks, None)) is not None:
                found.append(check)
                view.show_checks(found, running=True)
            view.show_checks(found, running=False)
            if view is self._done:
                self._done_word = "applied and checked" if self._written else "checked"
            self._aside = format_verdict(found, self._glyphs)
            self._paint()

        self.run_worker(checking(), group="check", exclusive=True)

    # Keys

    def action_forward(self) -> None:
        """The next step; on the third one, it says which key writes."""
        match self._at:
            case "files":
                self._planned = Planned(Mode.INSTALL)
                if self._has_picked():
                    self._go("options")
            case "options":
                self._plan(Request(Mode.INSTALL, tuple(self._picked)))
            case "change" if self._planned.is_needed:
                self._say("Enter writes nothing here: press a")
            case "change" if self._planned.trouble is None:
                self._apply()
            case "backups" if self._backups.chosen is not None and self._files.chosen is not None:
                self._plan(Request(Mode.RESTORE, (self._files.chosen.target.path,), self._backups.chosen))
            case "done":
                self.action_leave()

    def action_apply(self) -> None:
        """Writes what is shown."""
        if self._at == "change" and self._planned.is_needed and not self._is_writing:
            self._apply()

    def action_choose(self) -> None:
        """Picks a file, or gives an option its next value."""
        chosen = self._files.chosen
        if self._at == "files" and chosen is not None:
            if chosen.trouble is not None:
                self._say("this file can't be changed as it is")
                return
            self._wanted ^= {chosen.target.path}
            self._files.show(self._found, self._picked, self._policy)
        elif self._at == "options":
            self._options = toggle_choice(self._options, str(self._choices.main.cursor))
            self._choices.show(self._options)
        self._paint()

    def on_wizard_lines_clicked(self, message: WizardLines.Clicked) -> None:
        """A click chooses, where that writes nothing."""
        if message.lines in (self._files.main, self._choices.main):
            self.action_choose()

    def on_wizard_lines_moved(self, _: WizardLines.Moved) -> None:
        """Other keys may work now."""
        self._paint()

    def action_back(self) -> None:
        """To where we came from; from the last step, to the first."""
        if self._is_writing:
            return
        self.workers.cancel_group(self, "check")
        if self._at == "done":
            self._look()
            self._open("files")
        elif self._trail:
            self._open(self._trail.pop())

    def action_events(self) -> None:
        """To the events among the options."""
        if self._at == "change" and self._planned.mode is Mode.INSTALL and self._planned.trouble is None:
            self._trail.clear()
            self._trail.append("files")
            self._choices.go_to_events()
            self._open("options")

    def action_details(self) -> None:
        """Breaks the diff's long lines, or cuts them."""
        if self._at == "change" and self._planned.trouble is None:
            self._change.toggle_details()

    def action_undo(self) -> None:
        """Takes back what was just written."""
        if self._at != "done" or not self._written or self._is_writing:
            return
        self.workers.cancel_group(self, "check")

        async def undoing() -> None:
            outcome = await self._writing("undoing", undo_changes, self._setup, self._written)
            if outcome.trouble is None:
                self._written = ()
            self._show_outcome(outcome, "as before", "undone")

        self.run_worker(undoing(), group="write", exclusive=True)

    def action_doctor(self) -> None:
        """Every check."""
        if self._at in {"files", "done"}:
            self._go("doctor", ("", "muted"))
            self._check(self._doctor)

    def action_again(self) -> None:
        """Looks at what is shown anew."""
        if self._at == "files":
            self._look()
        elif self._at == "doctor":
            self._check(self._doctor)
        elif self._at == "change":
            self._plan(self._request)

    def action_uninstall(self) -> None:
        """What taking ours out of the picked files would change."""
        if self._at == "files" and self._has_picked():
            self._plan(Request(Mode.UNINSTALL, tuple(self._picked)))

    def action_backups(self) -> None:
        """The read_copies of the file under the cursor."""
        chosen = self._files.chosen
        if self._at != "files" or chosen is None:
            return
        path = chosen.target.path

        async def listing() -> None:
            self._backups.show(path, await asyncio.to_thread(read_copies, path))
            self._go("backups", (format_path(path, self._setup.home), "muted"))

        self.run_worker(listing(), group="look", exclusive=True)

    def action_leave(self) -> None:
        """Out, from any step; what is being written is waited for."""
        if not self._is_writing:
            self.workers.cancel_node(self)
            self.dismiss((*self._before, *self._written))

    @property
    def _has_written(self) -> bool:
        return bool(self._before or self._written)

    @property
    def _picked(self) -> list[Path]:
        """The files that are wanted and can be changed."""
        return [each.target.path for each in self._found if each.target.path in self._wanted and each.trouble is None]

    def _has_picked(self) -> bool:
        if not self._picked:
            self._say("fix that file, then look again: r" if self._wanted else "pick a file first: Space")
        return bool(self._picked)
