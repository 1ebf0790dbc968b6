"""Runs the app for one viewer of `atm-tui serve`, which starts it as `python -m`, with its output to the web server."""

import sys
from collections.abc import Sequence

import msgspec

from atm_tui import paths
from atm_tui.cli.arguments import parse_arguments
from atm_tui.cli.host_argument import make_machines
from atm_tui.cli.user_config import read_user_config


def run_viewer(given: Sequence[str]) -> int:
    """Runs the app until the viewer leaves; returns the exit code. `given`: options before a command, as for the monitor."""
    args = parse_arguments(list(given))
    from atm_tui.web.viewer import ViewerApp, ViewerMonitor

    config, table = read_user_config()
    config = msgspec.structs.replace(
        config, read_only=config.read_only or args.read_only, notify_by=(), commands=(), popup_closes=False
    )
    monitor = ViewerMonitor(
        paths.find_state_dir(),
        config.list_config_dirs(args.watch or ()),
        config,
        table=table,
        portion=8 << 20,
        cache_dir=paths.find_cache_dir(),
        machines=make_machines(args, config),
    ).drop_storage()
    app = ViewerApp(monitor, config)
    app.run()
    return app.return_code or 0


if __name__ == "__main__":
    sys.exit(run_viewer(sys.argv[1:]))
