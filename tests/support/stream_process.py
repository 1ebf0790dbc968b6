"""`atm-tui stream` as a process, and the schema of its lines."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jsonschema
import msgspec

from atm_tui.model.stream import LINES
from tests.support.command_home import Home
from tests.support.tables import STREAM_SCHEMA

SCHEMA = json.loads(STREAM_SCHEMA.read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


class Stream:
    """A running `atm-tui stream`, read line by line; every line is checked against the schema."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process

    def read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found: dict[str, Any] = json.loads(line)
        VALIDATOR.validate(found)
        kind = LINES[found["change"]]
        assert msgspec.json.decode(line, type=kind) is not None
        return found

    def read_until(self, change: str) -> list[dict[str, Any]]:
        found = [self.read()]
        while found[-1]["change"] != change:
            found.append(self.read())
        return found

    def write(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def ask(self, **fields: Any) -> dict[str, Any]:
        """Writes a command, and returns the reply."""
        self.write(json.dumps(fields))
        return self.read_until("reply")[-1]


@contextmanager
def run_stream(home: Home, *words: str) -> Iterator[Stream]:
    with home.open("stream", *words, stdin=subprocess.PIPE) as process:
        yield Stream(process)
