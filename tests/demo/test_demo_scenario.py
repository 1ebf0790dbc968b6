"""The scenario in the package is what the script makes from the recordings, is playable, and holds nothing personal."""

import re
from pathlib import Path

import pytest

from atm_hooks import payload
from atm_tui.demo.scenario import FOLDER, PERIOD, ScenarioError, read_scenario
from tests.demo.script import PARTS, render, write

FILES = sorted(FOLDER.glob("*.jsonl"))


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.file)
def test_the_files_in_the_package_are_up_to_date(part) -> None:
    there = (FOLDER / f"{part.file}.jsonl").read_text("utf-8")
    assert there == render(part), "run: python -m tests.demo.script"


def test_the_package_has_no_other_scenario_files(tmp_path: Path) -> None:
    (tmp_path / "old.jsonl").write_text("")
    write(tmp_path)
    assert [path.name for path in sorted(tmp_path.iterdir())] == [path.name for path in FILES]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_demo_contains_nothing_personal(path: Path) -> None:
    text = path.read_text("utf-8")
    folders = set(re.findall(r'(?<![\w.-])/(?:home|root|work|tmp|Users|var|opt)\b[^"\s<]*', text))
    assert {folder for folder in folders if not folder.startswith("/home/user/")} == set()
    for word in ("SYSTEM NOTIFICATION", "[client text removed]", "<usage>", "@anthropic", "scripted"):
        assert word not in text


def test_the_files_are_small() -> None:
    assert sum(path.stat().st_size for path in FILES) < 150_000


def test_the_demo_has_the_promised_number_of_sessions() -> None:
    tracks = read_scenario()
    assert len(tracks) >= 6
    assert len({track.head.cwd for track in tracks}) >= 5


def test_every_hook_payload_is_an_event_without_unknown_fields() -> None:
    import json

    for track in read_scenario():
        for line in track.lines:
            if line.kind == "hook":
                raw = json.dumps({"session_id": "a", **(line.data or {})}).encode()
                event = payload.parse_event(raw, 1.0, {})
                assert "other_fields" not in event, line
                assert event["event"] in payload.EVENTS


def test_something_happens_every_three_seconds() -> None:
    times = sorted(
        line.t % PERIOD
        for track in read_scenario()
        for line in track.lines
        if line.t >= 0 and line.kind in ("hook", "registry")
    )
    gaps = [after - before for before, after in zip(times, [*times[1:], times[0] + PERIOD], strict=True)]
    assert max(gaps) <= 3.0


HEAD = '{"session":"s","cwd":"/home/user","model":"m","window":1,"started":0,"name":"n","entrypoint":"cli"}\n'


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", "x.jsonl: empty"),
        ("{}\n", "x.jsonl:1: "),
        (HEAD + "{\n", "x.jsonl:2: "),
        (HEAD + '{"t":1,"kind":"dance"}\n', "x.jsonl:2: unknown kind"),
        (HEAD + '{"t":2,"kind":"forget"}\n{"t":1,"kind":"forget"}\n', "x.jsonl:3: "),
        (HEAD + '{"t":1,"kind":"forget","more":1}\n', "x.jsonl:2: "),
    ],
)
def test_a_file_that_cannot_be_played_is_named_with_its_line(tmp_path: Path, text: str, where: str) -> None:
    (tmp_path / "x.jsonl").write_text(text)
    with pytest.raises(ScenarioError, match=re.escape(where)):
        read_scenario(tmp_path)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").mkdir()
    with pytest.raises(ScenarioError, match=re.escape("x.jsonl: Is a directory; reinstall")):
        read_scenario(tmp_path)


def test_an_empty_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="no scenario"):
        read_scenario(tmp_path)
