"""Planted, edited, replayed and damaged files, tried on real hooks: none is ever taken for a yes that nobody gave."""

import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atm_hooks import answers
from atm_hooks.codec import encode
from atm_hooks.verdict import parse_object
from tests.support.answering import (
    ALLOW,
    BASH,
    MODE,
    NO_FILES,
    RULE,
    Object,
    WaitingHook,
    arm,
    becomes_true,
    list_answered,
    make_verdict,
    needs_root,
    put,
    read_answer_log,
    read_request,
    renew_lease,
    start_asker,
)
from tests.support.effort import LONG, examples
from tests.support.hook_sandbox import HookSandbox


def make_yes(hook: WaitingHook) -> bytes:
    """The very verdict that the hook would take."""
    return encode(make_verdict(hook.request, ALLOW)).encode()


def is_left_to_person(hook: WaitingHook) -> bool:
    """Nothing is printed on what was planted; the hook still takes a real answer, or has ended in silence."""
    hook.wake()
    if not becomes_true(lambda: hook.process.poll() is not None or not os.path.lexists(hook.verdict), 3, hook.sandbox):
        raise AssertionError("the planted verdict is neither refused nor removed")
    try:
        is_given = hook.give({"kind": "deny", "message": "no"})
    except (answers.UnsafeError, FileNotFoundError):
        is_given = False
    if not is_given:
        return hook.end() == b"" and list_answered(hook.sandbox) == []
    return hook.decision() == {"behavior": "deny", "message": "no"} and len(list_answered(hook.sandbox)) == 1


def test_the_unmodified_verdict_is_accepted(armed: HookSandbox) -> None:
    with start_asker(armed) as hook:
        put(hook.verdict, make_yes(hook))
        hook.wake()
        assert hook.decision() == {"behavior": "allow"}


# --- the verdict's file


@needs_root
def test_a_verdict_of_another_user(armed: HookSandbox) -> None:
    with start_asker(armed) as hook:
        put(hook.verdict, make_yes(hook))
        os.chown(hook.verdict, 65534, 65534)
        assert is_left_to_person(hook)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o610, 0o666])
def test_a_verdict_that_others_may_read_or_write(armed: HookSandbox, mode: int) -> None:
    with start_asker(armed) as hook:
        data = make_yes(hook)
        os.kill(hook.process.pid, signal.SIGSTOP)
        put(hook.verdict, data, mode)
        os.kill(hook.process.pid, signal.SIGCONT)
        assert is_left_to_person(hook)


def test_a_link_in_place_of_a_verdict(armed: HookSandbox, tmp_path: Path) -> None:
    with start_asker(armed) as hook:
        put(tmp_path / "yes", make_yes(hook))
        hook.verdict.symlink_to(tmp_path / "yes")
        assert is_left_to_person(hook)
    assert (tmp_path / "yes").exists()


def test_a_hard_link_in_place_of_a_verdict(armed: HookSandbox, tmp_path: Path) -> None:
    with start_asker(armed) as hook:
        put(tmp_path / "yes", make_yes(hook))
        hook.verdict.hardlink_to(tmp_path / "yes")
        assert is_left_to_person(hook)
    assert (tmp_path / "yes").exists()


@pytest.mark.parametrize("make", NO_FILES)
def test_a_verdict_that_is_not_a_regular_file(armed: HookSandbox, make: Callable[[Path], None]) -> None:
    with start_asker(armed) as hook:
        make(hook.verdict)
        assert is_left_to_person(hook)


