"""An input in which fast keys keep their order."""

from textual.events import Key
from textual.widgets import Input


class TypedInput(Input):
    """Runs Backspace, Enter and the like at once. Textual's lets the event go up to the app first, and letters overtake it."""

    async def _on_key(self, event: Key) -> None:
        for binding in self._bindings.key_to_bindings.get(event.key, ()):
            if not event.is_printable and not binding.priority and await self.app.run_action(binding.action, self):
                event.stop()
                return
