"""Where the text of a plan is found."""

import json
from pathlib import Path

import pytest

from atm_hooks.payload import hash_input
from atm_tui.model.request import Request
from atm_tui.sources.plan import find_plan


class Home:
    def __init__(self, folder: Path) -> None:
        self.config = folder
        self.transcript = folder / "projects" / "-home-user-work" / "s.jsonl"
        self.transcript.parent.mkdir(parents=True)
        self.plans = folder / "plans"
        self.plans.mkdir()

    def write(self, *lines: object) -> None:
        self.transcript.write_text("".join(f"{json.dumps(line)}\n" for line in lines))

    def request(self, **given: object) -> Request:
        return Request(
            nonce="0", session_id="s", key=f"|ExitPlanMode|{hash_input({})}", digest="", tool="ExitPlanMode",
            input=given, transcript_path=str(self.transcript),
        )  # fmt: skip


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def make_call(plan: str) -> dict[str, object]:
    return {"message": {"content": [{"type": "tool_use", "name": "ExitPlanMode", "input": {"plan": plan}}]}}


def test_the_plan_is_in_the_file_that_the_transcript_names_last(home: Home) -> None:
    (home.plans / "old.md").write_text("old")
    (home.plans / "new-one.md").write_text("# New\n")
    home.write({"slug": "old"}, {"slug": "new-one"}, {"text": '"slug"'}, make_call("in the call"))
    assert find_plan(home.request()) == ("# New\n", str(home.plans / "new-one.md"))


def test_the_plan_is_in_the_input_of_the_call(home: Home) -> None:
    assert find_plan(home.request(plan="here")) == ("here", "")


@pytest.mark.parametrize("file", [None, " \n"])
def test_without_a_file_the_plan_is_in_the_call_in_the_transcript(home: Home, file: str | None) -> None:
    if file:
        (home.plans / "x.md").write_text(file)
    home.write({"slug": "x"}, make_call("in the call"))
    assert find_plan(home.request()) == ("in the call", "")


@pytest.mark.parametrize("slug", ["../../secret", 3, "", None, "a\0b"])
def test_no_slug_escapes_the_folder(home: Home, slug: object) -> None:
    (home.config / "secret.md").write_text("secret")
    home.write({"slug": slug})
    assert find_plan(home.request()) is None


def test_without_any_source_there_is_no_plan(home: Home) -> None:
    assert find_plan(home.request()) is None
    home.write({"slug": "gone"})
    assert find_plan(home.request()) is None
