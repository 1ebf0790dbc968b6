"""A real nats-server on loopback with JetStream, whose configuration a test writes."""

import contextlib
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.waiting import wait_until


def need_nats_server() -> str:
    """Returns the path of nats-server; skips the test without it."""
    pytest.importorskip("nats", reason="the extra [fleet] is not installed")
    found = shutil.which("nats-server") or shutil.which("nats-server", path="/usr/sbin:/usr/local/sbin")
    return found or pytest.skip("nats-server is not installed")


class NatsServer:
    """A server that can be killed and started again; its JetStream stays."""

    def __init__(self, folder: Path, program: str, config: str = "") -> None:
        """`config`: text of its configuration besides address and JetStream."""
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._program = program
        self._config = folder / "nats.conf"
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self._config.write_text(
            f"host: 127.0.0.1\nport: {self.port}\n"
            f'jetstream {{ store_dir: "{folder / "jetstream"}", max_memory_store: 64MB, max_file_store: 1GB }}\n{config}\n',
            "utf-8",
        )
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"nats://127.0.0.1:{self.port}"

    def start(self) -> None:
        with (self.folder / "nats.log").open("ab") as log:
            self.process = subprocess.Popen(
                [self._program, "-c", str(self._config)], stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        wait_until(self._is_answering, "a nats-server that listens")

    def _is_answering(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, (self.folder / "nats.log").read_text("utf-8")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1.0):
            return True
        return False

    def kill(self) -> None:
        """Ends it at once, as a lost machine would."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


@contextmanager
def run_nats_server(folder: Path, config: str = "") -> Iterator[NatsServer]:
    """Runs a server; skips without the program."""
    server = NatsServer(folder, need_nats_server(), config)
    server.start()
    try:
        yield server
    finally:
        server.kill()


def make_nkey() -> tuple[str, str]:
    """Returns a new key of a user: its seed, and its public part."""
    import nkeys

    seed = bytes(nkeys.encode_seed(os.urandom(32), nkeys.PREFIX_BYTE_USER))
    return seed.decode(), nkeys.from_seed(seed).public_key.decode()
