"""What each step of a random walk consists of: prompts, dialogs, and what the oracle is to expect of them."""

import random
import re
import threading
import time
from dataclasses import dataclass, field

from tests.client.api import Hold, Step, Text
from tests.client.client import Client
from tests.client.oracle import Oracle
from tests.client.sandbox import Sandbox
from tests.support.waiting import PATIENCE

PERMISSION = r"Do you want to proceed"
SLOW = "for i in $(seq $1); do sleep 0.2; done\n"
"""slow.sh: takes a fifth of a second for each of its argument; allowed by a rule, it asks for nothing."""
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
class Walker:
    """One person, one client at a time: starts it, does what all steps need, and tells the oracle what that leads to."""

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

    def _resume_client(self) -> None:
        self.oracle.expect_nothing()
        names, self.out = [each.name for each in self.out if not each.lost], []
        turns = self.oracle.sessions[self.session].turns
        self._start_client(*(("--resume", self.session) if turns else ()))
        self._expect(state="idle", waits=[], agents=dict.fromkeys(names, ("done", "failed", "stopped")))
