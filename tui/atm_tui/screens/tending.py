"""Pin, snooze, dismiss and undo, on a screen where a session is selected."""

import time

from msgspec.structs import replace

from atm_tui.config import Config
from atm_tui.messages import FlagsChanged
from atm_tui.model.flags import NO_FLAGS, SessionFlags, end, next_snooze
from atm_tui.model.session import Session
from atm_tui.monitor.protocol import Monitor
from atm_tui.screens.answering import ArmingScreen
from atm_tui.screens.arrangement import Act, Arrangement
from atm_tui.view.present import Glyphs


class TendingScreen(ArmingScreen):
    """What the user lays on sessions; each act can be taken back, the last one first, on whichever view it was done."""

    def __init__(self, monitor: Monitor, config: Config, glyphs: Glyphs, arrangement: Arrangement) -> None:
        super().__init__(monitor, config, glyphs)
        self.arrangement = arrangement

    def _care(self, session_id: str) -> SessionFlags:
        return self._fleet.flags.get(session_id, NO_FLAGS)

    def _lay(self, act: str, session: Session, flags: SessionFlags, said: str) -> None:
        self.arrangement.did(Act(act, session.session_id, self._care(session.session_id)))
        self.post_message(FlagsChanged(session.session_id, replace(flags, at=self._monitor.now())))
        self.say(f"{session.name}: {said}")

    def action_pin(self) -> None:
        """Puts the session first, or back to where it would be."""
        if session := self.selection.session:
            flags = self._care(session.session_id)
            self._lay("pin", session, replace(flags, pinned=not flags.pinned), "unpinned" if flags.pinned else "pinned")

    def action_snooze(self) -> None:
        """Snoozes the session, each press for longer, and then no more."""
        if session := self.selection.session:
            flags = self._care(session.session_id)
            snooze = next_snooze(session, flags, self._monitor.now())
            said = "not snoozed" if snooze is None else f"snoozed {spell(snooze.until)}"
            self._lay("snooze", session, replace(flags, snooze=snooze), said)

    def action_put_away(self) -> None:
        """Takes a session that is over out of the list; one that is out already comes back."""
        if session := self.selection.session:
            out = self.arrangement.dismissed(session)
            flags = replace(self._care(session.session_id), dismissed=None if out else end(session))
            self._lay("dismiss", session, flags, "is in the list again" if out else "dismissed; U brings it back")

    def action_undo(self) -> None:
        """Takes the last of these acts back."""
        act = self.arrangement.take_back()
        if act is None:
            self.say("undo: nothing was pinned, snoozed or dismissed since the start", trouble=True)
            return
        self.post_message(FlagsChanged(act.session_id, act.before))
        session = self._fleet.sessions.get(act.session_id)
        self.say(f"{session.name if session else act.session_id}: took back: {act.name}")


def spell(until: float | None) -> str:
    """Until when a snooze lasts: until it changes, or the time of day."""
    return "until it changes" if until is None else f"until {time.strftime('%H:%M', time.localtime(until))}"
