"""The commands in the settings: they must work with any folder name, and do no harm when atm-tui is gone.

Claude Code runs them by `/bin/sh -c` whatever $SHELL says (seen with 2.1.332). Python exits 2 for a missing script,
and 2 is the client's code for "block this": hence `|| true`.
"""

import os
import re
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

from atm_tui.settings.errors import SettingsError
from atm_tui.sources.exists import exists

MARK = "# atm-tui"
NOTIFY = "--notify"
"""The option of a hook that starts a notifier with the Python after it."""
ANSWERS = "--answers"
"""The option of a hook that waits for a person's answer while an app is armed."""
OURS = re.compile(r"#\s*atm-tui\s*$|(?:^|[/\\])atm_hooks[/\\](?:hook|statusline)\.py(?=$|['\"\s])")
"""Marks our commands, of any version, folder and Python."""

WRAPPER = 'test -x "$1" && test -f "$2" && exec "$1" -I -S "$2" "$3" --wrap "$4"; exec /bin/sh -c "$4"'
"""Runs the user's own statusLine command ($4) through ours, or directly if the interpreter or our file is gone.

Nothing reads stdin before the choice, and exec keeps the exit code.
"""


def is_ours(command: str) -> bool:
    """Returns whether a command of a handler or statusLine is ours."""
    return OURS.search(command) is not None


def find_interpreter() -> Path:
    """Returns the Python to run the hook: a real program, not a shim or a virtual environment that may be removed."""
    base = getattr(sys, "_base_executable", None) or sys.executable
    return make_stable(Path(os.path.realpath(base)))


def find_python() -> Path:
    """Returns the Python that runs atm-tui, in its own environment."""
    return Path(sys.executable).absolute()


def make_stable(resolved: Path) -> Path:
    """Returns a path that survives updates of Homebrew's Python, whose real folder is named after the patch version."""
    match = re.match(r"(.*)/Cellar/([^/]+)/[^/]+/(.+)", str(resolved))
    if match:
        linked = Path(match[1], "opt", match[2], match[3])
        if exists(linked):
            return linked
    return resolved


@dataclass(frozen=True, slots=True)
class Commands:
    """Makes commands from absolute paths: of the interpreter, the copied files, the state folder and the configuration."""

    interpreter: Path
    hooks: Path
    state: Path
    tmux: bool = False
    notifier: Path | None = None
    """The Python with atm-tui, by which hooks start a notifier; None: they start none."""
    config: Path | None = None
    """The user's configuration, which chooses the segments of our line; None: the line has all of them."""

    def __post_init__(self) -> None:
        for path in (self.interpreter, self.hooks, self.state, self.notifier):
            if path is not None and not _is_utf8(path):
                raise SettingsError(
                    f"{str(path)!a}: the name is not UTF-8 and can't stand in a settings file.\n"
                    "  Next: set ATM_DATA_DIR and ATM_STATE_DIR to folders with other names."
                )

    def make_hook_command(self, *, answers: bool = False) -> str:
        """Returns the command of every hook: exits 0 and prints only a person's answer, even if files are missing."""
        words = [str(self.interpreter), "-I", "-S", str(self.hooks / "hook.py"), str(self.state)]
        if self.tmux:
            words.append("--tmux")
        if self.notifier is not None:
            words += [NOTIFY, str(self.notifier)]
        if answers:
            words.append(ANSWERS)
        return f"{shlex.join(words)} 2>/dev/null || true {MARK}"

    def make_statusline_command(self) -> str:
        """Returns the statusLine command for a user who has none."""
        words = [str(self.interpreter), "-I", "-S", str(self.hooks / "statusline.py"), str(self.state)]
        if self.config is not None and _is_utf8(self.config):
            words += ["--config", str(self.config)]
        return f"{shlex.join(words)} 2>/dev/null || true {MARK}"

    def wrap(self, original: str) -> str:
        """Returns the statusLine command that wraps the user's own."""
        paths = [str(self.interpreter), str(self.hooks / "statusline.py"), str(self.state)]
        return f"{shlex.join(['/bin/sh', '-c', WRAPPER, 'atm-tui', *paths, original])} {MARK}"


def _is_utf8(path: Path) -> bool:
    try:
        str(path).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def find_wrapped(command: str) -> str | None:
    """Returns the user's command inside ours; None if there is none, or ours can't be parsed."""
    try:
        words = shlex.split(command.removesuffix(MARK))
    except ValueError:
        return None
    return words[7] if _is_wrapper(words) else None


def split_command(command: str) -> tuple[Path, Path, Path] | None:
    """Returns (interpreter, script, state folder) of one of our commands; None if it can't be parsed."""
    try:
        words = shlex.split(command.removesuffix(MARK))
    except ValueError:
        return None
    if _is_wrapper(words):
        return Path(words[4]), Path(words[5]), Path(words[6])
    if len(words) >= 5 and words[1:3] == ["-I", "-S"]:
        return Path(words[0]), Path(words[3]), Path(words[4])
    return None


def find_notifier(command: str) -> Path | None:
    """Returns the Python by which one of our hook commands starts a notifier; None if it starts none."""
    try:
        words = shlex.split(command.removesuffix(MARK))
        return None if _is_wrapper(words) else Path(words[words.index(NOTIFY) + 1])
    except (ValueError, IndexError):
        return None


def _is_wrapper(words: list[str]) -> bool:
    return len(words) == 8 and words[1] == "-c" and words[3] == "atm-tui"
