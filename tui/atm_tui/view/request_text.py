"""One request as the lines of the dialog, and which of them were seen. Pure."""

from collections.abc import Set
from dataclasses import dataclass

from atm_tui.model.fleet import Fleet
from atm_tui.model.request import Request
from atm_tui.view.present import Glyphs, find_agent_name
from atm_tui.view.request import Section, about, asked
from atm_tui.view.request_choices import Choices
from atm_tui.view.request_lines import Placed, keyed, seen, write


@dataclass(frozen=True)
class TextLayout:
    """How the text is laid out, and which parts of it there are."""

    width: int
    """Cells of a line."""
    airy: bool
    """With an empty line between the parts."""
    suggestions: bool
    """With what can be allowed from now on."""


class RequestText:
    """Begins with nothing seen. What was seen stays seen when the lines are broken for another width."""

    def __init__(self, request: Request, glyphs: Glyphs, home: str) -> None:
        """`home`: the folder that is written as ~."""
        self._request = request
        self._glyphs = glyphs
        self._home = home
        self.lines: list[Placed] = []
        self._head_count = 0
        """How many of them say who asks."""
        self._body: list[Placed] | None = None
        """The lines behind these, as they were shown last."""
        self._written: tuple[object, list[Placed]] | None = None
        """What the body was written from, and the body."""
        self._seen: set[int] = set()

    @property
    def unseen(self) -> list[int]:
        """The numbers of the lines that were not on the screen yet."""
        return [at for at in range(len(self.lines)) if at not in self._seen]

    def mark_seen(self, top: int, height: int) -> bool:
        """The lines from `top` on are on the screen, `height` of them; whether that shows any for the first time."""
        before = len(self._seen)
        self._seen |= set(range(top, min(top + height, len(self.lines))))
        return len(self._seen) != before

    def update(
        self, fleet: Fleet, now: float, layout: TextLayout, choices: Choices, plan: tuple[str, str] | None
    ) -> None:
        """Writes the lines as they are at `now` (epoch seconds); `plan`: the text of a plan and its file, once found."""
        session = fleet.sessions.get(self._request.session_id)
        agent = (find_agent_name(session, self._request.agent_id) or "") if session else ""
        first = about(self._request, now, session.name if session else "", agent, self._home)
        head = write([first], layout.width, self._glyphs, Choices(), offers=False, airy=layout.airy)
        last_reply = session.last_reply if session else ""
        self._replace(head, self._write_body(fleet, first, layout, choices, plan, last_reply))

    def _write_body(
        self,
        fleet: Fleet,
        first: Section,
        layout: TextLayout,
        choices: Choices,
        plan: tuple[str, str] | None,
        last_reply: str,
    ) -> list[Placed]:
        """The lines behind `first`; the same list as before as long as nothing that they are written from differs."""
        request = self._request
        dangers, risks = fleet.dangers.get(request.nonce, ()), fleet.risks.get(request.nonce, ())
        source = (dangers, risks, layout, choices, plan, last_reply)
        if self._written is None or self._written[0] != source:
            _, *sections = asked(
                request, now=0.0, home=self._home, dangers=dangers, risks=risks, plan=plan, last_reply=last_reply
            )
            offers, airy, width = layout.suggestions, layout.airy, layout.width
            head = len(write([first], width, self._glyphs, choices, offers=offers, airy=airy))
            lines = write([first, *sections], width, self._glyphs, choices, offers=offers, airy=airy)[head:]
            self._written = (source, lines)
        return self._written[1]

    def _replace(self, head: list[Placed], body: list[Placed]) -> None:
        """New lines: a piece that was seen is seen, and so is a row all of which was seen, however it is broken now."""
        lines, count = [*head, *body], self._head_count
        if lines == self.lines:
            return
        if body is self._body:
            behind = {at - count + len(head) for at in self._seen if at >= count}
            self._seen = behind | _still_seen(self.lines[:count], {at for at in self._seen if at < count}, head)
        else:
            self._seen = _still_seen(self.lines, self._seen, lines)
        self.lines, self._head_count, self._body = lines, len(head), body


def _still_seen(before: list[Placed], numbers: Set[int], now: list[Placed]) -> set[int]:
    """The numbers of the lines of `now` that were seen in these or other pieces."""
    pieces, rows = seen(before, numbers)
    return {at for at, (key, each) in enumerate(keyed(now)) if key in pieces or each.row in rows}
