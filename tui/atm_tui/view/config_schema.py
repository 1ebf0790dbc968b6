"""Makes the JSON schema of the configuration, with which editors complete and check config.toml."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec._json_schema import schema_components  # by its own name: a command may have loaded msgspec without it

from atm_tui.config import CHOICES, MEANINGS, TREE_COLUMNS, Config
from atm_tui.cost.pricing import Model
from atm_tui.model import custom_command
from atm_tui.model.custom_command import CustomCommand
from atm_tui.view.config_rows import is_table, strip_markdown


def make_schema(commands: Mapping[str, str], presets: Iterable[str]) -> dict[str, Any]:
    """Returns the schema, made from the types, the meanings and the defaults of the configuration.

    `commands`: what each command of the app does, by its id. `presets`: the names of sets of keys.
    """
    (config, command, model), components = schema_components(
        (Config, CustomCommand, Model), ref_template="#/$defs/{name}"
    )
    own = components.pop("Config")
    properties = own["properties"]
    for key, meaning in MEANINGS.items():
        properties[key]["description"] = strip_markdown(meaning)
        if not is_table(key):
            properties[key]["default"] = msgspec.to_builtins(getattr(Config(), key))
    for key, known in CHOICES.items():
        place = properties[key].get("items", properties[key])
        place["enum"] = list(known)
    properties["commands"]["items"] = command
    for name, field in components["CustomCommand"]["properties"].items():
        field["description"] = strip_markdown(custom_command.MEANINGS[name])
    price = {"type": "number", "minimum": 0}
    properties["pricing"] |= {
        "properties": {
            "models": {"type": "object", "additionalProperties": model},
            "web_search": {"description": "USD per search", **price},
            "region_factors": {"type": "object", "additionalProperties": price},
        },
        "additionalProperties": False,
    }
    components["Keys"] = properties["keys"]["additionalProperties"]
    kind = {"$ref": "#/$defs/Keys"}
    given = {command_id: {"description": strip_markdown(text), **kind} for command_id, text in commands.items()}
    properties["keys"] |= {
        "properties": {"preset": {"enum": list(presets)}, **given},
        "additionalProperties": False,
    }
    width = properties["column_widths"]["additionalProperties"]
    properties["column_widths"] |= {
        "properties": dict.fromkeys(TREE_COLUMNS, width),
        "additionalProperties": False,
    }
    del config
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The configuration of atm-tui",
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        "$defs": components,
    }


def format_schema(commands: Mapping[str, str], presets: Iterable[str]) -> str:
    """Returns the schema as JSON text; arguments as those of make_schema."""
    return msgspec.json.format(msgspec.json.encode(make_schema(commands, presets)), indent=2).decode() + "\n"
