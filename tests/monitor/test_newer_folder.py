"""An app that is older than the state folder shows what it can read there, says so, and changes nothing."""

import json
import threading
from pathlib import Path

from atm_tui.config import Config
from atm_tui.model.flags import SessionFlags
from atm_tui.monitor.live import LiveMonitor
from atm_tui.settings.doctor_state import check_state_dir
from atm_tui.sources.flags import FlagsFile
from atm_tui.sources.state_schema import SCHEMA, read_schema


def read_all(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


async def follow_shortly(monitor: LiveMonitor) -> None:
    """Lets a monitor do all that it does at its start."""
    stop = threading.Event()
    stop.set()
    await anext(monitor.watch(stop), None)
    monitor.refresh()


async def test_the_folder_of_a_newer_version_stays_as_it_is(tmp_path: Path) -> None:
    state = tmp_path / "state"
    for part in ("sessions", "app"):
        (state / part).mkdir(mode=0o700, parents=True)
    state.chmod(0o700)
    (state / "schema").write_text(f"{SCHEMA + 1}\n")
    (state / "app/care.json").write_text('{"s1": {"pinned": true, "why": "new in that version"}}')
    newer = {"schema": SCHEMA + 1, "session_id": "s1", "turns": {"of": "another shape"}}
    (state / "sessions/s1.json").write_text(json.dumps(newer))
    before = read_all(state)
    monitor = LiveMonitor(state, [tmp_path / ".claude"], Config(forget_after=1.0))
    await follow_shortly(monitor)
    FlagsFile(state).set_flags("s2", SessionFlags(pinned=True, at=1.0))
    notices = monitor.fleet.health.notices
    assert any("of a newer atm-tui" in text and "nothing in it is changed" in text for text in notices), notices
    [unreadable] = monitor.fleet.unreadable
    assert unreadable.problem.startswith(f"schema {SCHEMA + 1} of a newer atm-tui")
    assert any("of a newer atm-tui" in check.text for check in check_state_dir(state))
    assert {path: data for path, data in read_all(state).items() if path in before} == before
    assert read_all(state).keys() == before.keys()


async def test_a_folder_of_this_version_is_marked(tmp_path: Path) -> None:
    await follow_shortly(LiveMonitor(tmp_path / "state", [tmp_path / ".claude"], Config()))
    assert read_schema(tmp_path / "state") == SCHEMA
    assert (tmp_path / "state/schema").stat().st_mode & 0o777 == 0o600
