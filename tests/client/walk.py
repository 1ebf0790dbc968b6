"""A random walk through what a person does with the client: each step knows what it leads to, and tells the oracle."""

import random
import re
import signal
import threading
import time
from dataclasses import dataclass, field

from tests.client.api import Error, Hold, Options, Step, Text, Tool, Tools
from tests.client.client import Client
from tests.client.oracle import Oracle
from tests.client.sandbox import Sandbox
from tests.support.waiting import PATIENCE

PERMISSION = r"Do you want to proceed"
SLOW = "for i in $(seq $1); do sleep 0.2; done\n"
"""slow.sh: takes a fifth of a second for each of its argument; allowed by a rule, it asks for nothing."""
COLOUR = {
    "question": "Which colour?",
    "header": "Colour",
    "options": [{"label": "Red", "description": "Warm"}, {"label": "Blue", "description": "Cold"}],
    "multiSelect": False,
}
REST = ("idle", "needs_you")
"""A client at rest; what needs its user is a failed turn."""


@dataclass
class PendingAgent:
    """A background agent that the walk has started and not yet heard back from."""

    name: str
    gate: threading.Event
    asks: bool
    """It asks for a permission once the gate opens."""
    lost: bool = False
    """Its session was left by /clear: it works on in the next one, which was told nothing of it."""


