"""The facts of a session's transcript as it grows, is compacted, interrupted and replaced."""

import json
from pathlib import Path

import pytest

from atm_tui.cost.figures import compute_session_context
from atm_tui.cost.pricing import load_default_table
from atm_tui.model.session import Compaction, ContextSample
from atm_tui.model.tokens import Tokens
from atm_tui.model.transcript import Interruption
from atm_tui.sources import transcript_tail
from atm_tui.sources.transcript import TranscriptReader
from tests.support.transcript_writer import START, TranscriptWriter


@pytest.fixture
def reader(tmp_path: Path) -> TranscriptReader:
    return TranscriptReader(str(tmp_path / "s1.jsonl"))


def test_a_missing_file_has_no_facts_and_no_changes(reader: TranscriptReader) -> None:
    assert not reader.read()
    assert not reader.facts.exists


def test_facts_follow_the_file(script: TranscriptWriter, reader: TranscriptReader) -> None:
    script.prompt("Fix the login test", cwd="/home/user/work/web", version="2.1.332", permissionMode="plan")
    script.answer(90_003, promptCacheRequested="1h")
    script.write("custom-title", customTitle="login")
    script.write("agent-name", agentName="login-bot")
    script.write("system", subtype="turn_duration", durationMs=1_500)
    assert reader.read()
    facts = reader.facts
    assert facts.exists
    assert (facts.session_id, facts.cwd, facts.version) == ("s1", "/home/user/work/web", "2.1.332")
    assert (facts.title, facts.agent_name, facts.permission_mode) == ("login", "login-bot", "plan")
    assert facts.first_prompt == facts.last_prompt == "Fix the login test"
    assert (facts.context_tokens, facts.model, facts.turns) == (90_003, "claude-opus-4-8", 1)
    assert (facts.turn_ended_at, facts.turn_duration) == (script.now, 1.5)
    assert (facts.last_prompt_at, facts.last_answer_at, facts.last_line_at) == (START, START + 1, START + 1)
    assert (facts.stop_reason, facts.cache_ttl) == ("end_turn", 3_600)
    assert facts.tokens == Tokens(input=90_003, output=10)
    assert not reader.read()


def test_a_line_without_news_is_not_a_change(script: TranscriptWriter, reader: TranscriptReader) -> None:
    script.prompt("a")
    reader.read()
    script.write("file-history-snapshot")
    assert not reader.read()


def test_a_compaction_forgets_the_context_until_the_next_answer(
    script: TranscriptWriter, reader: TranscriptReader
) -> None:
    script.prompt("a")
    script.answer(170_000)
    script.write("system", subtype="compact_boundary", compactMetadata={"trigger": "manual", "preTokens": 170_013})
    at = script.now
    script.prompt("summary", isCompactSummary=True)
    reader.read()
    assert reader.facts.context_tokens is None
    assert reader.facts.compactions == (Compaction(at=at, trigger="manual", before=170_013),)
    assert reader.facts.turns == 1
    assert compute_session_context(reader.facts, None, load_default_table()).percent is None
    script.answer(160_000, timestamp="2026-01-02T03:04:00Z")
    reader.read()
    assert reader.facts.context_tokens is None, "a kept message written again is no new answer"
    script.answer(25_000)
    reader.read()
    assert reader.facts.context_tokens == 25_000


def test_inline_sidechains_add_cost_but_not_context(script: TranscriptWriter, reader: TranscriptReader) -> None:
    script.answer(90_003)
    script.prompt("look around", isSidechain=True)
    script.answer(8_000, isSidechain=True)
    reader.read()
    facts = reader.facts
    assert facts.context_tokens == 90_003
    assert facts.tokens.input == 98_003
    assert facts.turns == 0
    (agent,) = facts.agents
    assert (agent.agent_id, agent.path, agent.tokens.input, agent.context_tokens) == ("sidechain", "", 8_000, 8_000)


