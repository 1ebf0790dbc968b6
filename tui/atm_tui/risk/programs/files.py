"""Checks programs that delete, empty or overwrite files, or change their permissions."""

import itertools
import re
from collections.abc import Iterator, Sequence

from atm_tui.risk.calls import Call, assign_check
from atm_tui.risk.places import DATA, NULLS, VALUABLE, is_expendable, is_glob, is_throwaway
from atm_tui.risk.shell import ShellCommand


def check_rm(call: Call) -> Iterator[str]:
    """`rm`: recursively, by pattern, by names that only the shell knows, or by the output of another program."""
    # GNU accepts any unique prefix of a long option
    recursive = call.has("-r", "-R") or any(len(each) > 2 and "--recursive".startswith(each) for each in call.flags)
    if (
        (call.is_batch and not _is_list_expendable(call.command))
        or call.has("--no-preserve-root")
        or (recursive and not (call.is_batch or (call.names and all(map(is_expendable, call.names)))))
        or (
            not recursive
            and any(_is_many(name) or (DATA.search(name) and not is_expendable(name)) for name in call.names)
        )
    ):
        yield "delete"


_THROWAWAY_FILES = re.compile(
    r".*\.(?:log|py[co]|tmp|bak|o|a|so|class|out|orig|rej|swp|cache|tsbuildinfo|gcda|gcno|profraw|log\.\*|DS_Store)|.*~"
)


def _is_list_expendable(command: ShellCommand) -> bool:
    """Whether the names for another program come from a `find` that only finds generated files."""
    finder: ShellCommand | None = command
    if command.program not in _FINDERS:
        finder = command.source
    return finder is not None and finder.program in _FINDERS and _finds_expendable(finder.words)


def _finds_expendable(words: Sequence[str]) -> bool:
    starts = list(itertools.takewhile(lambda word: not word.startswith(("-", "(", "!")), words[1:]))
    if set(words) & {"-o", "-or", ","} or any(each.startswith(("/", "~", "$", "..")) for each in starts):
        return False
    named = [
        after
        for before, word, after in zip(words, words[1:], words[2:], strict=False)
        if word in ("-name", "-iname") and before not in ("!", "-not")
    ]
    return any(map(is_expendable, named)) or bool(starts and all(map(is_expendable, starts)))


_FINDERS = frozenset({"find", "gfind"})


def _is_many(name: str) -> bool:
    if "$" in name or "`" in name:
        return True
    return (
        is_glob(name)
        and not _THROWAWAY_FILES.fullmatch(name.rpartition("/")[2])
        and not is_throwaway(name.rstrip("/*"))
    )


def check_wiper(call: Call) -> Iterator[str]:
    """Programs that only delete."""
    if not call.has("--help", "--version"):
        yield "delete"


def check_package_wiper(call: Call) -> Iterator[str]:
    """Packages of node that delete their arguments."""
    if not all(map(is_expendable, call.names)):
        yield "delete"


def check_cmake(call: Call) -> Iterator[str]:
    """`cmake -E rm` and similar commands."""
    removes = call.has("-E") and call.verb in ("rm", "remove", "remove_directory")
    if removes and not all(map(is_expendable, call.names[1:])):
        yield "delete"


def check_duplicates(call: Call) -> Iterator[str]:
    """Programs that find duplicate files, and may delete them."""
    if call.has("-d", "--delete", "-deleteduplicates"):
        yield "delete"


def check_find(call: Call) -> Iterator[str]:
    """`find`: its own actions."""
    if "-delete" in call.args and not _finds_expendable((call.program, *call.args)):
        yield "delete"
    if any(word.startswith(("-fprint", "-fls")) for word in call.args):
        yield "overwrite"


def check_removal_in_list(call: Call) -> Iterator[str]:
    """`mv`, `unlink` and similar programs, with names from the output of another program."""
    if call.is_batch and call.program not in ("cp", "ln"):
        yield "delete"
    if call.program == "unlink" and not all(map(is_expendable, call.names)):
        yield "delete"
    names = call.names
    if call.program in ("cp", "install", "ln") and any(name in NULLS for name in names[:-1]):
        yield "overwrite"
    if call.program == "mv" and names and names[-1] in NULLS:
        yield "delete"
    if call.program == "install" and any(_is_elevating(mode) for mode in call.list_values("-m", "--mode")):
        yield "open"


def check_truncate(call: Call) -> Iterator[str]:
    """`truncate`, which cuts a file of any size."""
    files = [
        name for before, name in zip(("", *call.args), call.args, strict=False) if before not in ("-s", "--size", "-r")
    ]
    if call.is_batch or any(not name.startswith("-") and not is_expendable(name) for name in files):
        yield "overwrite"


def check_rsync(call: Call) -> Iterator[str]:
    """`rsync` that deletes files which the source lacks, or accesses another machine."""
    if call.has("-n", "--dry-run"):
        return
    if any(word.startswith(("--delete", "--del", "--remove-source")) for word in call.args):
        yield "delete"
    if any(_REMOTE_PATH.match(name) for name in call.names[-1:]) and len(call.names) > 1:
        yield "remote"
    if call.list_values("-e", "--rsh", "--rsync-path") and any("sh -c" in word for word in call.args):
        yield "download"


_REMOTE_PATH = re.compile(r"(?:[\w.-]+@)?[\w.-]{2,}:(?!\\)|\w+://")


def check_archive(call: Call) -> Iterator[str]:
    """Archivers that remove what they pack, or run programs."""
    args = call.args
    if "--remove-files" in args or (call.program == "zip" and call.has("-m", "--move")) or "-sdel" in args:
        yield "delete"
    if call.program == "tar" and any(
        w.startswith(("--to-command", "--checkpoint-action", "-I", "--use-compress")) for w in args
    ):
        yield "download"
    if call.program == "tar" and call.has("-P", "--absolute-names") and call.has("-x"):
        yield "outside"
    if call.program == "zip" and call.has("-TT", "--unzip-command"):
        yield "download"


