"""Finds the programs that a shell command calls, also through wrappers: `sudo`, `xargs`, `uv run`, `sh -c`, unknown ones."""

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

from atm_tui.risk.shell import ShellCommand
from atm_tui.risk.tables import read_names

MAX_STARTS = 40
"""Most words of a wrapper that are examined for the start of the wrapped program."""
SHELLS = read_names("sh bash zsh dash ksh mksh fish ash csh tcsh rbash pwsh powershell")
INTERPRETER = re.compile(
    r"(?:ba|z|da|k|mk|fi|a|c|tc|rba)?sh|pwsh|powershell|python[0-9.]*|pypy[0-9.]*|ipython|perl[0-9.]*|ruby|node|nodejs|deno|bun|php[0-9.]*|lua[0-9.]*|luajit"
    r"|Rscript|R|osascript|tclsh|guile|groovy|julia|elixir|iex|erl|escript|xonsh|nu|scala|scala-cli|ghc|runghc|racket|clojure|clj|bb|sbcl|ts-node|tsx|jshell"
)
WRAPPERS = read_names("""
    sudo doas su pkexec runuser env nohup nice ionice chrt time timeout gtimeout xargs gxargs parallel command exec
    builtin stdbuf unbuffer setsid watch strace ltrace ssh chroot unshare nsenter flock caffeinate busybox toybox npx
    bunx uvx coproc taskset hyperfine xvfb-run dbus-run-session dbus-launch dotenv dotenvx direnv fakeroot firejail
    bwrap systemd-run systemd-inhibit cgexec numactl setarch linux32 linux64 prlimit proot catchsegv valgrind gdb
    lldb rr entr nodemon concurrently cross-env env-cmd nix-shell mosh script setpriv capsh sg newgrp
    start-stop-daemon daemonize chpst softlimit torsocks proxychains proxychains4 faketime eatmydata arch rlwrap
    expect ssh-agent
""")
"""Programs that run the rest of their arguments."""
RUNS_AFTER = {
    **dict.fromkeys(
        ("docker", "podman", "nerdctl", "docker-compose", "podman-compose", "lxc", "incus"), ("run", "exec", "create")
    ),
    **dict.fromkeys(("kubectl", "oc", "k", "k9s", "minikube"), ("exec", "run", "debug", "kubectl")),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun", "corepack"), ("exec", "x", "dlx", "pnpm", "yarn", "npm")),
    **dict.fromkeys(("uv", "poetry", "pipenv", "pdm", "hatch", "rye", "pixi", "pipx"), ("run", "tool", "x")),
    **dict.fromkeys(
        ("conda", "mamba", "micromamba", "nix", "mise", "rtx", "devbox", "flox", "coverage"),
        ("run", "exec", "x", "develop", "shell", "-c"),
    ),
    **dict.fromkeys(
        ("bundle", "asdf", "rbenv", "pyenv", "nodenv", "lerna", "nx", "turbo", "composer", "devenv"), ("exec", "x")
    ),
    **dict.fromkeys(
        ("doppler", "infisical", "op", "aws-vault", "chamber", "teller", "sops"), ("run", "exec", "exec-env", "--")
    ),
    **dict.fromkeys(
        ("heroku", "fly", "flyctl", "vagrant", "gcloud", "railway", "scalingo", "dokku"), ("run", "ssh", "console")
    ),
    **dict.fromkeys(
        ("python", "python2", "python3", *(f"python3.{minor}" for minor in range(6, 20)), "pypy3", "py"), ("-m",)
    ),
    **dict.fromkeys(
        ("kitty", "wezterm", "gnome-terminal", "xterm", "alacritty", "konsole", "foot", "ghostty", "flox"),
        ("-e", "-x", "--", "start", "--command"),
    ),
    "git": ("bisect", "foreach"),
    "perf": ("stat", "record", "trace"),
    "rustup": ("run",),
    "tox": ("--",),
    "nox": ("--",),
    "volta": ("run",),
}
"""Programs that run the arguments after one of these words."""
_NODE_PROGRAMS = read_names(
    """
    prisma sequelize sequelize-cli knex typeorm drizzle-kit lerna nx turbo changeset release-it semantic-release np rimraf firebase
    vercel netlify wrangler supabase cdk serverless sls del-cli concurrently cross-env dotenv
    """
)
"""Programs that yarn and similar tools run by name."""
FINDERS = frozenset({"find", "gfind", "fd", "fdfind"})
"""Programs that find files, and may run others on them."""
_EXECUTE = read_names("-exec -execdir -ok -okdir -x -X --exec --exec-batch")
_BATCHES = read_names("xargs gxargs parallel find gfind fd fdfind")
_MULTI_SHELLS = read_names("""
    ssh watch hyperfine parallel entr nodemon concurrently mosh nix-shell sg script flock devbox
""")
"""Programs that pass their arguments to a shell."""
_NAMES_FIRST = re.compile(r"docker|podman|nerdctl|kubectl|oc$|k$|lxc|incus|vagrant|gcloud")
"""Programs that take a name before the program that they run."""
_ALSO_VERBS = read_names("""
    at batch bridge cap console date del export find go history init input install mail migrate mount notify op pass pkg
    please port profiles rd realm release route service set sort split svc task trust up users view wall write
""")
"""Names of programs that are also common verbs: after an unknown program they count as its verb."""
_NO_PROGRAM = re.compile(r"-|\.{1,2}$|\d+(?:\.\d+)?[smhd%]?$|[A-Za-z_]\w*\+?=|$|[{}():;@]")


