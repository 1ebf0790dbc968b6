"""Writes the three steps of the first start."""

from collections.abc import Sequence

from rich.cells import cell_len

from atm_tui.text import fit_width, wrap_text
from atm_tui.view.command import Command, format_key, format_keys
from atm_tui.view.present import Glyphs, Part

STEPS = ("What you will see", "The hooks", "Five keys")
HOOKS = 1
"""The step that offers the wizard."""
KEYS = ("jump", "next_waiting", "peek", "filter", "help")
"""Ids of the commands that the last step shows."""
_STATES = {
    "installed": "They are installed: there is nothing to do.",
    "missing": "They are not installed yet. The wizard shows each change to Claude Code's settings before it writes any.",
    "stale": "They are installed, but not up to date. The wizard shows what would change.",
    "disabled": "They are switched off in Claude Code's settings. The wizard checks why.",
    "unreadable": "The settings can't be read. The wizard shows where the fault is.",
}

Line = list[Part]


NARROW = 40
"""Width in cells below which names are shown without explanations."""


def write(step: int, hooks: str, commands: Sequence[Command], width: int, glyphs: Glyphs) -> list[Line]:
    """Writes the lines of a step in `width` cells. `hooks`: their state, as in Health; `commands`: those of KEYS."""
    if step == HOOKS:
        body, keys = _write_hooks(hooks, width, glyphs)
    else:
        body, keys = _write_signs(width, glyphs) if step < HOOKS else _write_keys(commands, width, glyphs)
    named: Line = []
    for key, text in keys:
        label = format_key(key, ascii_only=glyphs.ascii)
        named += [*([("   ", "plain")] if named else []), (label, "key"), (f" {text}", "muted")]
    return [*body, [], named]


def _write_signs(width: int, glyphs: Glyphs) -> tuple[list[Line], list[Part]]:
    lines = _write_prose("All your Claude Code sessions, each with one of these signs:", width)
    for sign, role, name, text in (
        (glyphs.needs, "needs", "needs you", "it waits for your answer"),
        (glyphs.working, "working", "working", "it thinks, or runs a tool"),
        (glyphs.finished, "finished", "finished", "it is done, and you have not looked yet"),
    ):
        lines += _write_entry([(sign, role), ("  ", "plain"), (fit_width(name, 11), role)], text, width)
    return lines, [("enter", "next")]


def _write_hooks(hooks: str, width: int, glyphs: Glyphs) -> tuple[list[Line], list[Part]]:
    done = hooks == "installed"
    sign = (glyphs.finished, "finished") if done else (glyphs.warning, "needs")
    lines = _write_prose("Hooks report to atm-tui what a session does, as it happens.", width)
    first, *more = wrap_text(_STATES.get(hooks, _STATES["missing"]), width - 2, 6)
    lines += [[sign, (f" {first}", "plain")], *([(f"  {part}", "plain")] for part in more)]
    return lines, [("enter", "next")] if done else [("i", "wizard"), ("enter", "later")]


def _write_keys(commands: Sequence[Command], width: int, glyphs: Glyphs) -> tuple[list[Line], list[Part]]:
    lines = _write_prose("The footer shows the keys that work where you are.", width)
    for each in (each for each in commands if each.keys):
        label = fit_width(format_keys(each, ascii_only=glyphs.ascii)[0], 7 if glyphs.ascii else 3)
        lines += _write_entry([(label, "key")], each.title if width < NARROW else each.help, width)
    return lines, [("enter", "start")]


def _write_prose(text: str, width: int) -> list[Line]:
    return [] if width < NARROW else [*([(part, "plain")] for part in wrap_text(text, width, 4)), []]


def _write_entry(head: Line, text: str, width: int) -> list[Line]:
    """Writes a sign or key and, where there is room, its meaning beside it."""
    used = sum(cell_len(part) for part, _ in head)
    if width < NARROW and cell_len(text) > width - used:
        return [head]
    first, *more = wrap_text(text, width - used, 6)
    return [[*head, (first, "plain")], *([(" " * used + part, "plain")] for part in more)]
