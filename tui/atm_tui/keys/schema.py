"""Makes the JSON schema of the configuration with the names of all commands, which `[keys]` takes."""

from atm_tui.commands import COMMANDS
from atm_tui.keys.presets import PRESETS
from atm_tui.view.config_schema import format_schema


def format_config_schema() -> str:
    """Returns the schema as JSON text."""
    return format_schema({each.id: each.help for each in COMMANDS}, PRESETS)
