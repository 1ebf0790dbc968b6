"""Handles keys before any widget gets them: chords, Ctrl+C twice, and suspending."""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.events import Event, Key
from textual.screen import Screen
from textual.timer import Timer

from atm_tui.commands import find_command_id
from atm_tui.keys.footer import write_chord
from atm_tui.keys.table import CommandKeys
from atm_tui.screens.command_screen import CommandScreen
from atm_tui.view.command import Command, format_key
from atm_tui.view.present import Part
from atm_tui.widgets.chord_hint import show_chord_hint

if TYPE_CHECKING:
    from textual.widgets import Input

CHORD_SECONDS = 1.5
"""Seconds for which the second key of a chord is waited for."""
QUIT_SECONDS = 2.0
"""Seconds within which the second Ctrl+C quits."""


class KeyInput:
    """A key after the first one of a chord either completes it or does nothing: it never acts on its own."""

    def __init__(
        self,
        app: App[Any],
        keys: CommandKeys,
        is_ascii: Callable[[], bool],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`is_ascii` returns whether only ASCII is written; `clock` returns seconds."""
        self._app = app
        self._keys = keys
        self._clock = clock
        self._first = ""
        """The first key of a chord, while its second is waited for."""
        self._shown_on: Screen[Any] | None = None
        """The screen that shows how it can go on."""
        self._is_ascii = is_ascii
        self._timer: Timer | None = None
        self._interrupted_at: float | None = None

    @property
    def is_typing(self) -> bool:
        """Whether keys go into an input."""
        return self._find_input() is not None

    def _find_input(self) -> "Input | None":
        """Returns the input that has the focus."""
        from textual.widgets import Input  # noqa: PLC0415  the first frame has none, and it takes long to load

        focused = self._app.focused
        return focused if isinstance(focused, Input) else None

    async def read(self, event: Event) -> Event | None:
        """Returns the event to handle: the same one, the key of a chord that it completes, or None if there is nothing to do."""
        if not isinstance(event, Key) or event.is_forwarded:
            return event
        if event.key in self._keys.find("suspend").keys:  # also on dialogs, which get no keys of the app
            self._app.action_suspend_process()
            return None
        if event.key in self._keys.find("interrupt").keys:
            focused = self._find_input()
            if focused is not None and not focused.selection.is_empty:
                return event  # copies the selected text
            await self.interrupt(event.key)
            return None
        if self.is_typing:
            self._forget()
            return event
        if self._first:
            return self._complete(event)
        if event.key in self._keys.find("command_line").keys and not self._app.screen.is_modal:
            await self._app.run_action("command_line")  # before the next key, which belongs into the line
            return None
        if event.key in self._keys.chord_starts and (rest := self._list_chords(event.key)):
            self._begin(event.key, rest)
            return None
        return event

    # Chords

    def _list_chords(self, first: str) -> list[tuple[str, Command]]:
        """Lists the keys that can follow a key here, each with its command."""
        active = self._app.screen.active_bindings
        known = {each.id: each for each in self._keys.commands}
        return [
            (key.split()[1], known[command_id])
            for key, found in active.items()
            if key.startswith(f"{first} ") and (command_id := find_command_id(found.binding)) in known
        ]

    def _begin(self, first: str, rest: Sequence[tuple[str, Command]]) -> None:
        self._first = first
        self._timer = self._app.set_timer(CHORD_SECONDS, self._forget)
        self._show_chord(self._app.screen, write_chord(first, rest, ascii_only=self._is_ascii()))
        self._shown_on = self._app.screen

    def _show_chord(self, screen: Screen[Any], parts: Sequence[Part]) -> None:
        if isinstance(screen, CommandScreen):
            screen.show_chord(parts)
        else:
            show_chord_hint(screen, parts)

    def _complete(self, event: Key) -> Event | None:
        first = self._first
        self._forget()
        if event.key == "escape":
            return None
        if any(key == event.key for key, _ in self._list_chords(first)):
            return Key(f"{first} {event.key}", None)
        self._say(f"{format_key(first)} {format_key(event.key)} is not a command")
        return None

    def _forget(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if self._first:
            self._first = ""
            if self._shown_on is not None and self._shown_on.is_attached:
                self._show_chord(self._shown_on, ())

    # Ctrl+C

    async def interrupt(self, key: str) -> None:
        """Quits if `key` was pressed a moment ago, else says that a second press quits."""
        now, before = self._clock(), self._interrupted_at
        self._interrupted_at = now
        if before is not None and now - before <= QUIT_SECONDS:
            await self._app.action_quit()
        else:
            name = f"Ctrl+{key[5:].upper()}" if key.startswith("ctrl+") else format_key(key, ascii_only=True)
            self._say(f"press {name} again within {QUIT_SECONDS:g} seconds to quit")

    def _say(self, text: str) -> None:
        if isinstance(self._app.screen, CommandScreen):
            self._app.screen.show_message(text, trouble=True)
        else:
            self._app.notify(text, severity="warning", timeout=QUIT_SECONDS, markup=False)
