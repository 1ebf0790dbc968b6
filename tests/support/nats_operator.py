"""An operator of NATS servers with one account, as `nsc` makes them: signed JWTs for the server, and files of credentials."""

import base64
import json
import os
import time
from pathlib import Path
from typing import Any

JETSTREAM = {"mem_storage": 1 << 26, "disk_storage": 1 << 29, "streams": -1, "consumer": -1}
UNLIMITED = {
    "subs": -1,
    "data": -1,
    "payload": -1,
    "imports": -1,
    "exports": -1,
    "wildcards": True,
    "conn": -1,
    "leaf": -1,
}


class _Key:
    """A key of one kind."""

    def __init__(self, prefix: int) -> None:
        import nkeys

        self.seed = bytes(nkeys.encode_seed(os.urandom(32), prefix))
        self._pair = nkeys.from_seed(bytearray(self.seed))
        self.public: str = self._pair.public_key.decode()

    def sign(self, name: str, subject: str, claims: dict[str, Any]) -> str:
        """Returns a JWT about a subject, issued by this key."""
        head = {"typ": "JWT", "alg": "ed25519-nkey"}
        body = {
            "jti": os.urandom(16).hex(),
            "iat": int(time.time()) - 60,
            "iss": self.public,
            "name": name,
            "sub": subject,
            "nats": {"version": 2, **claims},
        }
        signed = f"{_encode(json.dumps(head).encode())}.{_encode(json.dumps(body).encode())}"
        return f"{signed}.{_encode(self._pair.sign(signed.encode()))}"


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


class Operator:
    """An operator, its account with JetStream, and the account of the system."""

    def __init__(self) -> None:
        import nkeys

        self._operator = _Key(nkeys.PREFIX_BYTE_OPERATOR)
        self._account, self._system = _Key(nkeys.PREFIX_BYTE_ACCOUNT), _Key(nkeys.PREFIX_BYTE_ACCOUNT)

    @property
    def config(self) -> str:
        """What the configuration of a server says of it."""
        own = {"type": "operator", "system_account": self._system.public}
        account = {"type": "account", "limits": {**UNLIMITED, **JETSTREAM}}
        system = {"type": "account", "limits": UNLIMITED}
        sign = self._operator.sign
        return (
            f"operator: {sign('operator', self._operator.public, own)}\n"
            f"system_account: {self._system.public}\nresolver: MEMORY\nresolver_preload: {{\n"
            f"  {self._account.public}: {sign('fleet', self._account.public, account)}\n"
            f"  {self._system.public}: {sign('system', self._system.public, system)}\n}}\n"
        )

    def write_creds(self, path: Path, **claims: Any) -> None:
        """Writes the credentials of a new user. `claims`: what its JWT says besides, such as `exp`."""
        import nkeys

        user = _Key(nkeys.PREFIX_BYTE_USER)
        rights = {"type": "user", "pub": {}, "sub": {}, "subs": -1, "data": -1, "payload": -1, **claims}
        token = self._account.sign("someone", user.public, rights)
        path.write_text(
            f"-----BEGIN NATS USER JWT-----\n{token}\n------END NATS USER JWT------\n\n"
            f"-----BEGIN USER NKEY SEED-----\n{user.seed.decode()}\n------END USER NKEY SEED------\n",
            "ascii",
        )
