"""Transcripts of conversations, line by line in the form of the client."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

BEGAN = 1_795_000_000.0
"""Epoch seconds of the first line."""
ANSWER = {"model": "claude-opus-5-5", "usage": {"input_tokens": 10, "output_tokens": 20}}
"""What a message of the model has besides its content."""
REPLY = """## What I found

The login test fails because the **token** expires *before* the redirect. Two places matter:

1. `auth/session.py` sets the lifetime
2. `web/login.py` reads it too late
   - only after the redirect
   - and never again

```python
def lifetime(user):
    return 60 if user.is_guest else 3600
```

| file | lines | risk |
|---|---|---|
| auth/session.py | 12 | low |
| web/login.py | 140 | high |

> Guests have no refresh token.

See [the docs](https://example.org/tokens) for more.
"""


class Transcript:
    """A transcript that grows."""

    def __init__(self, path: Path, agent: str = "", began: float = BEGAN) -> None:
        self.path = path
        self.began = began
        self.agent = agent
        self._count = 0
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()

    def write(self, kind: str, content: Any = None, **more: Any) -> None:
        """Appends a line; `content` is that of its message."""
        self._count += 1
        stamp = datetime.fromtimestamp(self.began + 30 * self._count, UTC).isoformat().replace("+00:00", "Z")
        line: dict[str, Any] = {"parentUuid": None, "isSidechain": bool(self.agent)}
        line |= {"agentId": self.agent} if self.agent else {}
        line |= (
            {"message": {"role": kind, "content": content, **(ANSWER if kind == "assistant" else {})}}
            if content is not None
            else {}
        )
        line |= {"type": kind, "uuid": f"{self.agent}{self._count}", "timestamp": stamp, "sessionId": "s", **more}
        self.append(json.dumps(line, ensure_ascii=False).encode() + b"\n")

    def append(self, data: bytes) -> None:
        """Appends bytes."""
        with self.path.open("ab") as file:
            file.write(data)

    def prompt(self, text: str, **more: Any) -> None:
        self.write("user", text, **more)

    def reply(self, text: str, **more: Any) -> None:
        self.write("assistant", [{"type": "text", "text": text}], **more)

    def think(self, text: str) -> None:
        self.write("assistant", [{"type": "thinking", "thinking": text, "signature": "x"}])

    def call(self, key: str, name: str, **given: Any) -> None:
        self.write("assistant", [{"type": "tool_use", "id": key, "name": name, "input": given}])

    def result(self, key: str, content: Any, *, error: bool = False) -> None:
        block = {"tool_use_id": key, "type": "tool_result", "content": content, "is_error": error}
        self.write("user", [block], toolUseResult={"stdout": content})

    def add_agent(self, name: str, call_id: str = "", **meta: Any) -> "Transcript":
        """Adds the transcript of a subagent, which a call started."""
        folder = self.path.with_suffix("") / "subagents"
        agent = Transcript(folder / f"agent-{name}.jsonl", name, self.began)
        given = {"toolUseId": call_id, **meta} if call_id else meta
        (folder / f"agent-{name}.meta.json").write_text(json.dumps(given))
        return agent


def write_work(path: Path, began: float = BEGAN) -> Transcript:
    """Writes a conversation with everything in it: prompts, thoughts, tools, a subagent inside another, a compaction."""
    told = Transcript(path, began=began)
    told.write("mode", mode="normal")
    told.prompt("Fix the login test.\nIt fails since Monday.")
    told.think("The user wants the login test fixed. I should look at the session code first.")
    told.reply("Let me look at the code.")
    told.call("t1", "Bash", command="grep -rn lifetime src", description="Find the lifetime")
    told.result("t1", "src/auth/session.py:12: def lifetime(user):\nsrc/web/login.py:140: lifetime(guest)\n")
    told.call("t2", "Agent", description="Explore the API", prompt="List the routes", subagent_type="Explore")
    agent = told.add_agent("a1", "t2", agentType="Explore", description="Explore the API")
    agent.prompt("List the routes")
    agent.call("t3", "Read", file_path="/home/user/work/web/routes.py")
    agent.result("t3", "1\tGET /login\n2\tPOST /login\n")
    agent.call("t9", "Agent", description="Count them", prompt="Count the routes", subagent_type="general-purpose")
    inner = told.add_agent("a2", "t9", agentType="general-purpose", description="Count them", parentAgentId="a1")
    inner.prompt("Count the routes")
    inner.reply("There are exactly two routes.")
    agent.result("t9", [{"type": "text", "text": "two"}])
    agent.reply("Found **two** routes.")
    told.result("t2", [{"type": "text", "text": "Async agent launched successfully."}])
    told.write(
        "user", "<task-notification>\n<status>completed</status>\n<summary>Agent finished</summary></task-notification>"
    )
    told.reply(REPLY)
    told.call("t4", "Edit", file_path="src/auth/session.py", old_string="return 60", new_string="return 600")
    told.result("t4", "The file has been updated.")
    told.call("t5", "Bash", command="npm test")
    told.result("t5", "Exit code 1\n3 tests failed", error=True)
    told.write("system", subtype="compact_boundary", content="Conversation compacted",
               compactMetadata={"trigger": "auto", "preTokens": 180915, "postTokens": 2871})  # fmt: skip
    told.write("user", "The summary of all before.", isCompactSummary=True)
    told.prompt("Go on")
    told.reply("All tests pass now.")
    return told


def write_long(path: Path, megabytes: int) -> int:
    """Writes a conversation of about so many MB in as many parts, nearly all of it results of tools; returns its bytes."""
    told = Transcript(path)
    told.prompt("The very first prompt")
    for part in range(megabytes):
        text = "".join(f"line {part} {number} of some output\n" for number in range(1150))
        with path.open("a") as file:
            for number in range(32):
                key = f"{part}-{number}"
                call = {"type": "tool_use", "id": key, "name": "Bash", "input": {"command": f"make {key}"}}
                result = {"tool_use_id": key, "type": "tool_result", "content": text}
                for kind, block in (("assistant", call), ("user", result)):
                    line = {"type": kind, "uuid": key, "message": {"role": kind, "content": [block]}}
                    file.write(json.dumps(line) + "\n")
        told.reply(f"That was part {part}.")
    told.reply("The very last reply")
    return path.stat().st_size
