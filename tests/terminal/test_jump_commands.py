"""`jump`, `next` and `resume` as a person uses them: from a shell, from a key of tmux, from a popup."""

import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from atm_tui.settings.tmux_conf import KEYS, make_tmux_conf
from atm_tui.sources.folders import encode_folder
from tests.support.jump_harness import JumpHarness
from tests.support.jumping import CAT, TmuxWorkspace, open_pane
from tests.support.program import ATM_TUI
from tests.support.waiting import wait_until


@pytest.fixture
def harness(workspace: TmuxWorkspace) -> JumpHarness:
    return JumpHarness(workspace)


def test_jump_switches_or_prints_or_explains(harness: JumpHarness) -> None:
    ours, wanted, beside = (harness.workspace.inner.start(CAT) for _ in range(3))
    mine = harness.workspace.attach_client(ours.target)
    harness.write_state("aaaa1111-0000-4000-8000-000000000000", wanted, title="the shop")
    harness.write_state("aaaa2222-0000-4000-8000-000000000000", beside, title="the blog")
    assert harness.run("jump", "bbbb").code == 3
    several = harness.run("jump", "aaaa")
    assert several.code == 4
    assert "aaaa1111" in several.err
    assert "aaaa2222" in several.err
    before = harness.workspace.read_view(mine)
    shown = harness.run("jump", "--print", "the shop")
    assert (shown.code, shown.err) == (0, "")
    assert harness.workspace.read_view(mine) == before
    # what it prints is what it does
    subprocess.run(["sh", "-c", shown.out], env=harness.workspace.env, check=True)
    assert harness.workspace.read_shown_pane(mine).endswith(wanted.target)
    gone = harness.run("jump", "aaaa2")
    assert gone.code == 0
    assert harness.workspace.read_shown_pane(mine).endswith(beside.target)
    assert "You are there" in harness.run("jump", "aaaa2").out


def test_a_session_is_found_by_what_tmux_calls_its_pane(harness: JumpHarness) -> None:
    inner = harness.workspace.inner
    ours, wanted = inner.start(CAT), inner.start(CAT)
    beside = open_pane(inner, "split-window", "-d", "-t", wanted.target)
    mine = harness.workspace.attach_client(ours.target)
    inner.run("rename-session", "-t", wanted.target, "my work")
    harness.write_state("aaaa1111-0000-4000-8000-000000000000", wanted)
    harness.write_state("aaaa2222-0000-4000-8000-000000000000", beside)
    address = beside.read_format("#{window_index}.#{pane_index}")
    for text, pane in ((wanted.target, wanted), (f"my work:{address}", beside), (wanted.target, wanted)):
        done = harness.run("jump", text)
        assert done.code == 0, done.err
        assert harness.workspace.read_shown_pane(mine).endswith(pane.target)
    several = harness.run("jump", "my work:")
    assert several.code == 4
    assert "aaaa2222" in several.err
    assert harness.run("jump", ours.target).code == 3


def test_an_ended_session_is_not_jumped_to(harness: JumpHarness) -> None:
    harness.write_state("aaaa1111-0000-4000-8000-000000000000", session_active=False, cwd=str(harness.home))
    done = harness.run("jump", "aaaa1111")
    assert done.code == 5
    assert "--resume aaaa1111-0000-4000-8000-000000000000" in done.err


def test_next_goes_through_waiting_sessions_oldest_first(harness: JumpHarness) -> None:
    workspace = harness.workspace
    ours, old, new, calm = (workspace.inner.start(CAT) for _ in range(4))
    other = workspace.attach_client(calm.target)
    mine = workspace.attach_client(ours.target)
    now = time.time()
    harness.write_waiting_state("aaaa1111-0000-4000-8000-000000000000", new, now - 10)
    harness.write_waiting_state("aaaa2222-0000-4000-8000-000000000000", old, now - 60)
    harness.write_state("aaaa3333-0000-4000-8000-000000000000", calm)
    workspace.inner.run("bind-key", "-n", "F5", "run-shell", f"{ATM_TUI} next")
    before = workspace.read_view(other)
    for wanted in (old, new, old):
        mine.press_keys("F5")
        wait_until(lambda wanted=wanted: workspace.read_shown_pane(mine).endswith(wanted.target))
        assert wanted.read_format("#{pane_in_mode}") == "0"
    wait_until(lambda: workspace.read_view(other) == before, "the view of the other")


