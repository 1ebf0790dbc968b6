"""Finds dangers in a shell command: in its programs, the files that it writes, and the names that it mentions."""

import itertools
import re
import time
from collections.abc import Iterator

from atm_tui.risk.calls import INTERPRETER, RUNS_AFTER, SHELLS, WRAPPERS, Call, find_calls, find_guesses, find_scripts
from atm_tui.risk.characters import mixes_alphabets
from atm_tui.risk.everyday import EVERYDAY
from atm_tui.risk.places import (
    CREDENTIALS,
    NULLS,
    Place,
    check_written,
    is_glob,
    is_temporary,
    is_throwaway,
    names_our_files,
    names_requests,
    resolve_path,
)
from atm_tui.risk.programs.checks import CHECKS, check_call
from atm_tui.risk.programs.network import reaches_this_machine
from atm_tui.risk.programs.tasks import check_unknown
from atm_tui.risk.shell import MAX_DEPTH, ShellCommand
from atm_tui.risk.shell_process import SHELL
from atm_tui.risk.sql import STATEMENT
from atm_tui.risk.syntax import UnreadableError
from atm_tui.risk.tables import read_names
from atm_tui.risk.targets import NAMES_ONLY, copies_example, destroys_target, find_targets
from atm_tui.risk.variables import check_assignments

KNOWN = EVERYDAY | CHECKS.keys() | SHELLS | RUNS_AFTER.keys()
"""Programs whose arguments have a check of their own, or need none."""
MAX_SECONDS = 3.0
"""Most seconds for one command with all its scripts."""
MAX_CALLS = 100
"""Most calls of one command that are examined, including those through wrappers."""
MAX_WORDS = 2_000
"""Most words of one command that are examined."""
MAX_COMMANDS = 10_000
"""Most commands of one text that are examined."""


def find_command_dangers(text: str, cwd: str, place: Place) -> Iterator[str]:
    """Yields the ids of dangers in a shell command, in no order and maybe repeated."""
    if mixes_alphabets(text):
        yield "alike"
    if _GARBLED.search(text):
        yield "unread"
    try:
        yield from _Inspection(cwd, place).inspect(text)
    except (UnreadableError, RecursionError):
        yield "unread"


_GARBLED = re.compile(r"\$\{?IFS\b")
_SECRET = re.compile(r"\$\{?\w{0,99}(?:TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|PRIVATE_?KEY|CREDENTIALS)(?![A-Z])")
_SECRET_WORD = re.compile(
    r"aws|github|stripe|openai|anthropic|database_url|dsn|token|secret|passw?|passwd|cred|(?:api|private|access).?key",
    re.IGNORECASE,
)
_EXECS = frozenset({"-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprintf"})
"""Options of `find` that do more than list."""
_LISTS = NAMES_ONLY | {"echo", "printf", "fd", "locate"}
"""Programs that list files for the next program in a pipe."""
_GIT_NAMES_ONLY = (["rm"], ["check-ignore"], ["ls-files"], ["status"])
"""Subcommands of git that show no content of files."""
_SHOWS = read_names("cat grep rg head tail jq less wc sort uniq cut nl column")
"""Programs that only show the content of files."""
_READERS = frozenset(
    {"grep", "egrep", "fgrep", "rg", "ag", "ack", "echo", "printf", "git", "cat", "sed", "awk", "gh", ""}
)
"""Programs that mention a table without dropping it."""
_FETCHERS = frozenset({"curl", "wget", "fetch", "aria2c", "http", "xh"})
_UNPACKERS = frozenset({"tar", "bsdtar", "unzip", "7z", "cpio", "gunzip"})
_TAKE_FILES = frozenset({"flock", "script", "strace", "ltrace"})
"""Wrappers that take a file in addition to the program."""
_FILTERS = read_names("grep egrep rg tail head wc ag sed awk cut fzf less")
_SHORTENERS = frozenset({"tail", "head", "less"})
"""The ones among these that keep the environment unchanged."""


