"""The recorded hooks, as the client started them."""

import json
from functools import cache
from typing import NamedTuple

from tests.support.timelines import read_recording


class Hook(NamedTuple):
    """One start of a hook: seconds in the recording, stdin, and the environment as far as we need it."""

    t: float
    session: str
    event: str
    raw: bytes
    environ: dict[str, str]


@cache
def read_hooks(name: str) -> list[Hook]:
    """The hooks that we register, in order. The client's pid, which its environment told, is taken from its registry."""
    registry = [
        (line["t"], line["data"]) for line in read_recording(name) if line["kind"] == "registry" and line["data"]
    ]
    hooks = []
    for line in read_recording(name):
        if line["kind"] != "hook" or line["data"]["hook_event_name"] == "MessageDisplay":
            continue
        data, t = line["data"], line["t"]
        pids = {pid["pid"]: at for at, pid in registry if pid["sessionId"] == data["session_id"] and at <= t + 0.5}
        newest = max(pids, key=lambda pid: pids[pid], default=None)
        environ = {"CLAUDE_PID": str(newest)} if newest else {}
        hooks.append(Hook(t, data["session_id"], data["hook_event_name"], json.dumps(data).encode(), environ))
    return hooks
