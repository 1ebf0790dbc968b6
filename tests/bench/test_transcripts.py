"""The transcripts that benches read are the same in each run, and are read as those of the client are."""

from pathlib import Path

from atm_tui.cost.pricing import load_default_table
from atm_tui.sources.usage import UsageReader
from tests.bench.transcripts import write_history, write_past_sessions

NOW = 1_790_000_000.0


def read_all(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.jsonl")}


def test_the_seed_determines_the_bytes(tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        write_history(tmp_path / name, 1, seed)
    first = read_all(tmp_path / "a")
    assert first == read_all(tmp_path / "b")
    assert first != read_all(tmp_path / "c")


def test_a_history_has_the_requested_size(tmp_path: Path) -> None:
    paths = write_history(tmp_path, 3)
    assert 3_000_000 <= sum(path.stat().st_size for path in paths) < 5_000_000
    assert sorted(paths) == sorted(tmp_path.rglob("*.jsonl"))


def test_past_sessions_have_a_title_and_a_cost_and_end_at_different_times(tmp_path: Path) -> None:
    write_past_sessions(tmp_path, 3, NOW)
    reader = UsageReader([tmp_path], None, load_default_table())
    assert [progress.done_files for progress in reader.read()] == [1, 2, 3]
    assert reader.result.titles == {f"past-0000{n}": f"past work 0000{n}" for n in range(3)}
    assert [bucket.requests for bucket in reader.result.buckets] == [1, 1, 1]
    assert max(reader.result.last_at.values()) == NOW
    assert reader.result.skipped_lines == 0
