"""Which requests are open: what is read and refused, whose hook lives, and when one counts as settled elsewhere."""

import errno
import os
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from atm_hooks import answers
from atm_hooks.payload import hash_input
from atm_tui.model.status import GRACE
from atm_tui.model.wait import Wait
from atm_tui.sources.answers import WAIT_DELAY, AnswerSource, read_log

NOW = 1000.0


class WaitingHooks:
    """Stands for hooks that wait: a FIFO that is read, and the request."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.open: dict[str, int] = {}
        answers.prepare_answers(str(root))

    def ask(self, at: float = NOW, command: str = "npm test", session: str = "s1", suggestions: object = None) -> str:
        told = {"tool_name": "Bash", "tool_input": {"command": command}, "permission_suggestions": suggestions}
        event = {"session_id": session, "tool": "Bash", "hash": hash_input(told["tool_input"])}
        request = answers.make_request(told, event, {"id": "1" * 32, "wait": 60}, at)
        fifo = self.root / "answers" / "wake" / request["nonce"]
        os.mkfifo(fifo, 0o600)
        self.open[request["nonce"]] = os.open(fifo, os.O_RDWR | os.O_NONBLOCK)
        answers.write_new(answers.locate_request(str(self.root), request["nonce"]), msgspec.json.encode(request))
        return str(request["nonce"])

    def die(self, nonce: str) -> None:
        os.close(self.open.pop(nonce))

    def list_left(self) -> set[str]:
        return {path.stem for path in (self.root / "answers" / "requests").iterdir()}


@pytest.fixture
def hooks(tmp_path: Path) -> Iterator[WaitingHooks]:
    found = WaitingHooks(tmp_path / "state")
    yield found
    for file in found.open.values():
        os.close(file)


@pytest.fixture
def source(hooks: WaitingHooks) -> AnswerSource:
    return AnswerSource(hooks.root)


def make_wait(at: float = NOW, command: str = "npm test") -> tuple[Wait, ...]:
    return (Wait(key=f"|Bash|{hash_input({'command': command})}", tool="Bash", since=at),)


def list_nonces(
    source: AnswerSource, waits: dict[str, tuple[Wait, ...]], now: float, *, withdraws: bool = True
) -> set[str]:
    source.refresh()
    return {each.nonce for each in source.list_open_requests(waits, now, withdraws=withdraws)[0]}


def test_without_the_folder_there_are_no_requests(tmp_path: Path) -> None:
    source = AnswerSource(tmp_path / "none")
    source.refresh()
    source.remove_leftovers(NOW)
    assert source.list_open_requests({}, NOW, withdraws=True) == ([], None)
    assert (source.requests, source.refused, read_log(str(tmp_path / "none"))) == ({}, {}, [])


def test_an_ended_wait_hides_its_request_and_ends_the_hook_after_a_grace_period(
    hooks: WaitingHooks, source: AnswerSource
) -> None:
    nonce = hooks.ask()
    assert list_nonces(source, {"s1": make_wait()}, NOW) == {nonce}
    assert list_nonces(source, {"s1": ()}, NOW + 1) == set()
    assert source.list_open_requests({"s1": ()}, NOW + 1.1, withdraws=True)[1] == NOW + 1 + GRACE
    assert hooks.list_left() == {nonce}
    assert list_nonces(source, {"s1": make_wait()}, NOW + 1.2) == {nonce}
    list_nonces(source, {}, NOW + 2)
    list_nonces(source, {}, NOW + 2 + GRACE - 0.01)
    assert hooks.list_left() == {nonce}
    list_nonces(source, {}, NOW + 2 + GRACE)
    assert hooks.list_left() == set()


def test_an_app_that_is_not_armed_withdraws_nothing(hooks: WaitingHooks, source: AnswerSource) -> None:
    nonce = hooks.ask()
    list_nonces(source, {"s1": make_wait()}, NOW)
    list_nonces(source, {}, NOW + 1)
    assert list_nonces(source, {}, NOW + 99, withdraws=False) == set()
    assert hooks.list_left() == {nonce}


def test_a_request_can_be_there_before_its_wait(hooks: WaitingHooks, source: AnswerSource) -> None:
    nonce = hooks.ask()
    assert list_nonces(source, {}, NOW) == {nonce}
    assert list_nonces(source, {}, NOW + WAIT_DELAY - 0.1) == {nonce}
    assert list_nonces(source, {}, NOW + WAIT_DELAY) == set()
    assert hooks.list_left() == set()


def test_the_same_command_requested_again_is_another_request(hooks: WaitingHooks, source: AnswerSource) -> None:
    old = hooks.ask()
    assert list_nonces(source, {"s1": make_wait()}, NOW) == {old}
    new = hooks.ask(NOW + 30)
    assert list_nonces(source, {"s1": make_wait(NOW + 30)}, NOW + 30) == {new}
    assert list_nonces(source, {"s1": make_wait(NOW + 30)}, NOW + 31) == {new}
    assert hooks.list_left() == {new}


def test_requests_of_a_dead_hook_are_removed(hooks: WaitingHooks, source: AnswerSource) -> None:
    nonce = hooks.ask()
    assert list_nonces(source, {"s1": make_wait()}, NOW) == {nonce}
    hooks.die(nonce)
    assert list_nonces(source, {"s1": make_wait()}, NOW) == set()
    assert hooks.list_left() == {nonce}
    source.remove_leftovers(NOW)
    assert hooks.list_left() == set()


@pytest.mark.parametrize("how", ["mode", "two names", "no JSON", "name", "digest", "version", "secret", "folder"])
def test_a_refused_file_is_reported_with_a_reason(hooks: WaitingHooks, source: AnswerSource, how: str) -> None:
    nonce = hooks.ask()
    path = Path(answers.locate_request(str(hooks.root), nonce))
    data = msgspec.json.decode(path.read_bytes())
    if how == "mode":
        path.chmod(0o640)
    elif how == "two names":
        os.link(path, hooks.root / "other")
    elif how == "folder":
        path.parent.chmod(0o755)
    elif how == "name":
        path = path.rename(path.with_name("x.json"))
    else:
        data |= {"digest": {"digest": "0" * 64}, "version": {"version": 2}, "secret": {"secret": "x"}}.get(how, {})
        path.write_bytes(b"[" if how == "no JSON" else msgspec.json.encode(data))
    source.refresh()
    assert source.requests == {}
    assert list(source.refused) == [path.name]
    assert source.refused[path.name]
    path.parent.chmod(0o700)
    path.unlink()
    source.refresh()
    assert source.refused == {}


def test_unknown_suggestions_keep_their_positions(hooks: WaitingHooks, source: AnswerSource) -> None:
    mode = {"type": "setMode", "mode": "plan"}
    nonce = hooks.ask(suggestions=["x", mode])
    source.refresh()
    assert source.requests[nonce].suggestions == ({"unknown": "x"}, mode)


def test_unchanged_requests_are_read_only_once(
    hooks: WaitingHooks, source: AnswerSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(100):
        hooks.ask(command=f"echo {number}", session=f"s{number}")
    source.refresh()
    reads: list[str] = []
    monkeypatch.setattr(answers, "read_request", lambda _, nonce: reads.append(nonce))
    source.refresh()
    assert (len(source.requests), reads) == (100, [])


def test_a_request_that_its_hook_has_yet_to_write_is_neither_shown_nor_refused(
    hooks: WaitingHooks, source: AnswerSource
) -> None:
    nonce = hooks.ask()
    path = Path(answers.locate_request(str(hooks.root), nonce))
    data = path.read_bytes()
    path.write_bytes(b"")
    source.refresh()
    assert (source.requests, source.refused) == ({}, {})
    path.write_bytes(data)
    source.refresh()
    assert list(source.requests) == [nonce]


def test_a_request_file_that_stays_empty_is_refused(hooks: WaitingHooks, source: AnswerSource) -> None:
    path = Path(answers.locate_request(str(hooks.root), hooks.ask()))
    path.write_bytes(b"")
    os.utime(path, (time.time() - 60,) * 2)
    source.refresh()
    assert list(source.refused) == [path.name]


def test_a_request_stays_while_its_hook_briefly_cannot_be_checked(
    hooks: WaitingHooks, source: AnswerSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> bool:
        raise OSError(errno.EMFILE, "Too many open files")

    nonce = hooks.ask()
    with monkeypatch.context() as patch:
        patch.setattr(answers, "is_hook_alive", fail)
        source.refresh()
        assert source.requests == {}
    source.refresh()
    assert list(source.requests) == [nonce]


def test_a_request_that_briefly_cannot_be_read_is_read_later(
    hooks: WaitingHooks, source: AnswerSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> dict[str, object]:
        raise OSError(errno.EMFILE, "Too many open files")

    nonce = hooks.ask()
    with monkeypatch.context() as patch:
        patch.setattr(answers, "read_request", fail)
        source.refresh()
        assert list(source.refused.values()) == ["Too many open files"]
    source.refresh()
    assert (list(source.requests), source.refused) == ([nonce], {})
