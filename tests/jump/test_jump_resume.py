"""A session's directory: from the state, else its transcript, else the folder's name; the command quotes what it must."""

import json
import subprocess
from pathlib import Path

import pytest

from atm_tui.jump.resume import find_session_directory
from atm_tui.jump.shell_text import format_commands
from atm_tui.jump.values import JumpPlan, Outcome
from atm_tui.sources.folders import encode_folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path.resolve()


def write_transcript(home: Path, folder: Path | str, *cwds: Path) -> str:
    """A transcript kept for `folder`, whose lines name these directories."""
    path = home / "config" / "projects" / encode_folder(str(folder)) / "0a1b2c3d.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [{"type": "summary"}, *({"type": "user", "cwd": str(cwd)} for cwd in cwds)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines) + '{"type": "user", "cwd": "/cut')
    return str(path)


def make_project(home: Path, name: str) -> Path:
    folder = home / name
    folder.mkdir(parents=True)
    return folder


def test_the_state_file_is_tried_first(home: Path) -> None:
    shop = make_project(home, "my.shop")
    place = find_session_directory(write_transcript(home, shop), project_dir=str(shop), cwd=str(home))
    assert place
    assert (place.path, place.source, place.exists, place.transcript_directory) == (str(shop), "state", True, None)


def test_a_tools_directory_is_not_the_start_directory(home: Path) -> None:
    shop, inside = make_project(home, "shop"), make_project(home, "shop/src/deep")
    place = find_session_directory(write_transcript(home, shop), cwd=str(inside))
    assert place
    assert (place.path, place.source, place.transcript_directory) == (str(shop), "state", None)


def test_a_mismatch_is_reported(home: Path) -> None:
    shop, blog = make_project(home, "shop"), make_project(home, "blog")
    for path in (write_transcript(home, shop, shop), write_transcript(home, shop)):
        place = find_session_directory(path, project_dir=str(blog), cwd=str(blog))
        assert place
        assert (place.path, place.source, place.transcript_directory) == (str(blog), "state", str(shop))


def test_the_directory_in_the_transcript_that_matches_its_folder(home: Path) -> None:
    shop = make_project(home, "my-shop")
    place = find_session_directory(write_transcript(home, shop, home, home / "my/shop", shop))
    assert place
    # both have this name; the first that is written there
    assert (place.path, place.source, place.exists) == (str(home / "my/shop"), "transcript", False)


def test_the_folder_name_is_tried_last(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = make_project(home, "a.b/my shop")
    monkeypatch.chdir("/")
    place = find_session_directory(write_transcript(home, shop))
    assert place
    assert (place.path, place.source) == (str(shop), "folder name")


def test_without_any_source_the_directory_is_unknown() -> None:
    assert find_session_directory(None) is None
    assert find_session_directory("/nowhere/projects/-no-such-folder/1.jsonl") is None


def test_without_a_transcript_the_state_is_enough(home: Path) -> None:
    place = find_session_directory(None, cwd=str(home / "gone"))
    assert place
    assert (place.path, place.exists) == (str(home / "gone"), False)


@pytest.mark.parametrize(
    "name",
    [
        "plain",
        "with blank",
        "quo'te",
        "d$HOME`x`",
        "new\nline",
        "esc\x1b]52;c;x\x07",
        "ü ✓",
        "\u202eabc",
        "back\\slash\t'",
    ],
)
def test_a_printed_command_is_safe_and_runs_unchanged_in_a_shell(name: str) -> None:
    jump = JumpPlan(outcome=Outcome.GO, text="", commands=(("printf", "%s", name),))
    line = format_commands(jump)
    assert line.isprintable()
    done = subprocess.run(["bash", "-c", line], capture_output=True, check=True)
    assert done.stdout.decode() == name
