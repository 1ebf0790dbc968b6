"""A reader of a transcript in which nothing happens holds its facts alone, and goes on from its checkpoint."""

from pathlib import Path

import pytest

from atm_tui.cost.pricing import load_default_table
from atm_tui.model.transcript import TranscriptFacts
from atm_tui.monitor.schedule import ReadBudget
from atm_tui.monitor.transcripts import Transcripts
from atm_tui.sources.checkpoints import CheckpointStore
from atm_tui.sources.transcript import REST_AFTER, TranscriptReader
from tests.support.transcript_writer import TranscriptWriter

TABLE = load_default_table()
LATER = float("inf")


class Reading:
    """A reader of a transcript to which lines are added."""

    def __init__(self, script: TranscriptWriter, cache: Path) -> None:
        self.script, self.cache, self.path = script, cache, script.path / "s1.jsonl"
        self.reader = TranscriptReader(str(self.path), TABLE, CheckpointStore(cache, TABLE))

    def write(self) -> None:
        self.script.prompt("Go on")
        self.script.answer(1_000 + self.script.count)
        self.script.answer(500, file="s1/subagents/agent-a1.jsonl")

    def go_on(self) -> TranscriptFacts:
        """Reads what is new, and writes checkpoints as usual."""
        self.reader.read()
        self.reader.save()
        return self.reader.facts

    def read_anew(self) -> TranscriptFacts:
        reader = TranscriptReader(str(self.path), TABLE)
        reader.read()
        return reader.facts

    def measure(self) -> int:
        return sum(each.stat().st_size for each in self.script.path.rglob("*.jsonl"))

    def count_held(self) -> int:
        """The requests that it holds."""
        return len(list(self.reader._ledger.list_requests()))


@pytest.fixture
def reading(script: TranscriptWriter, tmp_path: Path) -> Reading:
    found = Reading(script, tmp_path / "cache")
    found.write()
    found.go_on()
    found.write()  # less than what is saved at once
    found.go_on()
    return found


def test_after_an_hour_without_a_line_only_the_facts_are_held(reading: Reading) -> None:
    facts, changed = reading.reader.facts, max(each.stat().st_mtime for each in reading.script.path.rglob("*.jsonl"))
    reading.reader.rest(changed + REST_AFTER - 1)
    assert reading.count_held() == 4
    reading.reader.rest(changed + REST_AFTER + 1)
    assert reading.count_held() == 0
    assert reading.go_on() is facts
    keys = set(memoryview(reading.reader.list_keys()).cast("Q"))
    assert keys == reading.reader.shared_keys
    assert len(keys) == 4


def test_it_goes_on_with_new_lines_alone(reading: Reading) -> None:
    for _ in range(3):
        reading.reader.rest(LATER)
        assert reading.count_held() == 0
        before = reading.measure()
        reading.write()
        assert reading.go_on() == reading.read_anew()
        assert reading.reader.bytes_read == reading.measure() - before


@pytest.mark.parametrize("is_replaced", [False, True])
def test_without_its_checkpoint_it_reads_everything_again(reading: Reading, *, is_replaced: bool) -> None:
    reading.reader.rest(LATER)
    (file,) = reading.cache.rglob("*.checkpoint")
    file.unlink()
    if is_replaced:
        Reading(reading.script, reading.cache).go_on()
        assert file.exists()
    reading.write()
    assert reading.go_on() == reading.read_anew()


def test_what_can_not_be_saved_is_held(script: TranscriptWriter, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("no folder")
    reading = Reading(script, tmp_path / "cache")
    reading.write()
    reading.go_on()
    reading.reader.rest(LATER)
    assert reading.count_held() == 2


def test_requests_can_still_be_counted_for_another_session(reading: Reading) -> None:
    reading.reader.rest(LATER)
    inherited = frozenset(list(reading.reader.shared_keys)[:1])
    assert reading.reader.set_inherited(inherited)
    assert sum(each.requests for each in reading.reader.facts.inherited) == 1
    reading.reader.rest(LATER)
    assert reading.count_held() == 0
    assert reading.reader.set_inherited(frozenset())
    assert reading.reader.facts == reading.read_anew()


def test_the_app_lets_readers_rest(reading: Reading) -> None:
    store = CheckpointStore(reading.cache, TABLE)
    transcripts, path = Transcripts(TABLE, ReadBudget(None), store), str(reading.path)
    reading.write()
    transcripts.read(path, check=True)
    transcripts.save(0.0)
    reading.reader = transcripts._readers[path]
    assert reading.count_held() == 6
    transcripts.read(path, check=True)
    transcripts.save(LATER)
    assert reading.count_held() == 0
    assert transcripts.read(path, check=True) == reading.read_anew()
