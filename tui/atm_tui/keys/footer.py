"""Chooses the commands that the footer names, and writes how a chord can go on."""

from collections.abc import Sequence

from msgspec.structs import replace

from atm_tui.commands import COMMANDS, VIEWS
from atm_tui.view.command import Command, format_key, require_nothing
from atm_tui.view.present import Part

ON_MARKED = ("pin", "snooze", "put_away", "clear_filter", "mark", "help", "quit")
"""The commands that the footer names while sessions are marked."""

IN_PANE = ("panes", "pane", "zoom", "grow", "shrink", "leave_panes", "help", "quit")
"""The commands that the footer names while a pane has the focus."""

SIZES = ("grow", "shrink")
"""Those of them for which there has to be another size."""


def list_footer_commands(
    custom: Sequence[Command] = (),
    every: Sequence[Command] = COMMANDS,
    *,
    toggle: str = "",
    view: bool = False,
    pane: bool = False,
    zoomed: bool = False,
    fixed: bool = False,
) -> tuple[Command, ...]:
    """Returns the commands that the footer names, in its order.

    `custom`: the commands of the configuration, which come before those that work everywhere. `every`: all commands, with their
    current keys; those without a key are left out. `toggle`: what pausing or resuming does now, in a replay, whose commands come
    first; empty: it is none.

    In a `view` other than the tree: the commands for its session, and for the other views. In a `pane`: those that move the
    focus and resize it. `zoomed`: whether it has the whole screen; `fixed`: whether it has no other size.
    """
    every = [each for each in every if each.keys]
    if pane:
        named = [each for each in every if each.id in IN_PANE and not (fixed and each.id in SIZES)]
        return tuple(replace(each, title="zoom out") if zoomed and each.id == "zoom" else each for each in named)
    named = [each for each in every if each.footer and each.group not in {"usage", "pane", "replay", "conversation"}]
    if view:
        named = [each for each in every if each.id in VIEWS or (each in named and (each.views or each.group == "app"))]
    first = [each for each in every if toggle and each.footer and each.group == "replay"]
    first = [replace(each, title=toggle) if each.id == "pause" else each for each in first]
    before = [each for each in named if each.group != "app"]
    return (*first, *before, *custom, *(each for each in named if each.group == "app"))


def list_marked_commands(every: Sequence[Command] = COMMANDS) -> tuple[Command, ...]:
    """Returns the commands that the footer names while sessions are marked: they are enabled for the marked ones."""
    named = {each.id: each for each in every if each.keys}
    marked = [replace(named[each], disabled=require_nothing) for each in ON_MARKED if each in named]
    return tuple(replace(each, title="unmark") if each.id == "clear_filter" else each for each in marked)


def write_chord(first: str, rest: Sequence[tuple[str, Command]], *, ascii_only: bool) -> list[Part]:
    """Writes the first key of a chord, and the keys that can follow with their commands."""
    parts: list[Part] = [(f"{format_key(first, ascii_only=ascii_only)} {'...' if ascii_only else '…'}", "strong")]
    for key, command in rest:
        parts += [(f"   {format_key(key, ascii_only=ascii_only)}", "key"), (f" {command.title}", "muted")]
    return parts
