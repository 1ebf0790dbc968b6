"""What the client is led through to see what a version does: one function for each kind of situation, on a scripted API."""

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from atm_hooks.payload import EVENTS
from tests.client.api import Error, Hold, Options, Step, Text, Tool, Tools
from tests.client.client import Client
from tests.client.record import Line, follow, make_settings
from tests.client.sandbox import CALM, Sandbox
from tests.client.shape import describe_result, describe_scenario
from tests.support.waiting import PATIENCE, wait_until

PERMISSION = r"Do you want to"
COLOUR = {
    "question": "Which colour?",
    "header": "Colour",
    "options": [{"label": "Red", "description": "Warm"}, {"label": "Blue", "description": "Cold"}],
    "multiSelect": False,
}
TEAMS = {"CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS": "1"}
WHILE_A_TURN_RUNS = 15.0
"""Seconds for the event of a prompt that is sent during a turn; longer than it takes on a busy machine."""
WITH_TASKS = ("--model", "claude-sonnet-4-6")
"""A model that has the tools for tasks."""
NO_RETRIES = {"CLAUDE_CODE_MAX_RETRIES": "0"}
ASKS = ("--permission-mode", "default")
ALLOWED = (*ASKS, "--allowedTools", "Bash", "mcp__shop__order")
"""Arguments of a client that asks for nothing that it is led to."""

SERVER = """\
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    method, number = asked.get("method"), asked.get("id")
    if method == "initialize":
        result = {"protocolVersion": asked["params"]["protocolVersion"], "capabilities": {"tools": {}},
                  "serverInfo": {"name": "shop", "version": "1"}}
    elif method == "tools/list":
        schema = {"type": "object", "properties": {}}
        result = {"tools": [{"name": "order", "description": "Orders it.", "inputSchema": schema}]}
    elif method == "tools/call":
        call = number
        schema = {"type": "object", "properties": {"size": {"type": "string"}}, "required": ["size"]}
        ask = {"jsonrpc": "2.0", "id": "ask", "method": "elicitation/create",
               "params": {"message": "Which size?", "requestedSchema": schema}}
        print(json.dumps(ask), flush=True)
        continue
    elif number == "ask":
        number, result = call, {"content": [{"type": "text", "text": "Ordered."}]}
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": number, "result": result}), flush=True)
"""
"""An MCP server whose tool asks its user for a size."""


class Stage:
    """A scratch home in which hooks write down all that they get, and what the client was seen to do there."""

    def __init__(self, folder: Path, program: str, tmux: str, events: frozenset[str]) -> None:
        folder.mkdir(parents=True)
        self.sandbox = Sandbox(folder, program, tmux)
        self.spool = folder / "spool.jsonl"
        self.api = self.sandbox.api
        self.project = self.sandbox.make_project("shop", {"a.txt": "hello\n", "b.txt": "bye\n", "c.txt": "so\n"})
        # These two change what the client does.
        settings = make_settings(self.spool, (events or EVENTS) - {"WorktreeCreate", "PreSkillShellCommand"})
        (self.sandbox.config_dir / "settings.json").write_text(json.dumps({**CALM, **settings}))
        self.lines: list[str] = []
        """Lines of the shape beside what was recorded."""

    def start(self, *arguments: str, env: Mapping[str, str] | None = None) -> Client:
        """Starts a client that takes prompts."""
        return self.sandbox.start_client(self.project, *arguments, env=env)

    def ask(self, client: Client, phrase: str, *steps: Step) -> None:
        """Sends a prompt that these steps answer."""
        self.api.script(phrase, *steps)
        client.type_prompt(f"please {phrase}")

    def run(
        self, phrase: str, *steps: Step, arguments: Sequence[str] = (), env: Mapping[str, str] | None = None
    ) -> None:
        """Runs `claude -p` with a prompt that these steps answer, and keeps the fields of its result."""
        self.api.script(phrase, *steps)
        result = self.sandbox.run_headless(f"please {phrase}", *arguments, project=self.project, env=env)
        self.lines += describe_result(result)

    def leave(self, client: Client) -> None:
        """Ends a client as a person does."""
        client.exit()

    def heard(self, event: str, count: int = 1, seconds: float = PATIENCE) -> None:
        """Waits until a hook was called so many times; AssertionError if it is not within so many seconds."""
        mark = f'"hook_event_name": "{event}"'
        wait_until(
            lambda: self.spool.is_file() and self.spool.read_text().count(mark) >= count, f"{count} {event}", seconds
        )


Scenario = Callable[[Stage], None]


