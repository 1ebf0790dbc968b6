"""Opens the app for a command."""

from atm_tui import paths
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.quick_imports import load_asyncio, load_textual
from atm_tui.monitor.first_read import FirstRead
from atm_tui.monitor.protocol import Monitor
from atm_tui.sources.followed_config import FollowedConfig


def open_app(
    monitor: Monitor, followed: FollowedConfig, *, greets: bool = False, first_read: FirstRead | None = None
) -> int:
    """Runs the app until the user quits; returns its exit code. Arguments as those of AtmApp."""
    load_asyncio()
    load_textual()
    from atm_tui.app import AtmApp
    from atm_tui.sources.theme import ThemeFile

    themes = ThemeFile(paths.find_state_dir())
    app = AtmApp(monitor, followed.config, greets=greets, themes=themes, first_read=first_read, followed=followed)
    app.run()
    return app.return_code or ExitCode.DONE