@dataclass
class RandomWalk:
    """One person, one client at a time. Steps begin and end with a client that takes a prompt."""

    sandbox: Sandbox
    oracle: Oracle
    random: random.Random
    out: list[PendingAgent] = field(default_factory=list)
    number: int = 0
    step: str = ""
    gates: list[threading.Event] = field(default_factory=list)

    def begin(self) -> None:
        """Starts the first client."""
        self.project = self.sandbox.make_project("shop", {"slow.sh": SLOW})
        self.compacted = threading.Event()
        self.sandbox.api.script("detailed summary", Hold(self.compacted, Text("A walk.")))
        self._start_client()
        self._expect_rest("new")

    def take_step(self, kind: str) -> None:
        """One step."""
        self.number += 1
        self.step = f"step {self.number} {kind}"
        self.word = f"walk-{self.number:03d}"
        getattr(self, kind)()
        self._pause()

    def finish(self) -> None:
        """Lets the agents that are out come home, and everything else go on."""
        self.step = "the end"
        while self.out:
            self._finish_agent(self.out[0])
        for gate in self.gates:
            gate.set()

    # --- helpers

    def _start_client(self, *arguments: str) -> None:
        self.client: Client = self.sandbox.start_client(
            self.project, "--permission-mode", "default", "--allowedTools", "Bash(sh slow.sh:*)", *arguments
        )
        self.oracle.client = self.client
        self.session = self.client.session_id

    def _expect(self, **facts: object) -> None:
        self.oracle.expect(self.step, self.session, **{"liveness": "live", **facts})

    def _pause(self) -> None:
        time.sleep(self.random.uniform(0, 0.3))

    def _add_gate(self) -> threading.Event:
        self.gates.append(threading.Event())
        return self.gates[-1]

    def _script_steps(self, *steps: Step) -> None:
        self.sandbox.api.script(self.word, *steps)

    def _make_reply(self, what: str = "said") -> Text:
        return Text(f"{what}-{self.number:03d}.")

    def _send_prompt(self, text: str | None = None) -> None:
        self.oracle.expect_nothing()
        self.client.type_prompt(text or f"please {self.word}")

    def _expect_working(self, detail: str = ".*", count: int = 1, word: str | None = None) -> None:
        """Once the model was asked for the `count`-th time, the turn runs."""
        self.sandbox.api.wait_for_call(word or self.word, count)
        self._expect(state="working", detail=detail, waits=[])

    def _expect_rest(self, *details: str) -> None:
        """The main turn is over, in one of these ways."""
        if not self.out:
            return self._expect(state=REST if "failed.*" in details else "idle", detail="|".join(details), waits=[])
        if any(each.lost for each in self.out):
            return self._expect(state="working", detail="background agents" if details == ("new",) else ".*", waits=[])
        words = f"{len(self.out)} agent" + ("s" if len(self.out) > 1 else "")
        agents = {each.name: "working" for each in self.out}
        return self._expect(state="working", detail=words, waits=[], agents=agents)

    def _expect_end(self, said: str = "said") -> None:
        """The turn ends with the step's last words."""
        self.client.wait_screen(rf"{said}-{self.number:03d}\.")
        self._expect_rest("finished")

    def _expect_interrupted(self, *details: str) -> None:
        """After Esc or "No"."""
        if self.out:
            time.sleep(0.5)
            self._expect(state="working", waits=[])
        else:
            self.client.wait_status("idle")
            self._expect_rest(*(details or ("interrupted",)))

    def _wait_for_dialog(self, pattern: str = PERMISSION) -> None:
        self.client.wait_screen(pattern)

    def _answer_dialog(self, key: str, pattern: str = PERMISSION) -> None:
        """Answers a dialog; one that is just up ignores keys."""
        self.oracle.expect_nothing()
        deadline = time.monotonic() + PATIENCE
        before = self.client.read_registry()
        time.sleep(0.5)
        while time.monotonic() < deadline:
            found = re.search(r"(\d)\. No\b", self.client.read_screen())
            self.client.press_keys(found[1] if key == "No" and found else "Escape" if key == "No" else key)
            until = time.monotonic() + 0.6
            while time.monotonic() < until:
                now = self.client.read_registry() or {}
                if now.get("statusUpdatedAt") != (before or {}).get("statusUpdatedAt") or not re.search(
                    pattern, self.client.read_screen()
                ):
                    return
                time.sleep(0.05)
        raise AssertionError(f"the dialog stays:\n{self.client.read_screen()}")

    # --- steps

    def answer_prompt(self) -> None:
        """A prompt and an answer."""
        gate = self._add_gate()
        self._script_steps(Hold(gate, self._make_reply()))
        self._send_prompt()
        self._expect_working("thinking")
        gate.set()
        self._expect_end()

    def run_tool(self) -> None:
        """A tool that a rule allows, for a while."""
        gate = self._add_gate()
        self._script_steps(Tool("Bash", {"command": "sh slow.sh 4"}), Hold(gate, self._make_reply()))
        self._send_prompt()
        self.client.wait_screen(r"(?s)" + self.word + r".*slow\.sh 4")
        self._expect(state="working", waits=[])
        self._expect_working("thinking", 2)
        gate.set()
        self._expect_end()

    def allow_permission(self) -> None:
        """A permission, answered yes: the tool runs for a while, and no event says so."""
        command = f"rm -f {self.word}; sh slow.sh 6"
        self._script_steps(Tool("Bash", {"command": command}), self._make_reply())
        self._send_prompt()
        self._wait_for_dialog()
        self._expect(state="needs_you", detail="permission Bash", waits=["permission Bash"])
        self._pause()
        self._answer_dialog("Enter")
        self._expect(state="working", detail=rf"Bash {re.escape(command)}|thinking", waits=[])
        self._expect_end()

    def deny_permission(self) -> None:
        """A permission, answered no."""
        self._script_steps(Tool("Bash", {"command": f"rm -f {self.word}"}), self._make_reply())
        self._send_prompt()
        self._wait_for_dialog()
        self._expect(state="needs_you", detail="permission Bash", waits=["permission Bash"])
        self._answer_dialog(self.random.choice(("Escape", "No")))
        self._expect_interrupted()

    def ask_question(self) -> None:
        """A question, answered or not."""
        self._script_steps(Tool("AskUserQuestion", {"questions": [COLOUR]}), self._make_reply())
        self._send_prompt()
        self._wait_for_dialog("Enter to select")
        self._expect(state="needs_you", detail="question", waits=["question"])
        answered = self.random.random() < 0.6
        self._answer_dialog("Enter" if answered else "Escape", "Enter to select")
        if answered:
            self._expect_end()
        else:
            self._expect_interrupted()

    def press_escape(self) -> None:
        """Esc at a random moment: before the first token, in a text, in a tool, or anywhere in a turn that also may be over."""
        where = self.random.choice(("before", "text", "tool", "anywhere"))
        self.step += f" {where}"
        slow, tool = Text("word " * 1200, Options(chunk_delay=0.1)), Tool("Bash", {"command": "sh slow.sh 40"})
        short = Text("word " * 60, Options(chunk_delay=0.1))
        steps: dict[str, tuple[Step, ...]] = {
            "before": (Hold(self._add_gate(), self._make_reply()),),
            "text": (slow,),
            "tool": (tool,),
            "anywhere": (Tool("Bash", {"command": "sh slow.sh 3"}), short),
        }
        self._script_steps(*steps[where])
        self._send_prompt()
        self._expect_working()
        if where == "tool":
            self.client.wait_screen(r"slow\.sh 40")
        time.sleep(self.random.uniform(0, 2.0 if where == "anywhere" else 1.0))
        self.oracle.expect_nothing()
        self.client.press_keys("Escape")
        self._expect_interrupted("interrupted", *(("finished",) if where == "anywhere" else ()))
        # two in a row would open another dialog
        time.sleep(0.3)

    def fail_request(self) -> None:
        """The API refuses."""
        self._script_steps(Error(self.random.choice((400, 404))))
        self._send_prompt()
        self.sandbox.api.wait_for_call(self.word)
        if self.out:
            time.sleep(0.5)
            return self._expect(waits=[])
        self.client.wait_status("idle")
        return self._expect(state="needs_you", detail="failed: .*", waits=[])

    def queue_prompt(self) -> None:
        """A second prompt while the first is answered: its turn begins without an event."""
        gate, then = self._add_gate(), self._add_gate()
        self._script_steps(Hold(gate, Text("First part.")))
        self._send_prompt()
        self._expect_working("thinking")
        self.sandbox.api.script(f"{self.word}-too", Hold(then, self._make_reply()))
        self._send_prompt(f"also {self.word}-too")
        self._expect(state="working")
        gate.set()
        self._expect_working("thinking|\\d agents?", word=f"{self.word}-too")
        then.set()
        self._expect_end()

    def run_background_shell(self) -> None:
        """A shell in the background: the session is idle meanwhile, and has a turn of its own when it ends."""
        call = {"command": "sh slow.sh 15", "run_in_background": True, "description": f"shell-{self.number:03d}"}
        self._script_steps(Tool("Bash", call), self._make_reply())
        self.sandbox.api.script(f"shell-{self.number:03d}", self._make_reply("heard"))
        self._send_prompt()
        self.client.wait_screen(rf"said-{self.number:03d}\.")
        if self.out:
            self._expect(state="working", waits=[], shells=1)
        else:
            self._expect(state="idle", detail="finished", waits=[], shells=1)
        self.oracle.expect_nothing()
        self._expect_end("heard")

    def start_agents(self) -> None:
        """Starts one or two background agents."""
        new = [
            PendingAgent(f"{name} {self.number}", self._add_gate(), self.random.random() < 0.5)
            for name in "ab"[: self.random.randint(1, 2)]
        ]
        calls = []
        for each in new:
            letter = each.name[0]
            word, home = f"{self.word}-{letter}", Text(f"home-{self.number:03d}-{letter}")
            calls.append(Tool("Agent", {"description": each.name, "prompt": word, "subagent_type": "general-purpose"}))
            remove = Tool("Bash", {"command": f"rm -f {word}"})
            self.sandbox.api.script(word, *((Hold(each.gate, remove), home) if each.asks else (Hold(each.gate, home),)))
            self.sandbox.api.script(home.text, Text(f"noted-{self.number:03d}-{letter}."))
        self._script_steps(Tools(calls), self._make_reply())
        self._send_prompt()
        self.client.wait_screen(rf"said-{self.number:03d}\.")
        self.out += new
        self._expect_rest()

    def finish_agent(self) -> None:
        """One of the agents comes home, perhaps after it asked for a permission; without one, one is sent first."""
        if not self.out:
            self.start_agents()
            self._pause()
        self._finish_agent(self.random.choice(self.out))

    def _finish_agent(self, one: PendingAgent) -> None:
        letter, number = one.name.split(" ")
        self.oracle.expect_nothing()
        one.gate.set()
        if one.asks:
            self._wait_for_dialog()
            # after /clear nothing tells for sure who asks
            asks = {} if one.lost else {"waits": [f"{one.name} permission Bash"]}
            self._expect(state="needs_you", detail="permission Bash", **asks)
            self._answer_dialog(self.random.choice(("Enter", "Enter", "No")))
        self.out.remove(one)
        self.client.wait_screen(rf"noted-{int(number):03d}-{letter}\.")
        self._expect_rest("finished")
        if not one.lost:
            self._expect(agents={one.name: ("done", "failed", "stopped")})

    def ask_from_two_agents(self) -> None:
        """Two agents ask at once; the dialogs are answered one after the other."""
        names = [f"{letter} {self.number}" for letter in "ab"]
        calls = []
        for name in names:
            word = f"{self.word}-{name[0]}"
            calls.append(Tool("Agent", {"description": name, "prompt": word, "subagent_type": "general-purpose"}))
            self.sandbox.api.script(
                word, Tool("Bash", {"command": f"rm -f {word}"}), Text(f"home-{self.number:03d}-{name[0]}")
            )
            self.sandbox.api.script(f"home-{self.number:03d}-{name[0]}", Text(f"noted-{self.number:03d}-{name[0]}."))
        self._script_steps(Tools(calls), self._make_reply())
        self._send_prompt()
        for name in names:
            self.sandbox.api.wait_for_call(f"{self.word}-{name[0]}")
        self._wait_for_dialog()
        time.sleep(0.4)
        self._expect(state="needs_you", waits=[f"{name} permission Bash" for name in names])
        self._answer_dialog(self.random.choice(("Enter", "No")), "never there")
        self._wait_for_dialog()
        self._answer_dialog(self.random.choice(("Enter", "No")), "never there")
        for name in names:
            self.client.wait_screen(rf"noted-{self.number:03d}-{name[0]}\.")
        self._expect_rest("finished")

    def rename_session(self) -> None:
        """A name of the user's."""
        name = f"Walk{self.number}"
        self._send_prompt(f"/rename {name}")
        self.client.wait_screen(f"renamed to: {name}")
        self._expect(name=name, waits=[])

    def open_dialog(self) -> None:
        """A dialog of the client's own, which fires no event."""
        self._send_prompt("/model")
        self._wait_for_dialog("Select model")
        if self.out:  # the client's own registry says busy, and so nothing tells
            self._expect(state="working")
        else:
            self._expect(state="needs_you", detail="dialog", waits=["dialog"])
        self._answer_dialog("Escape", "Select model")
        self._expect(state="working" if self.out else REST, waits=[])

    def compact_conversation(self) -> None:
        """A compaction, to its end or broken off."""
        self.compacted.clear()
        asked = len(self.sandbox.api.find_calls("detailed summary"))
        self._send_prompt("/compact")
        deadline = time.monotonic() + 3
        while time.monotonic() < deadline and len(self.sandbox.api.find_calls("detailed summary")) == asked:
            time.sleep(0.05)
        if len(self.sandbox.api.find_calls("detailed summary")) > asked:  # a new conversation has nothing to compact
            self._expect(state="working", detail="compacting", waits=[])
            self.oracle.expect_nothing()
            if self.random.random() < 0.3:
                self.step += " broken off"
                self.client.press_keys("Escape")
                time.sleep(0.4)
            self.compacted.set()
            time.sleep(0.3)
        if self.out:
            time.sleep(0.5)
            self._expect(state="working", waits=[])
        else:
            self.client.wait_status("idle")
            self._expect(state=REST, waits=[])

    def run_own_command(self) -> None:
        """A command of the user's own: no event, but an answer of the model and its end."""
        gate = self._add_gate()
        self._script_steps(Hold(gate, self._make_reply()))
        self._send_prompt(f"!echo {self.word}")
        self._expect_working()
        gate.set()
        self._expect_end()

    def clear_conversation(self) -> None:
        """A new conversation in the same client; agents work on."""
        self._change_session("/clear", "new")

    def branch_conversation(self) -> None:
        """A copy of the conversation in the same client."""
        if not self.oracle.sessions[self.session].turns:
            self.answer_prompt()
        self.step += " off"
        self._change_session(f"/branch Branch{self.number}", "new|finished")

    def _change_session(self, command: str, *details: str) -> None:
        before = self.session
        self._send_prompt(command)
        deadline = time.monotonic() + PATIENCE
        while self.client.session_id == before and time.monotonic() < deadline:
            time.sleep(0.05)
        for each in self.out:
            each.lost = True
        self.session = self.client.session_id
        self.oracle.expect(self.step, before, liveness="ended", state="idle", waits=[])
        self._expect_rest(*details)

    def kill_client(self) -> None:
        """kill -9 at a random moment, and --resume."""
        where = self.random.choice(("idle", "tool", "waiting"))
        self.step += f" {where}"
        if where != "idle":
            command = "sh slow.sh 40" if where == "tool" else f"rm -f {self.word}"
            self._script_steps(Tool("Bash", {"command": command}), self._make_reply())
            self._send_prompt()
            self.client.wait_screen("slow.sh 40" if where == "tool" else PERMISSION)
            self._pause()
        self.oracle.expect_nothing()
        self.client.kill()
        self.oracle.expect(self.step, self.session, liveness="lost", state="idle", waits=[])
        self._resume_client()

    def leave_client(self) -> None:
        """/exit and --resume; with agents out the client would ask, so it is killed by a signal that lets it say goodbye."""
        self.oracle.expect_nothing()
        self.client.kill(signal.SIGTERM)
        self.oracle.expect(self.step, self.session, liveness="ended", state="idle", waits=[])
        self._resume_client()

    def _resume_client(self) -> None:
        self.oracle.expect_nothing()
        names, self.out = [each.name for each in self.out if not each.lost], []
        turns = self.oracle.sessions[self.session].turns
        self._start_client(*(("--resume", self.session) if turns else ()))
        self._expect(state="idle", waits=[], agents=dict.fromkeys(names, ("done", "failed", "stopped")))