def test_the_keys_of_tmux_conf(harness: JumpHarness) -> None:
    workspace = harness.workspace
    ours, waiting, named = (workspace.inner.start(CAT) for _ in range(3))
    mine = workspace.attach_client(ours.target)
    harness.write_waiting_state("aaaa1111-0000-4000-8000-000000000000", waiting, time.time() - 10)
    harness.write_state("aaaa2222-0000-4000-8000-000000000000", named, title="it's; the $(blog)")
    conf = harness.home / "atm.conf"
    conf.write_text(make_tmux_conf(ATM_TUI))
    workspace.inner.run("source-file", str(conf))
    mine.press_keys("C-b", KEYS["next"])
    wait_until(lambda: workspace.read_shown_pane(mine).endswith(waiting.target), "the one that waits")
    mine.press_keys("C-b", KEYS["jump"])
    mine.wait_for("go to session:")
    mine.type_text("it's; the $(b")
    mine.press_keys("Enter")
    wait_until(lambda: workspace.read_shown_pane(mine).endswith(named.target), "the one with this name")
    mine.press_keys("C-b", KEYS["popup"])
    mine.wait_for("1 need")
    mine.press_keys("q")
    mine.wait_gone("1 need")


def test_next_without_waiting_sessions(harness: JumpHarness) -> None:
    harness.write_state("aaaa1111-0000-4000-8000-000000000000", harness.workspace.inner.start(CAT))
    done = harness.run("next")
    assert (done.code, done.out) == (3, "")


def test_from_a_popup_the_client_that_shows_it_moves(harness: JumpHarness) -> None:
    workspace = harness.workspace
    ours, wanted, late = (workspace.inner.start(CAT) for _ in range(3))
    first, second = workspace.attach_client(ours.target), workspace.attach_client(late.target)
    beside = workspace.attach_client(ours.target)
    harness.write_state("aaaa1111-0000-4000-8000-000000000000", wanted)
    # the variable is inherited from the server's own environment, and names a pane of another client
    workspace.inner.run("set-environment", "-g", "TMUX_PANE", late.target)
    said = harness.home / "popup"
    asks = (
        "from atm_tui.jump.own_terminal import find_own_terminal; from atm_tui.jump.tmux_client import find_own_tmux; "
        "print(find_own_tmux(find_own_terminal()).popup)"
    )
    ask = f"{sys.executable} -c '{asks}' > {said}"
    workspace.inner.run("bind-key", "-n", "F5", "display-popup", "-E", f"{ask}; {ATM_TUI} jump aaaa1111; sleep 0.2")
    workspace.inner.run("bind-key", "-n", "F6", "run-shell", ask)
    views = {client: workspace.read_view(client) for client in (second, beside)}
    for key, answer in (("F6", "False"), ("F5", "True")):
        first.press_keys(key)
        wait_until(lambda answer=answer: said.exists() and said.read_text().strip() == answer, f"{answer} after {key}")
    wait_until(lambda: workspace.read_shown_pane(first).endswith(wanted.target), "the jump")
    for client, view in views.items():
        wait_until(lambda client=client, view=view: workspace.read_view(client) == view, "the same view as before")


