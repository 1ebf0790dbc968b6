"""Opens the app for a command."""

from atm_tui import paths
from atm_tui.cli.command_error import CommandError
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.quick_imports import load_asyncio
from atm_tui.config import Config
from atm_tui.model.custom_command import CustomCommandError
from atm_tui.monitor.first_read import FirstRead
from atm_tui.monitor.protocol import Monitor


def open_app(monitor: Monitor, config: Config, *, greets: bool = False, first_read: FirstRead | None = None) -> int:
    """Runs the app until the user quits; returns its exit code. Arguments as those of AtmApp.

    Raises CommandError if a command of the configuration has a key of the app.
    """
    load_asyncio()
    from atm_tui.app import AtmApp
    from atm_tui.sources.theme import ThemeFile

    themes = ThemeFile(paths.find_state_dir())
    try:
        app = AtmApp(monitor, config, greets=greets, themes=themes, first_read=first_read)
    except CustomCommandError as error:
        raise CommandError(f"{paths.find_config_file()}: {error}", ExitCode.FAILED) from error
    app.run()
    return app.return_code or ExitCode.DONE