def test_agents_at_any_depth_are_read_with_their_metadata(
    script: TranscriptWriter, reader: TranscriptReader, tmp_path: Path
) -> None:
    script.answer(3, output=10)
    reader.read()
    script.answer(3, output=90, file="s1/subagents/agent-a1.jsonl", isSidechain=True, agentId="a1")
    nested = "s1/subagents/workflows/wf_1/agent-a2.jsonl"
    script.answer(3, output=7, file=nested, model="claude-haiku-4-5-20251001", isSidechain=True)
    (tmp_path / "s1/subagents/workflows/wf_1/journal.jsonl").write_text('{"type":"started"}\n')
    meta = {"agentType": "Explore", "description": "Look", "toolUseId": "t1", "parentAgentId": "a1", "finished": True}
    (tmp_path / "s1/subagents/workflows/wf_1/agent-a2.meta.json").write_text(json.dumps(meta))
    assert reader.read()
    first, second = reader.facts.agents
    assert reader.facts.tokens.output == 107
    assert (first.agent_id, first.tokens.output, first.finished) == ("a1", 90, False)
    assert (second.agent_id, second.type, second.description) == ("a2", "Explore", "Look")
    assert (second.parent, second.tool_use_id, second.finished) == ("a1", "t1", True)
    assert second.model == "claude-haiku-4-5-20251001"
    assert second.last_at == script.now
    (tmp_path / "s1/subagents/agent-a1.meta.json").write_text('{"stoppedByUser": true, "agentType": 7}')
    assert reader.read()
    assert reader.facts.agents[0].stopped
    (tmp_path / "s1/subagents/agent-a1.meta.json").write_text('{"stoppedBy')
    reader.read()
    assert reader.facts.agents[0].stopped, "half a file leaves the last good value"


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        ([{"content": [{"type": "text", "text": "[Request interrupted by user]"}]}], "text"),
        ([{"content": "[Request interrupted by user for tool use]"}], "tool"),
        (
            [
                {"content": [{"type": "tool_result"}], "toolDenialKind": "user-rejected", "toolDenialBeforeRun": True},
                {"content": "[Request interrupted by user for tool use]"},
            ],
            "rejected",
        ),
        ([{"content": [{"type": "tool_result"}], "toolDenialKind": "user-rejected"}], "tool"),
        ([{"content": [{"type": "text", "text": "tell me about [Request interrupted by user]"}]}], None),
        (
            [
                {
                    "content": [{"type": "tool_result"}],
                    "toolDenialKind": "user-rejected",
                    "permissionDecision": {"decision": "reject", "source": "config"},
                }
            ],
            None,
        ),
        ([{"content": [{"type": "tool_result", "content": "[Request interrupted by user]"}]}], None),
    ],
)
def test_interruptions(script: TranscriptWriter, reader: TranscriptReader, lines: list[dict], kind: str | None) -> None:
    script.prompt("go")
    for fields in lines:
        script.prompt(fields["content"], **{k: v for k, v in fields.items() if k != "content"})
    reader.read()
    expected = Interruption(at=script.now, kind=kind) if kind else None
    assert reader.facts.interruption == expected
    assert reader.facts.interrupted_at == (script.now if kind else None)


def test_an_interrupted_answer_is_counted(script: TranscriptWriter, reader: TranscriptReader) -> None:
    script.answer(5, output=1, isAbortedMidStream=True)
    reader.read()
    assert reader.facts.interruption == Interruption(at=script.now, kind="text")
    assert reader.facts.aborted == 1


def test_an_interrupted_agent_does_not_interrupt_its_session(
    script: TranscriptWriter, reader: TranscriptReader
) -> None:
    script.answer(5)
    script.prompt("[Request interrupted by user]", file="s1/subagents/agent-a.jsonl")
    reader.read()
    assert reader.facts.interruption is None
    assert reader.facts.agents[0].interrupted_at == script.now


@pytest.mark.parametrize(
    "fields",
    [
        {"content": "<task-notification>\n<task-id>a</task-id>"},
        {"content": "hello", "origin": {"kind": "task-notification"}},
        {"content": "<command-name>/add-dir</command-name>"},
        {"content": "<local-command-stdout>x</local-command-stdout>"},
        {"content": "<bash-input>ls</bash-input>"},
        {"content": "reminder", "isMeta": True},
        {"content": [{"type": "tool_result", "content": "x"}]},
    ],
)
def test_text_that_no_user_typed_is_not_a_prompt(
    script: TranscriptWriter, reader: TranscriptReader, fields: dict
) -> None:
    content = fields.pop("content")
    script.prompt(content, **fields)
    script.prompt("the real one")
    reader.read()
    assert reader.facts.first_prompt == "the real one"


def test_long_prompts_are_cut_and_broken_characters_replaced(
    script: TranscriptWriter, reader: TranscriptReader
) -> None:
    script.prompt("a \udcb2 b \ud83d" + "x" * 600)
    reader.read()
    prompt = reader.facts.first_prompt or ""
    assert len(prompt) == 500
    assert prompt.startswith("a � b �x")
    assert reader.facts.skipped_lines == 0


def test_models_of_synthetic_answers_are_not_the_sessions(script: TranscriptWriter, reader: TranscriptReader) -> None:
    script.answer(5, model="claude-haiku-4-5-20251001")
    script.answer(6, model="claude-opus-4-8")
    script.answer(0, output=0, model="<synthetic>", isApiErrorMessage=True)
    reader.read()
    assert reader.facts.model == "claude-opus-4-8"
    assert reader.facts.context_tokens == 6
    assert reader.facts.api_error
    assert {b.model for b in reader.facts.buckets} == {"claude-haiku-4-5-20251001", "claude-opus-4-8"}


def test_one_sample_per_turn_and_forty_at_most(script: TranscriptWriter, reader: TranscriptReader) -> None:
    script.prompt("one")
    script.answer(10)
    script.answer(20)
    script.prompt("two")
    script.answer(30)
    reader.read()
    assert reader.facts.samples == (ContextSample(START + 2, 20, 1), ContextSample(START + 4, 30, 2))
    for n in range(45):
        script.prompt("more", timestamp=None)
        script.answer(n + 1, timestamp=None)
    reader.read()
    assert len(reader.facts.samples) == 40
    assert reader.facts.samples[-1].tokens == 45


