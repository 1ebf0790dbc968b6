"""Checks git and other version control: what loses work, and what others see."""

import re
from collections.abc import Iterator, Sequence

from atm_tui.risk.calls import Call, assign_check
from atm_tui.risk.places import is_glob
from atm_tui.risk.tables import read_names

_SHARED = re.compile(
    r"(?:refs/heads/)?(?:main|master|trunk|develop|development|dev|prod|production|live|staging|stage|stable|next|gh-pages|pages|deploy"
    r"|release(?:[/-].*)?|hotfix/.*|rel/.*|\d+\.\d+(?:\.x)?)"
)
"""Branches that other people use."""
_TAG = re.compile(r"(?:refs/tags/.*|v?\d+\.\d+.*|v\d+)")
_DEPLOYS = re.compile(r"heroku|dokku|prod(?:uction)?|live|staging|deploy|piku|clever|scalingo", re.IGNORECASE)
_SOURCE_FILE = re.compile(
    r"/$|^\.|\*|\.(?:[chm]|cc|cpp|hpp|cs|css|go|html?|ini|java|jsx?|json|kt|lock|lua|md|mjs|php|pl|py|rb|rs|scss|sh|sql|svelte|swift|toml|tsx?|txt|vue|xml|ya?ml)$"
)
_RUNS = re.compile(
    r"(?:core\.(?:hookspath|sshcommand|fsmonitor|gitproxy|editor|pager|askpass|worktree|attributesfile)|credential\.|include(?:if\..*)?\.path|filter\."
    r"|url\..*insteadof|alias\..*!|pager\.|sequence\.editor|diff\.external|diff\..*\.(?:command|textconv)|merge\..*\.driver|gpg\..*program|gpg\.program"
    r"|init\.templatedir|http\.(?:proxy|sslverify)|protocol\..*\.allow|remote\..*\.(?:url|pushurl|proxy|uploadpack|receivepack|vcs)|core\.sshcommand|difftool\.|mergetool\.|browser\.|man\.|uploadpack\.|ssh\.variant|safe\.directory)",
    re.IGNORECASE,
)
_PLAIN_VALUES = re.compile(
    r"(?:core\.(?:editor|pager)|pager\.\w+|sequence\.editor)=(?:cat|less|true|false|:|vim?|nano|code --wait|more|delta)?$",
    re.IGNORECASE,
)


def split_git(args: Sequence[str]) -> tuple[list[str], list[str]]:
    """Returns the settings given by -c before the subcommand, and the subcommand with its arguments."""
    at = 0
    settings: list[str] = []
    while at < len(args) and args[at].startswith("-"):
        takes = args[at] in (
            "-C",
            "-c",
            "--git-dir",
            "--work-tree",
            "--namespace",
            "--exec-path",
            "--config-env",
            "--super-prefix",
        )
        if args[at] in ("-c", "--config-env"):
            settings += args[at + 1 : at + 2]
        elif args[at].startswith(("--exec-path=", "--config-env=")):
            settings.append("core.sshCommand=" + args[at])
        at += 2 if takes else 1
    return settings, list(args[at:])


def check_git(call: Call) -> Iterator[str]:
    """git, by its subcommand."""
    settings, rest = split_git(call.args)
    if any((_RUNS.match(each) or "=!" in each) and not _PLAIN_VALUES.match(each) for each in settings):
        yield "settings"
    if not rest:
        return
    verb, args = rest[0], rest[1:]
    flags = _read_flags(args)
    names = [word for word in args if not word.startswith("-")]
    yield from _check_shared(verb, flags, names)
    if _discards(verb, args, flags, names):
        yield "discard"
    yield from _check_settings(verb, args, flags, names)
    if call.is_batch and verb in ("rm", "checkout", "restore", "branch", "tag", "push"):
        yield "discard"


def _read_flags(args: Sequence[str]) -> set[str]:
    found: set[str] = set()
    for word in args:
        if word == "--":
            break
        if word.startswith("--"):
            found.add(word.partition("=")[0])
        elif word.startswith("-"):
            found |= {f"-{letter}" for letter in word[1:]}
    return found