@pytest.mark.parametrize(
    ("how", "part"),
    [
        ("link", "verdicts"),
        pytest.param("link", "", marks=pytest.mark.long),
        ("mode", "verdicts"),
        ("mode", ""),
        pytest.param("owner", "verdicts", marks=needs_root),
        pytest.param("owner", "", marks=[needs_root, pytest.mark.long]),
    ],
)
def test_a_folder_that_others_can_access(armed: HookSandbox, tmp_path: Path, how: str, part: str) -> None:
    with start_asker(armed) as hook:
        data = make_yes(hook)
        folder = armed.root / "answers" / part
        os.kill(hook.process.pid, signal.SIGSTOP)
        if how == "link":
            folder.rename(tmp_path / "theirs")
            folder.symlink_to(tmp_path / "theirs")
        elif how == "mode":
            folder.chmod(0o750)
        else:
            os.chown(folder, 65534, 65534)
        put(hook.verdict, data)
        os.kill(hook.process.pid, signal.SIGCONT)
        with pytest.raises(answers.UnsafeError):
            hook.give(ALLOW)
        assert hook.end() == b""
    assert list_answered(armed) == []


def test_no_request_is_made_in_a_state_folder_writable_by_others(armed: HookSandbox) -> None:
    armed.root.chmod(0o720)
    with start_asker(armed) as hook:
        assert hook.end() == b""
        assert hook.nonce == ""
    with pytest.raises(answers.UnsafeError, match="chmod 700"):
        arm(armed)


# --- the verdict's content


def test_a_replayed_verdict_of_an_older_request(armed: HookSandbox) -> None:
    with start_asker(armed) as first:
        old = make_yes(first)
        assert first.give(ALLOW)
        assert first.decision()
    with start_asker(armed) as hook:
        put(hook.verdict, old)
        hook.wake()
        assert becomes_true(lambda: not hook.verdict.exists())
        assert hook.give({"kind": "deny"})
        assert hook.decision() == {"behavior": "deny"}
    assert [line["outcome"] for line in read_answer_log(armed)] == ["given", "void: another nonce", "given"]


def test_the_same_verdict_twice(armed: HookSandbox) -> None:
    with start_asker(armed) as hook:
        data = make_yes(hook)
        put(hook.verdict, data)
        hook.wake()
        assert hook.decision() == {"behavior": "allow"}
        put(hook.verdict, data)
    with start_asker(armed) as again:
        again.wake()
        time.sleep(0.2)
        assert again.process.poll() is None
    assert len(list_answered(armed)) == 1


def test_a_denial_edited_into_an_allow(armed: HookSandbox) -> None:
    with start_asker(armed) as hook:
        no = encode(make_verdict(hook.request, {"kind": "deny"})).encode()
        put(hook.verdict, no.replace(b'"deny"', b'"allow"'))
        assert is_left_to_person(hook)
    assert read_answer_log(armed)[0]["outcome"] == "void: the seal does not fit"


OTHERS: dict[str, Any] = {
    "nonce": "0" * 32,
    "session_id": "s2",
    "agent_id": "a1",
    "tool": "Write",
    "digest": answers.digest_input({"command": "ls"}),
    "request": answers.digest_input({}),
    "version": 2,
    "by": "rule",
    "at": "now",
}


@pytest.mark.parametrize("key", OTHERS)
@pytest.mark.parametrize("is_sealed", [True, False])
def test_a_verdict_for_another_request(armed: HookSandbox, key: str, is_sealed: bool) -> None:
    """Each alone makes it void, even with a seal that fits."""
    with start_asker(armed) as hook:
        request = hook.request
        verdict = make_verdict(request, ALLOW, **{key: OTHERS[key]})
        if not is_sealed:
            verdict["seal"] = make_verdict(request, ALLOW)["seal"]
        put(hook.verdict, encode(verdict).encode())
        assert is_left_to_person(hook)
    assert read_answer_log(armed)[0]["outcome"].startswith("void: ")


def test_a_verdict_with_rules_that_were_not_suggested(armed: HookSandbox) -> None:
    with start_asker(armed) as hook:
        rules = [{**RULE, "rules": [{"toolName": "Bash"}]}]
        for decision in (
            {"kind": "always", "suggestions": rules},
            {"kind": "always", "suggestions": [0], "updatedPermissions": rules},
            {"kind": "allow", "updatedInput": {"command": "rm -r /"}},
            {"behavior": "allow"},
        ):
            put(hook.verdict, encode(make_verdict(hook.request, decision)).encode())
            hook.wake()
            assert becomes_true(lambda: not hook.verdict.exists())
        assert is_left_to_person(hook)


