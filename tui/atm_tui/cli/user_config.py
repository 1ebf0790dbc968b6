"""Reads the user's configuration for commands."""

from typing import TYPE_CHECKING

from atm_tui import paths
from atm_tui.cli.command_error import CommandError
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.config import Config, ConfigError
from atm_tui.cost.pricing import PriceTable
from atm_tui.sources.exists import is_missing

if TYPE_CHECKING:
    from argparse import Namespace

    from atm_tui.sources.followed_config import FollowedConfig


def read_user_config() -> tuple[Config, PriceTable]:
    """Returns the configuration and the prices. Raises CommandError with all that is wrong: file, line and key."""
    file = paths.find_config_file()
    if is_missing(file):  # most users have none
        config = Config()
        return config, config.build_prices()
    from atm_tui.sources.config_file import read_config

    try:
        config = read_config(file)
    except ConfigError as error:
        raise CommandError(str(error), ExitCode.FAILED) from error
    return config, config.build_prices()


def follow_user_config(args: "Namespace") -> "FollowedConfig":
    """Returns the configuration for an app, read once, with what the command line has instead. What is wrong is no error."""
    from atm_tui.sources.followed_config import FollowedConfig

    overrides: dict[str, tuple[object, str]] = {}
    if getattr(args, "read_only", False):
        overrides["read_only"] = (True, "--read-only")
    if watch := getattr(args, "watch", None):
        overrides["watch"] = (tuple(str(each) for each in watch), "--watch")
    followed = FollowedConfig(paths.find_config_file(), overrides)
    followed.read()
    return followed
