"""The base of the running apps that tests drive: keys in, the screen as text out."""

from typing import Any


class ScreenDriver:
    """Drives any Textual app; subclasses set `app` and `pilot`."""

    app: Any
    pilot: Any

    @property
    def lines(self) -> list[str]:
        """The screen as text, line by line."""
        return [strip.text for strip in self.app.screen._compositor.render_strips()]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def line_with(self, text: str) -> str:
        found = [line for line in self.lines if text in line]
        assert found, f"{text!r} is not on the screen:\n{self.text}"
        return found[0]

    async def press(self, *keys: str) -> None:
        """Presses keys; returns once nothing is queued of what follows from them, however busy the machine is."""
        await self.pilot.press(*keys)
        await self.settle()

    async def settle(self) -> None:
        """Returns once nothing is queued, and nothing of what follows from what was."""
        await self.pilot.pause()
        while self.app.is_running and any(  # one that has ended leaves messages behind
            each.message_queue_size for each in (self.app, *self.app.screen.walk_children(with_self=True))
        ):
            await self.pilot.pause()

    async def resize(self, size: tuple[int, int]) -> None:
        """Resizes the terminal to (columns, rows)."""
        await self.pilot.resize_terminal(*size)
        await self.pilot.pause()
