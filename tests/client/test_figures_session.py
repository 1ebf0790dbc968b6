"""A session's figures beside those of the real client: with subagents, after compact, clear, resume and fork, to the cent."""

import json
import math
from typing import Any

import msgspec
import pytest

from atm_tui.cost.figures import compute_session_context, compute_session_cost
from atm_tui.cost.pricing import RequestUsage, load_default_table, price_request
from atm_tui.cost.usage import sum_usage
from atm_tui.model.transcript import TranscriptFacts
from atm_tui.sources.state import StateSource
from atm_tui.sources.transcript import TranscriptReader
from atm_tui.sources.transcript_lines import ApiUsage, read_tokens
from tests.client.api import Options, Text, Tool, Tools
from tests.client.client import Client
from tests.client.sandbox import Sandbox

TABLE = load_default_table()
CENT = 0.005
EXACT = 1e-6
ALLOW = ("--permission-mode", "default", "--allowedTools", "Read")


def make_usage(prompt: int, output: int = 301, **others: Any) -> Options:
    """Much of the prompt comes out of the cache, some is written into it."""
    written = prompt // 10
    parts = {"ephemeral_5m_input_tokens": written // 2, "ephemeral_1h_input_tokens": written - written // 2}
    return Options(
        usage={
            "input_tokens": 7, "output_tokens": output, "cache_read_input_tokens": prompt - written - 7,
            "cache_creation_input_tokens": written, "cache_creation": parts, **others,
        }
    )  # fmt: skip


COMPACTS = make_usage(71_003, output=503)
"""Usage of the request that compacts."""


def make_agent_call(prompt: str, model: str, **more: Any) -> Tool:
    given = {"description": prompt, "prompt": prompt, "subagent_type": "general-purpose", "model": model}
    return Tool("Agent", given | more)


@pytest.fixture
def installed(sandbox: Sandbox) -> Sandbox:
    """Our hooks and statusLine in a home of its own, and agents of two models."""
    sandbox.install()
    read = Tool("Read", {"file_path": "a.txt"}, make_usage(30_011))
    sandbox.api.script("count the apples", read, Text("Three apples.", make_usage(33_023)))
    sandbox.api.script("count the pears", Text("Four pears.", make_usage(41_017, output=907)))
    sandbox.api.script("Three apples", Text("The apples are back.", make_usage(52_009)))
    sandbox.api.script("Four pears", Text("The pears are back.", make_usage(55_001)))
    return sandbox


class SessionFigures:
    """What the client, and what we say of one session."""

    def __init__(self, sandbox: Sandbox, session_id: str) -> None:
        self.sandbox = sandbox
        self.session_id = session_id

    @property
    def facts(self) -> TranscriptFacts:
        (path,) = (self.sandbox.config_dir / "projects").glob(f"*/{self.session_id}.jsonl")
        reader = TranscriptReader(str(path), TABLE)
        reader.read()
        return reader.facts

    @property
    def counted(self) -> float:
        """USD by our own count of the transcripts, the client's totals left aside."""
        usd = sum_usage(self.facts.buckets + self.facts.inherited, TABLE).usd
        assert usd is not None
        return usd

    def check_agreement(self, *, answered: bool = True, difference: float = 0.0) -> dict[str, Any]:
        """Ours is what the client gives its statusLine; `difference`: USD of the client's that no transcript tells of.

        Without the statusLine, by the transcript alone, cost and context are the same.
        """
        states = StateSource(self.sandbox.state_dir)
        found: dict[str, Any] = {}

        def so() -> bool:
            states.refresh()
            given = states.states[self.session_id].metrics
            assert given is not None
            facts = self.facts
            alone = compute_session_context(facts, None, TABLE)
            print(self.session_id, given.cost_usd, given.used_percent, given.usage, alone.percent, self.counted)
            assert self.counted == pytest.approx((given.cost_usd or 0.0) - difference, abs=CENT)
            row = self.sandbox.read_session(self.session_id)
            shown = row["cost"]["usd"] + (row["cost"]["inherited_usd"] or 0.0)
            assert shown == pytest.approx(given.cost_usd, abs=CENT)
            if answered:
                assert given.used_percent is not None
                assert alone.percent is not None
                assert min(100, math.floor(alone.percent + 0.5)) == given.used_percent
                assert alone.window_tokens == given.window_tokens
                assert math.floor(row["context"]["percent"] + 0.5) == given.used_percent
            else:
                assert row["context"]["used_tokens"] is None
                assert alone.used_tokens is None
            found.update(row)
            return True

        self.sandbox.measure_until(so)
        return found


def read_saved_cost(facts: TranscriptFacts) -> float:
    assert facts.cost_state is not None
    return facts.cost_state.usd


def send_prompt(client: Client, phrase: str, seen: str) -> None:
    client.type_prompt(f"please {phrase}")
    client.wait_screen(seen)
    client.wait_status("idle")


@pytest.mark.long
def test_background_agents_compact_clear_resume_and_fork(installed: Sandbox) -> None:
    sandbox = installed
    both = [make_agent_call("count the apples", "haiku"), make_agent_call("count the pears", "sonnet")]
    sandbox.api.script("send both", Tools(both, make_usage(50_021)), Text("Sent.", make_usage(51_031)))
    for name, prompt in (("one more", 60_013), ("go on with it", 9_001), ("after clear", 21_001),
                         ("after resume", 23_011), ("in the fork", 29_009)):  # fmt: skip
        sandbox.api.script(name, Text(f"Answer {name}.", make_usage(prompt)))
    sandbox.api.script("detailed summary", Text("A summary.", COMPACTS))
    project = sandbox.make_project("shop", {"a.txt": "hello\n"})
    client = sandbox.start_client(project, *ALLOW, "--model", "opus")
    first = SessionFigures(sandbox, client.session_id)

    send_prompt(client, "send both", "pears are back")
    client.wait_screen("apples are back")
    client.wait_status("idle")
    row = first.check_agreement()
    assert {each["model"] for each in row["agents"]} == {"claude-haiku-5-5", "claude-sonnet-5-5"}
    assert len(first.facts.agents) == 2
    cost = compute_session_cost(first.facts, None, TABLE)
    assert sum(cost.by_agent.values()) == pytest.approx(cost.usd)
    assert sum(each["cost_usd"] for each in row["agents"]) == pytest.approx(
        sum(cost.by_agent.values()) - cost.by_agent[""]
    )

    for _ in range(4):  # a shorter conversation is not compacted
        send_prompt(client, "one more", "Answer one more")
    first.check_agreement()
    client.type_prompt("/compact")
    client.wait_screen("Compacted|compacted")
    client.wait_status("idle")
    sandbox.measure_until(lambda: sandbox.read_session(first.session_id)["context"]["used_tokens"] is None)
    send_prompt(client, "go on with it", "Answer go on with it")
    # The request that compacts is in no transcript: what it cost the client alone knows.
    usd = price_request(
        RequestUsage(tokens=read_tokens(msgspec.convert(COMPACTS.usage, ApiUsage))), "claude-opus-5-5", None, TABLE
    )
    assert usd is not None
    usd *= sum(asked.phrase == "detailed summary" for asked in sandbox.api.asked)
    assert usd > 0
    row = first.check_agreement(difference=usd)
    assert row["cost"]["source"] == "statusline"

    client.type_prompt("/clear")
    sandbox.measure_until(lambda: client.session_id != first.session_id)
    sandbox.measure_until(lambda: first.facts.cost_state)
    assert read_saved_cost(first.facts) == pytest.approx(first.counted + usd, abs=EXACT)
    cleared = SessionFigures(sandbox, client.session_id)
    send_prompt(client, "after clear", "Answer after clear")
    cleared.check_agreement()
    client.exit()
    sandbox.measure_until(lambda: cleared.facts.cost_state)
    assert read_saved_cost(cleared.facts) == pytest.approx(cleared.counted, abs=EXACT)

    again = sandbox.start_client(project, *ALLOW, "--resume", cleared.session_id)
    assert again.session_id == cleared.session_id
    send_prompt(again, "after resume", "Answer after resume")
    cleared.check_agreement()
    assert compute_session_cost(cleared.facts, None, TABLE).usd == pytest.approx(cleared.counted, abs=EXACT)
    again.exit()

    forked = sandbox.start_client(project, *ALLOW, "--resume", cleared.session_id, "--fork-session")
    fork = SessionFigures(sandbox, forked.session_id)
    assert fork.session_id != cleared.session_id
    send_prompt(forked, "in the fork", "Answer in the fork")
    row = fork.check_agreement()
    assert row["cost"]["inherited_usd"] == pytest.approx(cleared.counted, abs=CENT)
    forked.exit()

    used = json.loads(sandbox.run_atm_tui("usage", "--all", "--json", "--config-dir", str(sandbox.config_dir)))
    own = first.counted + fork.counted
    assert used["total_usd"] == pytest.approx(own, abs=EXACT), "what the fork copied counts once"
    shown = [sandbox.read_session(each.session_id)["cost"]["usd"] for each in (cleared, fork)]
    assert sum(shown) == pytest.approx(fork.counted, abs=CENT), "in the monitor too"
    (shop,) = used["projects"]
    assert shop["project"] == str(project)


def test_foreground_agents_of_another_model(installed: Sandbox) -> None:
    sandbox = installed
    calls = [make_agent_call("count the apples", "haiku", run_in_background=False),
             make_agent_call("count the pears", "sonnet", run_in_background=False)]  # fmt: skip
    sandbox.api.script("send both", Tools(calls, make_usage(50_021)), Text("Both are here.", make_usage(53_017)))
    project = sandbox.make_project("shop", {"a.txt": "hello\n"})
    result = sandbox.run_headless("send both", *ALLOW, "--model", "claude-fable-5-2", project=project)
    found = SessionFigures(sandbox, result["session_id"])
    assert found.counted == pytest.approx(result["total_cost_usd"], abs=EXACT)
    assert read_saved_cost(found.facts) == pytest.approx(result["total_cost_usd"], abs=EXACT)
    by_model = compute_session_cost(found.facts, None, TABLE).by_model
    charged = {name: use["costUSD"] for name, use in result["modelUsage"].items()}
    assert by_model == pytest.approx(charged, abs=EXACT)
    assert len(charged) == 3
    assert sandbox.read_session(found.session_id)["cost"]["usd"] == pytest.approx(result["total_cost_usd"], abs=CENT)
