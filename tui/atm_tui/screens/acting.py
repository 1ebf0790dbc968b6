"""What can be done with the selected session, on whichever screen it is selected: jump, peek, copy, open, edit."""

import asyncio
from abc import abstractmethod
from pathlib import Path

from atm_tui.config import Config
from atm_tui.jump import programs
from atm_tui.jump.values import JumpError, JumpPlan, Outcome
from atm_tui.messages import SessionSeen
from atm_tui.model.session import Session
from atm_tui.monitor.protocol import Monitor
from atm_tui.screens.aside import run_aside
from atm_tui.screens.base import CommandScreen
from atm_tui.view.present import Glyphs, clean


class ActingScreen(CommandScreen):
    """A screen of the fleet on which a session is selected."""

    def __init__(self, monitor: Monitor, config: Config, glyphs: Glyphs) -> None:
        super().__init__()
        self._monitor = monitor
        self._fleet = monitor.fleet
        self._config = config
        self._glyphs = glyphs

    @property
    def chosen(self) -> str | None:
        """The id of the session that other views select when they come after this one."""
        session = self.selection.session
        return session.session_id if session else None

    @abstractmethod
    def go_to(self, session_id: str) -> None:
        """Selects a session, as its user's wish."""

    # To its terminal

    def action_jump(self) -> None:
        """Goes to the session's pane or, where that can't be, says what can be done."""
        if session := self.selection.session:
            self.jump_to(session)

    def jump_to(self, session: Session) -> None:
        """The same for a session that is shown elsewhere, as in the peek."""
        self.run_worker(self._jump(session), group="jump", exclusive=True)

    async def _jump(self, session: Session) -> None:
        # Loaded when first needed, to keep the start short.
        from atm_tui.jump.plan import plan_jump_or_resume  # noqa: PLC0415
        from atm_tui.jump.run import run_plan  # noqa: PLC0415
        from atm_tui.screens.offer import COPY, DO, OfferScreen  # noqa: PLC0415

        def find_plan() -> JumpPlan:
            events = self._monitor.history(session.session_id)
            folder = next((str(each["project_dir"]) for each in reversed(events) if each.get("project_dir")), "")
            return plan_jump_or_resume(session, folder)

        jump = await asyncio.to_thread(find_plan)
        if jump.resumes or jump.outcome not in (Outcome.GO, Outcome.THERE):
            chosen = await self.app.push_screen_wait(OfferScreen(session.name, jump, self._glyphs))
            if chosen == COPY:
                await self._copy(jump.copy, "the command")
            if chosen != DO:
                return
        if jump.takeover:
            if trouble := run_aside(self.app, jump.takeover, jump.directory):
                hint = ". ATM_CLAUDE can name the client's program" if jump.resumes else ""
                self.say(f"jump: {clean(trouble)}{hint}", trouble=True)
                return
        else:
            try:
                await asyncio.to_thread(run_plan, jump)
            except JumpError as error:
                self.say(f"jump: {error}", trouble=True)
                return
            self.say(jump.text)
        # What a popup covers is seen once it has gone; what it shows itself was seen in it.
        leave = jump.popup and self._config.popup_closes and not jump.takeover
        self.post_message(SessionSeen(session.session_id, leave=leave))

    # From here

    def action_peek(self) -> None:
        """Opens the peek of the session."""
        from atm_tui.screens.peek import PeekScreen  # noqa: PLC0415

        if session := self.selection.session:
            self.app.push_screen(PeekScreen(session, self._monitor, self._config, self._glyphs, self.jump_to))
            self.post_message(SessionSeen(session.session_id))

    def action_next_waiting(self) -> None:
        """Selects the next session that needs you."""
        self._go_waiting(+1)

    def action_previous_waiting(self) -> None:
        """Selects the one before."""
        self._go_waiting(-1)

    def _go_waiting(self, step: int) -> None:
        waiting = [each.session_id for each in self._fleet.attention()]
        if not waiting:
            return
        session = self.selection.session
        if session is not None and session.session_id in waiting:
            at = waiting.index(session.session_id) + step
            if len(waiting) == 1:
                self.say("no other session needs you")
        else:
            at = 0 if step > 0 else -1
        self.go_to(waiting[at % len(waiting)])

    async def action_copy(self) -> None:
        """Copies the session's id."""
        if session := self.selection.session:
            await self._copy(session.session_id, session.session_id)

    async def _copy(self, text: str, what: str) -> None:
        """By OSC 52, which the terminal may not take; in tmux by its buffer as well, which it always takes."""
        from atm_tui.jump.own_terminal import find_own_terminal  # noqa: PLC0415
        from atm_tui.jump.run import run_command  # noqa: PLC0415
        from atm_tui.jump.tmux import copy_command  # noqa: PLC0415

        self.app.copy_to_clipboard(text)
        command = await asyncio.to_thread(lambda: copy_command(text, find_own_terminal()))
        if command is None:
            self.say(f"copied {what} (OSC 52)")
            return
        try:
            await asyncio.to_thread(run_command, command)
        except JumpError as error:
            self.say(f"copied {what} (OSC 52), but {error}", trouble=True)
        else:
            self.say(f"copied {what} (OSC 52, and tmux's buffer)")

    def action_transcript(self) -> None:
        """Shows the transcript in the user's pager."""
        session = self.selection.session
        path = session.transcript_path if session else None
        if path and not Path(path).is_file():
            self.say(f"transcript: there is no file {path}", trouble=True)
        elif path:
            self._open("transcript", programs.pager, path)

    def action_edit(self) -> None:
        """Opens the project in the user's editor."""
        self._open("edit", programs.editor, self.selection.folder, self.selection.folder)

    def _open(self, title: str, program: programs.Choice, path: str, directory: str = "") -> None:
        try:
            trouble = run_aside(self.app, program(path), directory)
        except programs.MissingProgramError as error:
            trouble = str(error)
        if trouble:
            self.say(f"{title}: {clean(trouble)}", trouble=True)
