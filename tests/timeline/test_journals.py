"""Following a journal as the real hook writes it: incrementally, across rotation, and from the end of a large one."""

import json
from pathlib import Path

import pytest

from atm_hooks import journal, payload, sample
from atm_tui.timeline.journals import JournalReader, decode_events, read_history
from tests.support.timelines import NAMES, make_events, read_recording


def write(root: Path, *numbers: int) -> None:
    for number in numbers:
        journal.record_event(
            str(root),
            {"at": 1000.0 + number, "session_id": "s", "event": "UserPromptSubmit", "prompt": f"p{number}"},
        )


def list_prompts(tail: JournalReader) -> list[str]:
    return [event.prompt for event in tail.read_events()]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    journal.prepare_folders(str(tmp_path / "state"))
    return tmp_path / "state"


def test_each_event_is_read_once(root: Path) -> None:
    tail = JournalReader(root, "s")
    assert list_prompts(tail) == []
    write(root, 1, 2)
    assert list_prompts(tail) == ["p1", "p2"]
    assert list_prompts(tail) == []
    write(root, 3)
    assert list_prompts(tail) == ["p3"]


def test_one_look_tells_whether_there_may_be_news(root: Path) -> None:
    tail = JournalReader(root, "s")
    assert not tail.may_have_news
    for number in (1, 2):
        write(root, number)
        assert tail.may_have_news
        assert list_prompts(tail) == [f"p{number}"]
        assert not tail.may_have_news
    path = Path(journal.locate_journal(str(root), "s"))
    path.rename(f"{path}.1")
    assert tail.may_have_news


def test_a_cut_line_waits_for_its_end(root: Path) -> None:
    write(root, 1)
    tail = JournalReader(root, "s")
    assert list_prompts(tail) == ["p1"]
    with Path(journal.locate_journal(str(root), "s")).open("ab") as file:
        file.write(b'{"at":1002.0,"session_id":"s","event":"UserPromptSubmit"')
        file.flush()
        assert list_prompts(tail) == []
        file.write(b',"prompt":"p2"}\n')
    assert list_prompts(tail) == ["p2"]


def test_a_rotation_loses_nothing(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "ROTATE_SIZE", 600)
    tail = JournalReader(root, "s")
    found: list[str] = []
    for number in range(40):
        write(root, number)
        if number % 3 == 0:
            found += list_prompts(tail)
    found += list_prompts(tail)
    assert Path(journal.locate_journal(str(root), "s") + ".1").exists()
    assert found == [f"p{number}" for number in range(40)]


def test_the_end_of_a_large_journal_is_read_first(root: Path) -> None:
    write(root, *range(20))
    tail = JournalReader(root, "s", 300)
    found = list_prompts(tail)
    assert 0 < len(found) < 5
    assert found[-1] == "p19"
    write(root, 20)
    assert list_prompts(tail) == ["p20"]


def test_all_events_can_be_read_including_the_rotated_journal(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "ROTATE_SIZE", 600)
    write(root, *range(12))
    assert Path(journal.locate_journal(str(root), "s") + ".1").exists()
    kept = [event.prompt for event in read_history(root, "s")]
    tail = JournalReader(root, "s", None)
    assert list_prompts(tail) == kept
    write(root, 12)
    assert list_prompts(tail) == ["p12"]


def test_a_journal_removed_and_recreated_is_read_again(root: Path) -> None:
    write(root, 1)
    tail = JournalReader(root, "s")
    assert list_prompts(tail) == ["p1"]
    journal.remove_session(str(root), "s")
    assert list_prompts(tail) == []
    write(root, 2)
    assert list_prompts(tail) == ["p2"]


def test_damaged_lines_are_skipped_and_the_rest_is_read() -> None:
    """A header, lines that were cut or spoilt, an event without a session, and values of the wrong kind."""
    data = b"""{"journal":1,"generation":3}
{"at":1.0,"session_id":"s","event":"UserPromptSubmit","prompt":"a"}
{"at":2.0,"session_id":"s","event":"UserPro
{"at":3.0,"event":"Notification"}
{"at":4.0,"session_id":"s","event":"PostToolUse","tool_use_id":["x"],"tool":[]}
{"at":"5","session_id":"s","event":"Stop"}
{"at":6.0,"session_id":"s","event":"Stop","reply":"\xff"}
{"at":7,"session_id":"s","event":"Stop","reply":"b","a field of later":{"x":1}}
"""
    first, last = decode_events(data)
    assert (first.prompt, last.at, last.reply) == ("a", 7.0, "b")


@pytest.mark.parametrize("name", NAMES)
def test_an_event_keeps_every_field_that_the_hooks_fold(name: str) -> None:
    for line in read_recording(name):
        if line["kind"] in ("hook", "statusline"):
            parse = payload.parse_event if line["kind"] == "hook" else sample.parse_sample
            raw = parse(json.dumps(line["data"]).encode(), line["t"], {"CLAUDE_PID": "7", "TMUX": "/tmp/t,1,2"})
            (event,) = make_events(raw)
            assert json.loads(json.dumps(event.to_raw())) == json.loads(json.dumps(raw))
