"""`atm-tui --host NAME answer` as a person runs it: over a real stream, beside real hooks that wait there."""

import os
import pty
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from atm_hooks import answers
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.config import Config
from atm_tui.model.request import Decision
from atm_tui.monitor.live import LiveMonitor
from tests.support.answer_home import Terminal
from tests.support.answering import ASKED, MODE, RULE
from tests.support.callers import AS_PERSON, StandIns, make_terminal_command
from tests.support.command_home import Home
from tests.support.effort import mark_long
from tests.support.forked import CommandResult
from tests.support.machines import Asking, There, run_net
from tests.support.waiting import wait_until

PRODUCT = (sys.executable, "-m", "atm_tui")
HARMLESS, DANGEROUS = {"command": "npm test"}, {"command": "rm -r ~/old"}
YES = ("--allow", "--yes", "--yes")
PLAN = "# The plan\n\n1. Test first\n"


class Elsewhere:
    """A home here, and a machine `gpu` that takes answers, on which an app is armed."""

    def __init__(self, home: Home, there: There, how: str) -> None:
        self.home, self.there = home, there
        there.take_answers()
        self.start_session("gpu-1")
        (home.folder / ".claude").mkdir()
        self.config = home.folder / ".config" / "atm-tui" / "config.toml"
        self.config.parent.mkdir(parents=True)
        self.config.write_text(f"[hosts.gpu]\n{how}\nanswers = true\n", "utf-8")
        self.app = LiveMonitor(there.state, [there.home / ".claude"], Config())
        self.app.refresh()
        assert self.app.arm(True) is None

    def start_session(self, session_id: str) -> None:
        self.there.record(session_id, "SessionStart", source="startup", session_title=f"on {session_id}")
        self.there.record(session_id, "UserPromptSubmit", prompt="go", prompt_id="p1")

    @contextmanager
    def ask(
        self, given: object = HARMLESS, tool: str = "Bash", session_id: str = "gpu-1", **fields: Any
    ) -> Iterator[Asking]:
        """Runs a hook there that waits."""
        self.app.note_alive()
        before = set(self.nonces)
        with self.there.wait_for_answer(session_id, tool, given, **fields) as hook:
            wait_until(lambda: set(self.nonces) - before, "the request")
            yield hook

    @property
    def nonces(self) -> list[str]:
        return [each.stem for each in (self.there.state / "answers" / "requests").glob("*.json")]

    @property
    def outcomes(self) -> list[tuple[str, str]]:
        return [(each["by"], each["outcome"]) for each in self.there.answers if "attempt" not in each]

    @property
    def is_leased(self) -> bool:
        return answers.find_lease(str(self.there.state), self.app.now()) is not None

    def answer(self, *words: str) -> CommandResult:
        self.app.note_alive()
        return self.home.run("--host", "gpu", "answer", *words)

    def answer_at_terminal(self, *words: str) -> CommandResult:
        """The same with a controlling terminal, from which nothing is read."""
        ours, terminal = pty.openpty()
        self.app.note_alive()
        try:
            command = make_terminal_command(terminal, *AS_PERSON, "--host", "gpu", "answer", *words)
            return self.home.start(command)
        finally:
            os.close(ours)
            os.close(terminal)

    def open_terminal(self, *words: str) -> Terminal:
        return Terminal(self, "--host", "gpu", "answer", *words)

    def list_streams(self) -> list[psutil.Process]:
        """Returns the processes of streams there."""
        found = []
        for each in psutil.process_iter(["cmdline", "environ"]):
            is_there = (each.info["environ"] or {}).get("ATM_STATE_DIR") == str(self.there.state)
            if is_there and "stream" in (each.info["cmdline"] or ()):
                found.append(each)
        return found


@pytest.fixture
def elsewhere(home: Home, loaded: None) -> Iterator[Elsewhere]:
    folder = home.folder / "there"
    folder.mkdir()
    there = There(folder)
    made = Elsewhere(home, there, f'exec = ["env"]\ncommand = "{there.bin}/atm-tui"')
    yield made
    made.app.arm(False)


def test_a_request_there_is_shown_and_answered_while_an_app_is_armed(elsewhere: Elsewhere) -> None:
    """The app there, or the one here that armed it, keeps its lease; this machine has no hooks at all."""
    with elsewhere.ask(permission_suggestions=[RULE]) as hook:
        done = elsewhere.answer("--print")
        assert done.code == ExitCode.DONE
        for text in ("machine: gpu", "session: on gpu-1", "npm test", "1. allow Bash(rm -r build)"):
            assert text in done.out
        done = elsewhere.answer("--allow")
        assert (done.code, "give both the answer and --yes" in done.err) == (ExitCode.USAGE, True)
        assert hook.is_waiting
        done = elsewhere.answer("gpu:gpu-1", "--allow", "--yes")
        assert (done.code, done.err) == (ExitCode.DONE, "")
        assert done.out.endswith("Allowed.\n")
        assert hook.read_decision() == {"behavior": "allow"}
    assert elsewhere.outcomes == [("stream", "given")]
    assert elsewhere.is_leased
    done = elsewhere.answer("gpu:gpu-1", "--allow", "--yes")
    assert (done.code, "gpu: nothing waits for an answer there." in done.err) == (ExitCode.NOT_FOUND, True)


