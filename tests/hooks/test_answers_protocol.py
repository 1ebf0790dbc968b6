"""The answers' protocol between an app and a hook that lives in this process: lease, request, verdict, decision."""

import contextlib
import functools
import os
import stat
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from atm_hooks import answer_sweep, answers
from atm_hooks.codec import encode
from atm_hooks.verdict import MESSAGE, parse_object
from tests.support.answering import ASKED, BASH, MODE, RULE, Object, make_verdict, read_request

DEEP: Object = functools.reduce(lambda inner, _: {"a": inner}, range(60), {})
"""An object that is nested too deep."""
ONE: Object = {"question": "Which one?", "options": [{"label": "A"}, {"label": "B"}]}


def list_names(root: str, part: str = "") -> list[str]:
    return sorted(path.name for path in Path(root, "answers", part).iterdir())


@pytest.fixture
def root(tmp_path: Path) -> str:
    folder = str(tmp_path / "state")
    answers.prepare_answers(folder)
    return folder


@pytest.fixture
def place(root: str) -> Iterator[Callable[[Object], Path]]:
    """Does what a hook does to wait: its FIFO and its request; the place of the verdict."""
    fifos: list[int] = []

    def put(request: Object) -> Path:
        wake = f"{root}/answers/wake/{request['nonce']}"
        os.mkfifo(wake, 0o600)
        fifos.append(os.open(wake, os.O_RDWR | os.O_NONBLOCK))
        answers.write_new(answers.locate_request(root, request["nonce"]), encode(request).encode())
        return Path(root, "answers", "verdicts", f"{request['nonce']}.json")

    yield put
    for fifo in fifos:
        os.close(fifo)


class TestLease:
    HELD: Object = {"version": 1, "id": "b" * 32, "pid": 7, "wait": 600}  # noqa: RUF012

    def test_the_lease_is_valid_while_it_is_renewed(self, root: str) -> None:
        assert answers.find_lease(root, time.time()) is None
        answers.arm(root, self.HELD)
        now = time.time()
        assert answers.find_lease(root, now) == self.HELD
        assert answers.find_lease(root, now + 4.9) == self.HELD
        assert answers.find_lease(root, now + 5.2) is None
        assert answers.find_lease(root, now - 1.9) == self.HELD
        assert answers.find_lease(root, now - 2.2) is None
        os.utime(f"{root}/answers/lease", (now - 60, now - 60))
        assert answers.find_lease(root, now) is None
        assert answers.renew(root, self.HELD["id"])
        assert answers.find_lease(root, now) == self.HELD

    def test_a_second_app_takes_over_and_the_first_leaves_the_lease_alone(self, root: str) -> None:
        second = self.HELD | {"id": "c" * 32}
        answers.arm(root, self.HELD)
        answers.arm(root, second)
        os.utime(f"{root}/answers/lease", (1, 1))
        assert not answers.renew(root, self.HELD["id"])
        assert Path(root, "answers", "lease").stat().st_mtime == 1
        answers.disarm(root, self.HELD["id"])
        assert answers.renew(root, second["id"])
        answers.disarm(root, second["id"])
        assert not answers.renew(root, second["id"])
        assert answers.find_lease(root, time.time()) is None
        assert list_names(root) == ["requests", "verdicts", "wake"]

    def test_disarming_without_a_lease_does_nothing(self, tmp_path: Path) -> None:
        (tmp_path / "empty").mkdir(mode=0o700)
        answers.disarm(str(tmp_path / "empty"), "b" * 32)
        assert list((tmp_path / "empty").iterdir()) == []

    @pytest.mark.parametrize("mask", [0, 0o777])
    def test_everything_is_private_whatever_the_umask(self, tmp_path: Path, mask: int) -> None:
        folder = tmp_path / "state"
        answers.prepare_answers(str(folder))
        old = os.umask(mask)
        try:
            answers.arm(str(folder), self.HELD)
        finally:
            os.umask(old)
        modes = {stat.S_IMODE(path.stat().st_mode) for path in (folder / "answers").rglob("*") if path.is_dir()}
        assert modes == {0o700}
        assert stat.S_IMODE((folder / "answers" / "lease").stat().st_mode) == 0o600


