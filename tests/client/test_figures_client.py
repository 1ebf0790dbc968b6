"""Our figures beside those of the real client: each kind of usage for each model, to a millionth of a dollar."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from atm_tui.cost.figures import compute_session_cost
from atm_tui.cost.pricing import load_default_table
from atm_tui.cost.usage import sum_usage, sum_usage_by
from atm_tui.model.transcript import TranscriptFacts
from atm_tui.sources.transcript import TranscriptReader
from tests.client.api import Options, Text, Tool
from tests.client.charges import AS_ASKED, KINDS, list_models
from tests.client.sandbox import Sandbox
from tests.support.effort import sample
from tests.support.needs import need_client, need_tmux

TABLE = load_default_table()
EXACT = 1e-6


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """One home for all: headless runs do not touch each other."""
    with ExitStack() as stack:
        made = Sandbox(tmp_path_factory.mktemp("figures"), need_client(), need_tmux())
        stack.callback(made.close)
        yield made


def make_step(usage: dict[str, Any], model: str | None = None, *, last: bool = False) -> Text | Tool:
    options = Options(usage={"output_tokens": 1, **usage}, model=model)
    return Text("Done.", options) if last else Tool("Read", {"file_path": "a.txt"}, options)


def read_facts(sandbox: Sandbox, session_id: str) -> TranscriptFacts:
    """All that the files of a session tell."""
    (found,) = (sandbox.config_dir / "projects").glob(f"*/{session_id}.jsonl")
    reader = TranscriptReader(str(found), TABLE)
    reader.read()
    return reader.facts


def check_figures(sandbox: Sandbox, result: dict[str, Any]) -> TranscriptFacts:
    """Our count of the transcripts, by model and in all, is the client's, as it said at the end and as it wrote it down."""
    facts = read_facts(sandbox, result["session_id"])
    own = sum_usage(facts.buckets, TABLE)
    assert facts.cost_state is not None
    assert own.unpriced_tokens == 0
    assert own.usd == pytest.approx(result["total_cost_usd"], abs=EXACT)
    assert own.usd == pytest.approx(facts.cost_state.usd, abs=EXACT)
    by_model = {TABLE.find_id(name): t.usd for name, t in sum_usage_by(facts.buckets, TABLE, lambda b: b.model).items()}
    charged = {TABLE.find_id(name): use["costUSD"] for name, use in result["modelUsage"].items()}
    assert by_model == pytest.approx(charged, abs=EXACT)
    return facts


@pytest.mark.parametrize("model", sample(list_models(), "claude-opus-4-0"))
def test_each_kind_of_usage_costs_what_the_client_says(sandbox: Sandbox, model: str) -> None:
    phrase = f"spend on {model}"
    *steps, last = KINDS.values()
    sandbox.api.script(phrase, *(make_step(usage) for usage in steps), make_step(last, last=True))
    project = sandbox.make_project("dotted.name here", {"a.txt": "hello\n"})
    result = sandbox.run_headless(phrase, "--model", model, project=project, env=AS_ASKED)
    session_id = result["session_id"]
    assert sandbox.run_atm_tui("resume", "--print", session_id) == f"cd '{project}' && claude --resume {session_id}\n"
    facts = check_figures(sandbox, result)
    assert sum(bucket.requests for bucket in facts.buckets) == len(KINDS)
    assert {TABLE.find_id(bucket.model) for bucket in facts.buckets} == {model}
    assert compute_session_cost(facts, None, TABLE).disagrees is None


@pytest.mark.long  # every run has all kinds in one session
@pytest.mark.parametrize("kind", KINDS)
def test_errors_of_two_kinds_cannot_cancel_out(sandbox: Sandbox, kind: str) -> None:
    phrase = f"spend {kind}."
    sandbox.api.script(phrase, make_step(KINDS[kind], last=True))
    check_figures(
        sandbox, sandbox.run_headless(phrase, "--model", "claude-haiku-5-5", project=sandbox.make_project("shop"))
    )


@pytest.mark.long  # tests/cost/test_usage.py has it in every run
def test_an_answer_by_another_model_is_charged_as_the_requested_one(sandbox: Sandbox) -> None:
    asked, answering = "claude-opus-5-5", "claude-haiku-4-5-20251001"
    sandbox.api.script("through a gateway", make_step(KINDS["input"], answering, last=True))
    facts = check_figures(
        sandbox, sandbox.run_headless("through a gateway", "--model", asked, project=sandbox.make_project("shop"))
    )
    assert facts.model == answering
    assert [bucket.model for bucket in facts.buckets] == [asked]
