"""The scripted API answers as its scripts say."""

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from tests.client.api import Api, Error, Hold, Sleep, Text, Tool, Tools, choose_step


@pytest.fixture
def api() -> Iterator[Api]:
    api = Api()
    yield api
    api.close()


def send_messages(api: Api, *messages: dict[str, Any]) -> dict[str, Any]:
    """The answer to a conversation, not streamed."""
    body = json.dumps({"model": "claude-opus-5-5", "messages": messages}).encode()
    with urllib.request.urlopen(urllib.request.Request(f"{api.url}/v1/messages", body), timeout=10) as answer:
        message: dict[str, Any] = json.load(answer)
    return message


def make_user_message(*texts: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": text} for text in texts]}


SAID = {"role": "assistant", "content": []}
RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "ok"}]}


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([make_user_message("hello")], (None, Text("Ok."))),
        ([make_user_message("do one")], ("one", Text("first"))),
        ([make_user_message("do one"), SAID, RESULT], ("one", Text("second"))),
        ([make_user_message("do one"), SAID, RESULT, SAID, RESULT], ("one", Text("Done."))),
        ([make_user_message("do one"), SAID, make_user_message("do two")], ("two", Text("other"))),
        ([make_user_message("one or two")], ("two", Text("other"))),
        ([make_user_message("two", "one")], ("one", Text("first"))),
        ([make_user_message("one by one")], ("one by one", Text("longer"))),
    ],
)
def test_the_last_phrase_of_the_newest_text_decides(messages: list[dict[str, Any]], expected: object) -> None:
    scripts = {"one": [Text("first"), Text("second")], "two": [Text("other")], "one by one": [Text("longer")]}
    assert choose_step(messages, scripts) == expected


def test_several_tools_come_in_one_answer_with_separate_ids(api: Api) -> None:
    api.script("both", Tools([Tool("Read", {"file_path": "a"}), Tool("Read", {"file_path": "b"})]))
    answer = send_messages(api, make_user_message("both"))
    calls = [block for block in answer["content"] if block["type"] == "tool_use"]
    assert [call["input"]["file_path"] for call in calls] == ["a", "b"]
    assert len({call["id"] for call in calls}) == 2
    assert answer["stop_reason"] == "tool_use"


def test_an_error_is_the_status_and_the_apis_name_for_it(api: Api) -> None:
    api.script("fail", Sleep(0.01, Error(529)))
    with pytest.raises(urllib.error.HTTPError) as caught:
        send_messages(api, make_user_message("fail"))
    with caught.value as answer:
        assert answer.code == 529
        assert json.load(answer)["error"]["type"] == "overloaded_error"


def test_a_held_answer_waits_for_its_gate_and_listeners_are_called_at_once(api: Api) -> None:
    gate, heard = threading.Event(), []
    api.script("wait", Hold(gate, Text("Now.")))

    def listen(asked: object) -> None:
        heard.append(asked)
        gate.set()

    api.listeners.append(listen)
    assert send_messages(api, make_user_message("wait"))["content"] == [{"type": "text", "text": "Now."}]
    assert heard == [api.wait_for_call("wait")]


def test_closing_drops_held_answers(api: Api) -> None:
    api.script("wait", Hold(threading.Event(), Text("Never.")))
    caught: list[Exception] = []

    def call() -> None:
        try:
            send_messages(api, make_user_message("wait"))
        except OSError as error:
            caught.append(error)

    caller = threading.Thread(target=call)
    caller.start()
    api.wait_for_call("wait")
    api.closing.set()
    caller.join(5)
    assert len(caught) == 1
