"""What the tests of gaps share: a session, what atm-tui says of it, and the client behind it."""

import re
from collections.abc import Callable
from typing import Any

from tests.client.api import Tool
from tests.client.client import Client
from tests.client.sandbox import Sandbox

PERMISSION = r"Do you want to proceed"
SLOW = {"slow.sh": "for i in $(seq $1); do sleep 0.2; done\n"}
"""A file of a project: takes a fifth of a second for each of its argument."""
RULE = ("--permission-mode", "default", "--allowedTools", "Bash(sh slow.sh:*)")
"""Arguments of a client that asks for everything but slow.sh."""

Row = dict[str, Any]
"""A session in `atm-tui status --json`."""


def make_agent_call(prompt: str, description: str) -> Tool:
    return Tool("Agent", {"description": description, "prompt": prompt, "subagent_type": "general-purpose"})


class ShownSession:
    """A session as atm-tui shows it."""

    def __init__(self, sandbox: Sandbox, session_id: str) -> None:
        self.sandbox = sandbox
        self.session_id = session_id

    def wait_for_row(self, check: Callable[[Row], object]) -> Row:
        """Waits until `check` holds for the session, and returns it."""
        rows: list[Row] = []

        def looked() -> bool:
            row = self.sandbox.check_session(self.session_id, check)
            rows.extend([] if row is None else [row])
            return row is not None

        self.sandbox.measure_until(looked)
        return rows[-1]

    def wait_for_state(self, state: str, detail: str = ".*", *, waits: int = 0, liveness: str = "live") -> Row:
        """Waits until the session is live and in this state; `detail` is a regular expression for the whole detail."""

        def so(row: Row) -> bool:
            shown = (row["liveness"], row["state"], len(row["waits"]))
            assert shown == (liveness, state, waits), (shown, row["detail"], row["evidence"])
            assert re.fullmatch(detail, row["detail"]), row["detail"]
            return True

        return self.wait_for_row(so)

    def wait_for_end(self, reason: str) -> Row:
        """Waits until the session has ended and nothing in it works or waits."""
        row = self.wait_for_state("idle", liveness="ended")
        assert row["ended_reason"] == reason
        return row


class DrivenSession(ShownSession):
    """The same of a client that the test drives: the session that it serves now."""

    def __init__(self, sandbox: Sandbox, client: Client) -> None:
        super().__init__(sandbox, client.session_id)
        self.client = client

    def send_prompt(self, phrase: str) -> None:
        """Sends a prompt."""
        self.client.type_prompt(f"please {phrase}")
