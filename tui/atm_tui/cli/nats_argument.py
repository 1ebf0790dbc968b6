"""The NATS server of a command: that of its options, else that of the configuration."""

import importlib.util
from typing import TYPE_CHECKING

import msgspec

from atm_tui import paths
from atm_tui.cli.command_error import CommandError
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.model.fleet_server import FleetServer, find_server_problems
from atm_tui.text import clean

if TYPE_CHECKING:
    from collections.abc import Callable

    from atm_tui.config import Config
    from atm_tui.monitor.nats_link import NatsLink

PACKAGES = {"nats": "nats-py", "nkeys": "nkeys"}
"""The packages of the extra by the names under which they are imported."""


def choose_server(config: "Config", given: "dict[str, str | None]") -> FleetServer:
    """Returns the server of the configuration with what was given instead, by field; without an address when there is none.

    Raises CommandError for what can't be right, and without the extra `fleet`.
    """
    replaced = {field: value for field, value in given.items() if value is not None}
    if "creds" in replaced or "nkey" in replaced:  # one of them replaces the other
        replaced = {"creds": "", "nkey": "", **replaced}
    server = msgspec.structs.replace(config.fleet, **replaced)
    if not server.nats:
        return server
    for field, text in find_server_problems(server):
        raise CommandError(f"--{field.replace('_', '-')}: {clean(text)}", ExitCode.USAGE)
    needed = [name for name in PACKAGES if name == "nats" or server.creds or server.nkey]
    missing = next((name for name in needed if importlib.util.find_spec(name) is None), None)
    if missing:
        raise CommandError(
            f"{PACKAGES[missing]} is not installed.\n  Next: install the extra `fleet`, with pip install 'atm-tui[fleet]', "
            "or pipx install '.[fleet]' in the clone.",
            ExitCode.NOT_POSSIBLE,
        )
    return server


def make_fleet_link(url: str | None, config: "Config") -> "Callable[[Callable[[], None]], NatsLink]":
    """Returns what makes the link to the server, which calls what it is given on each change. Raises CommandError."""
    server = choose_server(config, {"nats": url})

    def make(on_change: "Callable[[], None]") -> "NatsLink":
        import time

        from atm_tui.monitor.nats_link import make_link

        return make_link(server, paths.find_state_dir(), time.time, on_change)

    return make
