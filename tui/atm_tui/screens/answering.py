"""Arming, and answering what a session asks, on the screens that show one: one request at a time."""

from dataclasses import replace
from typing import Protocol, cast

from atm_tui.commands import Selection
from atm_tui.messages import Answer, Arm
from atm_tui.model.fleet import Fleet
from atm_tui.model.request import Answered, Arming, Decision, Request
from atm_tui.monitor.protocol import Monitor
from atm_tui.screens.acting import ActingScreen
from atm_tui.screens.base import CommandScreen
from atm_tui.screens.request_keys import AnswerKeys
from atm_tui.view.answer_messages import Action, outcome_words, stands
from atm_tui.view.present import Glyphs, agent_name_of, clean, cut


class HasAnswerKeys(Protocol):
    """The app, as far as it is needed here."""

    answer_keys: AnswerKeys


def requests_of(fleet: Fleet, session_id: str, agent_id: str | None = None) -> tuple[Request, ...]:
    """What can be answered here of a session, or of one of its agents; oldest first. None while the app is not armed."""
    if fleet.arming is not Arming.ON:
        return ()
    asked = fleet.requests_of(session_id)
    return tuple(each for each in asked if agent_id is None or each.agent_id == agent_id)


class AnsweringScreen(CommandScreen):
    """`a`, `d` and `w` act on the oldest request of one session or agent; a row of several sessions has none."""

    _monitor: Monitor
    _fleet: Fleet
    _glyphs: Glyphs

    def stands(self, request: Request) -> bool:
        """Whether the whole of a request can be read on the screen now."""
        return stands(request, [strip.text for strip in self._compositor.render_strips()])

    def answerable(self, at: Selection) -> Selection:
        """The selection, with what can be answered of it."""
        asks = requests_of(self._fleet, at.session.session_id, at.agent_id) if at.session else ()
        return replace(at, asks=asks[0] if asks else None, arming=self._fleet.arming)

    def face(self) -> None:
        """Another request may stand on the screen now: a key is meant for it once it has stood there for a moment."""
        if self.is_active:
            asks = self.selection.asks
            self._answer_keys.face(self, asks.nonce if asks else None)

    def on_screen_resume(self) -> None:
        """What stood here before something covered it begins to stand here anew."""
        self.face()

    @property
    def _answer_keys(self) -> AnswerKeys:
        return cast("HasAnswerKeys", self.app).answer_keys

    # Answering

    def action_allow(self) -> None:
        """Says yes to what stands here in whole, and looks harmless; anything else is shown in whole first."""
        request = self.selection.asks
        if request is None:
            return
        harmless = "allow" in request.kinds and not self._fleet.dangers.get(request.nonce)
        if (
            harmless
            and self._is_named(request)
            and self._answer_keys.settled(self, request.nonce)
            and self.stands(request)
        ):
            self._answer_keys.rest()
            self.post_message(Answer(request, Decision(kind="allow")))
        else:
            self._show_request(request, Action.ALLOW)

    def _is_named(self, request: Request) -> bool:
        """Whether it is what the selected row names, its oldest wait: one that came before this app was armed has no request."""
        at = self.selection
        waits = at.session.waits if at.session else ()
        named = next((each for each in waits if at.agent_id is None or each.agent_id == at.agent_id), None)
        return named is not None and named.key == request.key

    def action_deny(self) -> None:
        """Says no, with a reason."""
        self._show_request(self.selection.asks, Action.DENY)

    def action_always(self) -> None:
        """Shows what can be allowed from now on."""
        self._show_request(self.selection.asks, Action.ALWAYS)

    def _show_request(self, request: Request | None, action: Action) -> None:
        from atm_tui.screens.request import RequestScreen  # noqa: PLC0415 (no part of the start)

        def over(why: str | None) -> None:
            if why:
                self._tell(request, why, trouble=True)

        if request is None:
            return
        keys = self._answer_keys
        if action is not Action.DENY:
            keys.rest(frozenset({"a" if action is Action.ALLOW else "w"}))
        self.app.push_screen(RequestScreen(request, self._monitor, self._glyphs, keys, action), over)

    def answered(self, request: Request, decision: Decision, outcome: Answered) -> None:
        """Says what became of an answer, given here or in a dialog above."""
        more = sum(each.nonce != request.nonce for each in requests_of(self._fleet, request.session_id))
        left = f"; asks {more} more" if more and outcome is Answered.GIVEN else ""
        self._tell(request, outcome_words(decision, outcome) + left, trouble=outcome is not Answered.GIVEN)

    def _tell(self, request: Request | None, words: str, *, trouble: bool) -> None:
        if request is None:
            return
        session = self._fleet.sessions.get(request.session_id)
        name = clean(session.name) if session else request.session_id[:8]
        agent = agent_name_of(session, request.agent_id) if session else None
        who = f"{name} {self._glyphs.folded} {agent}" if agent else name
        self.say(f"{cut(who, 40)}: {words}", trouble=trouble)


class ArmingScreen(AnsweringScreen, ActingScreen):
    """A view of the sessions, on which the app is armed."""

    def action_arm(self) -> None:
        """Takes answers from now on, or no longer."""
        self.post_message(Arm(self._fleet.arming is not Arming.ON))
