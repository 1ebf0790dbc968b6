"""`atm-tui install`: plans, shows, asks, copies the hook's files, writes each settings file, reports."""

import argparse
from functools import partial

from atm_tui import paths
from atm_tui.cli.command_error import CommandError
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.output import write_line, write_text
from atm_tui.cli.parser import add_choice_option, add_list_option
from atm_tui.cli.targets import (
    add_change_arguments,
    add_target_arguments,
    confirm_change,
    list_target_files,
    print_diff,
    report_change,
)
from atm_tui.cli.terminal import can_ask
from atm_tui.settings.apply import plan_when_stable
from atm_tui.settings.errors import SettingsError
from atm_tui.settings.hook_version import describe_copy, describe_renewal, is_newer
from atm_tui.settings.installer import Installer
from atm_tui.settings.locations import Scope
from atm_tui.settings.options import ANSWER_EVENT, ANSWERS_MEAN, EventSet, Options, Route
from atm_tui.settings.plan import Plan
from atm_tui.settings.plugin import describe_next_steps, is_enabled

BOTH_ROUTES = (
    "the atm-tui plugin is enabled here too: every event would arrive twice (counted once, but twice the work). "
    "In Claude Code: /plugin uninstall atm-tui@atm-tui"
)


def add_install_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `install`."""
    add_target_arguments(parser)
    add_change_arguments(parser)
    add_choice_option(
        parser,
        "--events",
        EventSet,
        "full: all events (default); lean: without those that come with every tool call",
        default=EventSet.FULL,
    )
    add_list_option(parser, "--sync", "EVENT", "let Claude Code wait for our hook at this event; may be given again")
    add_list_option(
        parser,
        "--async",
        "EVENT",
        "don't let Claude Code wait for our hook at this event; may be given again",
        "async_",
    )
    parser.add_argument(
        "--statusline",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="add our statusLine, which keeps yours running (default: yes, except in a project's shared file)",
    )
    parser.add_argument(
        "--agent-teams", action="store_true", help="switch on Claude Code's agent teams, unless they are set already"
    )
    parser.add_argument("--tmux", action="store_true", help="let the hook also set tmux pane options (@meta.claude.*)")
    parser.add_argument(
        "--notify", action="store_true", help="let the hook start a notifier where something begins while no app runs"
    )
    parser.add_argument(
        "--answers",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="let permission requests be answered from atm-tui while it is armed (default: as installed before; off at first)",
    )
    add_choice_option(
        parser,
        "--route",
        Route,
        "settings: hooks in the settings file (default); plugin: hooks in a plugin that you enable yourself",
        default=Route.SETTINGS,
    )
    parser.add_argument(
        "--renew",
        action="store_true",
        help="after an update: install again wherever it is installed, as it is there; the other options don't count",
    )


def parse_options(args: argparse.Namespace) -> Options:
    """Returns the options in parsed arguments. Raises SettingsError for an event that we don't register."""
    options = Options(
        events=args.events,
        sync=frozenset(args.sync),
        async_=frozenset(args.async_),
        statusline=args.statusline,
        agent_teams=args.agent_teams,
        tmux=args.tmux,
        notify=args.notify,
        answers=args.answers,
        route=args.route,
    )
    if unknown := options.list_unknown_events():
        raise SettingsError(
            f"--sync/--async: atm-tui does not register {', '.join(unknown)}.\n  Next: name an event that docs/install.md lists."
        )
    if options.answers and ANSWER_EVENT in options.async_:
        raise SettingsError(
            f"--answers needs Claude Code to wait at {ANSWER_EVENT}.\n  Next: leave --async {ANSWER_EVENT} out."
        )
    return options


def run_install(args: argparse.Namespace) -> int:
    """Installs, or only shows what it would write; returns the exit code. Raises CommandError if it is refused or fails.

    On a terminal, and without --yes or --dry-run, the wizard asks and shows instead; on a dumb terminal, one question does.
    """
    try:
        if can_ask() and not args.yes and not args.dry_run and not args.renew and not paths.is_dumb_terminal():
            return _open_wizard(args)
        return _install(args)
    except SettingsError as error:
        raise CommandError(str(error), ExitCode.FAILED) from error


def _open_wizard(args: argparse.Namespace) -> int:
    from atm_tui.screens.wizard_app import run_wizard

    done, code = run_wizard(args.config_dir, args.scope, parse_options(args))
    for applied in done:
        report_change(applied)
    if not done:
        write_line("Nothing was changed.")
    return code or (ExitCode.DONE if done else ExitCode.DECLINED)


def _install(args: argparse.Namespace) -> int:
    installer = Installer.create()
    files = installer.list_files_in_use() if args.renew else list_target_files(args)
    if not files:
        raise SettingsError("there is nothing to renew: the hooks are not installed.\n  Next: atm-tui install")
    if args.renew and is_newer(installer.commands.hooks):
        raise SettingsError(f"{describe_copy(installer.commands.hooks)}.\n  Next: update atm-tui.")
    options = installer.find_options(files) if args.renew else parse_options(args)
    shared = files if args.scope is Scope.PROJECT else ()
    planner = installer.make_renewer() if args.renew else installer.make_planner(options, shared)
    plans = [plan_when_stable(path, partial(planner, path)) for path in files]
    for plan in plans:
        _show_plan(plan, options, args)
    is_needed = any(plan.is_needed for plan in plans)
    is_old = installer.needs_renewal()
    if is_old:
        write_line(f"{installer.commands.hooks}: {describe_renewal(installer.commands.hooks)}")
    if args.dry_run:
        return ExitCode.DONE
    if not is_needed and options.route is Route.SETTINGS and installer.is_current():
        write_line("Nothing to do: the hooks are installed and current.")
        return ExitCode.DONE
    if (
        (is_needed or is_old)
        and not args.yes
        and not confirm_change("Write this?", option="--yes installs without asking")
    ):
        return ExitCode.DECLINED
    for applied in installer.install(plans, planner, options):
        report_change(applied)
    if options.route is Route.PLUGIN:
        write_line(f"The plugin is in {installer.plugin}. Enable it yourself:")
        write_text(describe_next_steps(installer.plugin))
    write_line("Done. Running sessions load the hooks within a few seconds; older clients need a restart.")
    return ExitCode.DONE


def _show_plan(plan: Plan, options: Options, args: argparse.Namespace) -> None:
    counts: dict[str, int] = {}
    for change in plan.changes:
        counts[change.kind] = counts.get(change.kind, 0) + 1
    write_line(f"{plan.path}: {', '.join(f'{number} {kind}' for kind, number in counts.items()) or 'no change'}")
    for warning in plan.warnings:
        write_line(f"  note: {warning}")
    if args.scope is Scope.PROJECT:
        write_line(
            "  note: this file is shared with others; the commands name your own folders and do nothing elsewhere. "
            "--scope local keeps them to yourself."
        )
    if options.answers and plan.is_needed:
        write_line(f"  note: {ANSWERS_MEAN}")
    if options.route is Route.SETTINGS and is_enabled(plan.before):
        write_line(f"  note: {BOTH_ROUTES}")
    print_diff(plan, args)
