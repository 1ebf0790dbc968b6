"""Usage of several config folders, by repository, and its reports by local days."""

import json
import os
import posix
import shutil
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from atm_tui.cost.pricing import load_default_table
from atm_tui.cost.report import SPANS, Report, UsageHistory, compute_cache_hits, make_report
from atm_tui.model.tokens import Bucket, Tokens
from atm_tui.sources.usage import UsageReader

TABLE = load_default_table()
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC).timestamp()
DAY = 86_400.0


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def write(config: Path, cwd: Path | str, session: str, usd: float) -> None:
    folder = config / "projects" / str(cwd).replace("/", "-").replace("_", "-").replace(".", "-")
    folder.mkdir(parents=True, exist_ok=True)
    message = {"id": session, "model": "claude-opus-5-5", "usage": {"input_tokens": round(usd * 250_000)}}
    record = {"type": "assistant", "requestId": "r", "cwd": str(cwd), "message": message,
              "timestamp": datetime.now(UTC).isoformat()}  # fmt: skip
    with (folder / f"{session}.jsonl").open("a") as out:
        out.write(json.dumps(record) + "\n")


def read(source: UsageReader) -> Report:
    for _ in source.read():
        pass
    return make_report(source.result, TABLE, None, time.time())


def test_worktrees_and_subfolders_of_a_repository_are_one_project(tmp_path: Path) -> None:
    main, linked = tmp_path / "shop", tmp_path / "shop-fix"
    (main / ".git" / "worktrees" / "fix").mkdir(parents=True)
    (main / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (main / ".git" / "worktrees" / "fix" / "commondir").write_text("../..\n")
    (main / "web").mkdir()
    linked.mkdir()
    (linked / ".git").write_text(f"gitdir: {main}/.git/worktrees/fix\n")
    config = tmp_path / "claude"
    write(config, main, "s1", 1.0)
    write(config, linked, "s2", 2.0)
    write(config, main / "web", "s3", 4.0)
    write(config, "/gone/away", "s4", 8.0)
    report = read(UsageReader([config], None, TABLE))
    assert {project: t.usd for project, t in report.projects} == {str(main): 7.0, "/gone/away": 8.0}
    assert report.session_projects == {"s1": str(main), "s2": str(main), "s3": str(main), "s4": "/gone/away"}


def test_several_config_folders_are_read_one_after_another(tmp_path: Path) -> None:
    for name, usd in (("a", 1.0), ("b", 2.0)):
        write(tmp_path / name, "/home/user/work", name, usd)
    source = UsageReader([tmp_path / "a", tmp_path / "b", tmp_path / "a", tmp_path / "none"], tmp_path / "c", TABLE)
    steps = list(source.read())
    assert [step.done_files for step in steps] == [1, 2]
    assert make_report(source.result, TABLE, None, 0.0).total.usd == 3.0


def test_without_a_cache_folder_records_are_kept_in_memory(tmp_path: Path) -> None:
    write(tmp_path, "/home/user/work", "s", 1.0)
    source = UsageReader([tmp_path], None, TABLE)
    assert read(source).total.usd == 1.0
    write(tmp_path, "/home/user/work", "s2", 2.0)
    assert read(source).total.usd == 3.0
    assert [path.name for path in tmp_path.iterdir()] == ["projects"]


def make_bucket(at: float | None, usd: float = 1.0, **fields: object) -> Bucket:
    given = {"project": "p", "session_id": "s", "agent_id": "", "model": "claude-opus-5-5", "speed": "", "region": "",
             "long_prompt": False, "slot": at, "tokens": Tokens(input=round(usd * 250_000)), "requests": 1}  # fmt: skip
    return Bucket(**given | fields)


@pytest.mark.usefixtures("zone")
def test_spans_are_whole_local_days() -> None:
    history = UsageHistory(
        buckets=(
            *(make_bucket(NOON - n * DAY, 2.0**n) for n in range(9)),
            make_bucket(None, 0.5),
            make_bucket(NOON - 40 * DAY),
        )
    )
    found = {}
    for span in SPANS:
        since, before = span.find_bounds(NOON)
        found[span.name] = make_report(history, TABLE, since, NOON, before=before).total.usd
    assert found == {"today": 1, "yesterday": 2, "7 days": 127, "30 days": 511}
    assert make_report(history, TABLE, None, NOON).total.usd == 512.5
    assert make_report(history, TABLE, None, NOON).days[0][0] is None
    assert make_report(history, TABLE, None, NOON).since == NOON - 40 * DAY


def test_every_list_of_a_report_adds_up_to_its_total() -> None:
    buckets = [
        make_bucket(NOON - n * DAY, 1.0 + n, project=f"p{n % 3}", session_id=f"s{n % 4}", agent_id=f"a{n % 2}",
               model=["claude-opus-5-5", "claude-haiku-5-5", "glm-5.1"][n % 3])
        for n in range(12)
    ]  # fmt: skip
    report = make_report(UsageHistory(buckets=tuple(buckets)), TABLE, None, NOON)
    for part in (report.models, report.projects, report.sessions, report.days):
        assert sum(t.usd or 0 for _, t in part) == pytest.approx(report.total.usd, abs=1e-9)
        assert sum((t.tokens for _, t in part), Tokens()) == report.total.tokens
        assert sum(t.unpriced_tokens for _, t in part) == report.total.unpriced_tokens > 0
    assert [usd for _, t in report.models if (usd := t.usd)] == sorted((t.usd or 0 for _, t in report.models[:2]))[::-1]


def test_cache_hits() -> None:
    assert compute_cache_hits(Tokens(input=5, cache_write_5m=15, cache_read=80, output=1_000)) == 80
    assert compute_cache_hits(Tokens(output=3)) is None


def test_a_conversation_found_in_two_folders_counts_once(tmp_path: Path) -> None:
    real, link, shared, copied = (tmp_path / name for name in ("real", "link", "shared", "copied"))
    write(real, "/home/user/work", "s", 1.0)
    link.symlink_to(real)
    shared.mkdir()
    (shared / "projects").symlink_to(real / "projects")
    shutil.copytree(real, copied)
    both = UsageReader([real, link, shared, tmp_path / "." / "real"], None, TABLE)
    assert read(both).total.usd == 1.0
    assert both.folders == (str(real / "projects"),)
    assert read(UsageReader([real, copied], None, TABLE)).total.usd == 1.0


def test_a_project_is_the_working_folder_and_not_the_clients_folder_name(tmp_path: Path) -> None:
    folders = ("/w/a_b", "/w/a-b", "/w/a/b", "/w/新聞", "/w/暫存")
    for number, folder in enumerate(folders):
        write(tmp_path, folder.encode("ascii", "replace").decode().replace("?", "-"), f"s{number}", 1.0)
        path = next(tmp_path.rglob(f"s{number}.jsonl"))
        path.write_text(path.read_text().replace(json.loads(path.read_text())["cwd"], folder))
        agents = path.parent / f"s{number}" / "subagents"
        agents.mkdir(parents=True)
        line = json.loads(path.read_text()) | {"requestId": f"a{number}"}
        (agents / "agent-a.jsonl").write_text(json.dumps({k: v for k, v in line.items() if k != "cwd"}) + "\n")
    report = read(UsageReader([tmp_path], None, TABLE))
    assert {project: t.usd for project, t in report.projects} == dict.fromkeys(folders, 2.0)


def test_a_session_without_a_folder_gets_no_made_up_project(tmp_path: Path) -> None:
    write(tmp_path, "/w/a", "s", 1.0)
    path = next(tmp_path.rglob("s.jsonl"))
    path.write_text(path.read_text().replace('"cwd": "/w/a", ', ""))
    source = UsageReader([tmp_path], None, TABLE)
    assert [project for project, _ in read(source).projects] == [""]


def test_unreadable_files_are_named_and_read_once_possible(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "two", "three"):
        write(tmp_path / "claude", f"/w/{name}", name, 1.0)
    forbidden = next(tmp_path.rglob("two.jsonl"))
    folder = next(tmp_path.rglob("three.jsonl")).parent
    open_file, scan = posix.open, os.scandir

    def refuse(path: object, *more: object, **given: object) -> int:
        if str(path) == str(forbidden):
            raise PermissionError(13, "Permission denied", str(path))
        return open_file(path, *more, **given)  # type: ignore[arg-type]

    def refuse_folder(path: object) -> object:
        if str(path) == str(folder):
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)  # type: ignore[arg-type]

    monkeypatch.setattr("posix.open", refuse)
    monkeypatch.setattr("os.scandir", refuse_folder)
    for _ in range(2):
        source = UsageReader([tmp_path / "claude"], tmp_path / "cache", TABLE)
        assert read(source).total.usd == 1.0
        assert [(each.path, each.problem) for each in source.result.unreadable] == sorted(
            [(str(forbidden), "Permission denied"), (str(folder), "Permission denied")]
        )
    monkeypatch.undo()
    source = UsageReader([tmp_path / "claude"], tmp_path / "cache", TABLE)
    assert read(source).total.usd == 3.0
    assert source.result.unreadable == ()
