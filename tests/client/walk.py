"""A random walk through what a person does with the client: each step knows what it leads to, and tells the oracle."""

import re
import signal
import time

from tests.client.api import Error, Hold, Options, Step, Text, Tool, Tools
from tests.client.walker import PERMISSION, REST, PendingAgent, Walker

COLOUR = {
    "question": "Which colour?",
    "header": "Colour",
    "options": [{"label": "Red", "description": "Warm"}, {"label": "Blue", "description": "Cold"}],
    "multiSelect": False,
}


class RandomWalk(Walker):
    """The steps. Each begins and ends with a client that takes a prompt."""

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