def test_usage_after_the_clients_totals_is_added(script: TranscriptWriter, reader: TranscriptReader) -> None:
    script.answer(100)
    script.answer(50, file="s1/subagents/agent-a.jsonl")
    script.write("cost-state", totalCostUSD=0.5, modelUsage={"m": {"costUSD": 0.5}}, timestamp=None)
    reader.read()
    assert reader.facts.cost_state is not None
    assert reader.facts.cost_state.usd == 0.5
    assert reader.facts.after_cost_state == ()
    script.write("cost-state", totalCostUSD=float("nan"), timestamp=None)
    script.prompt("again")
    script.answer(7)
    reader.read()
    assert [b.tokens.input for b in reader.facts.after_cost_state] == [7]
    assert reader.facts.cost_state.usd == 0.5


def test_a_replaced_transcript_replaces_its_figures(
    script: TranscriptWriter, reader: TranscriptReader, tmp_path: Path
) -> None:
    script.answer(100)
    script.answer(200)
    script.answer(9, file="s1/subagents/agent-a.jsonl")
    reader.read()
    (tmp_path / "s1.jsonl").unlink()
    script.answer(5)
    assert reader.read()
    assert reader.facts.tokens.input == 14
    (tmp_path / "s1/subagents/agent-a.jsonl").write_text("")
    assert reader.read()
    assert reader.facts.tokens.input == 5


def test_a_deleted_transcript_comes_back(script: TranscriptWriter, reader: TranscriptReader, tmp_path: Path) -> None:
    script.answer(100)
    reader.read()
    (tmp_path / "s1.jsonl").unlink()
    assert reader.read()
    assert not reader.facts.exists
    assert reader.facts.tokens == Tokens()
    assert not reader.read()
    script.answer(3)
    assert reader.read()
    assert reader.facts.tokens.input == 3


def test_damaged_lines_are_counted_and_do_not_block(
    script: TranscriptWriter, reader: TranscriptReader, tmp_path: Path
) -> None:
    script.answer(1)
    with (tmp_path / "s1.jsonl").open("ab") as out:
        out.write(b'[]\n"x"\n{"type":"assistant","message":"oops"}\n\xff\xfe\n')
    script.answer(2)
    reader.read()
    assert reader.facts.tokens.input == 3
    assert reader.facts.skipped_lines == 4


@pytest.mark.parametrize("limit", [1, 500, 5_000])
def test_reading_in_portions_reports_only_complete_files_and_loses_nothing(
    script: TranscriptWriter, reader: TranscriptReader, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    monkeypatch.setattr(transcript_tail, "_CHUNK", 64)
    for n in range(12):
        script.prompt(f"prompt {n}")
        script.answer(100 + n)
        script.answer(n, file="s1/subagents/agent-a.jsonl")
    whole = TranscriptReader(reader.path)
    assert whole.read()
    assert whole.bytes_read > 5_000
    read, changed = 0, False
    while not changed and read <= whole.bytes_read:
        changed = reader.read(limit)
        read += reader.bytes_read
        assert reader.facts.exists == changed
    assert read == whole.bytes_read
    assert reader.facts == whole.facts
    assert not reader.is_behind
    script.answer(7)
    assert not reader.read(0)
    assert reader.is_behind
    assert reader.facts == whole.facts, "what is known stays while more is read"
    assert reader.read(1)
    assert whole.read()
    assert reader.facts == whole.facts


def test_a_file_replaced_between_two_portions_is_read_from_the_start(
    script: TranscriptWriter, reader: TranscriptReader, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(transcript_tail, "_CHUNK", 64)
    script.answer(100)
    script.answer(200)
    reader.read(1)
    assert reader.is_behind
    (tmp_path / "s1.jsonl").unlink()
    script.answer(5)
    while reader.is_behind:
        reader.read(1)
    assert reader.facts.tokens.input == 5


def test_a_prompt_with_a_bad_byte_is_read_with_a_replacement_and_counted(tmp_path: Path) -> None:
    line = b'{"type":"user","message":{"role":"user","content":"Caf\xe9, please"}}\n'
    queued = (
        b'{"type":"queue-operation","operation":"enqueue","content":"n\xe4chste","timestamp":"2026-01-02T03:04:05Z"}\n'
    )
    unused = b'{"type":"user","toolUseResult":"\xff","message":{"content":[{"type":"tool_result"}]}}\n'
    path = tmp_path / "s.jsonl"
    path.write_bytes(line + queued + unused)
    reader = TranscriptReader(str(path))
    reader.read()
    facts = reader.facts
    assert (facts.first_prompt, facts.turns, len(facts.queue)) == ("Caf\ufffd, please", 1, 1)
    assert facts.skipped_lines == 3
