"""A session built event by event through the real payload and fold, with a registry and a process table."""

import json
from typing import Any

import msgspec

from atm_hooks import fold, payload
from atm_tui.model.facts import HookState, ProcessFact, RegistryEntry
from atm_tui.model.resolve import Facts, resolve
from atm_tui.model.session import Session
from atm_tui.model.transcript import TranscriptFacts
from atm_tui.view.status_text import describe_activity, describe_wait

START = 1_000_000.0
PID = 7


class SessionScenario:
    """One session; times are seconds after START."""

    def __init__(self, *, registry: bool = True) -> None:
        self.state: Any = None
        self.registered = registry
        self.registry: RegistryEntry | None = None
        self.transcript: TranscriptFacts | None = None
        self.alive = True
        self.boot_at = 0.0
        self.awake_at = 0.0
        self.run_hook(0, "SessionStart", source="startup")
        self.set_registry_status(0.1, "idle")

    def run_hook(self, t: float, event: str, agent: str = "", **fields: Any) -> None:
        """A hook of the main thread or of an agent."""
        who = {"agent_id": agent, "agent_type": fields.pop("agent_type", "Explore")} if agent else {}
        data = {"hook_event_name": event, "session_id": "s", "cwd": "/home/user/work/shop", **who, **fields}
        parsed = payload.parse_event(json.dumps(data).encode(), START + t, {"CLAUDE_PID": str(PID)})
        self.state = fold.fold(self.state, parsed)

    def set_registry_status(self, t: float, status: str, waiting_for: str = "") -> None:
        """The client's registry, if it has one."""
        if self.registered:
            at = START + t
            self.registry = RegistryEntry(
                pid=PID,
                session_id="s",
                status=status,
                waiting_for=waiting_for,
                status_at=at,
                updated_at=at,
                started_at=START,
            )

    def send_prompt(self, t: float, text: str = "go on", prompt_id: str = "") -> None:
        """A prompt that a person typed."""
        self.run_hook(t, "UserPromptSubmit", prompt=text, prompt_id=prompt_id or f"p{t}")
        self.set_registry_status(t + 0.1, "busy")

    def begin_tool(self, t: float, name: str = "Bash", agent: str = "", key: str = "t1", **given: Any) -> None:
        """A tool begins."""
        given = given or {"command": "npm test"}
        self.run_hook(t, "PreToolUse", agent, tool_name=name, tool_input=given, tool_use_id=key)

    def request_permission(self, t: float, name: str = "Bash", agent: str = "", **given: Any) -> None:
        """A tool asks for a permission."""
        given = given or {"command": "npm test"}
        self.run_hook(t, "PermissionRequest", agent, tool_name=name, tool_input=given, permission_mode="default")
        self.set_registry_status(t + 0.1, "waiting", "permission prompt")

    def start_agent(self, t: float, key: str = "a1", description: str = "Look") -> None:
        """The main thread starts a background agent."""
        given = {"description": description, "prompt": "look", "subagent_type": "Explore"}
        self.run_hook(t, "PreToolUse", tool_name="Agent", tool_input=given, tool_use_id=f"start-{key}")
        self.run_hook(t + 0.05, "SubagentStart", key)
        answer = {"isAsync": True, "status": "async_launched", "agentId": key, "description": description}
        self.run_hook(
            t + 0.1,
            "PostToolUse",
            tool_name="Agent",
            tool_input=given,
            tool_use_id=f"start-{key}",
            tool_response=answer,
        )

    def end_turn(self, t: float, *agents: str, tasks: tuple[dict[str, str], ...] = ()) -> None:
        """The main turn ends; these agents still run."""
        running = [
            {"id": key, "type": "subagent", "status": "running", "description": "Look", "agent_type": "Explore"}
            for key in agents
        ]
        self.run_hook(t, "Stop", background_tasks=[*running, *tasks])
        if not agents:
            self.set_registry_status(t + 0.1, "shell" if tasks else "idle")

    def make_facts(self) -> Facts:
        """What all sources say after what was told so far."""
        return Facts(
            session_id="s",
            hooks=msgspec.convert(self.state, HookState),
            registry=(self.registry,) if self.registry else (),
            processes={PID: ProcessFact(pid=PID)} if self.alive else {},
            serving={PID: "s"} if self.registry else {},
            transcript=self.transcript,
            boot_at=self.boot_at,
            awake_at=self.awake_at,
        )

    def resolve_at(self, t: float) -> Session:
        """The session as it is shown at a time."""
        return resolve(self.make_facts(), START + t).session

    def describe_status(self, t: float) -> str:
        """State and detail in one line: "working thinking"."""
        session = self.resolve_at(t)
        return f"{session.state.value} {describe_activity(session.activity)}"

    def list_waits(self, t: float) -> list[tuple[str, str]]:
        """Who waits for what: ("a1", "permission Bash"); "" is the main thread."""
        return [(wait.agent_id, describe_wait(wait).title) for wait in self.resolve_at(t).waits]

    def list_agents(self, t: float) -> dict[str, str]:
        """States of the agents by id."""
        return {agent.agent_id: agent.state.value for agent in self.resolve_at(t).agents}
