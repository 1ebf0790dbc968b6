"""What in a request looks dangerous, so that a yes to it is asked for twice: a short list, and the user's own patterns. Pure.

A look, and no guard: what a variable, a script or a program of one's own hides is not seen. Nothing is ever refused for it.
"""

import difflib
import itertools
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from atm_tui.model.request import PLAN, QUESTION, Request
from atm_tui.risk.patterns import PatternError, compile_pattern, find_matches
from atm_tui.risk.programs import CHECKS, NULLS
from atm_tui.risk.shell import SHELLS, ShellCommand, UnreadableError
from atm_tui.risk.shell_process import SHELL

if TYPE_CHECKING:
    from regex import Pattern

DANGERS = {
    "delete": "deletes folders with all that is in them",
    "download": "runs what it downloads, or what another command prints",
    "push": "overwrites or deletes what others can have pulled",
    "discard": "throws away changes that git can't bring back",
    "outside": "writes outside the project",
    "credentials": "touches credentials",
    "root": "runs as another user, or as root",
    "open": "lets everybody write",
    "disk": "overwrites a disk, or turns the machine off",
    "data": "drops tables or databases",
    "remote": "deletes or publishes something elsewhere",
    "settings": "changes what Claude Code, git or the system runs by itself",
    "sandbox": "runs outside the sandbox",
    "wide": "allows far more than what is asked now",
    "mode": "switches to a mode that asks less, or no more",
    "hidden": "holds characters that a screen doesn't show",
    "alike": "mixes letters that look like others",
    "unread": "is too long, too nested or too garbled to be looked through",
}
"""The built-in list: the id by which the configuration leaves an entry out, and the words that are shown."""

_LONGEST = 50_000
"""Characters of a command, or of a path, that are looked through."""


class DangerError(Exception):
    """An entry of `dangers` in the configuration can't be used; the text names it and says what to do."""


class Rules(NamedTuple):
    """What is looked for besides, and what not."""

    patterns: tuple["Pattern[str]", ...] = ()
    left_out: frozenset[str] = frozenset()


ALL = Rules()
"""The built-in list, whole."""


def rules(entries: Iterable[str]) -> Rules:
    """Rules from the configuration: a regular expression each, or "!id", which leaves out one of the built-in list.

    Raises DangerError.
    """
    patterns, left_out = [], set()
    for entry in entries:
        if entry.startswith("!"):
            if entry[1:] not in DANGERS:
                close = difflib.get_close_matches(entry[1:], DANGERS, n=1)
                hint = f'did you mean "!{close[0]}"?' if close else f"there are: {', '.join(DANGERS)}."
                raise DangerError(f'"{entry}" leaves out nothing; {hint}')
            left_out.add(entry[1:])
            continue
        try:
            patterns.append(compile_pattern(entry))
        except PatternError as error:
            raise DangerError(f'"{entry}" is no regular expression: {error}. Correct it, or remove it.') from error
        if not entry:
            raise DangerError('"" fits everything. Remove it.')
    return Rules(tuple(patterns), frozenset(left_out))


class Place(NamedTuple):
    """Where something is asked."""

    roots: Sequence[str]
    home: str
    real: Callable[[str], str]


def dangers(
    request: Request,
    roots: Sequence[str],
    home: str,
    wanted: Rules = ALL,
    real: Callable[[str], str] = str,
) -> tuple[str, ...]:
    """Why this request should be asked for twice, in words; () when nothing looks dangerous.

    `roots`: the folders that count as the project; none: whatever is written is outside. `real` follows links.
    """
    place = Place(tuple(dict.fromkeys((*roots, *map(real, filter(None, roots))))), home, real)
    found = dict.fromkeys(each for each in _found(request, place) if each not in wanted.left_out)
    reasons = [DANGERS[each] for each in DANGERS if each in found]
    return (*reasons, *find_matches(wanted.patterns, list(strings(request.input))))