FORMS: dict[str, tuple[str, dict[str, Any], list[str], dict[str, Any]]] = {
    "choose": (
        "AskUserQuestion",
        ASKED,
        ["--choose", "2", "1,=Dates and nuts"],
        {
            "behavior": "allow",
            "updatedInput": {**ASKED, "answers": {"Which colour?": "Blue", "Which fruits?": "Fig, Dates and nuts"}},
        },
    ),
    "deny": ("Bash", HARMLESS, ["--deny", "not that"], {"behavior": "deny", "message": "not that"}),
    "always": (
        "Bash",
        HARMLESS,
        ["--always", "2", "1"],
        {"behavior": "allow", "updatedPermissions": [MODE, RULE]},
    ),
    "approve": ("ExitPlanMode", {"plan": PLAN}, ["--approve"], {"behavior": "allow", "updatedInput": {"plan": PLAN}}),
}


@pytest.mark.parametrize("form", mark_long(tuple(FORMS), short=("choose",)))
def test_each_form_of_an_answer_has_the_effect_that_it_has_here(elsewhere: Elsewhere, form: str) -> None:
    tool, given, words, decision = FORMS[form]
    with elsewhere.ask(given, tool, permission_suggestions=[RULE, MODE]) as hook:
        done = elsewhere.answer(*words, "--yes")
        assert (done.code, done.err) == (ExitCode.DONE, "")
        assert hook.read_decision() == decision


def test_several_requests_are_listed_with_ids_that_name_one(elsewhere: Elsewhere) -> None:
    elsewhere.start_session("gpu-2")
    with (
        elsewhere.ask({"command": "make one"}) as one,
        elsewhere.ask({"command": "make two"}, session_id="gpu-2") as two,
    ):
        done = elsewhere.answer("--allow", "--yes")
        assert (done.code, "2 requests match" in done.err) == (ExitCode.SEVERAL, True)
        [line] = [line for line in done.err.splitlines() if line.endswith("Bash make two")]
        own_id = line.split()[0]
        assert own_id.startswith("gpu:")
        assert elsewhere.answer("gpu:", "--allow", "--yes").code != ExitCode.DONE
        assert elsewhere.answer(own_id, "--deny", "--yes").code == ExitCode.DONE
        assert two.read_decision() == {"behavior": "deny"}
        assert one.is_waiting
        [nonce] = elsewhere.nonces
        assert elsewhere.answer(nonce[:6], "--allow", "--yes").code == ExitCode.DONE
        assert one.read_decision() == {"behavior": "allow"}


CLOSED = ("not asked for", "not allowed", "read only", "without hooks", "not armed", "no link")


@pytest.mark.parametrize("why", mark_long(CLOSED, short=("not allowed", "not armed", "no link")))
def test_what_keeps_answers_from_a_machine_is_said(elsewhere: Elsewhere, why: str) -> None:
    code, says = ExitCode.NOT_POSSIBLE, ""
    match why:
        case "not asked for":
            elsewhere.config.write_text(elsewhere.config.read_text("utf-8").replace("answers = true", ""), "utf-8")
            says = "set `answers = true` in its entry of `hosts`."
        case "not allowed":
            elsewhere.there.set_config("")
            says = "it takes no answers from other machines: set `remote_answers = true` in its configuration."
        case "read only":
            elsewhere.there.set_config("remote_answers = true\nread_only = true\n")
            says = "atm-tui is read-only there."
        case "without hooks":
            elsewhere.app.arm(False)
            (elsewhere.there.home / ".claude" / "settings.json").write_text("{}", "utf-8")
            code, says = ExitCode.NOT_FOUND, "run `atm-tui install --answers` there."
        case "not armed":
            elsewhere.app.arm(False)
            code, says = ExitCode.NOT_FOUND, "no app is armed for it. Press A in atm-tui"
        case "no link":
            elsewhere.there.set_program("echo no route >&2; exit 255")
            says = "no route"
    for words in ((), ("gpu:gpu-1",)):
        done = elsewhere.answer(*words, "--allow", "--yes")
        if why == "no link" and words:
            assert (done.code, "Sessions are missing of gpu: no link" in done.err) == (ExitCode.NOT_FOUND, True)
        else:
            assert done.code == code, done.err
            [line] = [line for line in done.err.splitlines() if "gpu: " in line]
            assert says in line
    assert elsewhere.outcomes == []


