"""The option --host: a machine of the configuration, or a destination of ssh."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from atm_tui.cli.command_error import CommandError
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.model.host import Host, make_host

if TYPE_CHECKING:
    from argparse import Namespace

    from atm_tui.config import Config
    from atm_tui.monitor.machines import Machines


def make_machines(args: "Namespace", config: "Config") -> "Machines | None":
    """Returns the other machines: those given, and for the monitor also those of the configuration. Raises CommandError."""
    is_screen = args.command is None
    is_fleet = args.command != "publish" and bool(args.nats or (is_screen and config.fleet.nats))
    if not args.host and not is_fleet and not (is_screen and config.hosts):
        return None
    import time

    from atm_tui.monitor.machines import Machines

    hosts = choose_hosts(args.host, config, always=is_screen)
    if not is_fleet:
        return Machines(hosts, time.time)
    from atm_tui.cli.nats_argument import make_fleet_link

    make = make_fleet_link(args.nats, config)
    return Machines(hosts, time.time, make_fleet=make, reached=config.hosts, keeps_fleet=bool(args.nats))


def choose_hosts(given: Sequence[str], config: "Config", *, always: bool) -> dict[str, Host]:
    """Returns the machines by name: those given, after all of the configuration if they are `always` shown.

    Raises CommandError for what is neither a name nor a destination.
    """
    found = dict(config.hosts) if always else {}
    for each in given:
        if each in config.hosts:
            found[each] = config.hosts[each]
            continue
        try:
            name, host = make_host(each)
        except ValueError:
            raise CommandError(
                f'--host: "{each}" is neither in `hosts` of the configuration nor a destination of ssh', ExitCode.USAGE
            ) from None
        found[name] = host
    return found