class TestDecision:
    def test_allow_and_deny(self) -> None:
        request = read_request("Bash", BASH)
        assert answers.check_verdict(make_verdict(request, {"kind": "allow"}), request, BASH) == {"behavior": "allow"}
        told = answers.check_verdict(make_verdict(request, {"kind": "deny", "message": "not that"}), request, BASH)
        assert told == {"behavior": "deny", "message": "not that"}
        assert answers.check_verdict(make_verdict(request, {"kind": "deny"}), request, BASH) == {"behavior": "deny"}

    def test_lasting_permissions_are_the_clients_suggestions(self) -> None:
        request = read_request("Bash", BASH, [RULE, MODE])
        told = answers.check_verdict(make_verdict(request, {"kind": "always", "suggestions": [1]}), request, BASH)
        assert told == {"behavior": "allow", "updatedPermissions": [MODE]}
        told = answers.check_verdict(make_verdict(request, {"kind": "always", "suggestions": [0, 1]}), request, BASH)
        assert told == {"behavior": "allow", "updatedPermissions": [RULE, MODE]}

    def test_an_answer_becomes_part_of_the_input(self) -> None:
        request = read_request("AskUserQuestion", ASKED)
        chosen = {"Which colour?": "Blue", "Which fruits?": ["Fig", "a plum"]}
        told = answers.check_verdict(make_verdict(request, {"kind": "answer", "answers": chosen}), request, ASKED)
        joined = {"Which colour?": "Blue", "Which fruits?": "Fig, a plum"}
        assert told == {"behavior": "allow", "updatedInput": {**ASKED, "answers": joined}}

    @pytest.mark.parametrize(
        ("chosen", "joined"),
        [
            (["Fig"], "Fig"),
            ("Blue, dark", '"Blue, dark"'),
            (["Blue, dark", "Grün 🎨"], '"Blue, dark", Grün 🎨'),
            (['Say "hi"', 'A, "B"'], r'"Say \"hi\"", "A, \"B\""'),
            (["a,b", "c,", "back\\slash", "back\\, slash"], r'a,b, c,, back\slash, "back\\, slash"'),
            (["tab\there", "two  blanks ", "e,\tf"], 'tab here, two blanks, "e, f"'),
        ],
    )
    def test_several_choices_are_joined_as_the_client_joins_them(self, chosen: object, joined: str) -> None:
        request = read_request("AskUserQuestion", ASKED)
        decision = {"kind": "answer", "answers": {"Which colour?": "Blue, dark", "Which fruits?": chosen}}
        told = answers.check_verdict(make_verdict(request, decision), request, ASKED)
        assert told["updatedInput"]["answers"] == {"Which colour?": "Blue, dark", "Which fruits?": joined}

    def test_a_plan_is_approved_with_its_own_input(self) -> None:
        request = read_request("ExitPlanMode", {})
        told = answers.check_verdict(make_verdict(request, {"kind": "approve"}), request, {})
        assert told == {"behavior": "allow", "updatedInput": {}}

    @pytest.mark.parametrize(
        ("tool", "given", "decision"),
        [
            ("AskUserQuestion", ASKED, {"kind": "allow"}),
            ("AskUserQuestion", ASKED, {"kind": "approve"}),
            ("AskUserQuestion", ASKED, {"kind": "always", "suggestions": [0]}),
            ("AskUserQuestion", ASKED, {"kind": "answer"}),
            ("AskUserQuestion", ASKED, {"kind": "answer", "answers": {}}),
            ("AskUserQuestion", {"questions": [ONE, ONE]}, {"kind": "answer", "answers": {"Which one?": "A"}}),
            ("AskUserQuestion", ASKED, {"kind": "answer", "answers": {"Which colour?": "Red"}}),
            (
                "AskUserQuestion",
                ASKED,
                {"kind": "answer", "answers": {"Which colour?": ["Red"], "Which fruits?": "Fig"}},
            ),
            ("AskUserQuestion", ASKED, {"kind": "answer", "answers": {"Which colour?": "Red", "Which fruits?": []}}),
            ("AskUserQuestion", ASKED, {"kind": "answer", "answers": {"Which colour?": " ", "Which fruits?": "Fig"}}),
            ("AskUserQuestion", ASKED, {"kind": "answer", "answers": {"Which colour?": 1, "Which fruits?": "Fig"}}),
            (
                "AskUserQuestion",
                ASKED,
                {"kind": "answer", "answers": {"Which colour?": "R", "Which fruits?": ["F", "F"]}},
            ),
            ("AskUserQuestion", ASKED, {"kind": "answer", "answers": {"Which colour?": "R", "Which fruits?": [["F"]]}}),
            ("AskUserQuestion", ASKED, {"kind": "answer", "answers": {"Which colour?": "R", "Another?": "F"}}),
            ("AskUserQuestion", {}, {"kind": "answer", "answers": {}}),
            ("AskUserQuestion", {"questions": [3, {"question": 4}]}, {"kind": "answer", "answers": {"": "x"}}),
            ("ExitPlanMode", {}, {"kind": "allow"}),
            ("ExitPlanMode", {}, {"kind": "answer", "answers": {"x": "y"}}),
            ("Bash", BASH, {"kind": "approve"}),
            ("Bash", BASH, {"kind": "answer", "answers": {"x": "y"}}),
            ("Bash", BASH, {"kind": "always"}),
            ("Bash", BASH, {"kind": "always", "suggestions": []}),
            ("Bash", BASH, {"kind": "always", "suggestions": [2]}),
            ("Bash", BASH, {"kind": "always", "suggestions": [-1]}),
            ("Bash", BASH, {"kind": "always", "suggestions": [True]}),
            ("Bash", BASH, {"kind": "always", "suggestions": [0.0]}),
            ("Bash", BASH, {"kind": "always", "suggestions": [0, 0]}),
            ("Bash", BASH, {"kind": "always", "suggestions": "0"}),
            ("Bash", BASH, {"kind": "always", "suggestions": [RULE]}),
            ("Bash", BASH, {"kind": "always", "suggestions": [0], "rules": [RULE]}),
            ("Bash", BASH, {"kind": "allow", "updatedInput": {"command": "rm -r /"}}),
            ("Bash", BASH, {"kind": "deny", "message": "x" * (MESSAGE + 1)}),
            ("Bash", BASH, {"kind": "deny", "message": "\ud800"}),
            ("Bash", BASH, {"kind": "deny", "message": None}),
            ("Bash", BASH, {"kind": "deny", "interrupt": True}),
            ("Bash", BASH, {"kind": "Allow"}),
            ("Bash", BASH, {"kind": ["allow"]}),
            ("Bash", BASH, {}),
            ("Bash", BASH, None),
            ("Bash", BASH, "allow"),
            ("Bash", BASH, ["allow"]),
        ],
    )
    def test_an_answer_that_does_not_fit_the_request_is_invalid(self, tool: str, given: Object, decision: Any) -> None:
        request = read_request(tool, given, [RULE, MODE])
        with pytest.raises(answers.VoidError):
            answers.check_verdict(make_verdict(request, decision), request, given)


