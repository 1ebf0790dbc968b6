"""Actions on the selected session: jump, peek, next waiting, pager, editor; and the demo."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from atm_tui.config import Config
from atm_tui.messages import SessionSeen
from atm_tui.model.session import Session
from atm_tui.monitor.protocol import Monitor
from atm_tui.screens.answer_keys import CLICK, AnswerKeys
from atm_tui.screens.command_screen import CommandScreen, Handlers
from atm_tui.screens.suspend import run_suspended
from atm_tui.sources.exists import is_file
from atm_tui.text import clean
from atm_tui.view.present import Glyphs

if TYPE_CHECKING:
    from atm_tui.jump.programs import CommandFor
    from atm_tui.jump.values import JumpPlan

RECORDED = "this is a recording, not the session"
"""The reason why actions are disabled for a session of a recording."""


class ActionsController:
    """Runs actions on the selection of `screen`."""

    def __init__(
        self,
        screen: CommandScreen,
        monitor: Monitor,
        config: Config,
        glyphs: Glyphs,
        keys: AnswerKeys,
        go_to: Callable[[str], Awaitable[None]],
        copy_text: Callable[[str, str], Awaitable[None]],
    ) -> None:
        """`go_to` selects a session by id; `copy_text` copies a text, given what it is in words."""
        self._screen = screen
        self._monitor = monitor
        self._config = config
        self._glyphs = glyphs
        self._keys = keys
        self._go_to = go_to
        self._copy_text = copy_text
        self.handlers: Handlers = {
            "jump": self.jump,
            "peek": self.peek,
            "next_waiting": self.select_next_waiting,
            "previous_waiting": self.select_previous_waiting,
            "conversation": self.open_conversation,
            "transcript": self.open_transcript,
            "edit": self.open_editor,
            "demo": self.play_demo,
        }

    # To its terminal

    def jump(self) -> None:
        """Goes to the pane of the selected session or, if that is impossible, offers alternatives."""
        if session := self._screen.selection.session:
            self.jump_to(session)

    def jump_to(self, session: Session) -> None:
        """Goes to the pane of another session, such as the one in the peek."""
        if self._monitor.capabilities.jumps:
            self._screen.run_worker(self._jump(session), group="jump", exclusive=True)
        else:
            self._screen.show_message(f"jump: {RECORDED}", trouble=True)

    async def _jump(self, session: Session) -> None:
        # Imported when first needed, to keep the start short.
        from atm_tui.jump.plan import plan_jump_or_resume  # noqa: PLC0415
        from atm_tui.jump.run import run_plan  # noqa: PLC0415
        from atm_tui.jump.values import JumpError, Outcome  # noqa: PLC0415
        from atm_tui.screens.offer import COPY, DO, OfferScreen  # noqa: PLC0415

        def find_plan() -> "JumpPlan":
            events = self._monitor.contents.read_events(session.session_id) if session.elsewhere is None else ()
            folder = next((each.project_dir for each in reversed(events) if each.project_dir), "")
            return plan_jump_or_resume(session, folder)

        screen = self._screen
        jump = await asyncio.to_thread(find_plan)
        if jump.resumes or jump.outcome not in (Outcome.GO, Outcome.THERE):
            # The key for the jump may still be held: it must not choose anything in the box.
            self._keys.block(self._keys.commands.list_keys("jump") | {"enter", CLICK})
            choice = await screen.app.push_screen_wait(OfferScreen(session.name, jump, self._glyphs))
            if choice == COPY:
                await self._copy_text(jump.copy, "the command")
            if choice != DO:
                return
        if jump.takeover:
            if trouble := run_suspended(screen.app, jump.takeover, jump.directory):
                hint = ". ATM_CLAUDE can name the client's program" if jump.resumes else ""
                screen.show_message(f"jump: {clean(trouble)}{hint}", trouble=True)
                return
        else:
            try:
                await asyncio.to_thread(run_plan, jump)
            except JumpError as error:
                screen.show_message(f"jump: {error}", trouble=True)
                return
            screen.show_message(jump.text)
        # A session behind a popup is seen once the popup has closed; one inside it was seen there.
        leave = jump.popup and self._config.popup_closes and not jump.takeover
        screen.post_message(SessionSeen(session.session_id, leave=leave))

    # From here

    def peek(self) -> None:
        """Opens the peek of the selected session."""
        from atm_tui.screens.peek import PeekScreen  # noqa: PLC0415

        screen = self._screen
        if session := screen.selection.session:
            peek = PeekScreen(session, self._monitor, self._config, self._glyphs, self._keys, self.jump_to)
            screen.app.push_screen(peek)
            screen.post_message(SessionSeen(session.session_id))

    async def select_next_waiting(self) -> None:
        """Selects the next session that needs you."""
        await self._select_waiting(+1)

    async def select_previous_waiting(self) -> None:
        """Selects the previous session that needs you."""
        await self._select_waiting(-1)

    async def _select_waiting(self, step: int) -> None:
        waiting = [each.session_id for each in self._monitor.fleet.list_attention()]
        if not waiting:
            return
        session = self._screen.selection.session
        if session is not None and session.session_id in waiting:
            at = waiting.index(session.session_id) + step
            if len(waiting) == 1:
                self._screen.show_message("no other session needs you")
        else:
            at = 0 if step > 0 else -1
        await self._go_to(waiting[at % len(waiting)])

    def open_conversation(self) -> None:
        """Shows the conversation of the selected session."""
        from atm_tui.screens.conversation import ConversationScreen  # noqa: PLC0415

        screen, session = self._screen, self._screen.selection.session
        if session is None:
            return
        there = session.machine
        path = f"on {there}" if there else self._find_transcript()
        if path is None:
            return

        def open_raw() -> None:
            if trouble := f"its transcript is on {there}" if there else self._show_raw(path):
                shown.show_message(trouble, trouble=True)

        shown = ConversationScreen(
            session, path, self._monitor, self._config, self._glyphs, screen.keys, open_raw, screen.selection.agent_id
        )
        screen.app.push_screen(shown)
        screen.post_message(SessionSeen(session.session_id))

    def _find_transcript(self) -> str | None:
        """Returns the path of the selected session's transcript; None, with a message, if it is not there."""
        session = self._screen.selection.session
        path = session.transcript_path if session else None
        if path and not is_file(path):
            self._screen.show_message(f"transcript: no such file: {path}", trouble=True)
            return None
        return path

    def open_transcript(self) -> None:
        """Shows the raw transcript in the user's pager."""
        path = self._find_transcript()
        if path and (trouble := self._show_raw(path)):
            self._screen.show_message(trouble, trouble=True)

    def _show_raw(self, path: str) -> str:
        """Shows a file in the user's pager; returns why that is impossible, else nothing."""
        from atm_tui.jump.programs import make_pager_command  # noqa: PLC0415

        return self._run("transcript", make_pager_command, path)

    def open_editor(self) -> None:
        """Opens the project in the user's editor."""
        from atm_tui.jump.programs import make_editor_command  # noqa: PLC0415

        folder = self._screen.selection.folder
        if trouble := self._run("edit", make_editor_command, folder, folder):
            self._screen.show_message(trouble, trouble=True)

    def _run(self, title: str, program: "CommandFor", path: str, directory: str = "") -> str:
        """Gives the terminal to a program; returns why that is impossible, else nothing."""
        from atm_tui.jump.programs import MissingProgramError  # noqa: PLC0415

        try:
            trouble = run_suspended(self._screen.app, program(path), directory)
        except MissingProgramError as error:
            trouble = str(error)
        return f"{title}: {clean(trouble)}" if trouble else ""

    def play_demo(self) -> None:
        """Plays the demo in this terminal."""
        if trouble := run_suspended(self._screen.app, (sys.executable, "-m", "atm_tui", "demo")):
            self._screen.show_message(f"demo: {trouble}", trouble=True)
