"""`doctor` names the transcripts that can't be read, and what to do."""

from pathlib import Path

import pytest

from atm_tui.settings.check import Level
from atm_tui.settings.doctor_transcripts import check_transcripts


def test_transcripts_of_another_user_are_named_with_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(check_transcripts(tmp_path)) == []
    for name in ("one", "two"):
        (tmp_path / "projects" / name).mkdir(parents=True)
        (tmp_path / "projects" / name / f"{name}.jsonl").write_text("{}\n")
    assert [check.level for check in check_transcripts(tmp_path)] == [Level.OK]
    monkeypatch.setattr("os.access", lambda path, _: "two" not in str(path))
    (check,) = check_transcripts(tmp_path)
    assert (check.level, check.name) == (Level.WARNING, "transcripts")
    assert check.text.endswith(f"lack what they hold: {tmp_path}/projects/two/two.jsonl")
    assert check.text.startswith("1 transcript can't be read")
    assert "chown" in check.advice


def test_folders_that_cannot_be_listed_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    projects = tmp_path / "projects"
    projects.mkdir()

    def walk(top: Path, onerror) -> list:
        onerror(PermissionError(13, "Permission denied", f"{top}/secret"))
        return []

    monkeypatch.setattr("os.walk", walk)
    (check,) = check_transcripts(tmp_path)
    assert f"{projects}/secret" in check.text
