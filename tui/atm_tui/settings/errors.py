"""The errors of the installer: each names the file, the place in it, the reason, and the next step."""

from pathlib import Path


class SettingsError(Exception):
    """A settings file can't be changed safely, and was left as it was. The text can be shown as it is."""


class JsonError(ValueError):
    """Text that is not JSON as Claude Code reads it. `offset` in characters from 0; line and column from 1."""

    def __init__(self, reason: str, text: str, offset: int) -> None:
        self.reason = reason
        self.offset = offset
        self.line, self.column = find_line_column(text, offset)
        super().__init__(f"line {self.line}, column {self.column}: {reason}")


class EncodingError(JsonError):
    """A byte that is not UTF-8. Claude Code reads such a file; we don't change it, since its encoding is unknown."""


class ShapeError(ValueError):
    """A value has another type than the one that we have to add. `path` is like hooks.Stop[0]."""

    def __init__(self, path: str, reason: str, line: int, column: int) -> None:
        self.path = path
        self.reason = reason
        self.line = line
        self.column = column
        super().__init__(f"line {line}, column {column}: {path} {reason}")


def find_line_column(text: str, offset: int) -> tuple[int, int]:
    """Returns line and column, both from 1, of a character; a line ends at LF, CR LF or a lone CR, as in editors."""
    head = text[:offset].replace("\r\n", "\n").replace("\r", "\n")
    return head.count("\n") + 1, len(head) - (head.rfind("\n") + 1) + 1


DROPPED_FILE = "Claude Code itself ignores this file until it is fixed"
"""What the client does with a file that is not JSON: it ignores all of it, silently in headless mode."""

READ_ANYWAY = "Claude Code reads the file, with another character in that place"
"""What the client does with a byte that is not UTF-8 (2.1.332)."""

GUARDS = ("hooks.PreToolUse", "hooks.PermissionRequest")
"""A bad entry under these makes the client ignore the whole file, since they may protect permissions (2.1.332)."""


class RefusedError(SettingsError):
    """A settings file that is not changed because of its content. `line` and `column` from 1; `effect`: what the client does.

    A wrong shape affects only that entry, except for the two events that may protect permissions.
    """

    def __init__(self, path: Path, error: JsonError | ShapeError) -> None:
        is_entry = isinstance(error, ShapeError) and not error.path.startswith(GUARDS)
        self.line, self.column = error.line, error.column
        self.reason = f"{error.path} {error.reason}" if isinstance(error, ShapeError) else error.reason
        self.effect = "Claude Code ignores that entry" if is_entry else DROPPED_FILE
        if isinstance(error, EncodingError):
            self.effect = READ_ANYWAY
        super().__init__(
            f"{path}: {error}.\n  {self.effect}. Nothing was changed.\n"
            "  Next: correct that place in an editor, then run the command again."
        )