def _check_shared(verb: str, flags: set[str], names: Sequence[str]) -> Iterator[str]:
    """Yields dangers to what other people have, or will get."""
    if verb == "push" and not flags & {"-n", "--dry-run", "-h", "--help"}:
        forced = {"-f", "--force", "--force-with-lease", "--force-if-includes", "--mirror", "-d", "--delete", "--prune"}
        if flags & forced or any(word.startswith(("+", ":")) for word in names):
            yield "push"
        targets = [word.rpartition(":")[2] for word in names[1:]]
        if flags & {"--tags", "--all", "--branches"} or any(
            _SHARED.fullmatch(each) or _TAG.fullmatch(each) for each in targets
        ):
            yield "remote"
        if (
            any(_DEPLOYS.search(each) for each in names[:1])
            or "tag" in names[1:2]
            or any(":" in word for word in names[1:])
        ):
            yield "remote"
    elif (
        verb in ("filter-branch", "filter-repo", "replace", "fast-import")
        or (verb == "commit" and "--amend" in flags)
        or (
            verb == "rebase"
            and flags & {"-i", "--interactive", "--root", "--onto", "-x", "--exec", "-f", "--force-rebase", "--no-ff"}
        )
        or (verb == "tag" and flags & {"-d", "--delete", "-f", "--force"})
        or (verb == "lfs" and names[:1] in (["migrate"], ["prune"]))
        or (verb == "notes" and names[:1] in (["remove"], ["prune"]))
    ):
        yield "push"
    if verb == "rebase" and flags & {"-x", "--exec"}:
        yield "download"
    if verb in ("send-email", "request-pull", "imap-send") or (
        verb in ("svn", "p4", "cvsexportcommit") and names[:1] in (["dcommit"], ["submit"])
    ):
        yield "remote"
    if verb == "flow" and "finish" in names:
        yield "push"


def _discards(verb: str, args: Sequence[str], flags: set[str], names: Sequence[str]) -> bool:
    """Returns whether a command discards changes that git can't restore."""
    if verb == "reset":
        return bool(flags & {"--hard", "--merge", "--keep"})
    if verb == "clean":
        return not flags & {"-n", "--dry-run"} and bool(flags & {"-f", "--force", "-x", "-X", "-d"})
    if verb == "checkout":
        if flags & {"-f", "--force", "-B"} or "--" in args or "--ours" in flags or "--theirs" in flags:
            return True
        if flags & {"-b", "--orphan", "-t", "--track", "--detach", "-p", "--patch"}:
            return "--orphan" in flags
        return len(names) > 1 or any(_SOURCE_FILE.search(name) for name in names)
    if verb == "switch":
        return bool(flags & {"-C", "--discard-changes", "-f", "--force", "--force-create", "--orphan"})
    if verb == "branch":
        return bool(flags & {"-D", "-M", "-C", "-f", "--force"})
    if verb == "restore":
        return not flags & {"--staged", "-S"} or bool(flags & {"--worktree", "-W"})
    if verb == "rm":
        return (
            bool(flags & {"-r", "-f", "--force"}) or any(is_glob(name) or "$" in name for name in names)
        ) and "--cached" not in flags
    if verb == "reflog":
        return names[:1] in (["expire"], ["delete"])
    if verb == "update-ref" or (verb == "symbolic-ref" and len(names) > 1) or (verb == "rebase" and "--skip" in flags):
        return True
    if verb == "fetch":
        return any(name.startswith("+") for name in names[1:])
    if verb in ("gc", "prune"):
        return verb == "prune" or "--prune=now" in args or "--prune=all" in args
    if verb == "stash":
        return names[:1] in (["drop"], ["clear"])
    if verb == "submodule":
        return names[:1] == ["deinit"] or (bool(flags & {"-f", "--force"}) and "update" in names)
    if verb == "worktree":
        return (
            names[:1] in (["remove"], ["prune"])
            and (names[0] == "remove" or "--expire" in flags)
            and bool(flags & {"-f", "--force"})
        )
    if verb == "read-tree":
        return bool(flags & {"--reset", "-u"})
    return verb == "checkout-index" and bool(flags & {"-f", "--force", "-a"})