@dataclass(frozen=True)
class Call:
    """A program with its arguments, at the start of a command or after a wrapper."""

    program: str
    """The name without the folder."""
    args: tuple[str, ...]
    command: ShellCommand
    path: str
    """The program as written in the command."""
    is_batch: bool = False
    """Whether further arguments come from the output of another program."""
    wrapper: str = ""
    """The wrapper that runs it."""

    @cached_property
    def flags(self) -> frozenset[str]:
        """Options before `--`: each as written, each letter of short ones, and long ones without their value."""
        found: set[str] = set()
        for word in self.args:
            if word == "--":
                break
            if word.startswith("--"):
                found.add(word.partition("=")[0])
            elif word.startswith("-"):
                found.add(word.partition("=")[0])
                found.update(f"-{letter}" for letter in word[1:])
        return frozenset(found)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Arguments that are not options."""
        return tuple(word for at, word in enumerate(self.args) if not word.startswith("-") or "--" in self.args[:at])

    @property
    def verb(self) -> str:
        """The first argument that is not an option; "" if there is none."""
        return self.names[0] if self.names else ""

    def has(self, *flags: str) -> bool:
        """Returns whether one of these options is given."""
        return not self.flags.isdisjoint(flags)

    def list_values(self, *flags: str) -> list[str]:
        """Returns the values of these options: the next word, or the text after `=` or directly after a short one."""
        found = []
        for at, word in enumerate(self.args):
            for flag in flags:
                if word == flag and at + 1 < len(self.args):
                    found.append(self.args[at + 1])
                elif word.startswith(f"{flag}="):
                    found.append(word.partition("=")[2])
                elif len(flag) == 2 and word.startswith(flag) and len(word) > 2 and not word.startswith("--"):
                    found.append(word[2:])
        return found


Check = Callable[[Call], Iterator[str]]
"""Yields the ids of the dangers in a call."""


def assign_check(check: Check, names: str) -> dict[str, Check]:
    """Assigns a check to each of these programs."""
    return dict.fromkeys(names.split(), check)


def find_calls(command: ShellCommand, known: Collection[str]) -> Iterator[Call]:
    """Yields the program of a command, and those that it may run. Arguments of programs in `known` are not searched."""
    if command.words:
        yield _make_call(command, 0)
        yield from _find_behind(command, 0, known)


def _find_behind(command: ShellCommand, at: int, known: Collection[str], *, is_batch: bool = False) -> Iterator[Call]:
    """Yields the words that the program at a word may run in turn."""
    words = command.words
    head = _make_call(command, at)
    if head.program in FINDERS:
        yield from _find_executed(command, at, known)
        return
    if head.program in RUNS_AFTER:
        marks = RUNS_AFTER[head.program]
        start = next((index + 1 for index, word in enumerate(words) if index > at and word in marks), len(words))
        if head.program in ("yarn", "pnpm", "bun") and head.verb in _NODE_PROGRAMS:
            start = words.index(head.verb, at + 1)
    elif head.program == "command" and head.has("-v", "-V"):
        return
    elif head.program in WRAPPERS or head.program not in known:
        start = at + 1
    else:
        return
    is_batch |= head.program in _BATCHES
    end = min(len(words), start + MAX_STARTS)
    if _NAMES_FIRST.match(head.program):  # the name of an image, a pod or a host may be that of a program
        start = next((index for index in range(start, end) if not words[index].startswith("-")), end)
        yield from _find_wrapped(command, start, min(start + 1, end), known, is_batch=False)
        start += 1
    yield from _find_wrapped(command, start, end, known, is_batch=is_batch)


def _find_executed(command: ShellCommand, start: int, known: Collection[str]) -> Iterator[Call]:
    """Yields the programs that a program which finds files runs on them."""
    words = command.words
    starts = [at + 1 for at, word in enumerate(words) if at > start and word in _EXECUTE][:MAX_STARTS]
    for at in starts:
        yield from _find_wrapped(command, at, min(at + MAX_STARTS, len(words)), known, is_batch=True)


def _find_wrapped(
    command: ShellCommand, start: int, end: int, known: Collection[str], *, is_batch: bool
) -> Iterator[Call]:
    """Yields each word that may be a program, up to the first known program that is not a wrapper."""
    is_sure = command.program in WRAPPERS or command.program in RUNS_AFTER or command.program in known
    for at in range(start, end):
        word = command.words[at]
        if _NO_PROGRAM.match(word) or " " in word or (word in _ALSO_VERBS and not is_sure):
            continue
        call = _make_call(command, at, is_batch=is_batch)
        yield call
        is_batch |= call.program in _BATCHES
        if call.program in FINDERS or (call.program in RUNS_AFTER and call.program not in WRAPPERS):
            yield from _find_behind(command, at, known, is_batch=is_batch)
            return
        if call.program in known and call.program not in WRAPPERS:
            return


def _make_call(command: ShellCommand, at: int, *, is_batch: bool = False) -> Call:
    path = command.words[at]
    name = path.rstrip("/").rpartition("/")[2]
    if name.lower().endswith(".exe"):
        name = name[:-4]
    wrapper = command.program if at else ""
    return Call(name, tuple(command.words[at + 1 :]), command, path, is_batch, wrapper)


def find_scripts(call: Call) -> Iterator[str]:
    """Yields texts in the arguments or the input of a call that a shell runs."""
    args = call.args
    if call.program in SHELLS or call.program in ("su", "runuser"):
        for at, word in enumerate(args[:-1]):
            if word.startswith("-") and "c" in word.lstrip("-") and (not word.startswith("--") or word == "--command"):
                yield args[at + 1]
                break
        if call.command.body and call.program in SHELLS:
            yield call.command.body
        if call.program in SHELLS:
            yield from _find_printed(call)
    elif call.program == "eval":
        text = " ".join(args)
        if "$(" not in text and "`" not in text:
            yield text
    elif call.program == "trap" and args:
        yield args[0]
    elif call.program == "alias":
        yield from (word.partition("=")[2] for word in args)
    elif call.program == "env":
        yield from call.list_values("-S", "--split-string")
    elif call.program == "cargo" and call.verb == "watch":
        yield from call.list_values("-s", "--shell")
    elif call.program in ("doppler", "infisical"):
        yield from call.list_values("--command")
    elif call.program == "repo" and call.verb == "forall":
        yield from call.list_values("-c")
    elif call.program in _MULTI_SHELLS or (call.program == "git" and {"submodule", "foreach"} <= set(args)):
        yield from (word for word in args if " " in word)


def _find_printed(call: Call) -> Iterator[str]:
    """Yields what `echo` and `printf` print into a shell."""
    source = call.command.source
    if source is not None and source.program in ("echo", "printf"):
        yield " ".join(word for word in source.words[1:] if not word.startswith("-"))


def find_guesses(call: Call) -> Iterator[str]:
    """Yields arguments of a wrapper or an unknown program that may be shell texts."""
    for word in call.args[:MAX_STARTS]:
        text = word.partition("=")[2] if word.startswith("--") else word
        if " " in text.strip():
            yield text