def replace_value(key: str, value: Any) -> Callable[[Object], bytes]:
    """A verdict with another value, and a seal over it."""
    return lambda request: encode(make_verdict(request, ALLOW, **{key: value})).encode()


def edit_verdict(change: Callable[[bytes], bytes]) -> Callable[[Object], bytes]:
    return lambda request: change(encode(make_verdict(request, ALLOW)).encode())


DAMAGED: dict[str, Callable[[Object], bytes]] = {
    "empty": edit_verdict(lambda data: b""),
    "half-written": edit_verdict(lambda data: data[: len(data) // 2]),
    "all but the last byte": edit_verdict(lambda data: data[:-1]),
    "two objects": edit_verdict(lambda data: data + data),
    "huge": edit_verdict(lambda data: data + b" " * answers.VERDICT_SIZE),
    "deeply nested": edit_verdict(lambda data: b'{"decision":' * 100_000),
    "deeply nested in its place": edit_verdict(
        lambda data: data.replace(b'{"kind":"allow"}', b"[" * 90_000 + b"]" * 90_000)
    ),
    "no object": edit_verdict(lambda data: b"[" + data + b"]"),
    "NaN": edit_verdict(lambda data: data.replace(b"1001.0", b"NaN")),
    "infinity": edit_verdict(lambda data: data.replace(b"1001.0", b"1e999")),
    "NaN in place of all": edit_verdict(lambda data: b"NaN"),
    "no UTF-8": edit_verdict(lambda data: data.replace(b'"app"', b'"\xff\xfe"')),
    "UTF-16": edit_verdict(lambda data: data.decode().encode("utf-16")),
    "NULs": edit_verdict(lambda data: b"\0" * 4096),
    "lone surrogate": replace_value("by", "\ud800"),
    "lone surrogate in a reason": replace_value("decision", {"kind": "deny", "message": "\udfff"}),
    "version true": replace_value("version", True),
    "version 1.0": replace_value("version", 1.0),
    "agent false": replace_value("agent_id", False),
    "agent empty": replace_value("agent_id", ""),
    "nonce null": replace_value("nonce", None),
    "tool a list": replace_value("tool", ["Bash"]),
    "at true": replace_value("at", True),
    "decision null": replace_value("decision", None),
    "decision a list": replace_value("decision", ["allow"]),
    "kind a list": replace_value("decision", {"kind": ["allow"]}),
    "kind null": replace_value("decision", {"kind": None}),
    "one key more": replace_value("also", 1),
    "seal null": lambda request: encode({**make_verdict(request, ALLOW), "seal": None}).encode(),
    "seal in capitals": lambda request: encode(
        {**make_verdict(request, ALLOW), "seal": make_verdict(request, ALLOW)["seal"].upper()}
    ).encode(),
    "no seal": lambda request: encode({k: v for k, v in make_verdict(request, ALLOW).items() if k != "seal"}).encode(),
    "a seal of another secret": lambda request: encode(make_verdict({**request, "secret": "0" * 64}, ALLOW)).encode(),
}


def test_damaged_verdicts_of_every_kind(armed: HookSandbox) -> None:
    with start_asker(armed) as hook:
        request = hook.request
        for number, (name, make) in enumerate(DAMAGED.items(), 1):
            os.kill(hook.process.pid, signal.SIGSTOP)  # it must not read the file while it is written
            put(hook.verdict, make(request))
            os.kill(hook.process.pid, signal.SIGCONT)
            hook.wake()
            assert becomes_true(lambda: len(read_answer_log(armed)) == number, 3, armed), name  # noqa: B023
            assert hook.process.poll() is None, name
        assert is_left_to_person(hook)
    assert all(line["outcome"].startswith("void: ") for line in read_answer_log(armed)[:-1])


def test_many_mutated_verdicts_on_one_hook(armed: HookSandbox) -> None:
    """A no to this request, and a yes to another one, with bytes changed, cut, doubled and mixed."""
    rng = random.Random(8)  # the same ones in every run
    with start_asker(armed) as hook:
        request = hook.request
        no = encode(make_verdict(request, {"kind": "deny", "message": "allow"})).encode()
        other = encode(make_verdict({**request, "secret": "ab" * 32}, ALLOW)).encode()
        for number in range(1000 if LONG else 400):
            data = bytearray(rng.choice((no, other)))
            for _ in range(rng.randint(1, 4)):
                at, size = rng.randrange(len(data)), rng.randint(1, 12)
                how = rng.randrange(4)
                if how == 0:
                    data[at] ^= 1 << rng.randrange(8)
                elif how == 1:
                    del data[at : at + size]
                elif how == 2:
                    data[at:at] = rng.choice((b'"allow"', b'"kind":"allow",', b"{", b"}", b"\0", other[at : at + size]))
                else:
                    data[at : at + size] = other[at : at + size]
                data = data or bytearray(b"{")
            if data == no:
                continue
            put(hook.verdict.with_suffix(".new"), bytes(data))
            hook.verdict.with_suffix(".new").rename(hook.verdict)
            hook.wake()
            while hook.verdict.exists() and hook.process.poll() is None:
                time.sleep(0.0005)
            if number % 50 == 0:
                renew_lease(armed)
            if hook.process.poll() is not None:  # a change that says the same: the no
                assert hook.decision()["behavior"] == "deny"
                break
        else:
            assert is_left_to_person(hook)
    assert {line["outcome"][:6] for line in read_answer_log(armed)[:-1]} == {"void: "}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(["allow", "app"]),
    lambda each: st.lists(each, max_size=3) | st.dictionaries(st.text(max_size=8), each, max_size=3),
    max_leaves=8,
)
KEYS = ["version", "nonce", "session_id", "agent_id", "tool", "digest", "request", "by", "at", "decision", "seal"]


@settings(max_examples=examples(100))
@given(
    changes=st.dictionaries(st.sampled_from(KEYS), JSON, min_size=1, max_size=4), dropped=st.sets(st.sampled_from(KEYS))
)
def test_no_made_up_verdict_allows_anything(changes: Object, dropped: set[str]) -> None:
    request = read_request("Bash", BASH, [RULE, MODE])
    verdict: Object = {**make_verdict(request, {"kind": "deny"}), **changes}
    verdict = {key: value for key, value in verdict.items() if key not in dropped}
    try:
        told = answers.check_verdict(verdict, request, BASH)
    except answers.VoidError:
        return
    assert told == {"behavior": "deny"}


@settings(max_examples=examples(200))
@given(
    decision=JSON
    | st.fixed_dictionaries({"kind": JSON}, optional={"message": JSON, "suggestions": JSON, "answers": JSON})
)
def test_no_made_up_decision_allows_more_than_was_asked(decision: Any) -> None:
    """Even with a seal that fits."""
    request = read_request("Bash", BASH, [RULE, MODE])
    try:
        told = answers.check_verdict(make_verdict(request, decision), request, BASH)
    except answers.VoidError:
        return
    assert told["behavior"] == ("deny" if decision["kind"] == "deny" else "allow")
    assert decision["kind"] in ("allow", "deny", "always")
    assert all(each in (RULE, MODE) for each in told.get("updatedPermissions", []))
    assert "updatedInput" not in told


@settings(max_examples=examples(200))
@given(data=st.binary(max_size=200) | st.text(max_size=100).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_random_bytes_are_refused(data: bytes) -> None:
    try:
        found = parse_object(data)
    except answers.VoidError:
        return
    request = read_request("Bash", BASH)
    with pytest.raises(answers.VoidError):
        answers.check_verdict(found, request, BASH)
