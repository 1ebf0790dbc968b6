"""The command line: runs a command, and turns errors into a message and an exit code."""

import _signal  # type: ignore[import-not-found]  # `signal` takes time to load
import sys
from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from atm_tui import paths
from atm_tui.cli.arguments import parse_arguments
from atm_tui.cli.clean_stream import OutputError, clean_streams
from atm_tui.cli.command_error import CommandError
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.output import flush, write_error
from atm_tui.cli.quick_imports import load_msgspec
from atm_tui.cli.table import COMMANDS
from atm_tui.text import clean

if TYPE_CHECKING:
    from argparse import Namespace

    from atm_tui.config import Config
    from atm_tui.monitor.figures import Counted
    from atm_tui.monitor.live import LiveMonitor

_FOLLOWING = ("watch", "stream", "publish")
"""The commands that tell of each session that comes or goes, also of those that are over."""
_ABOUT_ONE = ("jump", "resume")
"""The commands for which one session suffices. What `explain` prints of a process depends on the others that it served."""
_LIVE = frozenset({"needs_you", "working", "idle"})
"""The values of --state that only a session has that runs."""
PORTION = 8 << 20
"""Bytes of transcripts that the monitor reads before it refreshes everything else: about 30 ms."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; returns the exit code. Argparse exits by itself on wrong arguments."""
    with clean_streams():
        try:
            return _run_guarded(list(sys.argv[1:] if arguments is None else arguments))
        except KeyboardInterrupt:  # while an error was reported
            return ExitCode.INTERRUPTED


def _run_guarded(given: list[str]) -> int:
    """Runs a command, and turns any exception into a message and an exit code."""
    try:
        if not given and paths.is_set("_ARGCOMPLETE"):
            from atm_tui.cli.complete import print_completions

            print_completions()
        code = _run(parse_arguments(given))
        flush()
        return code
    except CommandError as error:
        return _fail(str(error), error.code)
    except OutputError as error:
        return ExitCode.DONE if error.is_closed else _fail(str(error), ExitCode.FAILED)
    except OSError as error:  # an error that no reader expected
        where = f"{clean(str(error.filename))}: " if error.filename else ""
        return _fail(f"{where}{error.strerror or error}. See `atm-tui doctor`.", ExitCode.FAILED)
    except KeyboardInterrupt:
        return _fail("interrupted.", ExitCode.INTERRUPTED)
    except Exception as error:  # noqa: BLE001
        from atm_hooks.journal import UnsafeError

        if isinstance(error, UnsafeError):
            return _fail(f"{error}. See `atm-tui doctor`.", ExitCode.FAILED)
        import traceback  # a fault of ours: its traceback holds text from outside, and is cleaned as well

        return _fail(
            f"this is a fault in atm-tui. Please report it with these lines:\n{traceback.format_exc()}", ExitCode.FAILED
        )


def _run(args: "Namespace") -> int:
    if args.command == "status" and args.tmux:  # before anything loads what it may not need
        from atm_tui.cli.status_tmux import run_status_tmux

        return run_status_tmux(args, lambda files: _prepare_monitor(args, files))
    load_msgspec()
    if args.command is not None:
        command = COMMANDS[args.command]
        run = command.load().run
        monitor = _make_monitor(args, config=_find_screen_config(args)) if command.needs_monitor else None
        _catch_interrupts()
        return run(args) if monitor is None else run(args, monitor)
    if args.plain:
        from atm_tui.cli.plain import run_plain

        return run_plain(_make_monitor(args))
    from atm_tui.cli.monitor import run_monitor
    from atm_tui.cli.user_config import follow_user_config

    followed = follow_user_config(args)
    monitor = _make_monitor(args, PORTION, followed.config)
    _catch_interrupts()
    return run_monitor(monitor, followed)


def _prepare_monitor(args: "Namespace", files: "Collection[str] | None") -> "LiveMonitor":
    load_msgspec()
    monitor = _make_monitor(args, files=files)
    _catch_interrupts()
    return monitor


def _catch_interrupts() -> None:
    """Makes Ctrl+C end a command with a message, once its modules are loaded.

    Until then the system ends the process: an interrupt while msgspec looks through types crashes the interpreter.
    """
    if _signal.getsignal(_signal.SIGINT) == _signal.SIG_DFL:
        _signal.signal(_signal.SIGINT, _signal.default_int_handler)


def _fail(text: str, code: ExitCode) -> int:
    with suppress(OutputError):  # output that was printed before comes first
        flush()
    write_error(text)
    return code


def _find_screen_config(args: "Namespace") -> "Config | None":
    """Returns the configuration of a command that opens the app, which goes on with a bad one; None for other commands."""
    if args.command != "replay":
        return None
    from atm_tui.cli.user_config import follow_user_config

    return follow_user_config(args).config


def _make_monitor(
    args: "Namespace",
    portion: int | None = None,
    config: "Config | None" = None,
    files: "Collection[str] | None" = None,
) -> "LiveMonitor":
    """Makes the monitor. `config`: the configuration; None: it is read, and anything wrong in it is an error.

    `portion`, `files`: as for LiveMonitor.
    """
    import msgspec

    from atm_tui.cli.host_argument import make_machines
    from atm_tui.cli.user_config import read_user_config
    from atm_tui.monitor.live import LiveMonitor

    config, table = read_user_config() if config is None else (config, config.build_prices())
    if args.read_only:
        config = msgspec.structs.replace(config, read_only=True)
    return LiveMonitor(
        paths.find_state_dir(),
        config.list_config_dirs(args.watch or ()),
        config,
        table=table,
        portion=portion,
        cache_dir=paths.find_cache_dir(),
        counted=_choose_counted(args),
        most_whole=_choose_most_whole(args),
        only=_choose_only(args),
        machines=make_machines(args, config),
        files=files,
    )


def _choose_most_whole(args: "Namespace") -> int | None:
    """Returns how many sessions are kept that may be over; None, all, where all are listed. Those that an ID names are found."""
    from atm_tui.monitor.reading import MOST_WHOLE

    if args.command in _FOLLOWING:
        return None
    if args.command in ("status", "list") and not args.sessions and not (args.state and _LIVE.issuperset(args.state)):
        lists_all = args.command == "list" or args.all or args.state or args.project
        return None if lists_all else MOST_WHOLE
    return None if args.command == "purge" and args.project is not None else MOST_WHOLE


def _choose_only(args: "Namespace") -> "frozenset[str] | None":
    """Returns the only session whose state is needed, where the names of files tell which one is meant; None: all are."""
    if args.command not in _ABOUT_ONE or args.session is None:
        return None
    from atm_tui.jump.find import list_named_ids
    from atm_tui.sources.state import list_state_ids

    named = list_named_ids(args.session, list_state_ids(paths.find_state_dir()))
    return frozenset(named) if len(named) == 1 else None


def _choose_counted(args: "Namespace") -> "Counted":
    """Returns what a command prints cost and context of."""
    from atm_tui.monitor.figures import Counted

    if args.command == "next" or (args.command == "status" and args.tmux):
        return Counted.NOTHING
    if args.command not in ("status", "jump", "wait", "list", "notify"):
        return Counted.PARTS
    return Counted.AGENTS if getattr(args, "json", False) else Counted.SESSIONS
