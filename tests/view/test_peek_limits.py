"""The peek writes only as many lines of an input as it shows, however long the input is."""

from typing import Any

import pytest

from atm_tui.model.request import Request
from atm_tui.model.session import Agent, Session
from atm_tui.model.wait import Reason, Wait
from atm_tui.timeline.calls import Call
from atm_tui.view import peek
from atm_tui.view.pane import RenderContext
from atm_tui.view.peek import PeekContent, find_request_line, write
from atm_tui.view.present import UNICODE

CONTEXT = RenderContext(80, 100.0, UNICODE, (50, 70, 90), "/home/user")
WAIT = Wait(key="k", tool="Write", reason=Reason.PERMISSION, since=90.0)


def write_lines(given: dict[str, Any]) -> list[str]:
    session = Session(session_id="s", waits=(WAIT,))
    return ["".join(text for text, _ in line) for line in write(PeekContent(session, inputs={"k": given}), CONTEXT)]


@pytest.mark.parametrize("given", [{"content": "hello\n" * 800_000}, {"list": ["x"] * 100_000}])
def test_only_visible_lines_are_cleaned(monkeypatch: pytest.MonkeyPatch, given: dict[str, Any]) -> None:
    cleaned: list[str] = []
    clean = peek.clean_text

    def count(text: str, *, lines: bool = False) -> str:
        cleaned.append(text)
        return clean(text, lines=lines)

    monkeypatch.setattr(peek, "clean_text", count)
    lines = write_lines(given)
    assert len(lines) <= peek.MOST + 4
    assert any("… goes on: " in line and "in all" in line for line in lines)
    assert len(cleaned) <= peek.MOST + 2


def test_a_line_of_millions_of_characters_is_cut_with_a_mark() -> None:
    lines = write_lines({"command": "echo " + "x" * 5_000_000})
    assert sum(map(len, lines)) < 3 * peek.LONGEST
    assert any(line.endswith("…") for line in lines)


def test_a_line_that_is_cut_is_not_the_whole_request() -> None:
    given = {"command": "echo " + "x" * 20_000}
    request = Request(nonce="n", session_id="s", key="k", digest="d", tool="Bash", input=given)
    content = PeekContent(Session(session_id="s", waits=(WAIT,)), inputs={"k": given})
    assert find_request_line(content, CONTEXT, request) is None


def test_names_of_tools_and_agents_are_whole_where_there_is_room_and_begin_alike() -> None:
    agents = (Agent(agent_id="a", type="general-purpose"), Agent(agent_id="b", type="Plan"))
    calls = (Call(tool="Bash", summary="npm test"), Call(tool="mcp__github__search", summary="label:bug"))
    lines = [
        "".join(text for text, _ in line)
        for line in write(PeekContent(Session(session_id="s", agents=agents), calls), CONTEXT)
    ]
    assert any("general-purpose  " in line for line in lines)
    assert any("mcp__github__search  label:bug" in line for line in lines)
    assert len({line.index(words) for line in lines for words in ("npm test", "label:bug") if words in line}) == 1