@pytest.fixture
def past(harness: JumpHarness) -> Callable[..., Path]:
    """Makes a project with the transcript of a session that is over."""

    def make(name: str, session_id: str, **line: Any) -> Path:
        folder = (harness.home / "work" / name).resolve()
        folder.mkdir(parents=True)
        kept = harness.home / ".claude" / "projects" / encode_folder(str(folder))
        kept.mkdir(parents=True)
        lines = [
            {"type": "user", "cwd": str(folder), "message": {"role": "user", "content": f"look at {name}"}},
            {"type": "custom-title", "customTitle": f"the {name}"},
        ]
        (kept / f"{session_id}.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines))
        return folder

    return make


CLAUDE = """#!/bin/sh
echo "in $(pwd) with $*"
"""


@pytest.fixture
def claude(harness: JumpHarness) -> str:
    """A stand-in for the client that says where and how it was started."""
    program = harness.home / "claude"
    program.write_text(CLAUDE)
    program.chmod(0o755)
    return str(program)


ONE = "1f2e3d4c-0000-4000-8000-000000000001"
TWO = "1f2e3d4c-0000-4000-8000-000000000002"


def test_resume_changes_to_the_sessions_directory(harness: JumpHarness, past: Callable[..., Path], claude: str) -> None:
    shop, _ = past("my shop", ONE), past("blog", TWO)
    for prefix in (ONE, "1f2e3d4c00004000-8000000000000001", "the my", "THE MY SHOP"):
        done = harness.run("resume", "-y", prefix, ATM_CLAUDE=claude)
        assert done.out == f"in {shop} with --resume {ONE}\n", done.err
    done = harness.run("resume", "-n", ONE, ATM_CLAUDE=claude)
    assert done.out == f"in {harness.home} with --resume {ONE}\n"
    done = harness.run("resume", "--print", ONE)
    assert done.out == f"cd '{shop}' && claude --resume {ONE}\n"


def test_resume_explains_why_it_cannot(harness: JumpHarness, past: Callable[..., Path], claude: str) -> None:
    shop = past("shop", ONE)
    past("blog", TWO)
    assert harness.run("resume", "ffffff").code == 3
    assert harness.run("resume", "1f2e3d").code == 4
    asks = harness.run("resume", ONE, ATM_CLAUDE=claude)
    assert asks.code == 2
    assert "-y" in asks.err
    assert harness.run("resume").code == 2
    absent = harness.run("resume", "-y", ONE, ATM_CLAUDE="/no/such/claude")
    assert absent.code == 6
    assert "/no/such/claude" in absent.err
    shutil.rmtree(shop)
    gone = harness.run("resume", "-y", ONE, ATM_CLAUDE=claude)
    assert gone.code == 5
    assert f"{shop} is gone" in gone.err


def test_resume_warns_of_a_mismatch(harness: JumpHarness, past: Callable[..., Path], claude: str) -> None:
    shop = past("shop", ONE)
    blog = past("blog", TWO)
    harness.write_state(
        ONE, session_active=False, cwd=str(blog), project_dir=str(blog), transcript_path=str(shop / "x")
    )
    done = harness.run("resume", "-y", ONE, ATM_CLAUDE=claude)
    assert done.out == f"in {blog} with --resume {ONE}\n"
    assert str(shop) in done.err


def test_a_running_session_is_jumped_to_instead_of_resumed(
    harness: JumpHarness, past: Callable[..., Path], claude: str
) -> None:
    past("shop", ONE)
    ours, wanted = harness.workspace.inner.start(CAT), harness.workspace.inner.start(CAT)
    mine = harness.workspace.attach_client(ours.target)
    harness.write_state(ONE, wanted)
    done = harness.run("resume", "-y", ONE, ATM_CLAUDE=claude)
    assert done.code == 0
    assert "with --resume" not in done.out
    assert harness.workspace.read_shown_pane(mine).endswith(wanted.target)


def test_the_list_can_be_searched(harness: JumpHarness, past: Callable[..., Path], claude: str) -> None:
    shop = past("shop", ONE)
    past("blog", TWO)
    pane = harness.workspace.inner.start([ATM_TUI, "resume"], env={"ATM_CLAUDE": claude}, cwd=harness.home, stay=True)
    pane.wait_for(r"the blog(.|\n)*Number, or text")
    pane.type_text("sho")
    pane.press_keys("Enter")
    pane.wait_for(r"sho\n *1 .*the shop.*\nNumber")
    pane.type_text("1")
    pane.press_keys("Enter")
    pane.wait_for(r"Change\s+there\s*\?")
    pane.press_keys("Enter")
    assert pane.wait_for_exit() == 0
    assert f"in {shop} with --resume {ONE}" in pane.read_screen().replace("\n", "")


def test_internal_files_of_the_client_are_not_offered(harness: JumpHarness, past: Callable[..., Path]) -> None:
    """Files of subagents beside their session, and files without a message, as older clients left them."""
    shop = past("shop", ONE)
    kept = harness.home / ".claude" / "projects" / encode_folder(str(shop))
    warmup = {"type": "user", "isSidechain": True, "message": {"role": "user", "content": "Warmup"}}
    for name, line in (
        ("agent-a1b2c3d4", warmup),
        ("1f2e3d4c-0000-4000-8000-000000000003", {"type": "summary", "summary": "only a summary"}),
        ("1f2e3d4c-0000-4000-8000-000000000004", {"type": "file-history-snapshot", "snapshot": {}}),
    ):
        (kept / f"{name}.jsonl").write_text(json.dumps(line) + "\n")
    pane = harness.workspace.inner.start([ATM_TUI, "resume"], cwd=harness.home, stay=True)
    screen = pane.wait_for("Number, or text")
    assert re.findall(r"^ +\d+  (\S+)", screen, re.MULTILINE) == [ONE[:8]]
    pane.press_keys("Enter")
    assert harness.run("resume", "agent-a1").code == 3


def test_closing_the_list(harness: JumpHarness, past: Callable[..., Path]) -> None:
    past("shop", ONE)
    pane = harness.workspace.inner.start([ATM_TUI, "resume"], cwd=harness.home, stay=True)
    pane.wait_for("Number, or text")
    pane.press_keys("Enter")
    assert pane.wait_for_exit() == 7


def test_a_detached_session_is_attached_when_the_person_agrees(harness: JumpHarness) -> None:
    wanted = harness.workspace.inner.start(CAT)
    harness.write_state("aaaa1111-0000-4000-8000-000000000000", wanted)
    pane = harness.workspace.outer.start(
        ["env", "-u", "TMUX", ATM_TUI, "jump", "aaaa1111"], env=harness.workspace.env, stay=True
    )
    pane.wait_for("Show it here")
    pane.press_keys("Enter")
    wait_until(lambda: any(shown.endswith(wanted.target) for shown in harness.workspace.list_clients().values()))


def test_gnu_screen_shows_the_window(harness: JumpHarness) -> None:
    if not shutil.which("screen"):
        pytest.skip("screen is not installed")
    folder = harness.home / "screens"
    folder.mkdir(mode=0o700)
    env = {**harness.workspace.env, "SCREENDIR": str(folder), "TERM": "screen-256color"}
    shown = harness.workspace.outer.start(["screen", "-S", "my job", "sh", "-c", "echo first; exec cat"], env=env)
    shown.wait_for("first")
    name = next(path.name for path in folder.iterdir())
    subprocess.run(["screen", "-S", name, "-X", "screen", "sh", "-c", "echo second; exec cat"], env=env, check=True)
    shown.wait_for("second")
    windows = sorted(psutil.Process(int(name.partition(".")[0])).children(), key=lambda each: each.pid)
    assert len(windows) == 2
    for number, window in enumerate(windows):
        key = f"aaaa{number}111-0000-4000-8000-000000000000"
        now = time.time()
        terminal = {"STY": name, "WINDOW": str(number)}
        process = {"first": now, "last": now, "began": now, "terminal": terminal}
        harness.write_state(key, pid=window.pid, terminal=terminal, processes={str(window.pid): process})
    try:
        for number, word in ((0, "first"), (1, "second"), (0, "first")):
            done = harness.run("jump", f"aaaa{number}", SCREENDIR=str(folder))
            assert done.code == 0, done.err
            shown.wait_for(word)
        subprocess.run(["screen", "-S", name, "-d"], env=env, check=False)
        offer = harness.run("jump", "--print", "aaaa1", SCREENDIR=str(folder))
        assert offer.out == f"screen -r '{name}' -p 1\n"
    finally:
        subprocess.run(["screen", "-S", name, "-X", "quit"], env=env, check=False)
