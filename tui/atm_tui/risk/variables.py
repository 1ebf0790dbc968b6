"""Checks environment variables that make other programs run something, or hide what was run."""

import re
from collections.abc import Iterator

from atm_tui.risk.calls import INTERPRETER
from atm_tui.risk.shell import ShellCommand
from atm_tui.risk.tables import read_names

_LOADS = read_names("""
    LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES DYLD_LIBRARY_PATH LD_LIBRARY_PATH BASH_ENV ENV PROMPT_COMMAND PERL5OPT
    PERL5LIB RUBYOPT RUBYLIB PYTHONSTARTUP PYTHONHOME PYTHONINSPECT GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND
    GIT_TEMPLATE_DIR GIT_EXEC_PATH GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_COUNT GIT_ASKPASS SSH_ASKPASS
    SUDO_ASKPASS JAVA_TOOL_OPTIONS _JAVA_OPTIONS CLASSPATH IFS PS4 BASHOPTS SHELLOPTS NODE_PATH GCONV_PATH
    NODE_TLS_REJECT_UNAUTHORIZED GIT_SSL_NO_VERIFY PYTHONHTTPSVERIFY CURL_CA_BUNDLE http_proxy https_proxy HTTP_PROXY
    HTTPS_PROXY ALL_PROXY PIP_INDEX_URL PIP_EXTRA_INDEX_URL npm_config_registry NPM_CONFIG_REGISTRY UV_INDEX_URL
    GOPROXY GOFLAGS RUSTC_WRAPPER CARGO_HOME DOCKER_HOST KUBECONFIG CLAUDE_CONFIG_DIR ATM_STATE_DIR ATM_DATA_DIR
""")
_PROGRAMS = read_names("""
    GIT_SSH_COMMAND GIT_SSH GIT_EDITOR EDITOR VISUAL PAGER GIT_PAGER MANPAGER BROWSER GIT_SEQUENCE_EDITOR LESSOPEN
    LESSCLOSE TEXEDIT CVS_RSH RSYNC_RSH SHELL CC CXX LD MAKE
""")
_HISTORY = frozenset({"HISTFILE", "HISTSIZE", "HISTFILESIZE", "HISTCONTROL", "HISTIGNORE"})
_TEMPORARY = re.compile(r"(?:^|:)(?:/tmp|/var/tmp|/dev/shm|/private/tmp|\.{1,2}(?:/|:|$)|$)|(?:^|:)$|^:|evil")
_BUILDS = re.compile(
    r"(?:assets|css|javascript|tailwindcss|webpacker|zeitwerk):|(?:build|compile|test|lint|typecheck)$"
)
"""Tasks that only build the sources, even for production."""
_PRODUCTION = frozenset({"RAILS_ENV", "RACK_ENV", "APP_ENV", "DJANGO_ENV", "ENVIRONMENT", "DEPLOY_ENV"})


def check_assignments(command: ShellCommand) -> Iterator[str]:
    """Yields the ids of dangers in the variables that a command sets or unsets."""
    for name, value in (*command.assignments, *_find_passed(command)):
        if name == "PATH":
            if _TEMPORARY.search(value):
                yield "settings"
        elif name in _LOADS and not (name == "IFS" and command.program in ("read", "readarray", "mapfile")):
            yield "settings"
        elif name == "NODE_OPTIONS":
            if re.search(r"--(?:require|import|loader|experimental-loader|eval)|-r\b", value):
                yield "settings"
        elif name == "PYTHONPATH":
            if "/tmp" in value:
                yield "settings"
        elif name in _PROGRAMS:
            if _runs_code(value):
                yield "settings"
        elif name in _HISTORY:
            yield "logs"
        elif (
            name in _PRODUCTION and re.match(r"prod|live|staging", value) and not any(map(_BUILDS.match, command.words))
        ):
            yield "remote"
    if command.program == "unset" and _HISTORY & set(command.words):
        yield "logs"
    if command.program == "set" and "history" in command.words and "+o" in command.words:
        yield "logs"


def _find_passed(command: ShellCommand) -> Iterator[tuple[str, str]]:
    """Yields the variables that `env` and similar programs set for the program after them."""
    if command.program in ("env", "time", "sudo", "doas", "cross-env", "exec", "command"):
        for word in command.words[1:]:
            name, equals, value = word.partition("=")
            if equals and name.isidentifier():
                yield name, value
            elif not word.startswith("-"):
                return


def _runs_code(value: str) -> bool:
    """Returns whether the program in a variable is a shell, an interpreter, or unknown."""
    first = value.split(maxsplit=1)[0] if value.split() else ""
    name = first.rpartition("/")[2]
    if not name or name in (
        "cat",
        "less",
        "more",
        "true",
        "false",
        ":",
        "vim",
        "vi",
        "nano",
        "code",
        "ssh",
        "emacs",
        "delta",
        "gcc",
        "clang",
        "cc",
        "g++",
        "clang++",
        "c++",
        "ccache",
        "lld",
        "mold",
        "make",
        "firefox",
        "none",
    ):
        return bool(re.search(r"ProxyCommand|-i\s|[;|&`]|\$\(", value))
    return (
        (bool(INTERPRETER.fullmatch(name)) and name != value.rpartition("/")[2])
        or " " in value
        or first.startswith(("/tmp", "./", "$"))
    )
