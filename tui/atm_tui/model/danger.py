"""What in a request looks dangerous, so that a yes to it is asked for twice: a short list, and the user's own patterns. Pure.

A look, and no guard: what a variable, a script or a program of one's own hides is not seen. Nothing is ever refused for it.
"""

import difflib
import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from atm_tui.model.danger_programs import CHECKS, NULLS
from atm_tui.model.request import PLAN, QUESTION, Request
from atm_tui.model.shell import SHELLS, Simple, TooDeepError, commands

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
    "settings": "changes what Claude Code or git runs by itself",
    "sandbox": "runs outside the sandbox",
    "hidden": "holds characters that a screen doesn't show",
    "unread": "is too long or too nested to be looked through",
}
"""The built-in list: the id by which the configuration leaves an entry out, and the words that are shown."""

_LONGEST = 50_000
"""Characters of a command that are looked through."""


class DangerError(Exception):
    """An entry of `dangers` in the configuration can't be used; the text names it and says what to do."""


class Rules(NamedTuple):
    """What is looked for besides, and what not."""

    patterns: tuple[re.Pattern[str], ...] = ()
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
            patterns.append(re.compile(entry))
        except re.error as error:
            raise DangerError(f'"{entry}" is no regular expression: {error}. Correct it, or remove it.') from error
        if not entry:
            raise DangerError('"" fits everything. Remove it.')
    return Rules(tuple(patterns), frozenset(left_out))


def dangers(request: Request, roots: Sequence[str], home: str, wanted: Rules = ALL) -> tuple[str, ...]:
    """Why this request should be asked for twice, in words; () when nothing looks dangerous.

    `roots`: the folders that count as the project; none: whatever is written is outside.
    """
    found = dict.fromkeys(each for each in _found(request, roots, home) if each not in wanted.left_out)
    reasons = [DANGERS[each] for each in DANGERS if each in found]
    texts = list(_strings(request.input))
    reasons += [f'fits "{p.pattern}", a pattern of yours' for p in wanted.patterns if any(map(p.search, texts))]
    return tuple(reasons)


def hidden_characters(text: str) -> bool:
    """Whether some of it is invisible, changes the order of the rest, or steers a terminal."""
    return bool(_CONTROL.search(text)) or bool(not text.isascii() and _HIDDEN.search(text))


_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)")
_HIDDEN = re.compile(
    "[\x80-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e"
    "\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff\ud800-\udfff]"
)


def _found(request: Request, roots: Sequence[str], home: str) -> Iterator[str]:
    """Ids of what looks dangerous, in no order."""
    given, tool = request.input, request.tool
    if any(map(hidden_characters, _strings(given))):
        yield "hidden"
    if tool in (QUESTION, PLAN):
        return
    if given.get("dangerouslyDisableSandbox") is True:
        yield "sandbox"
    command = given.get("command")
    if isinstance(command, str):
        yield from _command(command, request.cwd, roots, home)
    writes = tool in ("Edit", "MultiEdit", "Write", "NotebookEdit")
    for key, value in given.items():
        if not isinstance(value, str) or "\n" in value or key in ("command", "description", "old_string", "new_string"):
            continue
        path = key in ("file_path", "notebook_path", "path", "pattern", "glob", "filename", "file", "uri", "url")
        if (path and tool != "Grep") or key in ("path", "glob"):
            if _CREDENTIALS.search(value):
                yield "credentials"
            if writes and key in ("file_path", "notebook_path"):
                yield from _written(_resolved(value, request.cwd, home), roots)
    if tool.startswith("mcp__") and any(map(_DROPS.search, _strings(given))):
        yield "data"


def _command(text: str, cwd: str, roots: Sequence[str], home: str) -> Iterator[str]:
    if len(text) > _LONGEST:
        yield "unread"
        text = text[:_LONGEST]
    try:
        simples = commands(text)
    except (TooDeepError, RecursionError):
        yield "unread"
        return
    fetched: set[str] = set()
    for simple in simples:
        for argv in simple.argvs():
            yield from (name for name, check in CHECKS if check(argv))
            yield from _run_from_elsewhere(simple, argv, fetched)
        for path in _targets(simple):
            if path not in NULLS and not path.startswith("/dev/fd/"):
                yield from _written(_resolved(path, cwd, home), roots)
        if simple.head in ("cd", "pushd") and len(simple.words) == 2:
            cwd = _resolved(simple.words[1], cwd, home) or ""
        if simple.head not in _READERS and _DROPS.search("\n".join([*simple.words, simple.body])):
            yield "data"
        if any(_CREDENTIALS.search(word) or _SECRET.search(word) for word in [*simple.words, *simple.writes]):
            yield "credentials"


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
_RUNNERS = re.compile(r"(?:ba|z|da|k|fi|a)?sh|python[0-9.]*|perl|ruby|node|deno|bun|php|lua|Rscript|osascript|pwsh")


def _run_from_elsewhere(simple: Simple, argv: Sequence[str], fetched: set[str]) -> Iterator[str]:
    """Programs that come through a pipe, or from a download; `fetched` keeps what was downloaded so far."""
    head, *rest = argv
    if head in _FETCHERS:
        fetched.update(word.rstrip("/").rpartition("/")[2] for word in rest if not word.startswith("-"))
    runs = bool(_RUNNERS.fullmatch(head))
    names = [word for word in rest if not word.startswith("-")]
    from_pipe = runs and simple.piped and _reads_program(head, rest)
    runs = runs or head in ("eval", "source", ".")
    from_inner = runs and any(each.head in _FETCHERS for each in simple.inner)
    from_file = bool(names) and runs and _last(names[0]) in fetched
    as_program = head in fetched and simple.words[0] != head
    if from_pipe or from_inner or from_file or as_program:
        yield "download"


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

_CREDENTIALS = re.compile(
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
_WRITERS = {
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


def _targets(simple: Simple) -> list[str]:
    """The files that a command plainly writes, moves or removes."""
    found = list(simple.writes)
    for argv in simple.argvs():
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


def _written(path: str | None, roots: Sequence[str]) -> Iterator[str]:
    if path is None:
        return
    if not any(path == root or path.startswith(root.rstrip("/") + "/") for root in roots if root):
        yield "outside"
    if _SETTINGS.search(path):
        yield "settings"


def _strings(value: object) -> Iterator[str]:
    """All texts in a value, the names of its keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield str(key)
            yield from _strings(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _strings(each)
