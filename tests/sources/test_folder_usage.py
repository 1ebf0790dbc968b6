"""Usage of all projects: counted once over all files, quick the second time, right whatever the cache holds."""

import json
import os
import time
from pathlib import Path

import pytest

from atm_tui.cost.pricing import load_default_table
from atm_tui.cost.report import Progress, UsageHistory
from atm_tui.cost.usage import sum_usage, sum_usage_by
from atm_tui.sources.checkpoints import CheckpointStore
from atm_tui.sources.usage import UsageReader


def make_answer(message: str, output: int, request: str | None = None, **fields: object) -> str:
    usage = {"input_tokens": 3, "output_tokens": output}
    record = {
        "type": "assistant",
        "timestamp": "2026-01-02T03:04:05Z",
        "requestId": request or f"req-{message}",
        "message": {"id": message, "model": "claude-opus-4-8", "content": [], "usage": usage},
    }
    return json.dumps({k: v for k, v in (record | fields).items() if v is not None}) + "\n"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    web = tmp_path / "claude" / "projects" / "-home-user-work-my-web-v1-2"
    web.mkdir(parents=True)
    (web / "s1.jsonl").write_text(
        make_answer("m1", 10, cwd="/home/user/work/my_web v1.2/sub")
        + make_answer("m1", 12)
        + make_answer("m2", 20, cwd="/home/user/work/my_web v1.2")
    )
    agents = web / "s1" / "subagents" / "workflows" / "wf_1"
    agents.mkdir(parents=True)
    (agents / "agent-a2.jsonl").write_text(make_answer("m8", 7, isSidechain=True))
    (agents / "journal.jsonl").write_text(make_answer("m9", 1_000))
    (web / "s1" / "tool-results").mkdir()
    (web / "s1" / "tool-results" / "agent-x.jsonl").write_text(make_answer("m10", 1_000))
    api = tmp_path / "claude" / "projects" / "-home-user-work-api"
    api.mkdir()
    (api / "s2.jsonl").write_text("[]\n" + make_answer("m3", 40, cwd="/home/user/work/api"))
    (tmp_path / "claude" / "projects" / "stray.txt").write_text("x")
    return tmp_path / "claude"


def read(config: Path, since: float | None = None) -> tuple[UsageHistory, list[Progress]]:
    reader = UsageReader([config], config.parent / "cache", load_default_table())
    progress = list(reader.read(since))
    return reader.result, progress


def sum_outputs(history: UsageHistory) -> dict[tuple[str, str], int]:
    found = sum_usage_by(history.buckets, load_default_table(), lambda b: (b.session_id, b.agent_id))
    return {key: t.tokens.output for key, t in found.items()}


FULL = {("s1", ""): 32, ("s1", "a2"): 7, ("s2", ""): 40}


def test_sessions_and_agents_of_all_projects(config: Path) -> None:
    history, progress = read(config)
    assert sum_outputs(history) == FULL
    assert history.skipped_lines == 1
    assert {b.project for b in history.buckets} == {"/home/user/work/my_web v1.2", "/home/user/work/api"}
    assert progress[-1].done_bytes == progress[-1].total_bytes > 0
    assert progress[-1].done_files == progress[-1].total_files == 3


def test_sessions_have_titles(config: Path) -> None:
    api = config / "projects" / "-home-user-work-api"
    user = {"type": "user", "message": {"content": "Fix the parser " + "x" * 100}}
    skipped = {"type": "user", "message": {"content": "<command-name>/model</command-name>"}}
    (api / "s2.jsonl").write_text("".join(json.dumps(line) + "\n" for line in (skipped, user, user)))
    assert read(config)[0].titles == {"s2": "Fix the parser " + "x" * 65}
    with (api / "s2.jsonl").open("a") as out:
        out.write('{"type":"custom-title","customTitle":"parser"}\n')
    assert read(config)[0].titles == {"s2": "parser"}


def test_a_project_is_the_folder_where_a_session_was_started(config: Path) -> None:
    web = config / "projects" / "-home-user-work-my-web-v1-2"
    (web / "s3.jsonl").write_text(make_answer("m20", 1, cwd="/home/user/work/my_web v1.2"))
    history, _ = read(config)
    assert {b.project for b in history.buckets} == {"/home/user/work/my_web v1.2", "/home/user/work/api"}
    for file in web.rglob("*.jsonl"):
        file.write_text(make_answer("m30", 5))
    assert {b.project for b in read(config)[0].buckets} == {"", "/home/user/work/api"}


