"""`atm-tui usage`: the structure and sums of the JSON, local days, and messages."""

import argparse
import json
import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from atm_hooks import journal
from atm_tui.cli.main import main
from atm_tui.cli.usage import add_usage_arguments, run_usage
from atm_tui.model.spans import find_midnight
from tests.support.noon import format_noon_zone


def make_answer(
    message: str, at: datetime, model: str = "claude-opus-5-5", tokens: int = 250_000, **usage: object
) -> str:
    record = {
        "type": "assistant",
        "timestamp": at.isoformat(),
        "requestId": "r",
        "cwd": "/home/user/work/web",
        "message": {"id": message, "model": model, "usage": {"input_tokens": tokens} | usage},
    }
    return json.dumps(record) + "\n"


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("ATM_STATE_DIR", str(tmp_path / "state"))
    (tmp_path / "claude" / "projects" / "-home-user-work-web").mkdir(parents=True)
    return tmp_path / "claude"


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", format_noon_zone(45))
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def write(config: Path, *lines: str) -> None:
    (config / "projects" / "-home-user-work-web" / "s.jsonl").write_text("".join(lines))


def run(config: Path, *options: str) -> int:
    parser = argparse.ArgumentParser()
    add_usage_arguments(parser)
    return run_usage(parser.parse_args(["--config-dir", str(config), *options]))


def report(config: Path, capsys: pytest.CaptureFixture[str], *options: str) -> dict:
    assert run(config, "--json", *options) == 0
    return json.loads(capsys.readouterr().out)