def hidden_characters(text: str) -> bool:
    """Whether some of it is invisible, changes the order of the rest, or steers a terminal."""
    return bool(_CONTROL.search(text)) or bool(not text.isascii() and _HIDDEN.search(text))


_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)")
_HIDDEN = re.compile(
    "[\x80-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e"
    "\u2800\ufeff\uffa0\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\ufff0-\ufffb\U000e0000-\U000e0fff\ud800-\udfff]|[!-~]\ufe0f(?!\u20e3)"
)
_ALIKE = "АВЕЅІЈКМНОРСТУХавеѕіјкмнорстухһԁԛԝӏѵΑΒΕΖΗΙΚΜΝΟΡΤΥΧο\u2024\u2044\u2215\u29f8\uff01-\uff5e"
_MIXED = re.compile(f"[A-Za-z0-9][{_ALIKE}]|[{_ALIKE}][A-Za-z0-9]")
"""A letter of another alphabet, or a slash or dot of another kind, that stands among ours."""


def _found(request: Request, place: Place) -> Iterator[str]:
    """Ids of what looks dangerous, in no order."""
    given, tool = request.input, request.tool
    if any(map(hidden_characters, strings(given))):
        yield "hidden"
    if tool in (QUESTION, PLAN):
        return
    if given.get("dangerouslyDisableSandbox") is True:
        yield "sandbox"
    command = given.get("command")
    if isinstance(command, str):
        yield from command_dangers(command, request.cwd, place)
    writes = tool in ("Edit", "MultiEdit", "Write", "NotebookEdit")
    for key, value in given.items():
        path = key in ("file_path", "notebook_path", "path", "pattern", "glob", "filename", "file", "uri", "url")
        if not isinstance(value, str) or not (path and (tool != "Grep" or key in ("path", "glob"))):
            continue
        if len(value) > _LONGEST:
            yield "unread"
            continue
        if not value.isascii() and _MIXED.search(value):
            yield "alike"
        where = _resolved(value, request.cwd, place.home)
        if CREDENTIALS.search(value) or (where and CREDENTIALS.search(place.real(where))):
            yield "credentials"
        if writes and key in ("file_path", "notebook_path"):
            yield from _written(where, place)
    if tool.startswith("mcp__") and any(map(_DROPS.search, strings(given))):
        yield "data"


def command_dangers(text: str, cwd: str, place: Place, *, again: bool = False) -> Iterator[str]:
    """Ids of what looks dangerous in a shell command, in no order."""
    if not text.isascii() and _MIXED.search(text):
        yield "alike"
    if len(text) > _LONGEST:
        yield "unread"
        text = text[:_LONGEST]
    try:
        simples = SHELL.read_commands(text)
    except UnreadableError:
        yield "unread"
        return
    if _GARBLED.search(text):
        yield "unread"
    fetched: set[str] = set()
    scripts: dict[str, str] = {}
    for simple in simples:
        if _is_unfinished(simple.program):
            yield "unread"
        for argv in simple.argument_lists():
            yield from (name for name, check in CHECKS if check(argv))
            yield from _run_from_elsewhere(simple, argv, fetched)
            # a script that was written a moment ago; what such a script writes is not followed
            script = scripts.get(_run(argv))
            if script and not again:
                yield from command_dangers(script, cwd, place, again=True)
        if simple.program in ("cat", "tee", "echo", "printf"):
            content = simple.body or "\n".join(simple.words[1:])
            scripts.update((_last(path), content) for path in [*simple.writes, *simple.words[1:][:1]])
        for path in _targets(simple):
            if path not in NULLS and not path.startswith("/dev/fd/"):
                yield from _written(_resolved(path, cwd, place.home), place)
        if simple.program in ("cd", "pushd") and len(simple.words) == 2:
            cwd = _resolved(simple.words[1], cwd, place.home) or ""
        if simple.program not in _READERS and _DROPS.search("\n".join([*simple.words, simple.body])):
            yield "data"
        if any(CREDENTIALS.search(word) or _SECRET.search(word) for word in [*simple.words, *simple.writes]):
            yield "credentials"


