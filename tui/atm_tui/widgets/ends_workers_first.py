"""What runs workers ends them before the widgets inside it are gone."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.widget import Widget as Base
else:
    Base = object  # a second widget among the bases of a screen would take the place of the screen


class EndsWorkersFirst(Base):
    """A base of screens and widgets that run workers.

    Textual ends the workers of a widget only after all widgets inside it are removed: until then, a worker would miss them.
    """

    async def _message_loop_exit(self) -> None:
        """Ends the workers, then removes the widget and what is inside it. No message can begin another worker any more."""
        self.workers.cancel_node(self)
        await super()._message_loop_exit()
