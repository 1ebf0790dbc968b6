"""The page in place of an empty tree: what to do next."""

from textual.content import Content
from textual.events import Resize
from textual.widgets import Static

from atm_tui.keys.table import CommandKeys
from atm_tui.model.fleet import Health
from atm_tui.text import fit_width, format_count, wrap_text
from atm_tui.view.present import Glyphs, Part, make_content

Step = tuple[Part, str, str, str]


def list_steps(health: Health, glyphs: Glyphs, keys: CommandKeys) -> list[Step]:
    """Returns the first three steps: sign, key, command to type, and what it does."""
    done, todo = (glyphs.finished, "finished"), (glyphs.idle, "muted")
    is_installed = health.hooks == "installed"
    has_events = health.last_event_at is not None
    why = {
        "installed": "done: Claude Code reports to atm-tui",
        "missing": "connects Claude Code to atm-tui",
        "stale": "brings the installed hooks up to date",
        "disabled": "hooks are disabled in Claude Code's settings",
        "unreadable": "the settings can't be read; see the notice above",
    }
    return [
        (
            done if is_installed else (glyphs.warning, "needs"),
            keys.label("install"),
            "atm-tui install",
            why.get(health.hooks, why["missing"]),
        ),
        (done if has_events and is_installed else todo, " ", "claude", "in any terminal; the session shows up here"),
        (todo, keys.label("demo"), "atm-tui demo", "or watch a recorded fleet first"),
    ]


def list_not_shown(dismissed: int, hidden: int, glyphs: Glyphs, keys: CommandKeys) -> list[Step]:
    """Returns in the same shape how many sessions are dismissed or hidden, and which key shows them."""
    entries: list[Step] = []
    if dismissed:
        are = f"{format_count(dismissed, 'session')} {'is' if dismissed == 1 else 'are'} dismissed"
        entries.append(
            (
                (glyphs.ended, "faint"),
                keys.label("history"),
                are,
                keys.spell("the history has them; <put_away> brings one back"),
            )
        )
    if hidden:
        are = f"{format_count(hidden, 'session')} {'is' if hidden == 1 else 'are'} hidden"
        entries.append(
            ((glyphs.ended, "faint"), keys.label("hide"), are, keys.spell("headless and background: <hide> shows them"))
        )
    return entries


class Empty(Static):
    """Shows three steps with the next one marked or, if sessions exist that are not shown, how to see them."""

    def __init__(self, glyphs: Glyphs, keys: CommandKeys) -> None:
        super().__init__(id="empty")
        self._keys = keys
        self._glyphs = glyphs
        self._health = Health()
        self._away = (0, 0)

    def show(self, health: Health, dismissed: int, hidden: int) -> None:
        """Updates the state of the hooks and the numbers of sessions that are not shown."""
        # it is rarely visible, and health changes with every event
        before = list_steps(self._health, self._glyphs, self._keys), self._away
        self._health, self._away = health, (dismissed, hidden)
        if (list_steps(health, self._glyphs, self._keys), self._away) != before:
            self._paint()

    def on_resize(self, _: Resize) -> None:
        """Writes the lines for the new width."""
        self._paint()

    def _paint(self) -> None:
        width = self.size.width
        hidden_kinds = list_not_shown(*self._away, self._glyphs, self._keys)
        lines = [make_content(("No session is shown" if hidden_kinds else "No sessions yet", "strong")), make_content()]
        column = 27 if hidden_kinds else 17
        for sign, key, typed, result in hidden_kinds or list_steps(self._health, self._glyphs, self._keys):
            if width >= 66:
                lines.append(
                    make_content(sign, (f"  {key}  ", "key"), (fit_width(typed, column), "strong"), (result, "plain"))
                )
            else:
                lines.append(make_content(sign, (f"  {key}  ", "key"), (typed, "strong")))
                lines += [make_content(("      " + text, "muted")) for text in wrap_text(result, width - 8, 2)]
        self.update(Content("\n").join(lines), layout=False)