def _check_settings(verb: str, args: Sequence[str], flags: set[str], names: Sequence[str]) -> Iterator[str]:
    """Yields dangers from settings by which git or others run programs automatically."""
    if verb == "config":
        asks = flags & {
            "--get",
            "--get-all",
            "--get-regexp",
            "--list",
            "-l",
            "--show-origin",
            "--name-only",
            "--get-urlmatch",
        }
        keys = [name for name in names if name not in ("set", "unset", "get", "list")]
        sets = (
            len(keys) > 1
            or bool(flags & {"--unset", "--unset-all", "--add", "--replace-all", "--remove-section", "-e", "--edit"})
        ) and "get" not in names[:1]
        if (
            sets
            and not asks
            and (
                not keys
                or any(_RUNS.match(" ".join(keys)) or ("alias." in key and "!" in " ".join(keys)) for key in keys[:1])
            )
        ):
            yield "settings"
        if any("credential" in key or "token" in key.lower() or "password" in key.lower() for key in keys) and not sets:
            yield "credentials"
    elif verb == "remote" and names[:1] in (["set-url"], ["rm"], ["remove"], ["rename"]):
        yield "settings"
    elif verb == "credential" or verb.startswith("credential-"):
        yield "credentials"
    elif verb in ("clone", "fetch", "pull", "ls-remote", "archive", "submodule"):
        if any(word.startswith(("--upload-pack", "--exec", "ext::", "--template", "-u=")) for word in args) or (
            verb == "clone" and "-c" in args
        ):
            yield "download"
    elif (verb == "grep" and any(word.startswith(("-O", "--open-files-in-pager")) for word in args)) or (
        verb in ("difftool", "mergetool") and flags & {"-x", "--extcmd"}
    ):
        yield "download"
    elif verb == "hook" or (verb == "init" and "--template" in flags):
        yield "settings"
    elif verb in ("secret", "crypt") and names[:1] in (["reveal"], ["cat"], ["unlock"], ["export-key"]):
        yield "credentials"
    elif verb in {"daemon", "http-backend"}:
        yield "network"


_JJ_CHANGES = read_names("abandon restore undo op operation squash")


def check_other(call: Call) -> Iterator[str]:
    """Other version control."""
    verb, names = call.verb, call.names
    match call.program:
        case "svn":
            if verb in (
                "commit",
                "ci",
                "delete",
                "rm",
                "remove",
                "move",
                "mv",
                "propset",
                "import",
                "lock",
                "unlock",
                "relocate",
            ) or (
                verb in ("revert", "cleanup")
                and call.has("-R", "--recursive", "--remove-unversioned", "--remove-ignored")
            ):
                yield "remote" if verb not in ("revert", "cleanup") else "discard"
        case "hg":
            if (
                verb
                in ("push", "strip", "rollback", "histedit", "rebase", "purge", "revert", "forget", "email", "phase")
                or (verb in ("update", "up", "co") and call.has("-C", "--clean"))
                or call.has("--amend")
                or "--config" in call.args
            ):
                yield "remote" if verb == "push" else "discard"
        case "jj":
            if names[:2] in (("git", "push"), ("bookmark", "delete"), ("bookmark", "set")) or verb in _JJ_CHANGES:
                yield "remote" if "push" in names else "discard"
        case "bfg" | "git-filter-repo":
            yield "push"
        case "p4" | "fossil" | "bzr" | "brz" | "darcs" | "cvs" | "repo":
            if verb in (
                "submit",
                "revert",
                "obliterate",
                "delete",
                "push",
                "upload",
                "unpull",
                "shun",
                "uncommit",
                "checkin",
            ):
                yield "discard" if verb in ("revert", "obliterate", "unpull", "uncommit") else "remote"
        case "gt" | "git-town" | "arc" | "spr" | "sl":
            if {"submit", "land", "ship", "push", "diff", "goto", "stack", "hide", "uncommit", "amend"} & set(
                names
            ) and "--dry-run" not in call.args:
                yield "remote"


CHECKS = {
    "git": check_git,
    **assign_check(
        check_other, "svn hg jj bfg git-filter-repo gt git-town arc spr sl p4 fossil bzr brz darcs cvs repo"
    ),
}
