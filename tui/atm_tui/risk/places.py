"""Resolves paths, and classifies the files that they name."""

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

NULLS = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero"})
"""Devices that can be written without harm."""
TEMPORARY = ("/tmp", "/private/tmp", "/var/tmp", "/var/folders", "$TMPDIR", "${TMPDIR}")
"""Folders of temporary files."""
THROWAWAY = re.compile(
    r"(?:node_modules|dist|build|_build|__pycache__|target|coverage|htmlcov|out|\.?tmp|temp|logs?|\.eggs|[\w.*-]+\.egg-info|DerivedData|storybook-static"
    r"|\.(?:pytest_cache|mypy_cache|ruff_cache|cache|next|nuxt|output|turbo|parcel-cache|tox|nox|hypothesis|coverage|nyc_output|gradle|venv|svelte-kit|angular"
    r"|vite|webpack|eslintcache|stylelintcache|sass-cache|docusaurus|vercel|serverless|expo|dart_tool|build|ipynb_checkpoints|pytype|pyre|jest-cache)"
    r"|cmake-build-[\w-]+|test-results|playwright-report|test-output|bower_components|venv|zig-cache|zig-out|_site|\.zig-cache)"
)
"""Names of folders that tools generate again."""
_REMADE_FILE = re.compile(
    r".*\.(?:py[cod]|o|a|so|class|gcda|gcno|profraw|tsbuildinfo|swp|rej|map|snap\.new)|.*~|\.DS_Store|\.(?:es|style)lintcache|\.coverage(?:\..*)?"
    r"|(?:package-lock|npm-shrinkwrap)\.json|(?:yarn|pnpm-lock|poetry|uv|Cargo|Gemfile|composer|Pipfile|bun|mix|flake)\.(?:lock|yaml|lockb)|coverage\.\w+|junit\.xml"
)
"""Names of files that tools generate again."""
DATA = re.compile(r"\.(?:db|sqlite3?|mdb|rdb|dump|tfstate|kdbx|pem)$")
"""Data files."""
VALUABLE = re.compile(
    r"(?:\.(?:db|sqlite3?|mdb|rdb|dump|sql|pem|key|py|pyi|[cm]?[jt]sx?|rs|go|java|kt|c|cc|cpp|h|hpp|cs|rb|php|swift|scala|ex|exs|lua|pl|r|sh|bash|zsh|vue|svelte"
    r"|html|s?css|toml|ya?ml|ini|cfg|conf|tf|tfvars|tfstate|lock|ipynb|proto|graphql|gradle|xml)|(?:^|/)(?:package(?:-lock)?\.json|tsconfig[\w.-]*\.json|composer\.json"
    r"|Makefile|Dockerfile|Gemfile|Rakefile|Procfile|Justfile|justfile|\.gitignore|\.gitattributes|README(?:\.\w+)?|LICENSE|CHANGELOG\.md|CLAUDE\.md|requirements[\w.-]*\.txt))$"
)
"""Files that a person wrote, and data files."""
CREDENTIALS = re.compile(
    r"(?:^|[/=@:\s'\"])(?:\.env(?:rc)?(?!\.(?:example|sample|template|dist|test)\b)(?:\.[\w.-]+)?|\.netrc|_netrc|\.pgpass|\.npmrc|\.pypirc|\.git-credentials"
    r"|\.htpasswd|\.my\.cnf|\.boto|\.s3cfg|\.vault-token|\.terraformrc|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|credentials(?:\.json)?|\.credentials\.json|shadow|gshadow"
    r"|\.(?:bash|zsh|psql|mysql|python|node_repl|sqlite)_history|login\.keychain[\w.-]{0,20}|master\.key|secrets?\.(?:txt|ya?ml|json|toml|env|enc)|kubeconfig"
    r"|/?run/secrets/[^/\s]{1,255}|service[-_]account[\w-]{0,40}\.json|application_default_credentials\.json"
    r"|(?!(?:ca-?)?(?:cert|bundle|chain|fullchain|public|pub)[\w-]{0,40}\.pem)[^/\s]{1,255}\.(?:pem|p12|pfx|keystore|jks|kdbx|keychain(?:-db)?))(?=$|[\s'\"*?:;,)])"
    r"|(?:^|[/=@:\s'\"~])(?:\.ssh(?!/known_hosts\b)|\.gnupg|\.aws|\.azure|\.kube|\.docker/config\.json|\.config/(?:gh|gcloud|op|hub)|Keychains|\.password-store|\.mozilla"
    r"|google-chrome|Google/Chrome|Firefox/Profiles|\.config/chromium)(?=$|[/\s'\"*])"
    r"|/proc/[^/\s]{1,32}/environ"
)
"""Paths and words that name credentials."""
_SETTINGS = re.compile(
    r"(?:^|/)(?:\.claude/(?:settings[^/]*\.json|hooks/.*)|\.git/(?:hooks/.*|config|info/attributes)|\.mcp\.json|\.claude\.json|\.?husky/.*|\.pre-commit-config\.yaml"
    r"|\.gitconfig|\.config/git/.*|\.ssh/(?:authorized_keys2?|rc|config)|\.(?:bash|zsh)(?:rc|env|_?profile|_login|_logout|login|logout)|\.profile|\.zshenv|\.zlogin|\.inputrc"
    r"|\.config/(?:fish|systemd|autostart)/.*|LaunchAgents/.*|LaunchDaemons/.*|\.vscode/(?:tasks|settings|launch)\.json|sitecustomize\.py|usercustomize\.py"
    r"|\.tmux\.conf|\.vimrc|\.xinitrc|\.xprofile|\.envrc)$"
    r"|^(?:/private)?/etc/(?:cron|systemd|init|profile|bash|zsh|rc|ld\.so|sudoers|xdg|claude-code|environment|pam|security|ssh|inittab|crontab|at\.|anacron|modprobe|modules|udev|apt|yum|gitconfig)|^/Library/|^/usr/lib/systemd/|^/var/spool/(?:cron|at)|claude[^/]*/settings[^/]*\.json$|managed-settings\.json$|CLAUDE_CONFIG_DIR\}?/"
)
"""Files that define what Claude Code, git, the shell or the system runs automatically."""
_ANSWERS = re.compile(
    r"(?:^|/)(?:\.local/(?:state|share)|\.config|\.cache|Application Support)/atm-tui(?:/|$)"
    r"|\$\{?(?:ATM_(?:STATE|DATA)_DIR|XDG_STATE_HOME\}?/atm-tui)|^/dev/(?:pts/|tty(?:S|\d)|input)"
    r"|^/tmp/tmux-\d+|/atm-tui/(?:answers|sessions|journal|lease)|^/proc/[^/]+/fd/"
)
"""Our files at their default paths, and terminals of other sessions."""
_REQUESTS = re.compile(r"/answers(?!/log\.jsonl)(?![\w.-])")
"""Folders in our state folder with requests, which contain the secret that seals an answer."""


