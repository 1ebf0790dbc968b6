"""What was read of transcripts is kept: the next reader reads only what is new, and is never misled by what is on disk."""

import os
import threading
from pathlib import Path

import pytest

from atm_tui.cost.pricing import build_table, load_default_table
from atm_tui.model.transcript import TranscriptFacts
from atm_tui.sources import checkpoints, transcript, transcript_tail
from atm_tui.sources.checkpoints import CheckpointStore
from atm_tui.sources.transcript import TranscriptReader
from tests.support.transcript_writer import TranscriptWriter

TABLE = load_default_table()


@pytest.fixture(autouse=True)
def saves_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript, "SAVED_EVERY", 1)


class Machine:
    """Readers of one transcript, each as in a process of its own."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path = folder / "s1.jsonl"
        self.cache = folder / "cache"
        self.bytes_read = 0
        real = os.pread

        def count(file: int, size: int, offset: int) -> bytes:
            data = real(file, size, offset)
            if size > transcript_tail._KNOWN:  # more than what tells whether the file is still the same
                self.bytes_read += len(data)
            return data

        monkeypatch.setattr(transcript_tail.os, "pread", count)

    def start(self, table: object = TABLE) -> TranscriptReader:
        return TranscriptReader(str(self.path), table, CheckpointStore(self.cache, table))

    def read(self) -> tuple[TranscriptFacts, int]:
        """What a new process reads, and how many bytes of transcripts that took."""
        self.bytes_read = 0
        reader = self.start()
        reader.read()
        reader.save()
        return reader.facts, self.bytes_read

    def read_without_checkpoint(self) -> TranscriptFacts:
        reader = TranscriptReader(str(self.path), TABLE)
        reader.read()
        return reader.facts

    def measure(self) -> int:
        """The bytes of the session's transcripts."""
        return sum(each.stat().st_size for each in (self.path, *self.path.with_suffix("").rglob("*.jsonl")))

    @property
    def file(self) -> Path:
        (found,) = self.cache.rglob("*.checkpoint")
        return found


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path, monkeypatch)


def test_the_second_reader_reads_only_what_is_new(script: TranscriptWriter, machine: Machine) -> None:
    fill(script)
    whole = machine.measure()
    first, count = machine.read()
    assert count == whole
    again, count = machine.read()
    assert (again, count) == (first, 0)
    before = machine.measure()
    fill(script, 5)
    grown, count = machine.read()
    assert count == machine.measure() - before
    assert grown == machine.read_without_checkpoint() != first
    assert machine.read() == (grown, 0)


def fill(script: TranscriptWriter, count: int = 20) -> None:
    """Writes prompts and answers of a session and of an agent of it, in less than a minute."""
    for _ in range(count // 5):
        script.prompt("Go on " + "x" * 600)
        script.answer(1_000 + script.count)
        script.answer(500, file="s1/subagents/agent-a1.jsonl")
        script.prompt([{"type": "tool_result", "tool_use_id": "t", "content": "y" * 600}])
        script.count %= 50


def test_an_incremental_reader_agrees_with_a_full_one(script: TranscriptWriter, machine: Machine) -> None:
    """Step by step, with a new process at each step, and with lines that are kept open between them."""
    script.prompt("first")
    script.write("queue-operation", operation="enqueue", content="later")
    machine.read()
    content = [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "make"}}]
    usage = {"input_tokens": 5, "output_tokens": 7}
    answer = {"id": "m1", "model": "claude-opus-4-8", "content": content, "usage": usage}
    script.write("assistant", message=answer, requestId="r1")
    assert machine.read()[0] == machine.read_without_checkpoint()
    script.write("assistant", message=answer | {"usage": usage | {"output_tokens": 90}}, requestId="r1")
    facts = machine.read()[0]
    assert facts == machine.read_without_checkpoint()
    assert facts.tokens.output == 90
    assert facts.running_call
    assert len(facts.queue) == 1
    assert facts.running_call.summary == "make"
    script.answer(9, file="s1/subagents/agent-a1.jsonl")
    (machine.path.parent / "s1" / "subagents" / "agent-a1.meta.json").write_text('{"agentType": "Explore"}')
    script.prompt([{"type": "tool_result", "tool_use_id": "t1", "content": "done"}])
    script.write("system", subtype="compact_boundary", compactMetadata={"trigger": "auto", "preTokens": 12})
    facts = machine.read()[0]
    assert facts == machine.read_without_checkpoint()
    assert facts.running_call is None
    assert facts.agents[0].type == "Explore"
    script.write("cost-state", totalCostUSD=3.0)
    script.answer(4)
    facts = machine.read()[0]
    assert facts == machine.read_without_checkpoint()
    assert facts.after_cost_state


