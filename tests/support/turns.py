"""Turns that nobody recorded: made-up but possible streams of events, for hypothesis."""

from typing import Any

from hypothesis import strategies as st

Event = dict[str, Any]
TOOLS = ("Bash", "Read", "Edit", "mcp__forms__ask")


class EventStream:
    """Writes a stream down, event by event, each later than the one before."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.events: list[Event] = []
        self.now = 100.0
        self.count = 0
        self.batches = draw(st.booleans())
        """Newer clients end each step with a PostToolBatch."""
        self.requests = draw(st.booleans())
        """Older ones say by a Notification alone that they wait."""

    def add_event(self, kind: str, agent: str = "", **fields: Any) -> None:
        self.now += self.draw(st.sampled_from((0.05, 0.5, 7.0)))
        who = {"agent_id": agent, "agent_type": "Explore"} if agent else {}
        self.events.append({"at": self.now, "session_id": "s1", "event": kind, "pid": 11, **who, **fields})

    def make_name(self, kind: str) -> str:
        self.count += 1
        return f"{kind}{self.count}"

    def draw_boolean(self) -> bool:
        return self.draw(st.booleans())

    def add_step(self, agent: str) -> None:
        """Some tools at once, each with its way to go on."""
        calls = []
        for _ in range(self.draw(st.integers(1, 3))):
            call = {"tool": self.draw(st.sampled_from(TOOLS)), "tool_use_id": self.make_name("t")}
            calls.append({**call, "summary": f"do {call['tool_use_id']}", "hash": self.draw(st.sampled_from("abc"))})
            self.add_event("PreToolUse", agent, **calls[-1])
        for call in self.draw(st.permutations(calls)):
            fate = self.draw(st.sampled_from(("done", "asked", "failed", "denied", "silent")))
            if fate == "asked":
                asked = {key: call[key] for key in ("tool", "summary", "hash")}
                if self.requests:
                    self.add_event("PermissionRequest", agent, permission_mode="default", **asked)
                    since = self.now
                if self.draw_boolean():
                    message = f"Claude needs your permission to use {call['tool']}"
                    self.add_event("Notification", notification_type="permission_prompt", message=message)
                if self.requests and self.draw_boolean():
                    self.add_answer(agent, asked, since)
            after = {key: call[key] for key in ("tool", "tool_use_id", "summary")}
            if fate in ("done", "asked") and self.draw_boolean():
                touched = {"file": f"/x/{call['hash']}"} if call["tool"] in ("Read", "Edit") else {}
                self.add_event("PostToolUse", agent, **after, **touched)
            elif fate == "failed":
                self.add_event("PostToolUseFailure", agent, **after, error="no such file")
            elif fate == "denied":
                self.add_event("PermissionDenied", agent, **call)
        if self.batches:
            self.add_event("PostToolBatch", agent)

    def add_answer(self, agent: str, asked: Event, since: float) -> None:
        """A person answers in atm-tui."""
        key = f"{agent}|{asked['tool']}|{asked['hash']}"
        decision = self.draw(st.sampled_from(("allow", "deny", "always")))
        self.add_event("Answered", agent, tool=asked["tool"], hash=asked["hash"], key=key, decision=decision, by="app")
        self.events[-1]["after"] = round(self.now - since, 3)

    def launch_agent(self, parent: str) -> str:
        """Starts a subagent; which of the two events comes first varies."""
        child, call = (
            self.make_name("a"),
            {"tool": "Agent", "tool_use_id": self.make_name("t"), "description": self.make_name("task ")},
        )
        self.add_event("PreToolUse", parent, **call, subagent_type="Explore", hash=call["tool_use_id"])
        back = {"child": child, "child_status": "async_launched", "child_model": "m"}
        order = self.draw(st.sampled_from(("start first", "return first", "no return")))
        if order == "start first":
            self.add_event("SubagentStart", child)
        if order != "no return":
            self.add_event("PostToolUse", parent, **call, **back)
        if order != "start first":
            self.add_event("SubagentStart", child)
        if self.batches and order != "no return":
            self.add_event("PostToolBatch", parent)
        return child

    def finish_agent(self, agent: str) -> None:
        fate = self.draw(st.sampled_from(("stop", "stop twice", "failure", "nothing")))
        if fate.startswith("stop"):
            self.add_event("SubagentStop", agent, reply="done")
        if fate == "stop twice":
            self.add_event("SubagentStop", agent, reply="done")
        if fate == "failure":
            self.add_event("StopFailure", agent, error="server_error", reply="API Error")
        if fate != "nothing" or self.draw_boolean():
            status = self.draw(st.sampled_from(("completed", "failed", "killed")))
            notice = {"prompt_kind": "notification", "child": agent, "child_status": status}
            self.add_event("UserPromptSubmit", prompt_id=self.make_name("p"), **notice)

    def add_unrelated(self) -> None:
        """What can come at any time."""
        kind = self.draw(
            st.sampled_from(("ghosts", "sample", "cwd", "idle", "mcp", "task", "strange", "model", "shell"))
        )
        if kind == "ghosts":
            self.add_event("PreCompact", trigger="auto")
            for _ in range(2):
                self.events.append(
                    {"at": self.now, "session_id": "s1", "event": "SubagentStop", "agent_id": self.make_name("g")}
                )
            self.add_event("SessionStart", source="compact", model="m2")
            self.add_event("PostCompact")
        elif kind == "sample":
            self.add_event("Sample", metrics={"cost_usd": self.count / 10}, title=self.make_name("title "))
        elif kind == "cwd":
            self.add_event("CwdChanged", cwd=f"/{self.count}")
        elif kind == "idle":
            self.add_event("Notification", notification_type="idle_prompt", message="Claude is waiting for your input")
        elif kind == "mcp":
            self.add_event("Elicitation", server="forms", message="Your name?")
            if self.draw_boolean():
                self.add_event("ElicitationResult", server="forms", action="accept")
        elif kind == "task":
            self.add_event("TaskCreated", task_id="1", subject="write it")
            self.add_event("TaskCompleted", task_id="1", subject="write it")
        elif kind == "strange":
            self.add_event("NeverHeardOf", other_fields=["one", "two"])
        elif kind == "model":
            self.add_event("PostModelSwitch", model=self.make_name("m"))
        else:
            self.add_event(
                "PostToolUse", tool="Bash", tool_use_id=self.make_name("t"), summary="serve", shell=self.make_name("b")
            )


@st.composite
def turns(draw: st.DrawFn) -> list[Event]:
    """One turn of a session, with subagents, waits, failures and everything else, in the order in which it happened."""
    stream = EventStream(draw)
    if stream.draw_boolean():
        stream.add_event("SessionStart", source=draw(st.sampled_from(("startup", "resume"))), model="m1", pid_start="7")
    stream.add_event(
        "UserPromptSubmit",
        prompt_id=stream.make_name("p"),
        prompt_kind="human",
        prompt="go on",
        permission_mode="default",
    )
    agents: list[str] = []
    for _ in range(draw(st.integers(0, 6))):
        what = draw(st.sampled_from(("step", "launch", "finish", "aside")))
        if what == "step":
            stream.add_step(draw(st.sampled_from(["", *agents])))
        elif what == "launch" and len(agents) < 3:
            agents.append(stream.launch_agent(draw(st.sampled_from(["", *agents]))))
        elif what == "finish" and agents:
            stream.finish_agent(agents.pop())
        elif what == "aside":
            stream.add_unrelated()
    listed = [{"id": agent, "type": "subagent", "status": "running"} for agent in agents if stream.draw_boolean()]
    ending = draw(st.sampled_from(("stop", "failure", "esc", "left")))
    if ending == "stop":
        stream.add_event("Stop", reply="all done", background_tasks=listed, crons=0)
    elif ending == "failure":
        stream.add_event("StopFailure", error="rate_limit", reply="API Error", prompt_id="p1")
    if ending == "left" or stream.draw_boolean():
        stream.add_event("SessionEnd", reason="prompt_input_exit")
    return stream.events
