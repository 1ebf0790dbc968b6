"""Reads the user's configuration for commands."""

from atm_tui import paths
from atm_tui.cli.command_error import CommandError
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.config import Config, ConfigError, read_config
from atm_tui.cost.pricing import PriceTable


def read_user_config() -> tuple[Config, PriceTable]:
    """Returns the configuration and the prices. Raises CommandError, which names file and key."""
    path = paths.find_config_file()
    try:
        config = read_config(path)
        return config, config.prices(str(path))
    except ConfigError as error:
        raise CommandError(str(error), ExitCode.FAILED) from error