class Place(NamedTuple):
    """The place from which a request comes."""

    roots: Sequence[str]
    """The folders that count as the project."""
    home: str
    follow_links: Callable[[str], str]
    own: tuple[str, ...] = ()
    """The folders of atm-tui here: its state and its hooks."""


def is_inside(path: str, folder: str) -> bool:
    """Returns whether a path is a folder or in it, by its text."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def is_glob(text: str) -> bool:
    """Returns whether the shell expands a text to other names."""
    return any(mark in text for mark in "*?[") or ("{" in text and "," in text)


def is_throwaway(path: str) -> bool:
    """Returns whether a folder is generated by a tool, or temporary."""
    if ".." in path.split("/"):
        return False
    if is_temporary(path) and (not is_glob(path) or _names_some(path)):
        return True
    if path.startswith(("/", "~", "$")) and not path.startswith(("$PWD/", "${PWD}/")):
        return False
    parts = [each for each in path.split("/") if each not in ("", ".")]
    return bool(parts) and any(THROWAWAY.fullmatch(each) for each in parts) and not parts[-1].startswith("$")


def is_expendable(path: str) -> bool:
    """Returns whether a file or folder can be lost: generated by a tool or temporary, and not data."""
    if is_temporary(path):
        return is_throwaway(path)
    return not DATA.search(path) and (is_throwaway(path) or _is_remade_file(path))


def _is_remade_file(path: str) -> bool:
    outside = path.startswith(("/", "~", "$", "..")) or "/../" in path
    return bool(_REMADE_FILE.fullmatch(path.rpartition("/")[2])) and not outside


def _names_some(path: str) -> bool:
    """Returns whether the pattern in the last part of a path is specific enough to match only some files."""
    folder, _, last = path.rpartition("/")
    return not is_glob(folder) and bool(re.search(r"[^*?\[\]{},]{3}", last))


def is_temporary(path: str) -> bool:
    """Returns whether a path is in a folder of temporary files."""
    return any(path.startswith(f"{each}/") and path.rstrip("/") != each for each in TEMPORARY) and not path.rstrip(
        "/"
    ).endswith(("/*", "/.", "/.."))


def resolve_path(path: str, cwd: str, home: str) -> str | None:
    """Returns the absolute path; None if the text alone doesn't determine it."""
    for start in ("~/", "$HOME/", "${HOME}/"):
        if home and path.startswith(start):
            path = f"{home}/{path[len(start) :]}"
    if home and path in ("~", "$HOME", "${HOME}"):
        path = home
    for start in ("$PWD/", "${PWD}/", "$(pwd)/"):
        if cwd and path.startswith(start):
            path = f"{cwd}/{path[len(start) :]}"
    if path.startswith(("$", "`")) or (not path.startswith(("/", "~")) and not cwd):
        return None
    return posixpath.normpath(path if path.startswith(("/", "~")) else f"{cwd}/{path}")


def check_written(path: str | None, place: Place, *, moves: bool = False) -> Iterator[str]:
    """Yields the ids of dangers in writing to a path. `moves`: whether something is moved there."""
    if path is None:
        return
    real = place.follow_links(path)
    for each in dict.fromkeys((path, real)):
        inside = any(is_inside(each, root) for root in place.roots if root)
        if not inside and (moves or not (is_temporary(each) or each in TEMPORARY)):
            yield "outside"
        if _SETTINGS.search(each):
            yield "settings"
        if names_our_files(each, place):
            yield "answers"
    if CREDENTIALS.search(real):
        yield "credentials"


def names_our_files(text: str, place: Place) -> bool:
    """Returns whether a text names our files, or the terminal of another session."""
    own = _find_own(place.own, place.home)
    return bool(_ANSWERS.search(text) or (own and own.search(text)))


def names_requests(text: str, place: Place) -> bool:
    """Returns whether a text names our files of requests and answers, which no other program needs to read."""
    return names_our_files(text, place) and bool(_REQUESTS.search(text))


@lru_cache(8)
def _find_own(own: tuple[str, ...], home: str) -> re.Pattern[str] | None:
    """Returns a pattern for these folders, with any spelling of the home; None without folders."""
    spelled = [each for each in own if each.count("/") > 1]
    for each in list(spelled):
        if home and is_inside(each, home):
            spelled += [f"{start}{each.removeprefix(home)}" for start in ("~", "$HOME", "${HOME}")]
    return re.compile(rf"(?:{'|'.join(map(re.escape, spelled))})(?![\w.-])") if spelled else None
