"""Commands to another machine: replies find who asked, and whatever else comes harms nobody."""

import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from atm_tui.model.stream import ReplyLine
from atm_tui.model.stream_commands import ExplainResult
from atm_tui.monitor import asking
from atm_tui.monitor.asking import Asker, AskError


class There:
    """The other end: reads what is asked, and replies as a test says."""

    def __init__(self) -> None:
        self.asker = Asker("gpu")
        self.read_end, self.write_end = os.pipe()
        self.asker.open(self.write_end, ["explain"])

    def reply(self, make: Callable[[int], list[ReplyLine]]) -> threading.Thread:
        """Replies to the next command in a thread."""

        def run() -> None:
            number = msgspec.json.decode(os.read(self.read_end, 1 << 16))["id"]
            for line in make(number):
                self.asker.take_reply(msgspec.json.decode(msgspec.json.encode(line), type=ReplyLine))

        thread = threading.Thread(target=run)
        thread.start()
        return thread

    def ask(self, **fields: Any) -> ExplainResult:
        return self.asker.ask("explain", ExplainResult, **fields)


@pytest.fixture
def there() -> Iterator[There]:
    found = There()
    yield found
    os.close(found.read_end)
    os.close(found.write_end)


def test_a_reply_finds_who_asked_and_others_are_dropped(there: There) -> None:
    good = ExplainResult(lines=("a",), total=1)
    thread = there.reply(
        lambda number: [
            ReplyLine(id=99),
            ReplyLine(id=0, problem="x"),
            ReplyLine(id=number, result=good),
            ReplyLine(id=number),
        ]
    )
    assert there.ask(session_id="s1") == good
    thread.join()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ({"problem": "no \x1b[2Jsuch session"}, "gpu: no �[2Jsuch session"),
        ({"problem": "x" * 10**5}, "gpu: xxx"),
        ({"result": None}, "replied something else"),
        ({"result": {"lines": [1]}}, "replied something else"),
        ({"result": {"lines": "\x1b]0;x\x07"}}, "replied something else"),
        ({"result": [[[[]]]]}, "replied something else"),
    ],
)
def test_a_refusal_and_anything_but_the_result_are_errors_with_clean_words(
    there: There, line: dict, words: str
) -> None:
    thread = there.reply(lambda number: [ReplyLine(id=number, **line)])
    with pytest.raises(AskError) as caught:
        there.ask()
    thread.join()
    assert words in str(caught.value)
    assert "\x1b" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_what_can_not_be_asked_says_why(there: There, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AskError, match="takes no jump: update it there"):
        there.asker.ask("jump", ExplainResult)
    with pytest.raises(AskError, match="did not reply"):
        there.ask(patience=0.01)

    waiting = threading.Thread(target=there.asker.close)
    os.read(there.read_end, 1 << 16)
    thread = there.reply(lambda _: waiting.start() or [])  # type: ignore[func-returns-value]
    with pytest.raises(AskError, match="was cut"):
        there.ask()
    thread.join()
    with pytest.raises(AskError, match="there is no link to gpu"):
        there.ask()

    monkeypatch.setattr(asking, "WRITTEN", 0.05)
    there.asker.open(there.write_end, ["explain"])
    with pytest.raises(AskError, match="takes nothing"):  # it never reads, and its pipe is full
        there.ask(session_id="x" * (1 << 20))
    with pytest.raises(AskError, match="there is no link"):  # half a command was written: no more
        there.ask()
    there.asker.beat()