class TestGiving:
    def test_an_answer_can_be_given_only_once(self, root: str, place: Callable[[Object], Path]) -> None:
        request = read_request("Bash", BASH)
        path = place(request)
        assert answers.read_request(root, request["nonce"]) == request
        assert answers.give_verdict(root, request, {"kind": "deny"}, "app", 1001.0)
        first = path.read_bytes()
        assert not answers.give_verdict(root, request, {"kind": "allow"}, "shell", 1002.0)
        assert path.read_bytes() == first
        assert [each.name for each in path.parent.iterdir()] == [path.name]
        assert (stat.S_IMODE(path.stat().st_mode), path.stat().st_nlink) == (0o600, 1)
        assert answers.check_verdict(parse_object(first), request, BASH) == {"behavior": "deny"}

    def test_a_dead_hook_gets_no_answer(self, root: str, place: Callable[[Object], Path]) -> None:
        request, other = read_request("Bash", BASH), read_request("Bash", BASH)
        place(other)
        assert not answers.give_verdict(root, request, {"kind": "allow"}, "app", 1001.0)
        answers.write_new(answers.locate_request(root, request["nonce"]), encode(request).encode())
        os.mkfifo(f"{root}/answers/wake/{request['nonce']}", 0o600)  # of a hook that was killed: nobody reads
        assert not answers.give_verdict(root, request, {"kind": "allow"}, "app", 1001.0)
        assert not answers.is_hook_alive(root, request["nonce"])
        assert answers.is_hook_alive(root, other["nonce"])
        assert list_names(root, "verdicts") == []

    def test_a_withdrawn_request_gets_no_answer(self, root: str, place: Callable[[Object], Path]) -> None:
        request = read_request("Bash", BASH)
        place(request)
        answers.withdraw_request(root, request["nonce"])
        answers.withdraw_request(root, request["nonce"])
        assert not answers.give_verdict(root, request, {"kind": "allow"}, "app", 1001.0)
        assert list_names(root, "verdicts") == []

    def test_an_answer_that_does_not_fit_is_not_written(self, root: str, place: Callable[[Object], Path]) -> None:
        request = read_request("ExitPlanMode", {})
        place(request)
        with pytest.raises(answers.VoidError):
            answers.give_verdict(root, request, {"kind": "allow"}, "app", 1001.0)
        assert list_names(root, "verdicts") == []

    def test_only_the_request_that_was_shown_is_answered(self, root: str, place: Callable[[Object], Path]) -> None:
        """An edited request file can't make the hook take a yes to one thing for a yes to another."""
        request = read_request("Bash", BASH)
        path = place(request)
        shown = {**request, "input": {"command": "ls"}}
        assert answers.give_verdict(root, shown, {"kind": "allow"}, "app", 1001.0)
        with pytest.raises(answers.VoidError, match="another input"):
            answers.check_verdict(parse_object(path.read_bytes()), request, BASH)

    def test_a_full_fifo_still_wakes_the_hook(self, root: str, place: Callable[[Object], Path]) -> None:
        request = read_request("Bash", BASH)
        place(request)
        filler = os.open(f"{root}/answers/wake/{request['nonce']}", os.O_WRONLY | os.O_NONBLOCK)
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(filler, b"x" * 4096)
        os.close(filler)
        assert answers.give_verdict(root, request, {"kind": "allow"}, "app", 1001.0)


