"""Arms the app, and answers the requests of the selected session, one at a time."""

from collections.abc import Callable

from msgspec.structs import replace

from atm_tui.messages import Answer, Arm
from atm_tui.model.request import AnswerOutcome, Decision, Request
from atm_tui.monitor.protocol import Monitor
from atm_tui.screens.answer_keys import CLICK, AnswerKeys
from atm_tui.screens.command_screen import CommandScreen, Handlers
from atm_tui.text import clean, cut_width
from atm_tui.view.answer_messages import Action, describe_outcome
from atm_tui.view.answerable import list_answerable_requests
from atm_tui.view.command import Selection
from atm_tui.view.present import Glyphs, find_agent_name


class AnswersController:
    """`a`, `d` and `w` answer the oldest request of the selected session or agent; a row of several sessions has none."""

    def __init__(
        self,
        screen: CommandScreen,
        monitor: Monitor,
        glyphs: Glyphs,
        keys: AnswerKeys,
        shows_whole: Callable[[Request], bool],
    ) -> None:
        """`shows_whole`: returns whether all of a request is visible on the screen now."""
        self._screen = screen
        self._monitor = monitor
        self._fleet = monitor.fleet
        self._glyphs = glyphs
        self._keys = keys
        self._shows_whole = shows_whole
        self.handlers: Handlers = {"allow": self.allow, "deny": self.deny, "always": self.allow_always, "arm": self.arm}

    def add_request(self, at: Selection) -> Selection:
        """Returns the selection with its request that can be answered here."""
        requests = list_answerable_requests(self._fleet, at.session.session_id, at.agent_id) if at.session else ()
        machine = self._fleet.find_machine(at.session) if at.session else None
        return replace(
            at,
            request=requests[0] if requests else None,
            arming=self._fleet.find_arming(at.session) if at.session else self._fleet.arming,
            arming_problem=clean(machine.arming_problem) if machine else "",
            own_arming=self._fleet.own_arming,
        )

    def update_shown(self) -> None:
        """Updates which request is on the screen: keys answer it once it has been there for a moment."""
        if self._screen.is_active:
            request = self._screen.selection.request
            self._keys.set_shown(self._screen, request.nonce if request else None)

    def arm(self) -> None:
        """Arms or disarms the app."""
        self._screen.post_message(Arm(not self._fleet.is_armed))

    # Answering

    def allow(self) -> None:
        """Allows a harmless request that is fully visible; opens the dialog for any other."""
        request = self._screen.selection.request
        if request is None:
            return
        harmless = "allow" in request.kinds and not self._fleet.dangers.get(request.nonce)
        settled = self._keys.is_settled(self._screen, request.nonce)
        if harmless and settled and self._is_oldest_wait(request) and self._shows_whole(request):
            self._keys.block()
            self._screen.post_message(Answer(request, Decision(kind="allow")))
        else:
            self._open_dialog(request, Action.ALLOW)

    def _is_oldest_wait(self, request: Request) -> bool:
        """Returns whether it is the wait that the selected row shows: waits from before this app was armed have no request."""
        at = self._screen.selection
        waits = at.session.waits if at.session else ()
        named = next((each for each in waits if at.agent_id is None or each.agent_id == at.agent_id), None)
        return named is not None and named.key == request.key

    def deny(self) -> None:
        """Opens the dialog to deny the request, with a reason."""
        self._open_dialog(self._screen.selection.request, Action.DENY)

    def allow_always(self) -> None:
        """Opens the dialog at what can be allowed from now on."""
        self._open_dialog(self._screen.selection.request, Action.ALWAYS)

    def open_request(self) -> None:
        """Opens the dialog of the request, if there is one."""
        self._open_dialog(self._screen.selection.request, Action.ALLOW)

    def _open_dialog(self, request: Request | None, action: Action) -> None:
        from atm_tui.screens.request import RequestScreen  # noqa: PLC0415 (no part of the start)

        def note_reason(reason: str | None) -> None:
            if reason:
                self._say(request, reason, trouble=True)

        if request is None:
            return
        if action is not Action.DENY:
            pressed = self._keys.commands.list_keys("allow" if action is Action.ALLOW else "always")
            self._keys.block(pressed | {CLICK})
        dialog = RequestScreen(request, self._monitor, self._glyphs, self._keys, action)
        self._screen.app.push_screen(dialog, note_reason)

    def show_outcome(self, request: Request, decision: Decision, outcome: AnswerOutcome) -> None:
        """Shows the outcome of an answer, given here or in a dialog."""
        more = sum(each.nonce != request.nonce for each in list_answerable_requests(self._fleet, request.session_id))
        left = f"; asks {more} more" if more and outcome is AnswerOutcome.GIVEN else ""
        self._say(request, describe_outcome(decision, outcome) + left, trouble=outcome is not AnswerOutcome.GIVEN)

    def _say(self, request: Request | None, text: str, *, trouble: bool) -> None:
        if request is None:
            return
        session = self._fleet.sessions.get(request.session_id)
        name = clean(session.name) if session else request.session_id[:8]
        agent = find_agent_name(session, request.agent_id) if session else None
        who = f"{name} {self._glyphs.folded} {agent}" if agent else name
        self._screen.show_message(f"{cut_width(who, 40)}: {text}", trouble=trouble)
