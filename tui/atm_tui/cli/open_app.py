"""Opens the app for a command."""

from contextlib import suppress

from atm_tui import paths
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.quick_imports import load_asyncio, without_palette
from atm_tui.monitor.first_read import FirstRead
from atm_tui.monitor.protocol import Monitor
from atm_tui.sources.followed_config import FollowedConfig


def open_app(
    monitor: Monitor, followed: FollowedConfig, *, greets: bool = False, first_read: FirstRead | None = None
) -> int:
    """Runs the app until the user quits; returns its exit code. Arguments as those of AtmApp."""
    load_asyncio()
    with suppress(ImportError, AttributeError), without_palette():  # another Textual may need more of it
        import atm_tui.app  # noqa: F401
    from atm_tui.app import AtmApp
    from atm_tui.sources.theme import ThemeFile

    themes = ThemeFile(paths.find_state_dir())
    app = AtmApp(monitor, followed.config, greets=greets, themes=themes, first_read=first_read, followed=followed)
    app.run()
    return app.return_code or ExitCode.DONE