def check_chmod(call: Call) -> Iterator[str]:
    """`chmod`: modes that allow everybody to write, run a program as its owner, or forbid reading."""
    modes = [word for word in call.args if not word.startswith("--")]
    if any(_EVERYBODY.fullmatch(word) or _is_elevating(word) for word in modes):
        yield "open"
    if any(
        re.fullmatch(r"0?[0-3]?[0-3]\d\d|0+", word) or re.search(r"(?:^|,)[ua]*-[wxst]*r|^[au]*=$", word)
        for word in modes
    ):
        yield "open"
    if any(name in ("/", "~", "$HOME") for name in call.names):
        yield "open"


def _is_elevating(mode: str) -> bool:
    return bool(re.fullmatch(r"0?[2-7][0-7]{3}|[ugoa]*\+[rwxX]*s[rwxXst]*(?:,.*)?", mode))


_EVERYBODY = re.compile(
    r"[0-7]?[0-7]{2}[2367]|(?:[ug]*[oa][ugoa]*)?[+=][rwxXst]*w[rwxXst]*(?:,.*)?|.*,[ug]*[oa][ugoa]*[+=][rxXst]*w.*"
)


def check_owner(call: Call) -> Iterator[str]:
    """`chown` and similar programs."""
    if call.names:
        yield "open"


def check_dd(call: Call) -> Iterator[str]:
    """`dd` to a device, or to a file that it would destroy."""
    for word in call.args:
        if word.startswith("of="):
            target = word[3:]
            if target.startswith("/dev/") and target not in NULLS:
                yield "disk"
            elif VALUABLE.search(target) or "$" in target:
                yield "overwrite"


def check_sed(call: Call) -> Iterator[str]:
    """`sed` that runs a program, or empties its file."""
    scripts = [*call.list_values("-e", "--expression"), *call.names[:1]]
    if any(_SED_RUNS.search(each) for each in scripts):
        yield "download"
    in_place = any(word.startswith(("-i", "--in-place")) or re.match(r"-[nErsz]+i", word) for word in call.args)
    silent = call.has("-n", "--quiet", "--silent") and not any("p" in each or "w" in each for each in scripts)
    if in_place and (silent or any(_SED_EMPTIES.fullmatch(each) for each in scripts)):
        yield "overwrite"


_SED_RUNS = re.compile(
    r"s([/|#,@!~:%])(?:\\.|(?!\1).)*\1(?:\\.|(?!\1).)*\1[gpimIM0-9]*e|(?:^|[;\n{])\s*(?:\d+|\$|/[^/]*/)?\s*e\s+\w"
)


_SED_EMPTIES = re.compile(r"(?:\d*,?\$!?|/(?:\.|\^|\$|\.\*|\^\.\*\$?)/)?\s*d|s([/|#,@])\^?\.\*\$?\1\1g?")


def check_split(call: Call) -> Iterator[str]:
    """Common programs with an option that runs another program."""
    runs = {
        "split": ("--filter",),
        "sort": ("--compress-program",),
        "rg": ("--pre",),
        "man": ("-P", "-H"),
        "git-grep": ("-O",),
        "less": ("-k",),
        "pandoc": ("--filter", "--lua-filter"),
    }
    if call.program in ("less", "more", "man") and any("!" in word for word in call.args if word[:1] in ("+", "-")):
        yield "download"
    if call.has(*runs.get(call.program, ())):
        yield "download"
    if call.program == "sort":
        for target in call.list_values("-o", "--output"):
            if VALUABLE.search(target) and call.names.count(target) < 2:
                yield "overwrite"


def check_acl(call: Call) -> Iterator[str]:
    """Programs that change access lists and attributes."""
    if call.names:
        yield "open"


def check_tee(call: Call) -> Iterator[str]:
    """`tee` that empties a file."""
    source = call.command.source
    empties = source is not None and (
        source.program in ("true", ":") or (source.program in ("echo", "printf") and len(source.words) < 2)
    )
    if call.names and not call.has("-a", "--append") and (empties or "/dev/null" in call.command.reads):
        yield "overwrite"
    if (
        call.names
        and not call.has("-a", "--append")
        and any(VALUABLE.search(name) and not is_expendable(name) for name in call.names)
    ):
        yield "overwrite"


CHECKS = {
    "rm": check_rm,
    "grm": check_rm,
    **assign_check(
        check_wiper, "shred srm wipe scrub sfill trash-empty trash trash-put Remove-Item Clear-Content del erase rd"
    ),
    **assign_check(check_package_wiper, "rimraf del-cli"),
    "cmake": check_cmake,
    **assign_check(check_duplicates, "fdupes jdupes rdfind rmlint"),
    **assign_check(check_find, "find gfind fd fdfind"),
    **assign_check(check_removal_in_list, "mv unlink cp ln rmdir install"),
    "truncate": check_truncate,
    "gtruncate": check_truncate,
    "rsync": check_rsync,
    **assign_check(check_archive, "tar bsdtar gtar zip 7z 7za"),
    "chmod": check_chmod,
    **assign_check(check_owner, "chown chgrp"),
    **assign_check(check_acl, "setfacl chattr chflags setcap xattr icacls chacl setfattr chcon setenforce"),
    "dd": check_dd,
    "dcfldd": check_dd,
    "sed": check_sed,
    "gsed": check_sed,
    **assign_check(check_split, "split sort rg man pandoc less more"),
    "tee": check_tee,
}