@pytest.mark.parametrize(
    "change", ["cut", "replaced", "rewritten", "rewritten and longer", "an agent's cut", "an agent gone"]
)
def test_a_changed_transcript_is_read_from_the_start(script: TranscriptWriter, machine: Machine, change: str) -> None:
    fill(script)
    machine.read()
    path, lines = machine.path, machine.path.read_bytes().splitlines(keepends=True)
    agent = path.parent / "s1" / "subagents" / "agent-a1.jsonl"
    if change == "cut":
        os.truncate(path, len(lines[0]))
    elif change == "replaced":
        path.with_suffix(".new").write_bytes(b"".join(lines[1:]))
        path.with_suffix(".new").replace(path)
    elif change == "rewritten":
        path.write_bytes(b"".join(lines).replace(b'input_tokens": 10', b'input_tokens": 77'))
    elif change == "rewritten and longer":
        path.write_bytes(b"".join([*lines[2:], *lines[:2], *lines[3:5]]))
    elif change == "an agent's cut":
        os.truncate(agent, 10)
    else:
        agent.unlink()
    for file in (path, agent):  # the clock of the file system may be coarse
        if file.exists():
            os.utime(file, ns=(1, file.stat().st_mtime_ns + 1_000_000))
    facts, count = machine.read()
    assert facts == machine.read_without_checkpoint()
    assert count >= path.stat().st_size
    assert machine.read() == (facts, 0)


def test_a_deleted_transcript_leaves_no_facts(script: TranscriptWriter, machine: Machine) -> None:
    fill(script)
    machine.read()
    machine.path.unlink()
    assert not machine.read()[0].exists


def test_changed_prices_apply_to_requests_already_read(script: TranscriptWriter, machine: Machine) -> None:
    fill(script)
    before, _ = machine.read()
    above = {"models": {"claude-opus-4-8": {"prices": [{**RATES, "long_prompt": {**RATES, "above": 1_005}}]}}}
    machine.bytes_read = 0
    reader = machine.start(build_table(above, "config.toml", TABLE))
    reader.read()
    assert machine.bytes_read == 0
    assert {each.long_prompt for each in reader.facts.buckets} == {False, True}
    assert reader.facts.tokens == before.tokens


RATES = dict.fromkeys(("input", "output", "cache_write_5m", "cache_write_1h", "cache_read"), 1.0)


def test_requests_that_belong_to_another_session_stay_excluded(script: TranscriptWriter, machine: Machine) -> None:
    fill(script)
    first = machine.start()
    first.read()
    inherited = frozenset(list(first.shared_keys)[:2])
    first.set_inherited(inherited)
    first.save()
    again = machine.start()
    again.read()
    assert again.facts == first.facts
    assert again.facts.inherited
    assert not again.set_inherited(inherited)
    assert again.set_inherited(frozenset())
    assert again.facts == machine.read_without_checkpoint()