_GARBLED = re.compile(r"\$\{?IFS\b")
_READERS = frozenset(
    {"grep", "egrep", "fgrep", "rg", "ag", "ack", "echo", "printf", "git", "cat", "sed", "awk", "gh", ""}
)
"""Programs that name a table without dropping it."""
_DROPS = re.compile(
    r"\bdrop\s+(?:table|database|schema|keyspace|index|user|role|collection)\b|\btruncate\s+table\b|\.drop(?:Database|Collection)?\(\s*\)"
    r"|\bdelete\s+from\s+[\w.\"`]+\s*(?:;|$)",
    re.IGNORECASE,
)

# --- what is run that nobody has seen

_FETCHERS = frozenset({"curl", "wget", "fetch", "aria2c", "http", "xh"})
RUNNERS = re.compile(r"(?:ba|z|da|k|fi|a)?sh|python[0-9.]*|perl|ruby|node|deno|bun|php|lua|Rscript|osascript|pwsh")


def _run_from_elsewhere(simple: ShellCommand, argv: Sequence[str], fetched: set[str]) -> Iterator[str]:
    """Programs that come through a pipe, or from a download; `fetched` keeps what was downloaded so far."""
    head, *rest = argv
    if head in _FETCHERS:
        kept = [*(word for word in rest if not word.startswith("-")), *simple.writes]
        fetched.update(word.rstrip("/").rpartition("/")[2] for word in kept)
    if head in ("nc", "ncat", "netcat", "socat") and any(
        re.match(r"-\w*[ec]$|--(?:sh-)?exec|exec:", w, re.IGNORECASE) for w in rest
    ):
        yield "download"
    if head == "xargs" and simple.piped and {"{}"} & set(rest) and any(map(RUNNERS.fullmatch, rest)):
        yield "download"
    runs = bool(RUNNERS.fullmatch(head))
    names = [word for word in rest if not word.startswith("-")]
    from_pipe = runs and simple.piped and _reads_program(head, rest)
    runs = runs or head in ("eval", "source", ".")
    from_inner = runs and (
        any(each.program in _FETCHERS for each in simple.inner) or (rest[:1] != [] and rest[0].startswith("<("))
    )
    from_file = bool(names) and runs and _last(names[0]) in fetched
    as_program = head in fetched and simple.words[0] != head
    if from_pipe or from_inner or from_file or as_program:
        yield "download"


def _is_unfinished(name: str) -> bool:
    """A program's name that only the shell finishes."""
    return "?" in name or "*" in name or ("{" in name and "," in name) or ("[" in name and "]" in name)


def _run(argv: Sequence[str]) -> str:
    """The name of the script that a command runs, without its folder; "" when there is none."""
    names = [word for word in argv[1:] if not word.startswith("-")]
    if argv[0] in SHELLS or argv[0] in ("source", "."):
        return _last(names[0]) if names else ""
    return argv[0]


def _reads_program(head: str, rest: Sequence[str]) -> bool:
    """Whether an interpreter with these arguments takes its program from its input."""
    for word in rest:
        if word in ("-", "/dev/stdin", "-s") or (head in SHELLS and word.startswith("-s")):
            return True
        if not word.startswith("-"):
            return False
        if not word.startswith("--") and set(word) & set("c" if head in SHELLS else "cempner"):
            return False
        if word in ("--eval", "--print", "--version", "--help", "-V", "-h", "--check"):
            return False
    return True


def _last(path: str) -> str:
    return path.rpartition("/")[2]


# --- files