def test_a_request_here_is_answered_though_a_machine_is_not_reached(elsewhere: Elsewhere) -> None:
    """It is said that "the only request" is not that of all machines."""
    with elsewhere.ask() as hook:
        before = elsewhere.config.read_text("utf-8")
        elsewhere.config.write_text(f'{before}[hosts.box]\nexec = ["false"]\nanswers = true\n', "utf-8")
        done = elsewhere.home.run("--host", "gpu", "--host", "box", "answer", "--allow", "--yes")
        assert done.code == ExitCode.DONE
        assert "box: no link" in done.err
        assert hook.read_decision() == {"behavior": "allow"}


@pytest.mark.parametrize("how", mark_long(("variable", "below a client"), short=("variable",)))
def test_an_agent_here_answers_nothing_there(elsewhere: Elsewhere, how: str) -> None:
    words = ("--host", "gpu", "answer", "--deny", "no", "--yes")
    with elsewhere.ask() as hook:
        if how == "variable":
            done = elsewhere.home.start((*AS_PERSON, *words), CLAUDECODE="1")
        else:
            stand_ins = StandIns(elsewhere.home.folder / "programs")
            done = elsewhere.home.start(stand_ins.claude(*PRODUCT, *words))
        assert done.code == ExitCode.NO_PERSON
        assert "only a person answers" in done.err
        assert hook.is_waiting
    assert elsewhere.there.answers == []
    assert "tried to answer for you" in elsewhere.home.run("answers").out


def test_what_asks_twice_takes_a_person_here_and_a_link_there(elsewhere: Elsewhere) -> None:
    with elsewhere.ask(DANGEROUS) as hook:
        done = elsewhere.answer(*YES)
        assert (done.code, "takes a person at a terminal" in done.err) == (ExitCode.NO_PERSON, True)
        done = elsewhere.answer_at_terminal("--allow", "--yes")
        assert (done.code, "twice, since it looks dangerous" in done.err) == (ExitCode.USAGE, True)
        done = elsewhere.answer_at_terminal(*YES)
        assert (done.code, "refused on its machine" in done.err) == (ExitCode.NO_PERSON, True)
        assert hook.is_waiting
    assert elsewhere.outcomes == []


def test_a_yes_after_the_request_was_answered_there_came_second(elsewhere: Elsewhere) -> None:
    with elsewhere.ask() as hook:
        terminal = elsewhere.open_terminal("--allow")
        terminal.read_until("are you sure?")
        elsewhere.app.refresh()
        [request] = elsewhere.app.fleet.requests.values()
        elsewhere.app.answer(request, Decision(kind="deny"))
        assert hook.read_decision() == {"behavior": "deny"}
        os.write(terminal.master, b"y\n")
        assert terminal.end() == ExitCode.ANSWERED_ELSEWHERE
        assert "answered elsewhere" in terminal.shown


@pytest.mark.parametrize("how", mark_long(("cut", "hang", "disarmed"), short=("cut",)))
def test_a_yes_to_a_request_whose_link_or_lease_is_gone_answers_nothing(elsewhere: Elsewhere, how: str) -> None:
    with elsewhere.ask() as hook:
        terminal = elsewhere.open_terminal("--allow")
        terminal.read_until("are you sure?")
        streams = elsewhere.list_streams()
        assert streams
        match how:
            case "cut":
                elsewhere.there.set_program("exit 1")
                for each in streams:
                    each.kill()
                psutil.wait_procs(streams)
            case "hang":
                for each in streams:
                    each.send_signal(signal.SIGSTOP)
            case "disarmed":
                elsewhere.app.arm(False)
                assert hook.end() == b""
        os.write(terminal.master, b"y\n")
        code = terminal.end()
        for each in streams:
            if each.is_running():
                each.kill()
        assert code in ((ExitCode.FAILED,) if how == "hang" else (ExitCode.NOT_POSSIBLE,)), terminal.shown
        if how != "disarmed":
            assert hook.is_waiting
    assert elsewhere.outcomes == []


def test_over_ssh_a_person_answers_what_asks_twice(home: Home, loaded: None, tmp_path: Path) -> None:
    with run_net(tmp_path / "net") as net:
        home.environ["PATH"] = f"{net.bin}:{home.environ['PATH']}"
        elsewhere = Elsewhere(home, net.add("gpu"), 'ssh = "gpu"')
        with elsewhere.ask(DANGEROUS) as hook:
            assert elsewhere.answer_at_terminal("--allow", "--yes").code == ExitCode.USAGE
            done = elsewhere.answer_at_terminal(*YES)
            assert (done.code, done.out.endswith("Allowed.\n")) == (ExitCode.DONE, True), done.err
            assert hook.read_decision() == {"behavior": "allow"}
        elsewhere.app.arm(False)
        assert elsewhere.outcomes == [("stream", "given")]
