"""What stands in place of the tree when there are no sessions: what to do next."""

from textual.content import Content
from textual.events import Resize
from textual.widgets import Static

from atm_tui import present
from atm_tui.model.fleet import Health
from atm_tui.present import Glyphs, Part, content, fit


def steps(health: Health, glyphs: Glyphs) -> list[tuple[Part, str, str, str]]:
    """Sign, the key that does it here, what to type elsewhere, and what comes of it: install, start, watch a demo."""
    done, todo = (glyphs.finished, "finished"), (glyphs.idle, "muted")
    hooked = health.hooks == "installed"
    heard = health.heard_at is not None
    why = {
        "installed": "done: Claude Code reports to atm-tui",
        "missing": "connects Claude Code to atm-tui",
        "stale": "brings the installed hooks up to date",
        "disabled": "hooks are disabled in Claude Code's settings",
        "unreadable": "the settings can't be read; see the notice above",
    }
    return [
        (done if hooked else (glyphs.warning, "needs"), "i", "atm-tui install", why.get(health.hooks, why["missing"])),
        (done if heard and hooked else todo, " ", "claude", "in any terminal; the session shows up here"),
        (todo, "d", "atm-tui demo", "or watch a recorded fleet first"),
    ]


class Empty(Static):
    """Three steps, the next one marked."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="empty")
        self._glyphs = glyphs
        self._health = Health()

    def show(self, health: Health) -> None:
        """Takes what is known of the hooks."""
        if health != self._health:
            self._health = health
            self._paint()

    def on_resize(self, _: Resize) -> None:
        """Breaks its lines anew."""
        self._paint()

    def _paint(self) -> None:
        width = self.size.width
        lines = [content(("No sessions yet", "strong")), content()]
        for sign, key, typed, result in steps(self._health, self._glyphs):
            if width >= 66:
                lines.append(content(sign, (f"  {key}  ", "key"), (fit(typed, 17), "strong"), (result, "plain")))
            else:
                lines.append(content(sign, (f"  {key}  ", "key"), (typed, "strong")))
                lines += [content(("      " + text, "muted")) for text in present.wrap(result, width - 8, 2)]
        self.update(Content("\n").join(lines))
