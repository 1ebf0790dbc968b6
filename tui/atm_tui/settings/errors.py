"""What stops the installer: every error says which file, where in it, why, and what to do next."""

from pathlib import Path


class SettingsError(Exception):
    """A settings file can't be changed safely; it was left as it was. The text is complete and fit to be shown."""


class JsonError(ValueError):
    """Text that is not the JSON which Claude Code reads. `offset` counts characters from 0, line and column from 1."""

    def __init__(self, reason: str, text: str, offset: int) -> None:
        self.reason = reason
        self.offset = offset
        self.line, self.column = line_column(text, offset)
        super().__init__(f"line {self.line}, column {self.column}: {reason}")


class EncodingError(JsonError):
    """A byte that is not UTF-8. Claude Code reads such a file; we leave it alone, since we can't know its encoding."""


class ShapeError(ValueError):
    """A value stands where we have to add something of another type. `path` is like hooks.Stop[0]."""

    def __init__(self, path: str, reason: str, line: int, column: int) -> None:
        self.path = path
        self.reason = reason
        self.line = line
        self.column = column
        super().__init__(f"line {line}, column {column}: {path} {reason}")


def line_column(text: str, offset: int) -> tuple[int, int]:
    """Line and column, both from 1, of a character; a line ends at LF, CR LF or a lone CR, as in editors."""
    head = text[:offset].replace("\r\n", "\n").replace("\r", "\n")
    return head.count("\n") + 1, len(head) - (head.rfind("\n") + 1) + 1


DROPPED_FILE = "Claude Code itself ignores this file until it is fixed"
"""What the client does with a file that is no JSON: all of it is dropped, in headless mode without a word."""

READ_ANYWAY = "Claude Code reads the file, with another character in that place"
"""What the client does with a byte that is not UTF-8 (2.1.332)."""

GUARDS = ("hooks.PreToolUse", "hooks.PermissionRequest")
"""A bad entry under these makes the client drop the whole file, as it may be what guards the permissions (2.1.332)."""


class RefusedError(SettingsError):
    """A settings file that is left alone for what stands in it. `line` and `column` from 1; `effect`: what the client does.

    A wrong shape costs only that entry, but for the two events that may guard permissions.
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
