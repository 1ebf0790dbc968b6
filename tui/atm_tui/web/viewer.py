"""The app of one viewer in a browser: it shows all, stores nothing, and does nothing on this machine but answer if it may."""

from atm_tui.app import AtmApp
from atm_tui.model.flags import SessionFlags
from atm_tui.monitor.capabilities import Capabilities
from atm_tui.monitor.live import LiveMonitor
from atm_tui.screens.command_screen import CommandScreen

REFUSED = frozenset({"jump", "copy", "transcript", "edit", "pin", "snooze", "put_away", "demo", "install"})
"""Commands that act on the machine on which the app runs, or store something for all apps there."""
ELSEWHERE = "not in a browser"


class ViewerMonitor(LiveMonitor):
    """Follows the sessions, and stores nothing of what a viewer does."""

    def drop_storage(self) -> "ViewerMonitor":
        """Makes the app store neither layout nor notifications."""
        self.capabilities = Capabilities(answers=self.capabilities.answers)
        return self

    def is_first_time(self, key: str) -> bool:  # noqa: ARG002
        """Alerts belong to the apps in terminals."""
        return False

    def mark_seen(self, session_id: str) -> None:
        """What a viewer looks at stays unseen."""

    def set_flags(self, session_id: str, flags: SessionFlags) -> None:
        """Flags are set in terminals."""


class ViewerApp(AtmApp):
    """The app without what needs the terminal or the machine of its user."""

    CSS_PATH = "../app.tcss"

    def on_mount(self) -> None:
        """Starts the workers."""
        CommandScreen.refused = dict.fromkeys(REFUSED, ELSEWHERE)
        super().on_mount()

    def action_install(self) -> None:
        """Refuses."""
        self.show_message(f"install: {ELSEWHERE}")

    def action_mute(self) -> None:
        """Refuses."""
        self.show_message(f"mute: {ELSEWHERE}")

    def action_suspend(self) -> None:
        """Refuses."""
        self.show_message(f"suspend: {ELSEWHERE}")
