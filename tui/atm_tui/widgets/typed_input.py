"""An input in which fast keys keep their order."""

from textual.events import Key
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
