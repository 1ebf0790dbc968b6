"""`atm-tui hosts`, and commands with --host, as a person runs them. The machines are scripts that print a stream."""

import json
import time
from pathlib import Path

import msgspec
import pytest

from atm_tui.cli.exit_codes import ExitCode
from atm_tui.model.session import Agent, Cost, Session, State, Unreadable
from atm_tui.model.stream import PROTOCOL, CompleteLine, FleetLine, Hello, SessionLine
from atm_tui.model.wait import Reason, Wait
from atm_tui.sources.kept_parts import KeptParts, Part, SharedSources
from atm_tui.sources.kept_result import Sources
from atm_tui.view.tmux_line import NEEDS, WORKING
from tests.support.command_home import Home
from tests.support.machines import There
from tests.support.stream_process import VALIDATOR

ASKS = Session(
    session_id="0a1b2c3d",
    name="fix\x1b[2J it",
    state=State.NEEDS_YOU,
    waits=(Wait(key="k", reason=Reason.PERMISSION, tool="Bash", summary="npm test"),),
    cost=Cost(usd=2.0),
)


def add_machine(home: Home, name: str, *lines: object, then: str = "exec sleep 600", more: str = "") -> None:
    stream = home.folder / f"{name}.jsonl"
    stream.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    script = home.folder / f"{name}.sh"
    script.write_text(f"cat {stream}\n{then}\n", "utf-8")
    config = home.folder / ".config" / "atm-tui" / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    before = config.read_text("utf-8") if config.exists() else ""
    config.write_text(f'{before}[hosts.{name}]\nexec = ["sh", "{script}"]\n{more}', "utf-8")


@pytest.fixture
def machines(home: Home) -> Home:
    hello = Hello(protocol=PROTOCOL, version="9.9")
    add_machine(
        home, "gpu", hello, FleetLine(notices=("Hooks are missing.",)), SessionLine(session=ASKS), CompleteLine()
    )
    add_machine(home, "bare", then="exit 127")
    add_machine(home, "new", Hello(protocol=PROTOCOL + 1))
    return home


def test_hosts_says_what_is_missing_on_each(machines: Home) -> None:
    done = machines.run("hosts")
    assert done.code == ExitCode.FAILED
    gpu, notice, bare, new = done.out.splitlines()
    assert gpu.startswith("gpu   ok    atm-tui 9.9, 1 session  (sh ")
    assert notice == "      warn  Hooks are missing."
    assert bare.startswith("bare  fail  there is no atm-tui: install it there")
    assert "update atm-tui here" in new
    done = machines.run("hosts", "gpu", "--json")
    assert done.code == ExitCode.DONE
    found = json.loads(done.out)
    assert (found["name"], found["state"], found["sessions"], found["problem"]) == ("gpu", "live", 1, None)


def test_hosts_says_whether_answers_are_open(home: Home) -> None:
    hello = Hello(protocol=PROTOCOL, version="9.9", commands=("requests",))
    for name, state, why in (("gpu", "off", ""), ("box", "not allowed", "set\x1b it"), ("mine", "not installed", "x")):
        reply = {"change": "reply", "id": 1, "result": {"state": state, "problem": why}}
        lines = (hello, CompleteLine())
        then = f"read line\necho '{json.dumps(reply)}'\nexec sleep 600"
        add_machine(home, name, *lines, then=then, more="" if name == "mine" else "answers = true\n")
    done = home.run("hosts")
    gpu, box, why, mine = done.out.splitlines()
    assert gpu.startswith("gpu   ok    atm-tui 9.9, 0 sessions, answers open  (")
    assert box.startswith("box   ok    atm-tui 9.9, 0 sessions  (")
    assert why.startswith("      warn  answers closed: set")
    assert "\x1b" not in done.out
    assert "answers" not in mine
    found = [json.loads(line) for line in home.run("hosts", "--json").out.splitlines()]
    assert [each["answers"] for each in found] == ["off", "not allowed", None]


def test_hosts_without_any_says_how_to_add_one(home: Home) -> None:
    done = home.run("hosts")
    assert done.code == ExitCode.DONE
    assert "[hosts.gpu]" in done.out
    assert str(Path(".config") / "atm-tui" / "config.toml") in done.out