class _Inspection:
    """The inspection of one text and all scripts in it."""

    def __init__(self, cwd: str, place: Place) -> None:
        self._cwd = cwd
        self._place = place
        self._fetched: set[str] = set()
        """Names of the files that were downloaded so far."""
        self._scripts: dict[str, str] = {}
        """Scripts that were written so far, by name."""
        self._made: set[str] = set()
        """Files that were built or written so far."""
        self._cloned = False
        self._seen = 0
        self._deadline = time.monotonic() + MAX_SECONDS

    def inspect(self, text: str, depth: int = 0, *, guessed: bool = False) -> Iterator[str]:
        """Yields the ids of the dangers in a text. Raises UnreadableError."""
        if depth > MAX_DEPTH:
            raise UnreadableError("nested too deeply")
        commands = SHELL.read_commands(text)
        self._seen += len(commands)
        if self._seen > MAX_COMMANDS or time.monotonic() > self._deadline:
            raise UnreadableError("too long")
        yield from self._check_streams(commands)
        for command in commands:
            if len(command.words) > MAX_WORDS or time.monotonic() > self._deadline:
                raise UnreadableError("too long")
            yield from self._inspect_command(command, depth, guessed=guessed)

    def _check_streams(self, commands: list[ShellCommand]) -> Iterator[str]:
        """Checks what several commands do together."""
        for command in commands:
            wanted = " ".join(command.words[1:])
            shortens = command.program in _FILTERS - (
                _SHORTENERS if command.source and command.source.program != "history" else set()
            )
            if command.source is not None and shortens and not _SECRET_WORD.search(wanted):
                command.source.is_filtered = True
        loops = any(each.program in (":", "true") for each in commands if each.loops)
        if loops and any(
            (each.program in _FETCHERS and not _fetches_here(each)) or each.program in ("nc", "ncat", "ssh")
            for each in commands
        ):
            yield "settings"

    def _inspect_command(self, command: ShellCommand, depth: int, *, guessed: bool) -> Iterator[str]:
        name = command.words[0].rpartition("/")[2] if command.words else ""
        if not guessed and _is_undecided(name):
            yield "unread"
        yield from check_assignments(command)
        calls = list(itertools.islice(find_calls(command, KNOWN), MAX_CALLS))
        for call in calls:
            expendable = self._is_in_temporary_folder(call)
            yield from (each for each in check_call(call) if not (each == "delete" and expendable))
            known = call.program in KNOWN or call.program in WRAPPERS or INTERPRETER.fullmatch(call.program)
            if not (guessed or known or (call.wrapper and call.wrapper not in WRAPPERS | RUNS_AFTER.keys())):
                yield from check_unknown(call)
            yield from self._check_fetched(call)
            yield from self._inspect_scripts(call, calls, depth, guessed=guessed)
        yield from self._check_files(command, calls)
        yield from self._check_words(command, calls)
        self._remember(command)

    def _inspect_scripts(self, call: Call, calls: list[Call], depth: int, *, guessed: bool) -> Iterator[str]:
        for script in dict.fromkeys(find_scripts(call)):
            if script.strip():
                yield from self.inspect(script, depth + 1, guessed=guessed)
        runs_known = call.program in WRAPPERS and any(each.program in KNOWN for each in calls if each.wrapper)
        if not runs_known and (
            call.program in WRAPPERS or (call.program not in KNOWN and not INTERPRETER.fullmatch(call.program))
        ):
            for text in dict.fromkeys(find_guesses(call)):
                try:
                    yield from self.inspect(text, depth + 1, guessed=True)
                except UnreadableError:
                    continue
        script = self._scripts.pop(_find_script_name(call), "")
        if script:
            try:
                yield from self.inspect(script, depth + 1)
            except UnreadableError:
                yield "unread"

    def _check_fetched(self, call: Call) -> Iterator[str]:
        """Checks whether a call runs a downloaded file, or code from a fresh clone."""
        program, names = call.program, call.names
        if program in _FETCHERS:
            kept = [
                *(word for word in call.args if not word.startswith("-")),
                *(each.path for each in call.command.writes),
            ]
            self._fetched.update(word.rstrip("/").rpartition("/")[2] for word in kept)
        runs = bool(INTERPRETER.fullmatch(program)) or program in ("eval", "source", ".")
        yield from self._check_temporary(call)
        inner = any(each.program in _FETCHERS for each in call.command.inner)
        from_file = bool(names) and runs and names[0].rpartition("/")[2] in self._fetched
        if (runs and inner) or from_file or (program in self._fetched and call.path != program):
            yield "download"
        source = call.command.source
        unpacks = program in _UNPACKERS and (
            (source is not None and source.program in _FETCHERS)
            or any(name.rpartition("/")[2] in self._fetched for name in call.names)
        )
        fetches = {"git": ("clone",), "hg": ("clone",), "svn": ("co", "checkout", "export")}.get(program, ())
        if unpacks or set(fetches) & set(call.args):
            self._cloned = True
        elif self._cloned and (
            "/" in call.path
            or program in ("make", "bash", "sh", "npm", "pip", "pip3", "yarn", "pnpm", "cargo", "go")
            or runs
        ):
            yield "download"

    def _is_in_temporary_folder(self, call: Call) -> bool:
        """Whether `rm` is only given plain names in a folder of temporary files that this text went to."""
        here = f"{self._cwd}/x"
        plain = not any(
            is_glob(name) or name.startswith(("/", "~", "$", ".", "`")) or ".." in name for name in call.names
        )
        return call.program == "rm" and bool(call.names) and not call.is_batch and plain and is_temporary(here)

    def _check_temporary(self, call: Call) -> Iterator[str]:
        """Checks whether a call runs a program or script in a temporary folder that this text did not create."""
        if call.wrapper and (call.wrapper not in WRAPPERS or call.wrapper in _TAKE_FILES):
            return
        script = call.names[0] if call.program in SHELLS and call.names else call.path
        if script.startswith(("/tmp/", "/var/tmp/", "/dev/shm/")) and script not in self._made:
            yield "download"

    def _remember(self, command: ShellCommand) -> None:
        """Remembers the scripts that a command writes, and the folder to which it changes."""
        if command.program not in _FETCHERS:
            self._made.update(after for word, after in itertools.pairwise(command.words) if word == "-o")
        if command.program in ("cat", "tee", "echo", "printf") and command.source is None:
            self._made.update(each.path for each in command.writes)
            content = command.body or "\n".join(command.words[1:])
            named = command.words[1:2] if command.program == "tee" else []
            for path in [*(each.path for each in command.writes), *named]:
                self._scripts[path.rpartition("/")[2]] = content
        if command.program in ("cd", "pushd") and len(command.words) == 2:
            self._cwd = resolve_path(command.words[1], self._cwd, self._place.home) or ""

    def _check_files(self, command: ShellCommand, calls: list[Call]) -> Iterator[str]:
        for redirect in command.writes:
            if redirect.path in NULLS or redirect.path.startswith(("/dev/fd/", "/dev/stdout")):
                continue
            if redirect.path.startswith(("/dev/tcp/", "/dev/udp/")):
                yield "remote"
            elif redirect.path.startswith("/dev/") and not redirect.path.startswith(("/dev/pts", "/dev/tty")):
                yield "disk"
            if destroys_target(command, calls, redirect):
                yield "overwrite"
            yield from self._check_path(redirect.path)
        for call in () if any(copies_example([each.program, *each.args]) for each in calls) else calls:
            moves = call.program == "mv"
            targets = list(find_targets(call))
            for path in targets:
                if (
                    path not in NULLS
                    and not path.startswith("/dev/fd/")
                    and not (call.program == "rm" and is_throwaway(path))
                ):
                    yield from self._check_path(path, moves=moves and path == targets[-1])

    def _check_path(self, path: str, *, moves: bool = False) -> Iterator[str]:
        if names_our_files(path, self._place):
            yield "answers"
        yield from check_written(resolve_path(path, self._cwd, self._place.home), self._place, moves=moves)

    def _check_words(self, command: ShellCommand, calls: list[Call]) -> Iterator[str]:
        words, body = command.words, command.body or ""
        if command.program not in _READERS and STATEMENT.search("\n".join([*words, body])):
            yield "data"
        shows_names = command.program in NAMES_ONLY or (command.program == "git" and words[1:2] in _GIT_NAMES_ONLY)
        if not shows_names or _EXECS & set(words):
            named = [*words, *(each.path for each in command.writes), *command.reads]
            uses_token = not (command.program in _FETCHERS and _fetches_here(command))
            scripts = {text for call in calls for text in find_scripts(call)}  # which are checked separately
            if not any(copies_example([call.program, *call.args]) for call in calls) and any(
                CREDENTIALS.search(word) or (uses_token and _SECRET.search(word))
                for word in named
                if word not in scripts
            ):
                yield "credentials"
        if self._reaches_our_files(command):
            yield "answers"

    def _reaches_our_files(self, command: ShellCommand) -> bool:
        """Returns whether a command could write our files, or read those with requests."""
        given = [*command.words[1:], *command.reads, *(value for _, value in command.assignments)]
        if INTERPRETER.fullmatch(command.program):
            given.append(command.body or "")
        if command.program in _SHOWS:
            return any(names_requests(each, self._place) for each in given)
        if command.source is not None and command.source.program in _LISTS:  # as in `find … | xargs rm`
            given += command.source.words[1:]
        seen = command.program in NAMES_ONLY and command.source is None and not _EXECS & set(command.words)
        return not seen and any(names_our_files(each, self._place) for each in given)


def _fetches_here(command: ShellCommand) -> bool:
    return reaches_this_machine(Call(command.program, tuple(command.words[1:]), command, command.words[0]))


def _is_undecided(name: str) -> bool:
    """Returns whether only the shell can determine the name of a program."""
    if (
        "?" in name
        or "*" in name
        or ("{" in name and "," in name)
        or ("[" in name and "]" in name and name not in ("[", "[["))
    ):
        return True
    return ("$" in name or "`" in name) and not re.fullmatch(r"\$\{?\w+\}?", name)


def _find_script_name(call: Call) -> str:
    """Returns the name of the script that a call runs, without its folder; "" if there is none."""
    if call.program in SHELLS or call.program in ("source", "."):
        return call.names[0].rpartition("/")[2] if call.names else ""
    return call.program
