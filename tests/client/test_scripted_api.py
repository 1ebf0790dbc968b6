"""The scripted API answers as its scripts say."""

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from tests.client.api import Api, Error, Hold, Sleep, Text, Tool, Tools, choose


@pytest.fixture
def api() -> Iterator[Api]:
    api = Api()
    yield api
    api.close()


def ask(api: Api, *messages: dict[str, Any]) -> dict[str, Any]:
    """The answer to a conversation, not streamed."""
    body = json.dumps({"model": "claude-opus-5-5", "messages": messages}).encode()
    with urllib.request.urlopen(urllib.request.Request(f"{api.url}/v1/messages", body), timeout=10) as answer:
        message: dict[str, Any] = json.load(answer)
    return message


def user(*texts: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": text} for text in texts]}


SAID = {"role": "assistant", "content": []}
RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "ok"}]}


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([user("hello")], (None, Text("Ok."))),
        ([user("do one")], ("one", Text("first"))),
        ([user("do one"), SAID, RESULT], ("one", Text("second"))),
        ([user("do one"), SAID, RESULT, SAID, RESULT], ("one", Text("Done."))),
        ([user("do one"), SAID, user("do two")], ("two", Text("other"))),
        ([user("one or two")], ("two", Text("other"))),
        ([user("two", "one")], ("one", Text("first"))),
        ([user("one by one")], ("one by one", Text("longer"))),
    ],
)
def test_the_latest_phrase_of_the_newest_text_chooses(messages: list[dict[str, Any]], expected: object) -> None:
    scripts = {"one": [Text("first"), Text("second")], "two": [Text("other")], "one by one": [Text("longer")]}
    assert choose(messages, scripts) == expected


def test_several_tools_come_in_one_answer_with_ids_of_their_own(api: Api) -> None:
    api.script("both", Tools([Tool("Read", {"file_path": "a"}), Tool("Read", {"file_path": "b"})]))
    answer = ask(api, user("both"))
    calls = [block for block in answer["content"] if block["type"] == "tool_use"]
    assert [call["input"]["file_path"] for call in calls] == ["a", "b"]
    assert len({call["id"] for call in calls}) == 2
    assert answer["stop_reason"] == "tool_use"


def test_an_error_is_the_status_and_the_apis_name_for_it(api: Api) -> None:
    api.script("fail", Sleep(0.01, Error(529)))
    with pytest.raises(urllib.error.HTTPError) as caught:
        ask(api, user("fail"))
    with caught.value as answer:
        assert answer.code == 529
        assert json.load(answer)["error"]["type"] == "overloaded_error"


def test_a_held_answer_waits_for_its_gate_and_listeners_hear_at_once(api: Api) -> None:
    gate, heard = threading.Event(), []
    api.script("wait", Hold(gate, Text("Now.")))

    def listen(asked: object) -> None:
        heard.append(asked)
        gate.set()

    api.listeners.append(listen)
    assert ask(api, user("wait"))["content"] == [{"type": "text", "text": "Now."}]
    assert heard == [api.wait_asked("wait")]


def test_closing_drops_answers_that_wait(api: Api) -> None:
    api.script("wait", Hold(threading.Event(), Text("Never.")))
    caught: list[Exception] = []

    def call() -> None:
        try:
            ask(api, user("wait"))
        except OSError as error:
            caught.append(error)

    caller = threading.Thread(target=call)
    caller.start()
    api.wait_asked("wait")
    api.closing.set()
    caller.join(5)
    assert len(caught) == 1