def test_commands_show_a_machine_for_once(machines: Home) -> None:
    machines.record("here", "SessionStart", source="startup")
    assert "gpu" not in machines.run("status").out
    table = machines.run("--host", "gpu", "--host", "bare", "status").out
    assert "machine" in table.splitlines()[0]
    [row] = [line for line in table.splitlines() if line.startswith("gpu")]
    assert "needs you" in row
    assert "\x1b" not in table
    assert "! bare: not shown · there is no atm-tui" in table
    found = json.loads(machines.run("--host", "gpu", "status", "--json").out)
    assert [each["machine"] for each in found["sessions"]] in (["gpu", None], [None, "gpu"])
    assert (found["totals"]["needs_you"], found["totals"]["cost_usd"]) == (1, 2.0)
    assert [each["link"] for each in found["machines"]] == ["live"]
    assert machines.run("--host", "gpu", "wait", "--for", "needs_you", "gpu:0a1b").out == "gpu:0a1b2c3d\n"


def test_what_works_only_there_is_refused_with_the_reason(machines: Home) -> None:
    done = machines.run("--host", "gpu", "jump", "gpu:0a1b")
    assert done.code == ExitCode.NOT_POSSIBLE
    assert "It runs on gpu, and not in tmux" in done.err
    done = machines.run("--host", "gpu", "resume", "gpu:0a1b")
    assert done.code == ExitCode.USAGE
    assert "--host can't be combined with resume: run it on that machine" in done.err
    done = machines.run("--host", "gpu", "hosts")
    assert "--host can't be combined with hosts: name the machine behind it" in done.err
    done = machines.run("--nats", "nats://127.0.0.1:1", "answer", "gpu:0a1b", "--allow", "--yes")
    assert "--nats can't be combined with answer: answers never go through it, use --host" in done.err
    done = machines.run("--host", "gpu", "explain", "gpu:0a1b")
    assert done.code == ExitCode.FAILED
    assert "atm-tui on gpu takes no explain: update it there." in done.err
    done = machines.run("--host=-oProxyCommand=id", "status")
    assert done.code == ExitCode.USAGE
    assert "nor a destination of ssh" in done.err


def test_commands_that_find_nothing_say_which_machines_are_missing(machines: Home) -> None:
    missing = "Sessions are missing of bare: not shown · there is no atm-tui"
    for words in (
        ("next",),
        ("jump", "bare:x"),
        ("explain", "bare:x"),
        ("answer", "bare:x", "--print"),
        ("wait", "--for", "ended", "--timeout", "0"),
        ("watch", "--timeout", "0"),
        ("list",),
    ):
        done = machines.run("--host", "bare", *words)
        assert missing in done.err, words
        assert "next try" not in done.err, words
    done = machines.run("explain", "gpu:0a1b")
    assert "gpu is another machine: give --host gpu before the command." in done.err
    assert "another machine" not in machines.run("--host", "gpu", "explain", "gpu:none").err
    (machines.folder / ".claude").mkdir()
    done = machines.run("--host", "bare", "usage")
    assert "bare: there is no atm-tui" in done.out
    assert "atm-tui hosts says what to do." in done.out


def test_status_of_a_machine_that_is_not_reached_is_done_and_names_it(machines: Home) -> None:
    """The rest of the answer is right, so it is no failure; in each form the machine is named apart from the sessions."""
    machines.record("here", "SessionStart", source="startup")
    why = "bare: not shown · there is no atm-tui"
    table, told, line, tmux = machines.run_each(
        *(("--host", "bare", "status", *words) for words in ((), ("--json",), ("--format", "{sessions}"), ("--tmux",)))
    )
    assert [each.code for each in (table, told, line, tmux)] == [ExitCode.DONE] * 4
    assert (f"! {why}" in table.out, table.err, told.err) == (True, "", "")
    assert line.out == "1\n"
    assert [why in each.err for each in (line, tmux)] == [True, True]
    [machine] = json.loads(told.out)["machines"]
    assert (machine["machine"], machine["link"]) == ("bare", "refused")
    assert "there is no atm-tui" in machine["problem"]
    assert len(json.loads(told.out)["sessions"]) == 1


def test_the_kept_line_for_tmux_is_not_that_of_other_machines(machines: Home) -> None:
    folder = machines.folder
    key = [machines.state, folder / ".config" / "atm-tui" / "config.toml", folder / ".claude"]
    kept = KeptParts(folder / ".cache" / "atm-tui", "status-line", list(map(str, key)))
    now, nothing = time.time(), Sources((), {}, None)
    texts = {"one": [NEEDS[0], repr(now), "kept"], "two": [WORKING[0], repr(now), "two"], "three": []}
    kept.save({each: Part(texts[each], (), (), nothing) for each in texts}, SharedSources(nothing, {}), now)
    assert machines.run("status", "--tmux").out.startswith("1 ● 1 ◐  kept ")
    assert machines.run("--host", "gpu", "status", "--tmux").out.startswith("1 ●  fix")