CREDENTIALS = re.compile(
    r"(?:^|[/=@:\s'\"])(?:\.env(?:rc)?(?!\.(?:example|sample|template|dist|test)\b)(?:\.[\w.-]+)?|\.netrc|\.pgpass|\.npmrc|\.pypirc|\.git-credentials"
    r"|\.htpasswd|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|credentials(?:\.json)?|\.credentials\.json|shadow|login\.keychain[\w.-]{0,20}"
    r"|[^/\s]{1,255}\.(?:pem|p12|pfx|keystore|jks|kdbx|keychain(?:-db)?))(?=$|[\s'\"*?:;,)])"
    r"|(?:^|[/=@:\s'\"~])(?:\.ssh|\.gnupg|\.aws|\.azure|\.kube|\.docker/config\.json|\.config/(?:gh|gcloud)|Keychains|\.password-store)(?=$|[/\s'\"*])"
    r"|/proc/[^/\s]{1,32}/environ"
)
_SECRET = re.compile(r"\$\{?\w{0,99}(?:TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|PRIVATE_?KEY|CREDENTIALS)(?![A-Z])")
_SETTINGS = re.compile(
    r"(?:^|/)(?:\.claude/(?:settings[^/]*\.json|hooks/.*)|\.git/(?:hooks/.*|config)|\.mcp\.json|\.claude\.json)$"
)
_OUTPUTS = {"curl": ("-o", "--output", "--output-dir"), "wget": ("-O", "-P", "--output-document")}
_WRITERS = {
    "unlink": "all",
    "tee": "all",
    "rm": "all",
    "touch": "all",
    "truncate": "all",
    "mkdir": "all",
    "rmdir": "all",
    "chmod": "but first",
}
_WRITERS |= {"chown": "but first", "cp": "last", "mv": "all", "ln": "last", "install": "last", "rsync": "last"}
"""Which of the arguments that are no options such a program writes to."""


def _targets(simple: ShellCommand) -> list[str]:
    """The files that a command plainly writes, moves or removes."""
    found = list(simple.writes)
    for argv in simple.argument_lists():
        names = [word for word in argv[1:] if not word.startswith("-")]
        which = _WRITERS.get(argv[0])
        if which == "all":
            found += names
        elif which == "but first":
            found += names[1:]
        elif which == "last" and len(names) > 1:
            found.append(names[-1])
        elif argv[0] == "sed" and any(word.startswith(("-i", "--in-place")) for word in argv):
            found += names[1:]
        elif argv[0] == "tar":
            found += [after for word, after in itertools.pairwise(argv) if word in ("-C", "--directory")]
        elif argv[0] == "unzip":
            found += [after for word, after in itertools.pairwise(argv) if word == "-d"]
        elif argv[0] in ("curl", "wget"):
            found += [after for word, after in itertools.pairwise(argv) if word in _OUTPUTS[argv[0]]]
        elif argv[0] == "dd":
            found += [word[3:] for word in argv if word.startswith("of=")]
    return found


def _resolved(path: str, cwd: str, home: str) -> str | None:
    """Where a path leads; None where its text alone doesn't tell."""
    for start in ("~/", "$HOME/", "${HOME}/"):
        if home and path.startswith(start):
            path = f"{home}/{path[len(start) :]}"
    if home and path in ("~", "$HOME", "${HOME}"):
        path = home
    if path.startswith(("$", "`")) or (not path.startswith(("/", "~")) and not cwd):
        return None
    return posixpath.normpath(path if path.startswith(("/", "~")) else f"{cwd}/{path}")


def _written(path: str | None, place: Place) -> Iterator[str]:
    if path is None:
        return
    real = place.real(path)
    for each in dict.fromkeys((path, real)):
        if not any(is_inside(each, root) for root in place.roots if root):
            yield "outside"
        if _SETTINGS.search(each):
            yield "settings"
    if CREDENTIALS.search(real):
        yield "credentials"


def is_inside(path: str, folder: str) -> bool:
    """Whether a path is a folder, or in it, by its text."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def strings(value: object) -> Iterator[str]:
    """All texts in a value, the names of its keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield str(key)
            yield from strings(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from strings(each)
