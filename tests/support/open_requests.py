"""Requests of sessions of `fleets.make_busy_fleet` that can be answered here, for pictures."""

from typing import Any

from atm_tui.model.request import Arming, Request
from atm_tui.risk.requests import find_dangers
from atm_tui.risk.rules import build_rules
from tests.support import fleets
from tests.support.memory_monitor import MemoryMonitor

_QUESTION = {
    "questions": [
        {
            "question": "Which colour should the button have while it is disabled?",
            "header": "Colour",
            "multiSelect": False,
            "options": [
                {"label": "Grey", "description": "as all other buttons of the shop"},
                {"label": "Pale blue", "description": "as in the draft of the design"},
                {"label": "No colour", "description": "only its frame stays"},
            ],
        }
    ]
}
_COMMAND = (
    "psql $TEST_DATABASE -c 'drop table if exists orders_old' && rm -rf db/migrations && npm run migrate -- --env test"
)


def _request(nonce: str, session: str, key: str, tool: str, given: dict[str, Any], ago: float, **more: Any) -> Request:
    return Request(
        nonce=nonce * 32,
        session_id=session,
        key=key,
        digest="0" * 64,
        at=fleets.NOW - ago,
        until=fleets.NOW - ago + 600,
        tool=tool,
        input=given,
        permission_mode="default",
        **more,
    )


def fill_requests(monitor: MemoryMonitor) -> None:
    """Adds two requests and arms: a subagent asks to run a dangerous-looking command, and a session asks a question."""
    monitor.put(fleets.make_busy_fleet(), health=fleets.HEALTHY)
    command = _request(
        "a",
        "0a11",
        "a1",
        "Bash",
        {"command": _COMMAND, "description": "Run the migration against the test database"},
        72,
        agent_id="a1",
        agent_type="Explore",
        cwd=f"{fleets.HOME}/src/shop-api",
        suggestions=(
            {
                "type": "addRules",
                "rules": [{"toolName": "Bash", "ruleContent": "npm run migrate:*"}],
                "behavior": "allow",
                "destination": "localSettings",
            },
        ),
    )
    question = _request("b", "0b11", "q", "AskUserQuestion", _QUESTION, 14, cwd=f"{fleets.HOME}/src/shop-web")
    why = find_dangers(command, (command.cwd,), fleets.HOME, build_rules(()))
    monitor.fleet.update_requests((command, question), {command.nonce: why}, Arming.ON)
