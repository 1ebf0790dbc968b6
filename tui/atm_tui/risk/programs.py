"""Programs whose arguments alone look dangerous: one small check an id of model.danger. Pure.

Each takes the program's name without its folder, and its arguments.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

NULLS = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero"})
"""Devices to which anybody can write without harm."""


def _flags(argv: Sequence[str]) -> Iterator[str]:
    """Options: letters of short ones apart, long ones without their value."""
    for word in argv[1:]:
        if word == "--":
            return
        if word.startswith("--"):
            yield word.partition("=")[0]
        elif word.startswith("-"):
            yield from (f"-{letter}" for letter in word[1:])


def _has(argv: Sequence[str], *wanted: str) -> bool:
    return not set(wanted).isdisjoint(_flags(argv))


def _git(argv: Sequence[str]) -> list[str]:
    """The subcommand of git and its arguments; [] for another program."""
    if argv[0] != "git":
        return []
    at = 1
    while at < len(argv) and argv[at].startswith("-"):
        at += 2 if argv[at] in ("-C", "-c", "--git-dir", "--work-tree", "--namespace") else 1
    return list(argv[at:])


def _deletes(argv: Sequence[str]) -> bool:
    if argv[0] == "rm":
        # GNU takes any start of a long option that is its alone
        return any(each in ("-r", "-R") or (len(each) > 2 and "--recursive".startswith(each)) for each in _flags(argv))
    if argv[0] in ("find", "fd"):
        return "-delete" in argv
    if argv[0] in ("xargs", "parallel"):  # of whatever another command names
        names = [word for before, word in pairwise(argv) if before not in _XARGS and word[0:1] not in ("-", "")]
        return names[:1] in (["rm"], ["/bin/rm"])
    if argv[0].startswith("$"):
        return {"-r", "-f"} <= {each.lower() for each in _flags(argv)}
    if _CODE.fullmatch(argv[0]) and any(_REMOVES.search(word) for word in argv[1:]):
        return True
    return argv[0] in ("shred", "srm") or (argv[0] == "rsync" and any(word.startswith("--delete") for word in argv))


_XARGS = frozenset("-a -d -E -I -n -P -L -s -j".split())  # noqa: SIM905
"""Options of xargs that take a word."""
_CODE = re.compile(
    r"python[0-9.]*|perl|ruby|node|deno|bun|php|lua|[gm]?awk|n?vim?|script|osascript|pwsh|env|xonsh|Rscript"
)
"""Programs that take a program as an argument."""
_REMOVES = re.compile(
    r"\brm\s+(?:-\S+\s+)*-\w*[rR]|rmtree|rm_r?f?\b|rimraf|rmSync\(.{0,200}recursive|rm\(.{0,200}recursive|remove_dir_all|Remove-Item.{0,200}-Recurse"
)


def _pushes(argv: Sequence[str]) -> bool:
    git = _git(argv)
    if git[:1] == ["push"]:
        names = [word for word in git[1:] if not word.startswith("-")]
        forced = ("-f", "--force", "--force-with-lease", "--mirror", "-d", "--delete", "--prune")
        return _has(git, *forced) or any(word.startswith(("+", ":")) for word in names)
    return git[:1] in (["filter-branch"], ["filter-repo"])


def _discards(argv: Sequence[str]) -> bool:
    git = _git(argv)
    if not git:
        return False
    name, rest = git[0], git[1:]
    if name == "reset":
        return "--hard" in rest
    if name == "clean":
        return _has(git, "-f", "--force") and not _has(git, "-n", "--dry-run")
    if name == "checkout":
        return _has(git, "-f", "--force") or "--" in rest or "." in rest
    if name in ("switch", "branch"):
        return _has(git, "-D", "--discard-changes") or (_has(git, "-f", "--force") and name == "switch")
    if name == "restore":
        return not _has(git, "--staged", "-S") or _has(git, "--worktree", "-W")
    if name == "reflog":
        return rest[:1] in (["expire"], ["delete"])
    if name in ("update-ref", "gc"):
        return "-d" in rest or "--prune=now" in rest
    return (name == "stash" and rest[:1] in (["drop"], ["clear"])) or (
        name == "worktree" and _has(git, "-f", "--force")
    )


def _as_root(argv: Sequence[str]) -> bool:
    if argv[0] in ("docker", "podman") and "run" in argv[1:4]:
        mounts = [after for word, after in pairwise(argv) if word in ("-v", "--volume")]
        return "--privileged" in argv or any(each.startswith("/:") for each in mounts)
    return argv[0] in ("sudo", "doas", "su", "pkexec", "runuser")


def _starts_by_itself(argv: Sequence[str]) -> bool:
    head, *rest = argv
    git = _git(argv)
    if git:
        before = list(argv[1 : len(argv) - len(git)])
        given = [after for word, after in pairwise(before) if word == "-c"]
        sets = git[0] == "config" and len([word for word in git[1:] if not word.startswith("-")]) > 1
        keys = given + (git[1:] if sets else [])
        return any(_GIT_RUNS.match(each) for each in keys) or any("=!" in each for each in given)
    if head == "crontab":
        return "-l" not in rest
    if head == "launchctl":
        return rest[:1] in (["load"], ["bootstrap"], ["submit"])
    if head == "systemctl":
        return "enable" in rest
    return head == "claude" and rest[:2] in (["mcp", "add"], ["mcp", "add-json"], ["config", "set"])


_GIT_RUNS = re.compile(
    r"(?:core\.(?:hookspath|sshcommand|fsmonitor|gitproxy)|credential\..*helper|include(?:if\..*)?\.path|filter\..*|url\..*insteadof)\b",
    re.IGNORECASE,
)


def _asks_no_more(argv: Sequence[str]) -> bool:
    return argv[0] == "claude" and any("dangerously-skip-permissions" in w or "bypassPermissions" in w for w in argv)


def _shows_secrets(argv: Sequence[str]) -> bool:
    head, *rest = argv
    first = [word for word in rest if not word.startswith("-")][:3]
    match head:
        case "security":
            return bool(first) and (first[0].startswith(("find-", "dump-")) or first[0] == "export")
        case "gpg" | "gpg2":
            return any(word.startswith("--export-secret") for word in rest)
        case "gh" | "vault" | "op" | "pass" | "kubectl" | "heroku":
            told = (["auth", "token"], ["kv", "get"], ["get", "secret"], ["get", "secrets"], ["config:get"])
            return (
                first[:2] in told or first[:1] in told or (head in ("op", "pass") and first[:1] in (["read"], ["show"]))
            )
    return False


def _opens(argv: Sequence[str]) -> bool:
    return argv[0] == "chmod" and any(_EVERYBODY.fullmatch(word) for word in argv[1:])


_EVERYBODY = re.compile(
    r"[0-7]?[0-7]{2}[2367]|(?:[ug]*[oa][ugoa]*)?[+=][rwxXst]*w[rwxXst]*(?:,.*)?|.*,[ug]*[oa][ugoa]*[+=][rxXst]*w.*"
)


def _harms_disk(argv: Sequence[str]) -> bool:
    head, *rest = argv
    if head == "dd":
        return any(word.startswith("of=/dev/") and word[3:] not in NULLS for word in rest)
    if head in ("kill", "killall5"):
        return "-1" in rest[1:] or head == "killall5"
    programs = "fdisk parted wipefs blkdiscard sgdisk shutdown reboot halt poweroff".split()  # noqa: SIM905
    if head == "diskutil":
        return bool(rest) and rest[0].lower().startswith(("erase", "partition", "reformat", "zero"))
    return (
        head in programs or head.startswith("mkfs") or (head == "systemctl" and rest[:1] in (["poweroff"], ["reboot"]))
    )


def _drops(argv: Sequence[str]) -> bool:
    if argv[0] in ("psql", "mysql", "mariadb", "sqlite3", "clickhouse-client"):
        return any(_TRUNCATES.search(word) for word in argv[1:])
    return argv[0] in ("dropdb", "dropuser") or (
        argv[0] == "redis-cli" and bool({"flushall", "flushdb"} & {w.lower() for w in argv})
    )


_TRUNCATES = re.compile(r"\btruncate\s+\w", re.IGNORECASE)


def _far(argv: Sequence[str]) -> bool:
    head, *rest = argv
    names = [word for word in rest if not word.startswith("-")]
    first = names[0] if names else ""
    if head in ("npm", "pnpm", "yarn", "cargo", "poetry", "uv", "hatch", "flit", "bun"):
        return first == "publish" or names[:2] == ["npm", "publish"] or (head == "npm" and first == "unpublish")
    if head in ("twine", "gem"):
        return first in ("upload", "push")
    if head in ("terraform", "tofu", "pulumi", "cdk"):
        return first == "destroy" or "-destroy" in rest or any(word.startswith("-auto-approve") for word in rest)
    if head in ("kubectl", "oc", "helm"):
        return first in ("delete", "drain", "uninstall")
    if head == "aws":
        return any(word.startswith(("delete-", "terminate-")) for word in names) or names[:2] in (
            ["s3", "rm"],
            ["s3", "rb"],
        )
    if head in ("gcloud", "az", "gh", "gsutil", "heroku", "fly", "flyctl"):
        return bool({"delete", "rm", "destroy", "apps:destroy", "purge"} & set(names[:4]))
    return head in ("docker", "podman") and names[-1:] == ["prune"]


CHECKS: tuple[tuple[str, Callable[[Sequence[str]], bool]], ...] = (
    ("delete", _deletes),
    ("push", _pushes),
    ("discard", _discards),
    ("root", _as_root),
    ("open", _opens),
    ("disk", _harms_disk),
    ("data", _drops),
    ("settings", _starts_by_itself),
    ("mode", _asks_no_more),
    ("credentials", _shows_secrets),
    ("remote", _far),
)
"""By id."""