def test_the_json_has_the_documented_fields(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    now = datetime.now(UTC)
    writes = {"ephemeral_5m_input_tokens": 30, "ephemeral_1h_input_tokens": 50}
    write(
        config,
        make_answer("m1", now),
        make_answer(
            "m2",
            now,
            "claude-haiku-4-5-20251001",
            1_000,
            output_tokens=20,
            cache_creation_input_tokens=80,
            cache_creation=writes,
            cache_read_input_tokens=9,
            server_tool_use={"web_search_requests": 2},
        ),
        make_answer("m3", now, "glm-5.1", 77),
        "oops\n",
    )
    found = report(config, capsys)
    assert list(found) == [
        "schema",
        "since",
        "until",
        "total_usd",
        "unpriced_tokens",
        "models",
        "machines",
        "projects",
        "days",
        "skipped_lines",
        "unreadable",
        "waited_today",
        "limits",
    ]
    haiku = (1_000 + 20 * 5 + 30 * 1.25 + 50 * 2 + 9 * 0.1) / 1e6 + 0.02
    assert found["schema"] == 1
    assert found["total_usd"] == pytest.approx(1 + haiku)
    assert found["unpriced_tokens"] == 77
    assert found["skipped_lines"] == 1
    assert found["models"][0] == {
        "model": "claude-opus-5-5",
        "usd": 1.0,
        "input_tokens": 250_000,
        "output_tokens": 0,
        "cache_write_5m_tokens": 0,
        "cache_write_1h_tokens": 0,
        "cache_read_tokens": 0,
        "web_searches": 0,
    }
    assert found["models"][1]["usd"] == pytest.approx(haiku)
    assert (found["models"][1]["cache_write_5m_tokens"], found["models"][1]["cache_write_1h_tokens"]) == (30, 50)
    assert found["models"][1]["web_searches"] == 2
    assert (found["models"][2]["model"], found["models"][2]["usd"]) == ("glm-5.1", None)
    assert found["projects"] == [{"project": "/home/user/work/web", "usd": pytest.approx(1 + haiku)}]
    assert found["machines"] == [{"machine": None, "usd": pytest.approx(1 + haiku)}]
    for part in ("models", "machines", "projects", "days"):
        assert sum(entry["usd"] or 0 for entry in found[part]) == pytest.approx(found["total_usd"], abs=1e-9)
    assert datetime.fromisoformat(found["since"]).tzinfo
    assert datetime.fromisoformat(found["until"]).timestamp() == pytest.approx(time.time(), abs=60)


@pytest.mark.usefixtures("zone")
def test_days_begin_at_the_users_midnight(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    today = datetime.fromtimestamp(find_midnight(time.time()), UTC)
    assert today.minute == 15
    write(
        config,
        make_answer("m1", today - timedelta(seconds=1), tokens=1_000_000),
        make_answer("m2", today, tokens=250_000),
        make_answer("m3", today - timedelta(days=40), tokens=500_000),
    )
    assert report(config, capsys, "--days", "1")["total_usd"] == 1
    two = report(config, capsys, "--days", "2")
    assert [day["usd"] for day in two["days"]] == [4, 1]
    assert two["days"][1]["day"] == time.strftime("%Y-%m-%d")
    assert re.search(r"T00:00:00[+-]\d\d:(45|15)$", two["since"])
    assert report(config, capsys)["total_usd"] == 5
    assert report(config, capsys, "--all")["total_usd"] == 7


@pytest.mark.usefixtures("zone")
def test_midnight_counts_days_not_hours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    noon = datetime(2026, 10, 25, 11, tzinfo=UTC).timestamp()  # the clock was put back this morning
    assert datetime.fromtimestamp(find_midnight(noon), UTC) == datetime(2026, 10, 24, 22, tzinfo=UTC)
    assert datetime.fromtimestamp(find_midnight(noon, 1), UTC) == datetime(2026, 10, 23, 22, tzinfo=UTC)


def test_requests_without_a_time_are_in_all_and_in_no_day(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = json.loads(make_answer("m1", datetime.now(UTC)))
    del line["timestamp"]
    write(config, json.dumps(line) + "\n")
    assert report(config, capsys, "--all")["days"] == [{"day": None, "usd": 1.0}]
    assert report(config, capsys)["total_usd"] == 0


def test_an_unpriced_total_is_not_zero(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(config, make_answer("m1", datetime.now(UTC), "glm-5.1", 1_234))
    assert report(config, capsys)["total_usd"] is None
    run(config)
    text = capsys.readouterr().out
    assert "unpriced" in text
    assert "1,234 tokens of models without a known price" in text


def test_the_table_is_aligned_and_clean(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    now = datetime.now(UTC)
    write(config, make_answer("m1", now), make_answer("m2", now, "evil\x1b]52;c\x07\u202emodel", 3), "{\n")
    assert run(config) == 0
    text = capsys.readouterr().out
    assert "\x1b" not in text
    assert "\u202e" not in text
    table = [line for line in text.splitlines() if "claude-opus-5-5" in line or line.startswith("Model")]
    assert len({len(line) for line in table}) == 1
    assert "$1.00" in text
    assert "1 damaged line: only in part, or not at all, in the sums" in text


def test_no_requests_in_this_time(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report(config, capsys, "--all")["since"] is None
    assert run(config) == 0
    assert "No requests in this time" in capsys.readouterr().out


def test_a_missing_config_folder_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["usage", "--config-dir", str(tmp_path / "nowhere")]) == 2
    said = capsys.readouterr()
    assert str(tmp_path / "nowhere") in said.err
    assert "--config-dir" in said.err
    assert not said.out


@pytest.mark.parametrize("days", ["0", "-3", "x", "1e9"])
def test_days_must_be_a_number_of_days(config: Path, days: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run(config, f"--days={days}")
    assert "not a number of days" in capsys.readouterr().err


def make_wait(config: Path, session: str, folder: str, seconds: float, at: float) -> None:
    root = str(config.parent / "state")
    journal.prepare_folders(root)
    event = {"session_id": session, "cwd": folder, "tool": "Bash", "hash": "h", "permission_mode": "default"}
    journal.record_event(root, {"at": at, "event": "PermissionRequest", **event})
    journal.record_event(root, {"at": at + seconds, "event": "PostToolBatch", "session_id": session})


def test_waiting_time_of_today_is_listed_by_project(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    since = find_midnight(time.time())
    assert report(config, capsys)["waited_today"] == {"seconds": 0, "projects": []}
    make_wait(config, "a", "/src/shop", 60, since)
    make_wait(config, "b", "/src/shop", 30, since)
    make_wait(config, "c", "/src/web", 120, since - 100)
    assert report(config, capsys)["waited_today"] == {
        "seconds": 110,
        "projects": [{"project": "/src/shop", "seconds": 90}, {"project": "/src/web", "seconds": 20}],
    }
    assert run(config) == 0
    told = capsys.readouterr().out
    assert "\nWaited on you today: 1m" in told
    assert "/src/shop      1m\n/src/web      20s\n" in told


def test_unreadable_folders_are_reported_in_table_and_json(
    config: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = next((config / "projects").iterdir())
    (folder / "forbidden.jsonl").symlink_to("forbidden.jsonl")  # a link to itself: ELOOP, also for root
    assert main(["usage", "--config-dir", str(config), "--all"]) == 0
    text = capsys.readouterr().out
    assert f"The sums lack what can't be read:\n  {folder}/forbidden.jsonl: Too many levels" in text
    assert main(["usage", "--config-dir", str(config), "--all", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["unreadable"]
    assert found["path"] == f"{folder}/forbidden.jsonl"
