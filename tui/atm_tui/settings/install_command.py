"""`atm-tui install`: plan, show, ask, copy the hook's files, write each settings file, say what was done."""

import argparse
from functools import partial
from pathlib import Path

import atm_tui
from atm_tui import paths
from atm_tui.settings.command import Commands, interpreter
from atm_tui.settings.console import complain, confirm, is_terminal, out
from atm_tui.settings.errors import SettingsError
from atm_tui.settings.hookfiles import is_current
from atm_tui.settings.locations import Scope, hooks_dir, plugin_dir, receipts_dir
from atm_tui.settings.options import EventSet, Options, Route
from atm_tui.settings.plan import Plan, plan_install
from atm_tui.settings.plugin import is_enabled, next_steps, plugin_files, write_plugin
from atm_tui.settings.receipt import Receipts
from atm_tui.settings.targets import add_change_arguments, add_target_arguments, now, plan_settled, report, target_files
from atm_tui.settings.transaction import carry_out_install

BOTH_ROUTES = (
    "the atm-tui plugin is enabled here too: every event would arrive twice (counted once, but twice the work). "
    "In Claude Code: /plugin uninstall atm-tui@atm-tui"
)


def add_install_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `atm-tui install`."""
    add_target_arguments(parser)
    add_change_arguments(parser)
    parser.add_argument(
        "--events",
        type=EventSet,
        choices=list(EventSet),
        default=EventSet.FULL,
        help="lean: without the tools",
    )
    parser.add_argument(
        "--sync", action="append", default=[], metavar="EVENT", help="let Claude Code wait for our hook at this event"
    )
    parser.add_argument(
        "--async", action="append", default=[], dest="async_", metavar="EVENT", help="don't let it wait at this event"
    )
    parser.add_argument(
        "--statusline",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="our statusLine, or yours wrapped (default: yes, but not in a project's shared file)",
    )
    parser.add_argument("--agent-teams", action="store_true", help="switch Claude Code's agent teams on where unset")
    parser.add_argument("--tmux", action="store_true", help="the hook also sets tmux pane options (@meta.claude.*)")
    parser.add_argument(
        "--route",
        type=Route,
        choices=list(Route),
        default=Route.SETTINGS,
        help="plugin: you enable it",
    )


def options_of(args: argparse.Namespace) -> Options:
    """The choices in parsed arguments. Raises SettingsError for an event that we don't register."""
    options = Options(
        events=args.events,
        sync=frozenset(args.sync),
        async_=frozenset(args.async_),
        statusline=False if args.statusline is None and args.scope is Scope.PROJECT else args.statusline,
        agent_teams=args.agent_teams,
        tmux=args.tmux,
        route=args.route,
    )
    if unknown := options.unknown_events():
        raise SettingsError(f"--sync/--async: we register no {', '.join(unknown)}.\n  Next: see the README.")
    return options


def run_install(args: argparse.Namespace) -> int:
    """Exit code 0: installed, nothing to do, or only shown; 1: refused, failed or declined."""
    try:
        return _install(args)
    except SettingsError as error:
        complain(f"atm-tui install: {error}")
        return 1


def _install(args: argparse.Namespace) -> int:
    options = options_of(args)
    commands = Commands(interpreter(), hooks_dir(), paths.state_dir(), options.tmux)
    receipts = Receipts(receipts_dir())

    def planner(path: Path, before: bytes | None) -> Plan:
        return plan_install(path, before, options, commands, receipts.load(path))

    plans = [plan_settled(path, partial(planner, path)) for path in target_files(args)]
    for plan in plans:
        _announce(plan, options, args.scope)
    if args.dry_run:
        return 0
    needed = [plan for plan in plans if plan.is_needed]
    if not needed and options.route is Route.SETTINGS and is_current(commands.hooks):
        out("Nothing to do: the hooks are installed and current.")
        return 0
    if needed and not args.yes and not _agreed():
        return 1
    for applied in carry_out_install(needed, planner, commands, receipts, paths.claude_config_dir(), now):
        report(applied)
    if options.route is Route.PLUGIN:
        write_plugin(plugin_dir(), plugin_files(options, commands, atm_tui.__version__))
        out(f"The plugin is in {plugin_dir()}. Enable it yourself:\n{next_steps(plugin_dir())}")
    out("Done. Running sessions load the hooks within a few seconds; older clients need a restart.")
    return 0


def _announce(plan: Plan, options: Options, scope: Scope) -> None:
    counts: dict[str, int] = {}
    for change in plan.changes:
        counts[change.kind] = counts.get(change.kind, 0) + 1
    out(f"{plan.path}: {', '.join(f'{number} {kind}' for kind, number in counts.items()) or 'no change'}")
    for warning in plan.warnings:
        out(f"  note: {warning}")
    if scope is Scope.PROJECT:
        out(
            "  note: this file is shared with others; the commands name your own folders and do nothing elsewhere. "
            "--scope local keeps them to yourself."
        )
    if options.route is Route.SETTINGS and is_enabled(plan.before):
        out(f"  note: {BOTH_ROUTES}")
    if plan.is_needed:
        out(plan.diff())


def _agreed() -> bool:
    if not is_terminal():
        complain("atm-tui install: nobody can be asked here. Nothing was changed.\n  Next: run it again with --yes.")
        return False
    if confirm("Write this?"):
        return True
    out("Nothing was changed.")
    return False
