"""The inherited cost of a fork counts once, in sums, budgets, panes and `usage`."""

import json
import os
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from atm_hooks import journal, payload, sample
from atm_tui.config import Config
from atm_tui.cost.budgets import find_reached_budgets
from atm_tui.cost.figures import compute_session_cost
from atm_tui.cost.pricing import load_default_table
from atm_tui.cost.usage import sum_usage
from atm_tui.model.facts import Sample
from atm_tui.model.fleet import Fleet
from atm_tui.model.session import Liveness
from atm_tui.monitor.live import LiveMonitor
from atm_tui.monitor.shared_requests import SharedRequests
from atm_tui.sources.transcript import TranscriptReader
from atm_tui.sources.usage import UsageReader
from atm_tui.view.cost_pane import write
from atm_tui.view.pane import RenderContext
from atm_tui.view.present import UNICODE
from atm_tui.view.status_json import build_status_json

TABLE = load_default_table()
RECORDED = Path(__file__).parents[1] / "data" / "transcripts" / "recorded"


def make_answer(session: str, number: int, usd: float, **more: Any) -> str:
    message = {"id": f"m{number}", "model": "claude-opus-5-5", "usage": {"input_tokens": round(usd * 250_000)}}
    record = {"type": "assistant", "sessionId": session, "uuid": f"u{number}", "requestId": f"r{number}", "cwd": "/w",
              "timestamp": f"2026-01-02T03:04:0{number}Z", "message": message} | more  # fmt: skip
    return json.dumps(record) + "\n"


class Machine:
    """Sessions with hooks and transcripts, and a monitor of them."""

    def __init__(self, folder: Path) -> None:
        self.state_dir, self.config_dir = folder / "state", folder / "claude"
        self.project = self.config_dir / "projects" / "-w"
        self.project.mkdir(parents=True)
        journal.prepare_folders(str(self.state_dir))
        self.start = time.time() - 60
        self.monitor = LiveMonitor(self.state_dir, [self.config_dir], Config(), table=TABLE)

    def add_session(self, name: str, at: float, text: str, usd: float | None = None) -> None:
        path = self.project / f"{name}.jsonl"
        path.write_text(text)
        os.utime(path, (self.start + at, self.start + at))
        data = {"session_id": name, "cwd": "/w", "transcript_path": str(path)}
        event = json.dumps({"hook_event_name": "SessionStart", "source": "startup", **data}).encode()
        environ = {"CLAUDE_PID": str(os.getpid())}
        journal.record_event(str(self.state_dir), payload.parse_event(event, self.start + at, environ))
        if usd is not None:
            raw = json.dumps({**data, "cost": {"total_cost_usd": usd}}).encode()
            journal.record_event(str(self.state_dir), sample.parse_sample(raw, self.start + at + 1, environ))

    def list_costs(self) -> dict[str, tuple[float | None, float | None]]:
        self.monitor.refresh()
        sessions = self.monitor.fleet.sessions
        return {key: (each.cost.usd, each.cost.inherited_usd) for key, each in sessions.items()}


@pytest.mark.parametrize("says_so", [True, False], ids=["forkedFrom", "by ids"])
@pytest.mark.parametrize("totals", [None, (25.0, 37.5), (25.0, 12.5)], ids=["counted", "fork", "branch"])
def test_the_inherited_cost_counts_once(tmp_path: Path, *, says_so: bool, totals: tuple[float, float] | None) -> None:
    machine = Machine(tmp_path)
    origin = {"forkedFrom": {"sessionId": "parent", "messageUuid": "u1"}} if says_so else {}
    fork = make_answer("fork", 1, 25.0, **origin) + make_answer("fork", 2, 12.5)
    machine.add_session("fork", 20, fork, totals and totals[1])
    machine.add_session("parent", 10, make_answer("parent", 1, 25.0), totals and totals[0])
    assert machine.list_costs() == {"parent": (25.0, None), "fork": (12.5, 25.0)}
    fleet = machine.monitor.fleet
    assert fleet.compute_totals().cost_usd == 37.5
    assert build_status_json(fleet, machine.start)["totals"]["cost_usd"] == 37.5
    live = Fleet()
    live.update(msgspec.structs.replace(each, liveness=Liveness.LIVE) for each in fleet.sessions.values())
    assert [each.session.session_id for each in find_reached_budgets(live, 0, 0, 20.0) if each.session] == ["parent"]
    usage = UsageReader([machine.config_dir], None, TABLE)
    for _ in usage.read():
        pass
    assert sum_usage(usage.result.buckets, TABLE).usd == 37.5
    context = RenderContext(60, machine.start, UNICODE, (60, 80, 90), "/home")
    text = "\n".join("".join(part for part, _ in line) for line in write(fleet.sessions["fork"], context))
    assert "$12.50" in text
    assert "+ $25.00 inherited" in text
    assert all(each.cost.disagrees is None for each in fleet.sessions.values())


def test_a_session_regains_its_cost_when_its_fork_is_removed(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.add_session("copy", 10, make_answer("copy", 1, 25.0))
    machine.add_session("later", 20, make_answer("later", 1, 25.0) + make_answer("later", 2, 1.0))
    assert machine.list_costs() == {"copy": (25.0, None), "later": (1.0, 25.0)}
    (machine.state_dir / "sessions" / "copy.json").unlink()
    assert machine.list_costs() == {"later": (26.0, None)}


def test_a_recorded_fork_adds_up_as_in_usage(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    for at, name in enumerate(("06-resume-61ab", "06-resume-074d")):
        machine.add_session(name, at, (RECORDED / name / "session.jsonl").read_text())
    machine.monitor.refresh()
    usage = UsageReader([machine.config_dir], None, TABLE)
    for _ in usage.read():
        pass
    counted = sum_usage(usage.result.buckets, TABLE).usd
    assert machine.monitor.fleet.compute_totals().cost_usd == pytest.approx(counted, abs=0.001)


def test_requests_without_ids_are_never_shared() -> None:
    shared = SharedRequests()
    assert shared.find_inherited({"a": {1, 2}, "b": {3}}, {}) == {}
    assert shared.find_inherited({"a": {1, 2}, "b": {3, 2}}, {"a": 5.0, "b": 9.0}) == {"b": {2}}
    assert shared.find_inherited({"a": {1, 2}, "b": {3, 2}}, {"a": 9.0, "b": 5.0}) == {"a": {2}}
    assert shared.find_inherited({"b": {3, 2}}, {}) == {}


def test_a_late_total_is_not_a_disagreement(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(make_answer("s", 1, 25.0))
    reader = TranscriptReader(str(path), TABLE)
    reader.read()
    answered = reader.facts.last_answer_at
    assert answered is not None
    before = compute_session_cost(reader.facts, Sample(at=answered - 10, cost_usd=0.0), TABLE)
    assert before.disagrees is None
    later = compute_session_cost(reader.facts, Sample(at=answered + 60, cost_usd=0.0), TABLE)
    assert "why is not known" in (later.disagrees or "")
