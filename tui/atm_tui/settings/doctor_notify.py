"""Checks that the programs that give notifications exist."""

from collections.abc import Iterator

from atm_tui import paths
from atm_tui.config import ConfigError
from atm_tui.jump.run import has_program
from atm_tui.model.notification import NotifyWay
from atm_tui.settings.check import Check, Level
from atm_tui.sources.config_file import read_config

_PROGRAMS = {NotifyWay.NOTIFY_SEND: "notify-send", NotifyWay.OSASCRIPT: "osascript", NotifyWay.TMUX: "tmux"}


def check_notifications() -> Iterator[Check]:
    """Checks the ways in the configuration; yields nothing if it can't be read, which every other command reports."""
    try:
        config = read_config(paths.find_config_file())
    except ConfigError:
        return
    where = ", ".join(config.notify_by) or "none"
    programs = [_PROGRAMS[way] for way in config.notify_by if way in _PROGRAMS]
    if NotifyWay.COMMAND in config.notify_by:
        programs.append(config.notify_command[0])
    missing = [program for program in programs if not has_program(program)]
    if missing:
        text = f"not on the PATH: {', '.join(missing)}"
        advice = "Install it, or change notify_by in the configuration; see docs/notifications.md."
        yield Check("notifications", Level.WARNING, where, text, advice)
    elif config.notify_by:
        yield Check("notifications", Level.OK, where, "all that gives notifications is there")
    else:
        yield Check("notifications", Level.OK, where, "switched off")
