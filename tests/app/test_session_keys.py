"""Keys on a session: next waiting, numbers, copy, pager, editor, jump and resume. All data comes from real files."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from atm_tui.screens.controllers import actions
from atm_tui.screens.copy_menu import CopyScreen
from atm_tui.screens.fleet import FleetScreen
from atm_tui.screens.offer import OfferScreen
from atm_tui.screens.peek import PeekScreen
from atm_tui.screens.wizard import WizardScreen
from atm_tui.sources.registry import RegistrySource
from tests.support.app_files import HomeOnDisk
from tests.support.session_ids import A, B, C


@pytest.fixture
def gone() -> int:
    """The id of a process that has ended."""
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


@pytest.fixture
def beside() -> Iterator[int]:
    """A process that can stand for another client."""
    child = subprocess.Popen(["sleep", "60"])
    yield child.pid
    child.kill()
    child.wait()


@pytest.fixture
def asides(monkeypatch: pytest.MonkeyPatch) -> list[tuple[tuple[str, ...], str]]:
    """What would have got the terminal: a headless one can't be handed over."""
    runs: list[tuple[tuple[str, ...], str]] = []

    def run(_app: object, command: tuple[str, ...], directory: str = "") -> None:
        runs.append((command, directory))

    monkeypatch.setattr(actions, "run_suspended", run)
    return runs


async def test_n_goes_through_the_waiting_sessions_oldest_first(disk: HomeOnDisk) -> None:
    disk.start(A)
    disk.start(B)
    disk.start(C)
    disk.ask(C, 50, {"command": "make old"})
    disk.ask(A, 20, {"command": "make new"})
    async with disk.run_app() as app:
        await app.wait_for_text("2 need you")
        await app.press("g", "n")
        assert app.selected == ("session", C)
        await app.press("n")
        assert app.selected == ("session", A)
        await app.press("n")
        assert app.selected == ("session", C)
        await app.press("N")
        assert app.selected == ("session", A)
        await app.press("g", "N")
        assert app.selected == ("session", A)


async def test_n_unfolds_the_row_that_hides_the_session(disk: HomeOnDisk) -> None:
    disk.start(A)
    disk.ask(A, 50, {"command": "make"})
    async with disk.run_app() as app:
        await app.wait_for_text("1 needs you")
        await app.press("g", "left")
        assert "permission" not in app.line_with("work")
        await app.press("n")
        assert app.selected == ("session", A)
        await app.press("n")
        assert app.said == "no other session needs you"


@pytest.mark.long
async def test_n_says_that_no_session_waits(disk: HomeOnDisk) -> None:
    disk.start(A)
    async with disk.run_app() as app:
        await app.wait_for_text("1 working")
        await app.press("n")
        assert app.said == "next waiting: no session needs you"


async def test_digits_select_the_sessions_on_the_screen(disk: HomeOnDisk) -> None:
    for number in range(12):
        disk.start(f"{number:08}-0000-4000-8000-000000000000", 100 - number)
    async with disk.run_app(size=(100, 24)) as app:
        await app.wait_until(lambda: sum("do 0" in line for line in app.lines) > 8)
        await app.press("G", "g")
        assert app.line_with("do 00000001").startswith("2 ")
        await app.press("3")
        assert app.selected == ("session", "00000002-0000-4000-8000-000000000000")
        await app.pilot.resize_terminal(100, 8)
        await app.pilot.pause(0.05)
        await app.press("G")
        last = [line for line in app.lines if line[:1].isdigit()]
        assert last[0].startswith("1 ")
        assert "do 00000000" not in app.text
        await app.press("9")
        assert app.said.startswith("select: there are ")


