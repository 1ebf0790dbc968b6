"""How another machine is reached: by ssh, or by a program of the user. Pure."""

import re
from collections.abc import Iterator

import msgspec

NAME = r"[A-Za-z0-9][\w.-]{0,63}"
"""What a machine can be called: its name stands in filters and before ids."""
_DESTINATION = r"[^\s\x00-\x1f\x7f-][^\s\x00-\x1f\x7f]*"
"""What ssh takes as a destination. One that begins with a hyphen would be an option."""
_INTERACTIVE = frozenset({"docker", "podman", "nerdctl", "kubectl"})
"""Programs whose -i passes stdin, and which need -t besides for a terminal."""
OWN_FOLDERS = 'PATH="$PATH:$HOME/.local/bin:$HOME/bin"; export PATH'
"""ssh runs no login shell, so that the folders in which users install programs are not on its PATH."""


class Host(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An entry of `hosts` in the configuration. One of `ssh` and `exec` is set."""

    ssh: str = ""
    """The destination, as `ssh` takes it: user@name, or a Host of the user's own ssh configuration."""
    exec: tuple[str, ...] = ()
    """A program with its arguments that runs a command there: docker exec -i box."""
    command: str = "atm-tui"
    """The program there; a path that begins with ~/ is in the home folder there."""
    answers: bool = False
    """Whether to answer requests of its sessions from here, if that machine allows it as well."""

    def describe(self) -> str:
        """Returns how it is reached, in the words of a shell."""
        import shlex  # noqa: PLC0415  most commands read only the configuration

        return f"ssh {self.ssh}" if self.ssh else shlex.join(self.exec)


def is_elsewhere(session_id: str) -> bool:
    """Returns whether an id is that of a session of another machine, as `adopt` makes it; Claude Code's have no colon."""
    return ":" in session_id


def shorten_id(session_id: str) -> str:
    """Returns the start of an id: 8 characters, with at least 4 of those after the name of a machine."""
    return session_id[: max(8, session_id.find(":") + 5)]


def find_host_problems(name: str, host: Host) -> Iterator[tuple[str, str]]:
    """Yields each key of an entry that is wrong, "" for the entry as a whole, and why."""
    if not re.fullmatch(NAME, name, re.ASCII):
        yield "", "a name has letters, digits, dots and hyphens only"
    if bool(host.ssh) is any(host.exec[:1]):
        yield "", f'give either ssh, as in `ssh = "user@{name}"`, or exec, a program and its arguments'
    if host.ssh and not re.fullmatch(_DESTINATION, host.ssh):
        yield "ssh", f'"{host.ssh}" is no destination of ssh'
    if not host.command.strip():
        yield "command", "it is empty"


def make_host(given: str) -> tuple[str, Host]:
    """Returns name and host for a destination of ssh that is in no configuration. Raises ValueError."""
    name = re.sub(r"[^\w.-]", "-", given.rpartition("@")[2].removeprefix("ssh://"), flags=re.ASCII)
    host = Host(ssh=given)
    for _, text in find_host_problems(name, host):
        raise ValueError(text)
    return name, host


def make_command(host: Host, *words: str, direct: bool = False) -> tuple[str, ...]:
    """Returns the command that runs atm-tui there with these arguments. Never asks for a password. `direct`: as for `reach`."""
    import shlex  # noqa: PLC0415  as above

    program = f'"$HOME"/{shlex.quote(host.command[2:])}' if host.command.startswith("~/") else shlex.quote(host.command)
    script = f"{OWN_FOLDERS}; exec {program} {shlex.join(words)}"
    return reach(host, script, direct=direct)


def reach(host: Host, script: str, *, direct: bool = False) -> tuple[str, ...]:
    """Returns the command that runs shell text there, without a terminal. Never asks for a password.

    `direct`: by a connection of its own, even where the user's ssh shares one (ControlMaster), which may hang.
    """
    if host.exec:
        return (*host.exec, "sh", "-c", script)
    own = ("-o", "ControlPath=none") if direct else ()
    return ("ssh", "-T", "-o", "BatchMode=yes", *own, "--", host.ssh, _wrap(script))


def reach_by_terminal(host: Host, script: str) -> tuple[str, ...]:
    """Returns the command that runs shell text there in our terminal."""
    if not host.exec:
        return ("ssh", "-t", "--", host.ssh, _wrap(script))
    program = host.exec[0].rpartition("/")[2]
    words = host.exec if program not in _INTERACTIVE else tuple("-it" if word == "-i" else word for word in host.exec)
    return (*words, "sh", "-c", script)


def _wrap(script: str) -> str:
    """Returns the text for the login shell there, which may be another one than sh."""
    import shlex  # noqa: PLC0415  as above

    return f"exec sh -c {shlex.quote(script)}"
