"""Plans an install or uninstall for one settings file. Pure: bytes and options in, bytes and a diff out."""

import difflib
from dataclasses import dataclass, replace
from pathlib import Path

from atm_tui.settings.answering import has_answering_hook
from atm_tui.settings.command import Commands
from atm_tui.settings.document import Document
from atm_tui.settings.editing import Change, Editing
from atm_tui.settings.errors import JsonError, RefusedError, ShapeError
from atm_tui.settings.hooks_edit import add_hooks, remove_hooks
from atm_tui.settings.options import LEAN_LOSS, EventSet, Options, Route
from atm_tui.settings.receipt import Receipt
from atm_tui.settings.statusline_edit import add_statusline, add_teams, remove_statusline, remove_teams
from atm_tui.settings.validity import find_faults
from atm_tui.text import clean

EMPTY = b"{}\n"
ROOT = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """The change of one file. `before` None: no file exists; `after` None: the file is removed, since we created it.

    `receipt`: to be stored; None if none of our entries remains.
    """

    path: Path
    before: bytes | None
    after: bytes | None
    changes: tuple[Change, ...]
    warnings: tuple[str, ...]
    receipt: Receipt | None

    @property
    def is_needed(self) -> bool:
        """Whether it would change anything."""
        return self.before != self.after

    def make_diff(self) -> str:
        """Returns a unified diff that shows a missing last newline; line ends are shown as LF.

        Bytes that are not UTF-8 (in a file that a backup replaces) are shown as their codes.
        """
        old, new = _split_lines(self.before), _split_lines(self.after)
        name = clean(str(self.path))
        labels = ("/dev/null" if self.before is None else name, "/dev/null" if self.after is None else name)
        lines = difflib.unified_diff(old, new, *labels)
        return "".join(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines)


def plan_install(
    path: Path, before: bytes | None, options: Options, commands: Commands, receipt: Receipt | None
) -> Plan:
    """Plans to add our entries. Raises SettingsError if the file can't be changed safely."""
    try:
        return _install(path, before, options, commands, receipt)
    except (JsonError, ShapeError) as error:
        raise RefusedError(path, error) from None


def _install(path: Path, before: bytes | None, options: Options, commands: Commands, receipt: Receipt | None) -> Plan:
    document = Document(EMPTY if before is None else before)
    editing = Editing.begin(document, receipt)
    if options.answers is None:
        options = replace(options, answers=has_answering_hook(document))
    root = document.root
    is_ours = editing.has_ours
    created = before is None or (is_ours and receipt is not None and receipt.created)
    if not root.items:
        editing.found[ROOT] = document.root_text
    elif not is_ours:
        editing.found.pop(ROOT, None)
    if options.route is Route.SETTINGS:
        add_hooks(editing, options, commands)
    else:
        remove_hooks(editing, keep=set())
    if options.statusline is False:
        remove_statusline(editing)
    else:
        add_statusline(editing, commands)
    if options.agent_teams:
        add_teams(editing)
    else:
        remove_teams(editing)
    after = document.encode()
    result = Document(after) if editing.changes else document
    warnings = [*editing.warnings, *(each.text for each in find_faults(result))]
    if options.events is EventSet.LEAN and options.route is Route.SETTINGS:
        warnings.append(LEAN_LOSS)
    if before is None and not editing.changes:
        return Plan(path, None, None, (), tuple(warnings), None)
    kept = Receipt(target=str(path), created=created, found=editing.found) if editing.has_ours else None
    return Plan(path, before, after, tuple(editing.changes), tuple(warnings), kept)


def plan_uninstall(path: Path, before: bytes | None, receipt: Receipt | None) -> Plan:
    """Plans to remove only our entries. Raises SettingsError if the file is not a JSON object."""
    if before is None:
        return Plan(path, None, None, (), (), None)
    try:
        document = Document(before)
    except JsonError as error:
        raise RefusedError(path, error) from None
    editing = Editing.begin(document, receipt)
    remove_teams(editing)
    remove_statusline(editing)
    remove_hooks(editing, keep=set())
    after: bytes | None = document.encode()
    if editing.changes and not document.root.items:
        if receipt is not None and receipt.created:
            after = None
        elif ROOT in editing.found:
            document.root.kind, document.root.raw = "word", str(editing.found[ROOT])
            after = document.encode()
    return Plan(path, before, after, tuple(editing.changes), tuple(editing.warnings), None)


def _split_lines(data: bytes | None) -> list[str]:
    text = "" if data is None else data.decode("utf-8", "backslashreplace").replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