async def test_y_copies_the_chosen_text(disk: HomeOnDisk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Also to the clipboard program of the system."""
    program = tmp_path / "bin" / "wl-copy"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\nexec cat >{tmp_path}/clipboard\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    disk.start(A)
    disk.ask(A, 50, {"command": "make all; "})
    async with disk.run_app() as app:
        await app.wait_for_text("1 needs you")
        await app.press("y")
        await app.wait_for_text("Copy of do aaaa")
        assert "it has no transcript yet" in app.text
        await app.press("t")  # nothing to copy: the menu stays
        await app.wait_until(lambda: isinstance(app.app.screen, CopyScreen))
        await app.press("w")
        await app.wait_until(lambda: app.app.clipboard == "make all;")
        await app.wait_until(lambda: app.said == "copied the waiting command (OSC 52)")
        monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
        await app.press("y")
        await app.wait_for_text("Copy of do aaaa")
        await app.press("y")
        await app.wait_until(lambda: app.said == "copied the id (OSC 52, wl-copy)")
        assert app.app.clipboard == (tmp_path / "clipboard").read_text() == A
        program.write_text("#!/bin/sh\nexit 3\n")
        await app.press("y")
        await app.wait_for_text("Copy of do aaaa")
        await app.press("r")
        await app.wait_until(lambda: app.said == "copied the resume command (OSC 52), but wl-copy: ended with 3")
        assert app.app.clipboard.endswith(f"--resume {A}")
        await app.press("y")
        await app.wait_for_text("Copy of do aaaa")
        await app.press("escape")
        await app.wait_until(lambda: isinstance(app.app.screen, FleetScreen))


async def test_the_raw_transcript_opens_in_the_pager(
    disk: HomeOnDisk, asides: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = disk.write_transcript(A, ("Bash", {"command": "make"}))
    disk.start(A, transcript_path=str(path))
    monkeypatch.setenv("PAGER", f"{sys.executable} -c 'a b'")
    async with disk.run_app() as app:
        await app.wait_for_text("1 working")
        await app.press("O")
        assert asides == [((sys.executable, "-c", "a b", str(path)), "")]
        monkeypatch.setenv("PAGER", "no-such-pager -R")
        await app.press("O")
        assert app.said == "transcript: $PAGER names no-such-pager, which is not on the PATH"
        monkeypatch.setenv("PAGER", "less 'x")
        await app.press("O")
        assert app.said.startswith("transcript: $PAGER can't be read")
        monkeypatch.delenv("PAGER")
        monkeypatch.setenv("PATH", str(disk.home))
        await app.press("O")
        assert app.said == "transcript: neither less nor more is on the PATH; $PAGER can name another"
        path.unlink()
        await app.press("O")
        assert app.said.startswith("transcript: no such file: /")
        assert len(asides) == 1


async def test_e_opens_the_project_in_the_editor(
    disk: HomeOnDisk, asides: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    disk.start(A)
    monkeypatch.setenv("EDITOR", sys.executable)
    async with disk.run_app() as app:
        await app.wait_for_text("1 working")
        await app.press("e")
        await app.press("g", "e")
        assert asides == [((sys.executable, str(disk.work)), str(disk.work))] * 2
        monkeypatch.setenv("VISUAL", "no-such-editor")
        await app.press("e")
        assert app.said == "edit: $VISUAL names no-such-editor, which is not on the PATH"


async def test_without_its_own_terminal_the_app_runs_no_program_in_it(
    disk: HomeOnDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk.start(A)
    monkeypatch.setenv("EDITOR", sys.executable)
    async with disk.run_app() as app:
        await app.wait_for_text("1 working")
        await app.press("e")
        assert app.said == "edit: the terminal can't be handed over here"


@pytest.fixture
def claude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client on the PATH; nothing runs it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "claude").symlink_to("/bin/false")
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


async def test_without_the_client_on_the_path_nothing_is_run(
    disk: HomeOnDisk, gone: int, asides: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATM_CLAUDE", "no-such-claude")
    disk.start(A, pid=gone)
    async with disk.run_app() as app:
        await app.wait_for_text("lost")
        await app.press("enter")
        await app.wait_for_text("no-such-claude is not on the PATH")
        await app.rest()
        await app.press("enter")
        await app.pilot.pause(0.05)
        assert asides == []


async def test_enter_offers_to_resume_a_lost_session(
    disk: HomeOnDisk, gone: int, asides: list[object], claude: None
) -> None:
    disk.start(A, pid=gone)
    async with disk.run_app() as app:
        await app.wait_for_text("lost")
        await app.press("enter")
        await app.wait_until(lambda: isinstance(app.app.screen, OfferScreen))
        assert "Its process is gone." in app.text
        assert "claude --resume" in app.text
        await app.press("y")
        await app.wait_until(lambda: app.app.clipboard == f"cd {disk.work} && claude --resume {A}")
        await app.wait_until(lambda: app.said == "copied the command (OSC 52)")
        assert asides == []
        await app.rest()
        await app.press("enter")
        await app.wait_until(lambda: isinstance(app.app.screen, OfferScreen))
        await app.press("escape")
        await app.pilot.pause(0.05)
        assert asides == []
        await app.rest()
        await app.press("enter")
        await app.wait_until(lambda: isinstance(app.app.screen, OfferScreen))
        for _ in range(5):
            await app.press("enter")
        assert asides == [], "Enter was held down"
        await app.wait_until(lambda: isinstance(app.app.screen, OfferScreen))
        await app.rest()
        await app.press("enter")
        await app.wait_until(lambda: asides)
        assert asides == [(("claude", "--resume", A), str(disk.work))]


async def test_a_missing_folder_is_reported_and_nothing_runs(disk: HomeOnDisk, gone: int, asides: list[object]) -> None:
    disk.start(A, pid=gone)
    disk.work.rmdir()
    async with disk.run_app() as app:
        await app.wait_for_text("lost")
        await app.press("enter")
        await app.wait_for_text("Its directory")  # which is gone too: how the rest wraps depends on its length
        await app.rest()
        await app.press("enter")
        await app.pilot.pause(0.05)
        await app.wait_until(lambda: isinstance(app.app.screen, FleetScreen))
        assert asides == []


async def test_enter_explains_why_it_cannot_jump(disk: HomeOnDisk, beside: int) -> None:
    disk.start(A, pid=beside, env={"TERM_PROGRAM": "somebodys-own"})
    async with disk.run_app() as app:
        await app.wait_for_text("1 working")
        await app.press("enter")
        await app.wait_until(lambda: isinstance(app.app.screen, OfferScreen))
        assert "takes no commands from atm-tui" in app.text
        assert "for when it has ended" in app.text
        assert "resume it here" not in app.text
        await app.rest()
        await app.press("enter")
        await app.wait_until(lambda: isinstance(app.app.screen, FleetScreen))


async def test_enter_in_the_peek_jumps(disk: HomeOnDisk, gone: int) -> None:
    disk.start(A, pid=gone)
    async with disk.run_app() as app:
        await app.wait_for_text("lost")
        await app.press("space")
        await app.wait_until(lambda: isinstance(app.app.screen, PeekScreen))
        await app.press("enter")
        await app.wait_until(lambda: isinstance(app.app.screen, OfferScreen))
        await app.press("escape")
        await app.wait_until(lambda: isinstance(app.app.screen, FleetScreen))


async def test_the_wizard_opens_and_returns_to_the_app(disk: HomeOnDisk) -> None:
    async with disk.run_app() as app:
        assert "i" in app.line_with("atm-tui install").split()
        await app.press("i")
        await app.wait_until(lambda: isinstance(app.app.screen, WizardScreen))
        await app.press("escape")
        await app.wait_until(lambda: isinstance(app.app.screen, FleetScreen))
        assert not (disk.config_dir / "settings.json").exists()


async def test_d_starts_the_demo_while_there_are_no_sessions(disk: HomeOnDisk, asides: list[object]) -> None:
    async with disk.run_app() as app:
        await app.press("d")
        assert asides == [((sys.executable, "-m", "atm_tui", "demo"), "")]


async def test_a_session_without_hook_events_is_marked(disk: HomeOnDisk) -> None:
    folder = disk.config_dir / "sessions"
    folder.mkdir()
    at = 1000 * disk.now
    entry = {"pid": os.getpid(), "sessionId": A, "startedAt": at, "updatedAt": at, "status": "idle", "statusUpdatedAt": at,
             "cwd": str(disk.work), "kind": "interactive"}  # fmt: skip
    (folder / f"{os.getpid()}.json").write_bytes(msgspec.json.encode(entry))
    source = RegistrySource(disk.config_dir)
    source.refresh()
    assert source.entries
    async with disk.run_app(size=(170, 30)) as app:
        await app.wait_for_text("no hooks yet")
        (disk.config_dir / "sessions" / f"{os.getpid()}.json").write_bytes(
            msgspec.json.encode({**entry, "kind": "bg", "updatedAt": at + 1})
        )
        await app.wait_for_text("· background · no hooks yet")