def test_an_id_has_digits_after_a_long_name_of_a_machine(home: Home) -> None:
    hello = Hello(protocol=PROTOCOL, version="9.9")
    add_machine(home, "workstation", hello, SessionLine(session=ASKS), CompleteLine())
    out = home.run("--host", "workstation", "status", "--columns", "id", "--no-headings").out
    assert out.splitlines()[0] == "workstation:0a1b"


def test_what_a_newer_machine_sends_is_passed_on(home: Home) -> None:
    """Fields that nobody here knows yet, on each level, in everything that a program can read."""
    agent = Agent(agent_id="a1")
    line = msgspec.to_builtins(SessionLine(session=msgspec.structs.replace(ASKS, agents=(agent,))))
    line["weather"] = "sunny"
    line["session"] |= {"mood": {"deep": [1, "\x1b[2J"]}, "state": line["session"]["state"]}
    line["session"]["agents"][0]["shoe_size"] = 42
    line["session"]["cost"]["eur"] = 1.8
    hello = msgspec.to_builtins(Hello(protocol=PROTOCOL)) | {"rack": "b7"}
    fleet = msgspec.to_builtins(FleetLine(unreadable=(Unreadable(path="s9.json", problem="no JSON"),)))
    fleet["unreadable"][0]["size"] = 3
    fleet["power"] = "low"
    tide = {"change": "tide", "at": 1.0, "height": 3}
    add_machine(home, "gpu", hello, fleet, line, tide, CompleteLine(), tide | {"height": 4})

    found = json.loads(home.run("--host", "gpu", "status", "--json").out)
    [session] = found["sessions"]
    assert (session["mood"], session["state"]) == ({"deep": [1, "\x1b[2J"]}, "needs_you")
    assert (session["agents"][0]["shoe_size"], session["agents"][0]["agent_id"]) == (42, "a1")
    assert (session["cost"]["eur"], session["cost"]["usd"]) == (1.8, 2.0)
    assert (found["machines"][0]["rack"], found["machines"][0]["power"]) == ("b7", "low")
    assert found["unreadable"] == [{"path": "gpu:s9.json", "problem": "no JSON"}]

    out = home.run("--host", "gpu", "stream", "--timeout", "0.1").out
    assert "\x1b" not in out
    lines = list(map(json.loads, out.splitlines()))
    tides = [each for each in lines if each["change"] == "tide"]
    assert tides == [tide | {"machine": "gpu"}, tide | {"machine": "gpu", "height": 4}]
    [line] = [each for each in lines if each["change"] == "fleet"]
    assert line["machines"] == {"gpu": {"rack": "b7", "power": "low", "unreadable": {"0": {"size": 3}}}}
    VALIDATOR.validate(line)
    [line] = [each for each in lines if each["change"] == "listed"]
    assert (line["weather"], line["session"]["mood"]) == ("sunny", {"deep": [1, "\x1b[2J"]})
    assert line["session"]["agents"][0]["shoe_size"] == 42
    assert line["session"]["session_id"] == "gpu:0a1b2c3d"
    assert "unknown" not in line["session"]["elsewhere"]
    VALIDATOR.validate(line)


@pytest.mark.long
def test_explain_and_usage_of_a_machine(home: Home) -> None:
    (home.folder / "there").mkdir()
    there = There(home.folder / "there")
    there.start_transcript("gpu-1").reply("Done.", requestId="r1")
    there.ask("gpu-1", "npm test")
    (home.folder / ".claude").mkdir()
    config = home.folder / ".config" / "atm-tui" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(f'[hosts.gpu]\nexec = ["env"]\ncommand = "{there.bin}/atm-tui"\n', "utf-8")
    done = home.run("--host", "gpu", "explain", "gpu:gpu")
    assert done.code == ExitCode.DONE, done.err
    assert "hooks decide: PermissionRequest" in done.out
    assert "permission Bash  npm test" in done.out
    found = json.loads(home.run("--host", "gpu", "usage", "--json").out)
    assert [each["machine"] for each in found["machines"]] == ["gpu"]
    assert found["machines"][0]["usd"] == found["total_usd"] > 0
    assert "gpu      $0.00" in home.run("--host", "gpu", "usage").out
