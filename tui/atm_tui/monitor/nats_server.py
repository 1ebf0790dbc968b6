"""Connects to a NATS server: address, TLS and credentials, and its errors in words. Loads nats-py, of the extra `fleet`."""

import asyncio
import hashlib
import os
import platform
import ssl
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from atm_hooks.proc import read_pid_domain
from atm_tui import paths
from atm_tui.model.decoding import decode_json
from atm_tui.model.fleet_server import FILES, FleetServer
from atm_tui.model.published import BUCKET
from atm_tui.sources.exists import exists, is_readable
from atm_tui.text import clean

if TYPE_CHECKING:
    from nats.aio.client import Client
    from nats.js import JetStreamContext
    from nats.js.kv import KeyValue

PATIENCE = 5.0
"""Seconds to wait for a connection or a reply of the server."""
PING = 10.0
"""Seconds between two looks at a server that says nothing; after two without a reply the connection is given up."""


class ServerError(Exception):
    """The server can't be used now; the text says why. `is_refusal`: it does not take these credentials."""

    def __init__(self, text: str, *, is_refusal: bool = False) -> None:
        super().__init__(text)
        self.is_refusal = is_refusal


class _Created(msgspec.Struct, frozen=True):
    created: str


class Connection:
    """A connection to a server. It is made once, and not again after it has ended: what was sent has to be sent anew then."""

    def __init__(self, client: "Client", problems: list[str], closed: asyncio.Event) -> None:
        self.client = client
        self.jetstream: JetStreamContext = client.jetstream(timeout=PATIENCE)
        self.closed = closed
        self._problems = problems

    def explain(self, error: BaseException | None = None) -> ServerError:
        """Returns why something failed: what the server said last, else the error."""
        text = self._problems[-1] if self._problems else _describe(error) if error else "the connection was cut"
        self._problems.clear()
        return ServerError(text, is_refusal=_is_refusal(text))

    async def open_bucket(self) -> "KeyValue | None":
        """Returns the bucket; None when there is none yet. Raises ServerError."""
        from nats.js.errors import NotFoundError  # noqa: PLC0415  of an extra, which may be absent

        try:
            return await self.jetstream.key_value(BUCKET)
        except NotFoundError:
            return None
        except Exception as error:
            raise self.explain(error) from error

    async def find_consumer_time(self, stream: str, name: str) -> float:
        """Returns when a consumer was made, by the server's clock, epoch seconds."""
        reply = await self.client.request(f"$JS.API.CONSUMER.INFO.{stream}.{name}", timeout=PATIENCE)
        return datetime.fromisoformat(decode_json(reply.data, _Created).created).timestamp()

    async def close(self) -> None:
        """Ends the connection."""
        if not self.client.is_closed:
            await self.client.close()


async def connect(server: FleetServer, name: str) -> Connection:
    """Connects; `name`: what the server shows of us. Raises ServerError."""
    try:
        import nats  # noqa: PLC0415  of an extra, which may be absent
    except ImportError as error:
        raise ServerError("nats-py is not installed: install the extra `fleet`", is_refusal=True) from error

    options = _find_options(server)
    problems: list[str] = []
    closed = asyncio.Event()

    async def note(error: Exception) -> None:
        if text := _describe(error):
            problems.append(text)
            del problems[:-10]

    async def close() -> None:
        closed.set()

    try:
        client = await nats.connect(
            servers=server.list_urls(),
            name=name,
            error_cb=note,
            closed_cb=close,
            allow_reconnect=False,
            max_reconnect_attempts=1,
            reconnect_time_wait=0,
            connect_timeout=PATIENCE,
            ping_interval=PING,
            max_outstanding_pings=2,
            **options,
        )
    except Exception as error:
        text = next((each for each in reversed(problems) if _is_refusal(each)), "")
        text = text or _describe(error) or (problems[-1] if problems else "no connection")
        raise ServerError(text, is_refusal=_is_refusal(text)) from error
    problems.clear()
    return Connection(client, problems, closed)


def _find_options(server: FleetServer) -> dict[str, Any]:
    """Returns the options of nats-py for TLS and credentials. Raises ServerError for files that can't be used."""
    found: dict[str, str] = {}
    for field in FILES:
        if given := getattr(server, field):
            path = found[field] = str(paths.make_absolute(given))
            if not is_readable(path):
                reason = "can't be read" if exists(path) else "there is no such file"
                raise ServerError(f"{field}: {clean(path)}: {reason}", is_refusal=True)
    options: dict[str, Any] = {}
    if "creds" in found:
        options["user_credentials"] = found["creds"]
    if "nkey" in found:
        options["nkeys_seed"] = found["nkey"]
    if {"tls_ca", "tls_cert"} & found.keys():
        try:
            context = ssl.create_default_context(cafile=found.get("tls_ca"))
            if "tls_cert" in found:
                context.load_cert_chain(found["tls_cert"], found["tls_key"])
        except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
            raise ServerError(f"the files for TLS can't be used: {clean(str(error))}", is_refusal=True) from error
        options["tls"] = context
    return options


def make_origin(state_dir: Path) -> str:
    """Returns what identifies this machine, user and state folder, as a hash: by it a screen leaves out what is here."""
    machine = read_pid_domain().split(":")[1:2] or [""]
    words = (machine[0] or platform.node(), platform.node(), str(os.getuid()), str(state_dir))
    return hashlib.sha256("\0".join(words).encode(errors="replace")).hexdigest()[:20]


def _describe(error: BaseException) -> str:
    """Returns an error of nats-py, of TLS or of the system in a few words."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"TLS: {error.verify_message}"
    if isinstance(error, ssl.SSLError):
        return f"TLS: {error.reason or error}"
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, OSError):
        return (
            os.strerror(error.errno)
            if error.errno is not None and error.errno > 0
            else clean(str(error.strerror or error))
        )
    text = clean(str(error)).removeprefix("nats: ").strip("'\" ")[:300]
    if type(error).__name__ == "NoServersError":
        return ""
    if _is_refusal(text):
        return f"it refuses these credentials: {text}"
    return text or type(error).__name__


def _is_refusal(text: str) -> bool:
    return any(
        word in text.casefold() for word in ("authorization violation", "authentication", "permissions violation")
    )
