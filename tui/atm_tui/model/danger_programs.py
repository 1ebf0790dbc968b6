"""Programs whose arguments alone look dangerous: one small check an id of model.danger. Pure.

Each takes the program's name without its folder, and its arguments.
"""

import re
from collections.abc import Callable, Iterator, Sequence

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
    return argv[0] in ("shred", "srm") or (argv[0] == "rsync" and any(word.startswith("--delete") for word in argv))


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
    return (name == "stash" and rest[:1] in (["drop"], ["clear"])) or (
        name == "worktree" and _has(git, "-f", "--force")
    )


def _as_root(argv: Sequence[str]) -> bool:
    return argv[0] in ("sudo", "doas", "su", "pkexec", "runuser")


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
    return argv[0] in ("dropdb", "dropuser") or (
        argv[0] == "redis-cli" and bool({"flushall", "flushdb"} & {w.lower() for w in argv})
    )


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
    ("remote", _far),
)
"""By id."""