def play_tools(stage: Stage) -> None:
    """Tools that work, fail, change the folder, and write; without a person."""
    steps = [
        Tool("Read", {"file_path": "a.txt"}),
        Tools([Tool("Bash", {"command": "ls"}), Tool("Bash", {"command": "mkdir -p sub && cd sub"})]),
        Tool("Bash", {"command": "ls /nowhere"}),
        Tool("Write", {"file_path": str(stage.project / "new.txt"), "content": "new\n"}),
        Tool("Edit", {"file_path": str(stage.project / "new.txt"), "old_string": "new", "new_string": "old"}),
        Tool("Glob", {"pattern": "*.txt"}),
        Tool("Grep", {"pattern": "hello"}),
        Text("Done with tools."),
    ]
    stage.run("use tools", *steps, arguments=("--permission-mode", "bypassPermissions"))


def play_permissions(stage: Stage) -> None:
    """A permission that is given, and one that is refused."""
    client = stage.start(*ASKS)
    stage.ask(client, "remove one", Tool("Bash", {"command": "rm -f a.txt"}), Text("Removed one."))
    client.wait_status("waiting")
    client.answer(PERMISSION, "Enter")
    client.wait_screen("Removed one")
    client.wait_status("idle")
    stage.ask(client, "remove two", Tool("Bash", {"command": "rm -f b.txt"}), Text("Removed two."))
    client.wait_status("waiting")
    client.answer(PERMISSION, "Escape")
    client.wait_status("idle")
    stage.leave(client)


def play_dialogs(stage: Stage) -> None:
    """A question, answered, and a plan, approved."""
    client = stage.start("--permission-mode", "plan")
    question = Tool("AskUserQuestion", {"questions": [COLOUR]})
    stage.ask(client, "ask me", question, Text("Asked you."))
    client.wait_status("waiting")
    client.answer("Enter to select", "Enter")
    client.wait_screen("Asked you")
    client.wait_status("idle")
    stage.ask(client, "plan it", Tool("ExitPlanMode", {"plan": "# Plan\n\n1. first\n"}), Text("Planned it."))
    client.wait_status("waiting")
    client.answer("Would you like to proceed|Exit plan mode", "Enter")
    client.wait_screen("Planned it")
    client.wait_status("idle")
    stage.leave(client)


def play_subagents(stage: Stage) -> None:
    """Two subagents at work at once, one of which asks for a permission."""
    gate, names = threading.Event(), ("count apples", "count pears")
    stage.api.script(names[0], Hold(gate, Tool("Bash", {"command": "rm -f a.txt"})), Text("Apples: 3."))
    stage.api.script(names[1], Hold(gate, Text("Pears: 3.")))
    calls = [
        # The description comes back in the notification of the end, and must not be what picks the script.
        Tool("Agent", {"description": name[6:], "prompt": f"Please {name}", "subagent_type": "general-purpose"})
        for name in names
    ]
    client = stage.start(*ASKS)
    stage.ask(client, "do both", Tools(calls), Text("Both are counting."))
    for name in names:
        stage.api.wait_for_call(name)
    gate.set()
    client.wait_status("waiting")
    client.answer(PERMISSION, "Enter")
    stage.heard("SubagentStop", 2)
    client.wait_status("idle")
    stage.leave(client)


def play_background_shell(stage: Stage) -> None:
    """A shell that goes on after its turn, and has a turn of its own when it ends."""
    client = stage.start(*ALLOWED)
    call = {"command": "for i in 1 2 3 4 5; do sleep 1; done", "run_in_background": True, "description": "the shell"}
    stage.ask(client, "begin it", Tool("Bash", call), Text("Began it."))
    client.wait_screen("Began it")
    stage.heard("Stop", 2)
    client.wait_status("idle")
    stage.leave(client)


def play_interrupts(stage: Stage) -> None:
    """Esc during a tool, and during a text; a prompt that waits for the end of another."""
    client = stage.start(*ALLOWED)
    stage.ask(client, "count it", Tool("Bash", {"command": "for i in 1 2 3 4 5 6 7 8 9; do sleep 2; done"}))
    stage.heard("PreToolUse")
    client.wait_screen(r"Running|\(\d+s")
    client.press_keys("Escape")
    client.wait_status("idle")
    stage.ask(client, "talk on", Text("word " * 600, Options(chunk_delay=0.1)))
    stage.api.wait_for_call("talk on")
    client.wait_status("busy")
    client.press_keys("Escape")
    client.wait_status("idle")
    gate = threading.Event()
    stage.api.script("second one", Text("Second said."))
    stage.ask(client, "first one", Hold(gate, Text("First said.")))
    stage.api.wait_for_call("first one")
    client.type_prompt("please second one")
    with suppress(AssertionError):  # some versions say so when they take it
        stage.heard("UserPromptSubmit", 4, WHILE_A_TURN_RUNS)
        stage.lines.append("event interrupts: UserPromptSubmit(while a turn runs)")
    gate.set()
    client.wait_screen("Second said")
    client.wait_status("idle")
    stage.leave(client)


