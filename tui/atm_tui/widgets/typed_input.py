"""Inputs in which fast keys keep their order."""

from collections.abc import Callable
from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.events import Key
from textual.message import Message
from textual.widgets import Input


class TypedInput(Input):
    """Runs Backspace, Enter and the like at once. Textual's lets the event go up to the app first, and letters overtake it.

    A key that was already on its way here when an earlier one moved the focus goes to where the focus is.
    """

    async def _on_key(self, event: Key) -> None:
        target = self.app.focused or self.app.screen
        if target is not self:
            event.stop()
            event.prevent_default()
            target._forward_event(Key(event.key, event.character))  # noqa: SLF001  it has no public name
            return
        for binding in self._bindings.key_to_bindings.get(event.key, ()):
            if not event.is_printable and not binding.priority and await self.app.run_action(binding.action, self):
                event.stop()
                return


class LeavingInput(TypedInput):
    """Gives up the focus at once on Enter or Escape, so that the next key goes elsewhere."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "give_up", show=False)]

    class GivenUp(Message):
        """Escape was pressed."""

    def __init__(self, leave: Callable[[], None], **named: Any) -> None:
        """`leave` gives the focus to another widget; `named`: as of an Input."""
        super().__init__(**named)
        self._leave = leave

    async def action_submit(self) -> None:
        """Gives up the focus, then submits the text."""
        self._leave()
        await super().action_submit()

    def action_give_up(self) -> None:
        """Gives up the focus, then reports it."""
        self._leave()
        self.post_message(self.GivenUp())