def test_a_checkpoint_of_another_version_is_ignored(
    script: TranscriptWriter, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(script)
    first, whole = machine.read()
    monkeypatch.setattr(checkpoints, "VERSION", checkpoints.VERSION + 1)
    monkeypatch.setattr(transcript, "VERSION", checkpoints.VERSION)
    assert machine.read() == (first, whole)
    assert machine.read() == (first, 0)


@pytest.mark.parametrize("place", [0, 3, 5, 9, 13, 16, 40, -1, -40])
def test_a_damaged_checkpoint_is_ignored(script: TranscriptWriter, machine: Machine, place: int) -> None:
    """Its head, its facts and the fold behind them, which is loaded only when the transcript grew."""
    fill(script)
    machine.read()
    data = bytearray(machine.file.read_bytes())
    data[place] ^= 0x55
    machine.file.write_bytes(data)
    fill(script, 5)
    assert machine.read()[0] == machine.read_without_checkpoint()


@pytest.mark.parametrize("size", [0, 8, 16, 100, -1])
def test_a_checkpoint_that_was_cut_is_ignored(script: TranscriptWriter, machine: Machine, size: int) -> None:
    fill(script)
    machine.read()
    os.truncate(machine.file, size if size >= 0 else machine.file.stat().st_size - 1)
    fill(script, 5)
    assert machine.read()[0] == machine.read_without_checkpoint()


def test_another_transcript_has_another_checkpoint(script: TranscriptWriter, machine: Machine, tmp_path: Path) -> None:
    """Sessions of one name in two folders, as copies of a project have them."""
    fill(script)
    first, _ = machine.read()
    other = tmp_path / "other" / "s1.jsonl"
    other.parent.mkdir()
    other.write_bytes(machine.path.read_bytes().splitlines(keepends=True)[1])
    machine.path, path = other, machine.path
    assert machine.read()[0] == machine.read_without_checkpoint()
    machine.path = path
    assert machine.read() == (first, 0)


def test_an_unusable_cache_folder_is_ignored(script: TranscriptWriter, machine: Machine) -> None:
    fill(script)
    machine.cache.write_text("a file where the folder should be")
    facts = machine.read_without_checkpoint()
    assert machine.read()[0] == facts
    machine.cache.unlink()
    machine.read()
    for folder in (machine.cache, machine.cache / "transcripts"):
        folder.chmod(0o700)
    assert machine.file.stat().st_mode & 0o777 == 0o600
    assert machine.cache.stat().st_mode & 0o777 == 0o700
    machine.file.unlink()
    (machine.cache / "transcripts").rmdir() if not list((machine.cache / "transcripts").iterdir()) else None
    assert machine.read()[0] == facts


def test_two_concurrent_readers_do_no_harm(script: TranscriptWriter, machine: Machine) -> None:
    """Each replaces the file as a whole; whoever comes last leaves one that can be used."""
    fill(script)
    ready, wrong = threading.Barrier(4), []

    def run() -> None:
        ready.wait()
        for _ in range(10):
            reader = machine.start()
            reader.read()
            reader._unsaved, reader._has_checkpoint = 1, False
            reader.save()
            if reader.facts != expected:
                wrong.append(reader.facts)

    expected = machine.read_without_checkpoint()
    threads = [threading.Thread(target=run) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert wrong == []
    assert machine.read() == (expected, 0)
    assert not list(machine.cache.rglob("*.tmp"))


def test_a_checkpoint_that_another_reader_replaced_is_not_mixed_with_its_own(
    script: TranscriptWriter, machine: Machine
) -> None:
    fill(script)
    machine.read()
    slow = machine.start()
    slow.read()
    fill(script, 5)
    machine.read()  # its fold is not the one of the facts that the slow reader has
    fill(script, 5)
    slow.read()
    assert slow.facts == machine.read_without_checkpoint()


def test_a_reader_that_is_behind_saves_nothing(script: TranscriptWriter, machine: Machine) -> None:
    fill(script)
    reader = machine.start()
    reader.read(limit=1)
    reader.save()
    assert not list(machine.cache.rglob("*.checkpoint"))


def test_the_saved_data_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest stay, of transcripts that exist."""
    monkeypatch.setattr(checkpoints, "MOST_BYTES", 3 * (220 + len(str(tmp_path / "0.jsonl"))))
    store, root = CheckpointStore(tmp_path, TABLE), tmp_path / "transcripts"
    root.mkdir()
    now = 1_800_000_000.0
    for number in range(10):
        file = root / f"{number}.checkpoint"
        transcript = tmp_path / f"{number}.jsonl"
        file.write_bytes(len(str(transcript)).to_bytes(4, "little") + bytes(16) + os.fsencode(transcript) + b"x" * 200)
        if number != 1:
            transcript.touch()
        os.utime(file, (now - number, now - number))
    for name, age in (("old.checkpoint", 91 * 86_400), ("killed.tmp", 90_000), ("writing.tmp", 5), ("cleaned", 10)):
        (root / name).write_bytes(b"")
        os.utime(root / name, (now - age, now - age))
    store.clean_up(now)
    assert {each.name for each in root.iterdir()} == {
        "0.checkpoint", "2.checkpoint", "3.checkpoint", "writing.tmp", "cleaned",
    }  # fmt: skip


def test_old_files_are_removed_once_a_day(
    script: TranscriptWriter, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []
    monkeypatch.setattr(CheckpointStore, "clean_up", lambda _, now: calls.append(now))
    fill(script)
    machine.read()
    fill(script)
    machine.read()
    assert len(calls) == 1
    mark = machine.cache / "transcripts" / "cleaned"
    os.utime(mark, (0, 0))
    fill(script)
    machine.read()
    assert len(calls) == 2


def test_old_files_are_removed_when_much_was_written(
    script: TranscriptWriter, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "CHECKED_EVERY", 1)
    monkeypatch.setattr(checkpoints, "MOST_BYTES", 1)
    fill(script)
    machine.read()
    assert not list((machine.cache / "transcripts").glob("*.checkpoint"))


def test_no_tool_output_is_saved(script: TranscriptWriter, machine: Machine) -> None:
    given = {"file_path": "/src/a.py", "content": "the contents of a file"}
    content = [{"type": "tool_use", "id": "t1", "name": "Write", "input": given}]
    usage = {"input_tokens": 5, "output_tokens": 7}
    script.write("assistant", message={"id": "m1", "model": "claude-opus-4-8", "content": content, "usage": usage})
    facts, _ = machine.read()
    assert b"contents of a file" not in machine.file.read_bytes()
    script.prompt([{"type": "text", "text": ""}])
    again, _ = machine.read()
    assert again.running_call == facts.running_call
    assert "a.py" in again.running_call.summary