def test_the_sweep_continues_after_files_it_cannot_remove(root: str) -> None:
    now = time.time()
    for part in ("wake", "verdicts"):
        Path(root, "answers", part, "0").mkdir()
        Path(root, "answers", part, "0", "x").touch()
        Path(root, "answers", part, "1").touch()
        for name in ("0", "1"):
            os.utime(f"{root}/answers/{part}/{name}", (now - 60, now - 60))
    answer_sweep.remove_leftovers(root, now)
    assert [list_names(root, part) for part in ("wake", "verdicts")] == [["0"], ["0"]]


@pytest.mark.parametrize(("dead", "age", "left"), [(True, 60, False), (True, 3, True), (False, 3600, True)])
def test_the_sweep_removes_the_lease_of_a_killed_app(root: str, dead: bool, age: float, left: bool) -> None:
    with subprocess.Popen(["true"]) as process:
        process.wait()
    now, pid = time.time(), process.pid if dead else os.getpid()
    answers.arm(root, {"version": 1, "id": "b" * 32, "pid": pid, "wait": 60})
    for name in ("lease", "lease.x.new"):
        path = Path(root, "answers", name)
        path.touch(0o600)
        os.utime(path, (now - age, now - age))
    answer_sweep.remove_leftovers(root, now)
    assert Path(root, "answers", "lease").exists() is left
    assert Path(root, "answers", "lease.x.new").exists() is (age < 10)


def test_the_sweep_removes_only_files_of_dead_hooks(root: str, place: Callable[[Object], Path]) -> None:
    living, dead, young = (read_request("Bash", BASH) for _ in range(3))
    place(living)
    answers.give_verdict(root, living, {"kind": "allow"}, "app", 1001.0)
    now = time.time()
    for each in (dead, young):
        answers.write_new(f"{root}/answers/verdicts/{each['nonce']}.json", b"{}")
        os.mkfifo(f"{root}/answers/wake/{each['nonce']}", 0o600)
    answers.write_new(answers.locate_request(root, dead["nonce"]), b"{")
    answers.write_new(f"{root}/answers/verdicts/{dead['nonce']}.12345678.new", b"{")
    for part in ("wake", "verdicts"):
        for name in list_names(root, part):
            if not name.startswith(young["nonce"]):
                os.utime(f"{root}/answers/{part}/{name}", (now - 60, now - 60))
    assert answer_sweep.remove_leftovers(root, now) == [dead["nonce"]]
    kept = {part: set(list_names(root, part)) for part in ("requests", "wake", "verdicts")}
    assert kept == {
        "requests": {f"{living['nonce']}.json"},
        "wake": {living["nonce"], young["nonce"]},
        "verdicts": {f"{each['nonce']}.json" for each in (living, young)},
    }
    assert answer_sweep.remove_leftovers(root, now) == []


def test_sweeping_a_missing_folder_does_nothing(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    assert answer_sweep.remove_leftovers(str(tmp_path), time.time()) == []


@pytest.mark.parametrize(
    ("payload", "event"),
    [
        ({"tool_name": "Bash"}, {"tool": "Bash"}),
        ({"tool_name": "Bash", "tool_input": ["x"]}, {"tool": "Bash"}),
        ({"tool_name": "", "tool_input": {}}, {}),
        ({"tool_name": "Ba\nsh", "tool_input": {}}, {"tool": "Bash"}),
        ({"tool_name": "Bash", "tool_input": {}, "permission_suggestions": [DEEP]}, {"tool": "Bash"}),
    ],
)
def test_a_request_that_cannot_be_named_or_shown_is_not_made(payload: Object, event: Object) -> None:
    with pytest.raises(answers.VoidError):
        answers.make_request(payload, {"session_id": "s1", **event}, {"id": "a" * 32, "wait": 60}, 1000.0)