def test_a_second_start_reads_no_transcript(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, _ = read(config)
    for file in (config / "projects").rglob("*.jsonl"):
        stat = file.stat()
        file.chmod(0)
        os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    monkeypatch.setattr("atm_tui.sources.transcript_lines.decode_line", None)
    second, progress = read(config)
    assert second == first
    assert progress[-1].done_bytes == progress[-1].total_bytes


def test_only_what_was_appended_is_read_again(config: Path) -> None:
    read(config)
    path = config / "projects" / "-home-user-work-api" / "s2.jsonl"
    with path.open("a") as out:
        out.write(make_answer("m3", 41) + make_answer("m4", 5) + '{"type":"assis')
    history, _ = read(config)
    assert sum_outputs(history)[("s2", "")] == 46
    with path.open("a") as out:
        out.write('tant"}\n' + make_answer("m5", 100))
    history, _ = read(config)
    assert sum_outputs(history)[("s2", "")] == 146
    assert history.skipped_lines == 1


def test_a_rewritten_file_replaces_the_known_figures(config: Path) -> None:
    read(config)
    path = config / "projects" / "-home-user-work-api" / "s2.jsonl"
    path.write_text(make_answer("n1", 1))
    assert sum_outputs(read(config)[0])[("s2", "")] == 1
    path.unlink()
    assert ("s2", "") not in sum_outputs(read(config)[0])


@pytest.mark.parametrize("damage", ["flip", "cut", "empty", "other", "folder"])
def test_a_damaged_cache_is_ignored(config: Path, damage: str) -> None:
    first, _ = read(config)
    files = sorted((config.parent / "cache").rglob("*.checkpoint"))
    assert len(files) == 2
    for file in files:
        data = bytearray(file.read_bytes())
        if damage == "flip":
            at = data.index(b"claude-opus") - 6
            data[at] ^= 0x04
            file.write_bytes(data)
        elif damage == "cut":
            file.write_bytes(data[: len(data) // 2])
        elif damage == "empty":
            file.write_bytes(b"")
        elif damage == "other":
            other = files[1 - files.index(file)]
            file.write_bytes(other.read_bytes())
        else:
            file.unlink()
            file.mkdir()
    assert read(config)[0] == first
    assert read(config)[0] == first


def test_copies_count_once_for_the_older_file(config: Path) -> None:
    web = config / "projects" / "-home-user-work-my-web-v1-2"
    fork = web / "fork.jsonl"
    fork.write_text((web / "s1.jsonl").read_text() + make_answer("m7", 100))
    later = time.time() + 60
    os.utime(fork, (later, later))
    assert sum_outputs(read(config)[0]) == FULL | {("fork", ""): 100}
    assert sum_outputs(read(config)[0]) == FULL | {("fork", ""): 100}


def test_one_id_for_everything_does_not_collapse(config: Path) -> None:
    api = config / "projects" / "-home-user-work-api"
    lines = [("2026-01-02T03:04:05Z", 10), ("2026-01-02T03:09:00Z", 20)]
    (api / "s2.jsonl").write_text("".join(make_answer("gw", n, timestamp=t, requestId=None) for t, n in lines))
    (api / "s3.jsonl").write_text(make_answer("gw", 40, timestamp="2026-01-02T04:00:00Z", requestId=None))
    found = sum_outputs(read(config)[0])
    assert (found[("s2", "")], found[("s3", "")]) == (30, 40)


def test_old_files_are_skipped_when_only_recent_days_count(config: Path) -> None:
    old = config / "projects" / "-home-user-work-api" / "s2.jsonl"
    os.utime(old, (1_000.0, 1_000.0))
    history, progress = read(config, since=2_000.0)
    assert ("s2", "") not in sum_outputs(history)
    assert progress[-1].total_files == 2
    assert sum_outputs(read(config)[0]) == FULL


def test_no_projects_and_an_unusable_cache_folder_raise_nothing(config: Path, tmp_path: Path) -> None:
    reader = UsageReader([tmp_path / "nowhere"], tmp_path / "cache", load_default_table())
    assert list(reader.read()) == []
    assert reader.result == UsageHistory()
    (config.parent / "cache").write_text("a file where the folder should be")
    assert sum_outputs(read(config)[0]) == FULL


def test_a_vanished_project_leaves_no_cache_behind(config: Path) -> None:
    read(config)
    api = config / "projects" / "-home-user-work-api"
    (api / "s2.jsonl").unlink()
    api.rmdir()
    assert len(list((config.parent / "cache").rglob("*.checkpoint"))) == 2
    CheckpointStore(config.parent / "cache", load_default_table()).clean_up(time.time())
    assert len(list((config.parent / "cache").rglob("*.checkpoint"))) == 1


def test_the_cache_is_private(config: Path) -> None:
    read(config)
    for file in (config.parent / "cache").rglob("*.checkpoint"):
        assert file.stat().st_mode & 0o077 == 0
        assert file.parent.stat().st_mode & 0o077 == 0


def test_recorded_sessions_add_up_over_files(tmp_path: Path) -> None:
    recorded = Path(__file__).parents[1] / "data" / "transcripts" / "recorded"
    folder = tmp_path / "claude" / "projects" / "p"
    folder.mkdir(parents=True)
    expected = 0.0
    for name in ("06-resume-61ab", "06-resume-074d"):  # the second is a fork of the first, one turn longer
        source = recorded / name
        (folder / f"{name}.jsonl").write_bytes((source / "session.jsonl").read_bytes())
        expected = max(expected, json.loads((source / "expected.json").read_text())["usd"])
    history, _ = read(tmp_path / "claude")
    assert sum_usage(history.buckets, load_default_table()).usd == pytest.approx(expected, abs=1e-6)
