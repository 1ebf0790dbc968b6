"""The NATS server through which many machines are shown, and what a machine publishes there. Pure."""

import re
from collections.abc import Iterator
from enum import StrEnum

import msgspec

from atm_tui.model.host import NAME

DEFAULT_PORT = 4222
_URL = r"(?:(nats|tls|ws|wss)://)?(?:[^@/\s\x00-\x1f\x7f]*@)?(\[[0-9A-Fa-f:.]+\]|[\w.-]+)(?::(\d{1,5}))?/?"


class Level(StrEnum):
    """What leaves a machine that publishes."""

    COUNTS = "counts"
    """Numbers of the machine as a whole."""
    STATES = "states"
    """Sessions with state, project, branch, model, tokens and cost; no prompts, replies, commands, paths, names of sessions."""
    FULL = "full"
    """Everything that the stream of a machine has."""


class FleetServer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The entry `fleet` of the configuration."""

    nats: str = ""
    """Addresses of the server, or of several of one cluster, separated by commas: nats://name:4222. Empty: none."""
    creds: str = ""
    """A file with a user's credentials (JWT and seed)."""
    nkey: str = ""
    """A file with the seed of an NKEY."""
    tls_ca: str = ""
    """A file with the certificates of authorities to trust, instead of the system's."""
    tls_cert: str = ""
    """A file with our own certificate."""
    tls_key: str = ""
    """A file with its key."""
    machine: str = ""
    """The name under which this machine is published; empty: its host name."""
    level: Level = Level.STATES
    """What is published of this machine."""

    def is_same_server(self, other: "FleetServer") -> bool:
        """Whether both are the same server for the same user, whatever is published."""
        return self == msgspec.structs.replace(other, machine=self.machine, level=self.level)

    def list_urls(self) -> list[str]:
        """Returns the addresses, each with a scheme."""
        found = [each.strip() for each in self.nats.split(",") if each.strip()]
        return [each if "://" in each else f"nats://{each}" for each in found]

    def describe(self) -> str:
        """Returns the addresses without names, passwords and tokens."""
        return ", ".join(
            f"{found[1] or 'nats'}://{found[2]}:{found[3] or DEFAULT_PORT}" for found in self._match() if found
        )

    def _match(self) -> "list[re.Match[str] | None]":
        return [re.fullmatch(_URL, each, re.ASCII) for each in self.list_urls()]


FILES = ("creds", "nkey", "tls_ca", "tls_cert", "tls_key")
"""The fields that are paths of files."""


def find_server_problems(server: FleetServer) -> Iterator[tuple[str, str]]:
    """Yields each field that is wrong, and why."""
    if server.nats and not all(map(_is_address, server.nats.split(","))):
        yield "nats", 'it is no address like "nats://name:4222"'
    if server.creds and server.nkey:
        yield "nkey", "give either creds or nkey"
    if bool(server.tls_cert) is not bool(server.tls_key):
        yield "tls_key" if server.tls_cert else "tls_cert", "tls_cert and tls_key belong together"
    if server.machine and not re.fullmatch(NAME, server.machine, re.ASCII):
        yield "machine", "a name has letters, digits, dots and hyphens only"


def _is_address(url: str) -> bool:
    found = re.fullmatch(_URL, url.strip(), re.ASCII)
    return found is not None and int(found[3] or 1) <= 65535


def make_machine_name(host_name: str) -> str:
    """Returns a name for a machine of this host name: what can't stand in one is replaced by hyphens."""
    name = re.sub(r"[^\w.-]+", "-", host_name.partition(".")[0], flags=re.ASCII).lstrip("_.-")[:64]
    return name if re.fullmatch(NAME, name, re.ASCII) else "machine"