def play_errors(stage: Stage) -> None:
    """Each error of the API, and an answer that is too long."""
    for status in (400, 401, 403, 404, 429, 500, 529):
        with suppress(AssertionError):  # a run that prints nothing has its hooks all the same
            stage.run(f"fail with {status}", Error(status), env=NO_RETRIES)
    stage.run("say too much", Text("so much", Options(stop="max_tokens")), env=NO_RETRIES)


def play_conversations(stage: Stage) -> None:
    """A name, another model, a compaction, a new conversation, a copy of it, and the first one again."""
    stage.api.script("detailed summary", Text("A short talk."))
    client = stage.start("--permission-mode", "default")
    first = client.session_id
    stage.ask(client, "say hello", Text("Hello said."))
    client.wait_screen("Hello said")
    client.wait_status("idle")
    client.type_prompt("/rename Errand")
    client.wait_screen("renamed to: Errand")
    stage.ask(client, "say more", Text("More said."))
    client.wait_screen("More said")
    client.wait_status("idle")
    client.type_prompt("/compact")
    stage.heard("PostCompact")
    client.wait_status("idle")
    client.type_prompt("/clear")
    wait_until(lambda: client.session_id != first, "a new session")
    stage.ask(client, "say again", Text("Again said."))
    client.wait_screen("Again said")
    client.wait_status("idle")
    second = client.session_id
    client.type_prompt("/branch Copy")
    wait_until(lambda: client.session_id != second, "a copy of the session")
    stage.leave(client)
    client = stage.start("--resume", first)
    stage.ask(client, "say the end", Text("The end said."))
    client.wait_screen("The end said")
    client.wait_status("idle")
    client.kill(signal.SIGTERM)


def play_headless(stage: Stage) -> None:
    """A run without a person, whose wish is refused; and one that goes on with it."""
    stage.run("remove it", Tool("Bash", {"command": "rm -f a.txt"}), Text("Not removed."), arguments=ASKS)
    stage.run("go on", Text("Gone on."), arguments=("--continue",))


def play_foreground_agent(stage: Stage) -> None:
    """A subagent that its caller waits for."""
    call = {"description": "plums", "prompt": "Please count plums", "subagent_type": "general-purpose"}
    stage.api.script("count plums", Tool("Read", {"file_path": "a.txt"}), Text("Plums: 3."))
    stage.run("have it counted", Tool("Agent", {**call, "run_in_background": False}), Text("Counted."))


def play_team(stage: Stage) -> None:
    """A teammate with a task."""
    call = {"description": "look", "prompt": "look it up", "name": "researcher", "subagent_type": "general-purpose"}
    done = [Tool("TaskUpdate", {"taskId": "1", "status": word}) for word in ("in_progress", "completed")]
    stage.api.script("look it up", *done, Text("Looked up."))
    client = stage.start(*ALLOWED, *WITH_TASKS, env=TEAMS)
    task = Tool("TaskCreate", {"subject": "Look", "description": "Look it up"})
    stage.ask(client, "start a team", task, Tool("Agent", call), Text("The team is running."))
    stage.heard("TeammateIdle")
    client.wait_status("idle")
    client.kill(signal.SIGTERM)


def play_elicitation(stage: Stage) -> None:
    """A server that asks its user."""
    server = stage.project / "server.py"
    server.write_text(SERVER)
    config = {"mcpServers": {"shop": {"command": sys.executable, "args": [str(server)]}}}
    (stage.project / "mcp.json").write_text(json.dumps(config))
    client = stage.start(*ALLOWED, "--mcp-config", "mcp.json")
    stage.ask(client, "order it", Tool("mcp__shop__order", {}), Text("Ordered it."))
    stage.heard("Elicitation")
    client.wait_status("waiting")
    client.answer("Which size", "Escape")
    stage.heard("ElicitationResult")
    client.wait_status("idle")
    stage.leave(client)


SCENARIOS: dict[str, Scenario] = {
    function.__name__.removeprefix("play_"): function
    for function in (
        play_headless,
        play_tools,
        play_errors,
        play_foreground_agent,
        play_permissions,
        play_dialogs,
        play_subagents,
        play_background_shell,
        play_interrupts,
        play_conversations,
        play_team,
        play_elicitation,
    )
}


def play_scenario(name: str, folder: Path, program: str, tmux: str, events: frozenset[str]) -> frozenset[str]:
    """The shape of what the client does in one scenario. One that can't be played to its end says where it stopped."""
    stage = Stage(folder, program, tmux, events)
    lines: list[Line] = []
    ended = f"played {name}"
    try:
        with follow(stage.sandbox.config_dir, stage.spool) as lines:
            try:
                SCENARIOS[name](stage)
            except (AssertionError, subprocess.SubprocessError, OSError) as error:
                (folder / "stopped.txt").write_text(str(error))
                ended = f"stopped {name}: {str(error).splitlines()[0][:160]}"
    finally:
        stage.sandbox.close()
    return frozenset([ended, *stage.lines, *describe_scenario(name, lines)])
